package blackbox

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/sdk"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// TestCircuitOfAnother: who knows the id of somebody else's circuit can neither
// write into it nor end it.
func TestCircuitOfAnother(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	g := n.newGuest(t)
	id := g.conn.CircuitID()
	if id == "" {
		t.Fatal("no circuit id")
	}
	e := n.person(t).connect(t)
	for _, originator := range []xgress.Flags{0, xgress.FlagOriginator} {
		for seq := range int32(20) {
			p := xgress.Payload{Circuit: []byte(id), Seq: seq, Flags: originator, Data: []byte("injected")}
			m := p.Message(nil)
			e.send(&m)
			ended := xgress.Payload{Circuit: []byte(id), Seq: seq, Flags: originator | xgress.FlagEOF | xgress.FlagCircuitEnd}
			m = ended.Message(nil)
			e.send(&m)
			a := xgress.Ack{Circuit: []byte(id), Flags: originator, Seqs: xgress.AppendSeq(nil, seq)}
			m = a.Message(nil)
			e.send(&m)
		}
		trace := xgress.Control{Type: xgress.ControlTrace, Circuit: id}
		e.send(trace.Message())
	}
	e.send(xgress.Close(id))
	for _, connID := range []uint32{0, 1, 2, edge.FirstRouterConnID} {
		e.send((&edge.Data{ConnID: connID, Body: []byte("injected")}).Encode())
		e.send((&edge.StateClosed{ConnID: connID, Reason: "injected"}).Encode())
	}
	if got := e.alive(); len(got) > 0 {
		t.Errorf("answered by %s", edge.TypeName(got[0].Type))
	}
	for range 3 {
		if err := echo(g.conn); err != nil {
			t.Fatalf("the circuit was harmed: %v", err)
		}
	}
	n.unharmed(t)
}

// serveEndless sends to everybody who dials, as fast as it can, until
// they are gone.
func serveEndless(l net.Listener, sent *atomic.Int64) {
	chunk := make([]byte, 64<<10)
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for {
				k, err := c.Write(chunk)
				sent.Add(int64(k))
				if err != nil {
					return
				}
			}
		}()
	}
}

// TestStalledReader: a client without flow control of its own that stops
// reading costs bounded memory, and the other clients of the same host nothing.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	attacker, host := n.person(t), n.person(t)
	service, name := n.openService(t)
	echoService, echoName := n.openService(t)
	_ = echoService
	hosting := host.sdk(t)
	var sent atomic.Int64
	for name, serve := range map[string]func(net.Listener){name: func(l net.Listener) { serveEndless(l, &sent) }, echoName: serveEcho} {
		l, err := hosting.Listen(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go serve(l)
	}
	client := n.person(t).sdk(t)
	n.unharmed(t)
	before := resident(t, n.Router)
	token := attacker.serviceToken(t, service, "Dial")
	const circuits = 8
	e := attacker.connect(t)
	for id := range uint32(circuits) {
		e.send(connectMessage(id+1, token, false))
	}
	// It reads nothing from now on. The host comes to rest when all buffers on
	// the way are full.
	last := int64(-1)
	eventually(t, "the host is held back", func() bool {
		if now := sent.Load(); now != last || now == 0 {
			last = now
			<-time.After(300 * time.Millisecond)
			return false
		}
		return true
	})
	t.Logf("the host could send %d KiB on %d circuits", last>>10, circuits)
	wantGrown(t, n.Router, before, 96<<20, "8 stalled circuits")
	for range 3 {
		c, err := client.DialWithOptions(context.Background(), echoName, sdk.DialOptions{Timeout: patience})
		if err != nil {
			t.Fatalf("another client of the same host: %v", err)
		}
		if err := echo(c); err != nil {
			t.Fatalf("another client of the same host: %v", err)
		}
		c.Close()
	}
	n.unharmed(t)
	more := make([]*edgeConn, 10)
	for i := range more {
		more[i] = attacker.connect(t)
		for id := range uint32(circuits) {
			more[i].send(connectMessage(id+1, token, i%2 == 0))
		}
	}
	now := sent.Load()
	eventually(t, "they get something, too", func() bool { return sent.Load() > now+4<<20 })
	for _, c := range append(more, e) { // in the middle of what is being sent to them
		c.NetConn().Close()
	}
	n.unharmed(t)
	now = sent.Load()
	eventually(t, "the circuits of the attacker end", func() bool {
		now, last = sent.Load(), now
		return now == last
	})
}

// TestHostThatDoesNotRead: a host that accepts and never reads holds its own
// dialers back and nobody else.
func TestHostThatDoesNotRead(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	_, name := n.openService(t)
	l, err := n.person(t).sdk(t).Listen(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	client := n.person(t).sdk(t)
	n.unharmed(t)
	before := resident(t, n.Router)
	var writers sync.WaitGroup
	var wrote atomic.Int64
	for range 8 {
		c, err := client.DialWithOptions(context.Background(), name, sdk.DialOptions{Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetWriteDeadline(time.Now().Add(2 * time.Second))
		writers.Go(func() {
			chunk := make([]byte, 64<<10)
			for {
				k, err := c.Write(chunk)
				wrote.Add(int64(k))
				if err != nil {
					return
				}
			}
		})
	}
	n.unharmed(t)
	writers.Wait()
	n.unharmed(t)
	t.Logf("the dialers could write %d KiB on 8 circuits", wrote.Load()>>10)
	wantGrown(t, n.Router, before, 96<<20, "8 circuits to a host that does not read")
}

// TestFloodedHost: a dialer without flow control of its own that sends and sends
// to a host that does not read is held back, and nobody else is.
func TestFloodedHost(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	service, name := n.openService(t)
	l, err := n.person(t).sdk(t).Listen(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	attacker := n.person(t)
	token := attacker.serviceToken(t, service, "Dial")
	n.unharmed(t)
	before := resident(t, n.Router)
	var sent atomic.Int64
	var senders sync.WaitGroup
	for range 4 { // a pause holds the whole connection back, so one circuit on each
		e := attacker.connect(t)
		if m := e.request(connectMessage(1, token, false)); m.Type != edge.TypeStateConnected {
			t.Fatalf("not connected: %s %q", edge.TypeName(m.Type), m.Body)
		}
		senders.Go(func() {
			m := (&edge.Data{ConnID: 1, Body: make([]byte, 64<<10)}).Encode()
			bytes := m.Append(nil)
			for range 4096 { // 256 MiB, if nobody stops it
				_ = e.SetWriteDeadline(time.Now().Add(time.Second))
				k, err := e.Write(bytes)
				sent.Add(int64(k))
				if err != nil {
					return
				}
			}
		})
	}
	n.unharmed(t)
	senders.Wait()
	n.unharmed(t)
	t.Logf("the dialers could send %d MiB", sent.Load()>>20)
	if sent.Load() > 128<<20 {
		t.Error("nobody held them back")
	}
	wantGrown(t, n.Router, before, 96<<20, "4 circuits to a host that does not read")
}

// TestSilentHost: a host that never answers a Dial makes the dial fail with a
// reason, within its time, and delays nobody.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	host := n.person(t)
	service, name := n.openService(t)
	e := host.connect(t)
	if m := e.request(bindMessage(1, host.serviceToken(t, service, "Bind"))); m.Type != edge.TypeStateConnected {
		t.Fatalf("bind: %s %q", edge.TypeName(m.Type), m.Body)
	}
	for {
		m, err := e.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == edge.TypeBindSuccess {
			break
		}
	}
	go func() { // reads and says nothing
		for {
			if _, err := message.Read(e, message.Limits{Headers: 64 << 10, Body: 1 << 20}); err != nil {
				return
			}
		}
	}()
	begin := time.Now()
	_, err := n.person(t).sdk(t).DialWithOptions(context.Background(), name, sdk.DialOptions{Timeout: patience})
	took := time.Since(begin)
	var refusal *sdk.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v after %s, want a refusal", err, took)
	}
	t.Logf("refused after %s: %v", took.Round(time.Millisecond), err)
	if took > helloTooLate+helloTime {
		t.Errorf("it took %s", took)
	}
	n.unharmed(t)
}

// TestBulk is the other half of all this: an honest transfer arrives whole
// while others are attacked.
func TestBulk(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	g := n.newGuest(t)
	const size = 16 << 20
	go func() {
		chunk := make([]byte, 64<<10)
		for range size / len(chunk) {
			if _, err := g.conn.Write(chunk); err != nil {
				return
			}
		}
		_ = g.conn.CloseWrite()
	}()
	_ = g.conn.SetDeadline(time.Now().Add(patience))
	got, err := io.Copy(io.Discard, g.conn)
	if err != nil || got != size {
		t.Fatalf("%d bytes came back, %v", got, err)
	}
	n.unharmed(t)
}
