package flow

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cable is an Output that carries messages to another Conn in order, through a
// bounded queue and a goroutine, like a channel.
type cable struct {
	queue chan *message.Message
	done  chan struct{}
	wg    sync.WaitGroup
}

func newCable(room int) *cable {
	return &cable{queue: make(chan *message.Message, room), done: make(chan struct{})}
}

func clone(m *message.Message) *message.Message {
	return &message.Message{Type: m.Type, Headers: m.Headers.Clone(), Body: bytes.Clone(m.Body)}
}

func (c *cable) TrySend(m *message.Message) bool {
	select {
	case c.queue <- clone(m):
		return true
	default:
		return false
	}
}

func (c *cable) Send(ctx context.Context, m *message.Message) error {
	select {
	case c.queue <- clone(m):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *cable) run(to *Conn) {
	c.wg.Go(func() {
		for {
			select {
			case m := <-c.queue:
				if m.Type == xgress.TypePayload {
					to.HandlePayload(m, nil)
				} else {
					to.HandleAck(m)
				}
			case <-c.done:
				return
			}
		}
	})
}

func (c *cable) stop() { close(c.done); c.wg.Wait() }

// pair returns two connected ends; the returned function ends what runs.
func pair(cfg Config) (dialer, host *Conn, stop func()) {
	ab, ba := newCable(4), newCable(4)
	a, b := cfg, cfg
	a.Circuit, a.Role, a.Output = "c1", Initiator, ab
	b.Circuit, b.Role, b.Output = "c1", Terminator, ba
	dialer, host = New(a), New(b)
	ab.run(host)
	ba.run(dialer)
	host.Start()
	dialer.Start()
	return dialer, host, func() {
		dialer.Abort(net.ErrClosed)
		host.Abort(net.ErrClosed)
		ab.stop()
		ba.stop()
	}
}

func TestConnCarriesBothWays(t *testing.T) {
	d, h, stop := pair(Config{Window: 32 << 10})
	defer stop()
	up, down := pattern(3<<20, 1), pattern(2<<20, 2)
	var wg sync.WaitGroup
	send := func(c *Conn, data []byte) {
		if n, err := c.Write(data); n != len(data) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Error(err)
		}
	}
	receive := func(c *Conn, want []byte) {
		got, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %d bytes of %d, %v", len(got), len(want), err)
		}
	}
	wg.Go(func() { send(d, up) })
	wg.Go(func() { send(h, down) })
	wg.Go(func() { receive(h, up) })
	wg.Go(func() { receive(d, down) })
	wg.Wait()
	_ = d.Close()
	_ = h.Close()
	<-d.Done()
	<-h.Done()
}

func TestConnKeepsBoundariesAndFlags(t *testing.T) {
	d, h, stop := pair(Config{})
	defer stop()
	items := []Item{
		{Data: []byte("stream header"), EdgeFlags: 4, HasEdgeFlags: true},
		{Data: pattern(200<<10, 9)},
		{Data: []byte{}},
		{Data: []byte("x"), UUID: []byte("0123456789abcdef")},
		{EdgeFlags: xgress.EdgeFIN, HasEdgeFlags: true},
	}
	go func() {
		for _, it := range items {
			if err := d.WriteMessage(it); err != nil {
				t.Error(err)
			}
		}
	}()
	for i, want := range items {
		s, err := h.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.Data, want.Data) || !bytes.Equal(s.UUID, want.UUID) ||
			s.EdgeFlags != want.EdgeFlags || s.HasEdgeFlags != want.HasEdgeFlags {
			t.Errorf("item %d differs", i)
		}
		s.Release()
	}
	if err := d.WriteMessage(Item{Data: []byte("late")}); !errors.Is(err, ErrWriteClosed) {
		t.Errorf("write after FIN: %v", err)
	}
}

func TestConnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, h, stop := pair(Config{Window: 1000})
		defer stop()
		start := time.Now()
		_ = d.SetReadDeadline(start.Add(time.Second))
		if _, err := d.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("read: %v after %v", err, time.Since(start))
		}
		// Nobody reads at the host, so the window fills.
		_ = d.SetWriteDeadline(time.Now().Add(2 * time.Second))
		n, err := d.Write(make([]byte, 1<<20))
		if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == 1<<20 {
			t.Errorf("write: %d, %v", n, err)
		}
		// A deadline set while a read waits ends the wait.
		_ = d.SetReadDeadline(time.Time{})
		done := make(chan error)
		go func() { _, err := d.Read(make([]byte, 1)); done <- err }()
		synctest.Wait()
		_ = d.SetReadDeadline(time.Unix(1, 0))
		if err := <-done; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("waiting read: %v", err)
		}
		_ = h.Close()
	})
}

func TestCloseDeliversWhatWasWritten(t *testing.T) {
	d, h, stop := pair(Config{Window: 512 << 10})
	defer stop()
	data := pattern(300<<10, 5)
	if _, err := d.Write(data); err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	if _, err := d.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write after Close: %v", err)
	}
	if _, err := d.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after Close: %v", err)
	}
	got, err := io.ReadAll(h)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("read %d, %v", len(got), err)
	}
	<-d.Done()
	if _, err := h.Write([]byte("x")); err == nil {
		// The circuit end may be behind the data; a write fails once it is here.
		for err == nil {
			_, err = h.Write([]byte("x"))
		}
	}
}

func TestPeerClosed(t *testing.T) {
	lost := errors.New("dial access lost")
	for name, reason := range map[string]error{"orderly": nil, "with a reason": lost} {
		t.Run(name, func(t *testing.T) {
			d, h, stop := pair(Config{})
			defer stop()
			if _, err := d.Write([]byte("last words")); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 4)
			if _, err := io.ReadFull(h, b); err != nil {
				t.Fatal(err)
			}
			h.PeerClosed(reason)
			rest, err := io.ReadAll(h)
			if string(rest) != " words" || !errors.Is(err, reason) {
				t.Errorf("ReadAll = %q, %v", rest, err)
			}
			if _, err := h.Write([]byte("x")); err == nil {
				t.Error("write to a closed circuit succeeded")
			}
			<-h.Done()
		})
	}
}

func TestAbortWakesEverybody(t *testing.T) {
	d, _, stop := pair(Config{Window: 1})
	defer stop()
	gone := errors.New("channel gone")
	errs := make(chan error)
	go func() { _, err := d.Read(make([]byte, 1)); errs <- err }()
	go func() { _, err := d.Write(make([]byte, 8<<20)); errs <- err }()
	d.Abort(gone)
	for range 2 {
		if err := <-errs; !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
	}
}

func TestTerminatorWithoutStartGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := make(chan error, 1)
		h := New(Config{Circuit: "c", Role: Terminator, Output: newCable(1), Closed: func(err error) { why <- err }})
		h.Start()
		if err := <-why; !errors.Is(err, ErrNotStarted) {
			t.Error(err)
		}
	})
}

func TestRelayCallbacks(t *testing.T) {
	woken := make(chan struct{}, 1)
	ab, ba := newCable(64), newCable(64)
	d := New(Config{Circuit: "c", Output: ab, Window: 1, Writable: func() { woken <- struct{}{} }})
	var h *Conn
	got := make(chan []byte, 100)
	h = New(Config{Circuit: "c", Role: Terminator, Output: ba, Readable: func() {
		for {
			s, ok, err := h.TryNext()
			if !ok || err != nil {
				return
			}
			got <- bytes.Clone(s.Data)
			s.Release()
		}
	}})
	ab.run(h)
	ba.run(d)
	h.Start()
	d.Start()
	for i := byte(0); i < 10; {
		ok, err := d.TryWrite(Item{Data: []byte{i}})
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			<-woken
			continue
		}
		i++
	}
	for i := byte(0); i < 10; i++ {
		if b := <-got; len(b) != 1 || b[0] != i {
			t.Fatalf("message %d is %v", i, b)
		}
	}
	d.Abort(net.ErrClosed)
	h.Abort(net.ErrClosed)
	ab.stop()
	ba.stop()
}

// null is an Output that takes everything.
type null struct{}

func (null) Send(context.Context, *message.Message) error { return nil }
func (null) TrySend(*message.Message) bool                { return true }

func TestSteadyPathAllocatesNothing(t *testing.T) {
	d := New(Config{Circuit: "3RKXaP80Gm5AK5KGuDLtZj", Output: null{}})
	d.Start()
	defer d.Abort(net.ErrClosed)
	data := make([]byte, 1000)
	var scratch [256]byte
	body := make([]byte, 0, 4)
	seq := int32(0)
	ack := func(seq int32) {
		a := xgress.Ack{Circuit: []byte("c"), Flags: xgress.FlagOriginator, Seqs: xgress.AppendSeq(body, seq)}
		m := a.Message(message.Headers(scratch[:0]))
		d.HandleAck(&m)
	}
	ack(0)
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := d.Write(data); err != nil {
			t.Fatal(err)
		}
		seq++
		ack(seq)
	}); n > 1 { // the queue of sent payloads starts anew
		t.Errorf("%v allocations per written and acknowledged payload", n)
	}
}

func FuzzConn(f *testing.F) {
	var h message.Headers
	p := xgress.Payload{Circuit: []byte("c"), Seq: 0, Flags: xgress.FlagCircuitStart | xgress.FlagChunk}
	f.Add([]byte(p.AppendHeaders(h)), []byte("\x03abc"), uint8(0))
	f.Fuzz(func(t *testing.T, headers, body []byte, kind uint8) {
		c := New(Config{Circuit: "c", Role: Terminator, Output: null{}})
		defer c.Abort(net.ErrClosed)
		m := &message.Message{Type: xgress.TypePayload + int32(kind%2), Headers: headers, Body: body}
		if m.Headers.Validate() != nil {
			return
		}
		c.HandlePayload(m, nil)
		c.HandleAck(m)
		_, _, _ = c.TryNext()
	})
}
