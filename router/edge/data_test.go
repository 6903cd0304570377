package edge

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// exchange sends data both ways with half closes and checks all of it.
func exchange(t *testing.T, a, b conn, size int) {
	t.Helper()
	var wg sync.WaitGroup
	one := func(from, to conn, seed byte) {
		want := pattern(size, seed)
		wg.Go(func() {
			if _, err := from.Write(want); err != nil {
				t.Errorf("write: %v", err)
			}
			if err := from.CloseWrite(); err != nil {
				t.Errorf("close write: %v", err)
			}
		})
		wg.Go(func() {
			got, err := io.ReadAll(to)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("received %d bytes of %d, %v", len(got), len(want), err)
			}
		})
	}
	one(a, b, 1)
	one(b, a, 2)
	wg.Wait()
}

func TestEveryPairOfClients(t *testing.T) {
	for _, c := range []struct{ dialer, host bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		t.Run(fmt.Sprintf("dialer window %v, host window %v", c.dialer, c.host), func(t *testing.T) {
			b := newBed(t)
			l := b.connect("h").host("svc", c.host)
			d, _, err := b.connect("d").dial("svc", c.dialer)
			if err != nil {
				t.Fatal(err)
			}
			exchange(t, d, <-l.accepted, 3<<20)
			_ = d.Close()
			eventually(t, "the circuit ends", func() bool { return b.table.Len() == 0 })
		})
	}
}

func TestManyCircuitsAtOnce(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", true)
	dialer := b.connect("d")
	go func() {
		for range 100 {
			c := <-l.accepted
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.CloseWrite()
				_ = c.Close()
			}()
		}
	}()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			c, _, err := dialer.dial("svc", i%2 == 0)
			if err != nil {
				t.Error(err)
				return
			}
			want := pattern(20_000, byte(i))
			go func() { _, _ = c.Write(want); _ = c.CloseWrite() }()
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("circuit %d: %d bytes, %v", i, len(got), err)
			}
			_ = c.Close()
		})
	}
	wg.Wait()
	eventually(t, "all circuits end", func() bool { return b.table.Len() == 0 })
}

func TestCloseDeliversWhatWasSent(t *testing.T) {
	for _, window := range []bool{true, false} {
		t.Run(fmt.Sprintf("window %v", window), func(t *testing.T) {
			b := newBed(t)
			l := b.connect("h").host("svc", !window)
			d, _, err := b.connect("d").dial("svc", window)
			if err != nil {
				t.Fatal(err)
			}
			host := <-l.accepted
			want := pattern(700_000, 3)
			if _, err := d.Write(want); err != nil {
				t.Fatal(err)
			}
			_ = d.Close()
			got, err := io.ReadAll(host)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of %d, %v", len(got), len(want), err)
			}
			eventually(t, "the circuit ends", func() bool { return b.table.Len() == 0 })
		})
	}
}

func TestStalledReaderHarmsNobody(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", true)
	dialer := b.connect("d")
	stalled, _, err := dialer.dial("svc", true)
	if err != nil {
		t.Fatal(err)
	}
	<-l.accepted // nobody reads it
	go func() { _, _ = stalled.Write(make([]byte, 64<<20)) }()
	for range 5 {
		other, _, err := dialer.dial("svc", true)
		if err != nil {
			t.Fatal(err)
		}
		exchange(t, other, <-l.accepted, 1<<20)
	}
	if used := b.srv.spill.Used(); used > 10<<20 {
		t.Errorf("%d bytes wait in the router", used)
	}
	_ = stalled.Close()
}

func TestStalledReaderPausesPlainClient(t *testing.T) {
	b := newBed(t, func(c *Config) { c.SpillPerCircuit = 256 << 10 })
	l := b.connect("h").host("svc", true)
	dialer := b.connect("d")
	c, _, err := dialer.dial("svc", false)
	if err != nil {
		t.Fatal(err)
	}
	host := <-l.accepted
	want := pattern(32<<20, 1)
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(want)
		_ = c.CloseWrite()
		sent <- err
	}()
	eventually(t, "data is stored", func() bool { return b.srv.spill.Used() > 256<<10 })
	if used := b.srv.spill.Used(); used > 4<<20 {
		t.Errorf("%d bytes are stored", used)
	}
	got, err := io.ReadAll(host)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes of %d, %v", len(got), len(want), err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	eventually(t, "the store is empty", func() bool { return b.srv.spill.Used() == 0 })
}

func TestBoundariesFlagsAndTraceIDs(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", false)
	c, _, err := b.connect("d").dial("svc", false)
	if err != nil {
		t.Fatal(err)
	}
	d := c.(*rawConn)
	host := (<-l.accepted).(*rawConn)
	got := make(chan edge.Data, 10)
	h.handle(host.id, func(f frameOf) {
		m := f.Clone()
		x, _ := edge.ParseData(m)
		if m.Headers.Has(1099) {
			t.Error("an unknown header travelled through the circuit")
		}
		got <- x
		f.Release()
	})
	uuid := []byte("0123456789abcdef")
	first := (&edge.Data{ConnID: d.id, Flags: edge.FlagMultipart | edge.FlagTraceUUID, UUID: uuid, Body: []byte("stream header")}).Encode()
	first.Headers.PutUint32(1099, 1)
	for _, m := range []*msg{first, (&edge.Data{ConnID: d.id, Body: pattern(100_000, 1)}).Encode(), (&edge.Data{ConnID: d.id, Body: []byte("x")}).Encode()} {
		if !d.s.ch.TrySend(m) {
			t.Fatal("no room")
		}
	}
	x := <-got
	if string(x.Body) != "stream header" || x.Flags != edge.FlagMultipart|edge.FlagTraceUUID || !bytes.Equal(x.UUID, uuid) {
		t.Errorf("first message: %+v", x)
	}
	if x = <-got; !bytes.Equal(x.Body, pattern(100_000, 1)) || x.Flags != 0 {
		t.Errorf("second message has %d bytes", len(x.Body))
	}
	if x = <-got; string(x.Body) != "x" {
		t.Errorf("third message: %q", x.Body)
	}
}

func TestEgress(t *testing.T) {
	for _, window := range []bool{true, false} {
		t.Run(fmt.Sprintf("window %v", window), func(t *testing.T) {
			b := newBed(t)
			tl, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer tl.Close()
			b.net.terminators["t1"] = &ctrl.Terminator{Id: "t1", ServiceId: "web", Binding: egress.Binding, Address: "tcp:" + tl.Addr().String()}
			accepted := make(chan *net.TCPConn, 1)
			go func() {
				c, err := tl.Accept()
				if err == nil {
					accepted <- c.(*net.TCPConn)
				}
			}()
			d, _, err := b.connect("d").dial("web", window)
			if err != nil {
				t.Fatal(err)
			}
			server := <-accepted
			defer server.Close()
			exchange(t, d, server, 5<<20)
			_ = d.Close()
			eventually(t, "the circuit ends", func() bool { return b.table.Len() == 0 })
			_ = server.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, err := server.Read(make([]byte, 1)); err == nil {
				t.Error("the connection to the server is still open")
			}
		})
	}
}

func TestEgressRefusals(t *testing.T) {
	b := newBed(t)
	tl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := tl.Addr().String()
	tl.Close()
	cases := map[string]struct {
		binding, address string
		cause            ctrl.Cause
	}{
		"nobody listens":   {egress.Binding, "tcp:" + nobody, ctrl.Cause_CONNECTION_REFUSED},
		"another protocol": {egress.Binding, "sctp:localhost:1", ctrl.Cause_MISCONFIGURED_TERMINATOR},
		"no port":          {egress.Binding, "tcp:localhost", ctrl.Cause_MISCONFIGURED_TERMINATOR},
		"unknown binding":  {"tunnel", "x", ctrl.Cause_MISCONFIGURED_TERMINATOR},
		"not hosted here":  {Binding, "hosted:nowhere", ctrl.Cause_INVALID_TERMINATOR},
	}
	s := b.connect("d")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b.net.mu.Lock()
			b.net.asked = nil
			b.net.terminators["t1"] = &ctrl.Terminator{Id: "t1", ServiceId: "web", Binding: c.binding, Address: c.address}
			b.net.mu.Unlock()
			if _, _, err := s.dial("web", true); err == nil {
				t.Fatal("connected")
			}
			b.net.mu.Lock()
			last := b.net.asked[len(b.net.asked)-1]
			b.net.mu.Unlock()
			if last.Attempt != 3 || last.Failure.GetCause() != c.cause || last.Failure.GetTerminatorId() != "t1" {
				t.Errorf("the controller was told %v", last)
			}
		})
	}
}
