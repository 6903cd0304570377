package edge

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// flood sends payloads of a circuit without regard to any window, until stop.
func flood(ctx context.Context, s *sdk, id uint32, circuit string, size int) {
	body := make([]byte, size)
	for seq := int32(1); ctx.Err() == nil; seq++ {
		p := xgress.Payload{Circuit: []byte(circuit), Seq: seq, ConnID: id, HasConnID: true, Data: body}
		m := p.Message(message.Headers(nil))
		if s.ch.Send(ctx, &m) != nil {
			return
		}
	}
}

// TestClientThatIgnoresWindows: it cannot make the router store more than its
// share, and others on the same channels do not notice.
func TestClientThatIgnoresWindows(t *testing.T) {
	for _, c := range []struct {
		name   string
		window bool // of the host that does not read
		size   int
	}{
		{"to a host with a window", true, 32 << 10},
		{"small payloads to a host with a window", true, 16},
		{"to a host without", false, 32 << 10},
		{"small payloads to a host without", false, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			const most = 1 << 20
			b := newSmallBed(t, func(c *Config) { c.Budget = forward.NewBudget(most) })
			victim := b.connect("v")
			stalled := victim.host("stalled", c.window)
			h := b.connect("h").host("svc", true)
			evil := b.connect("evil")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			id := evil.newID()
			req := edge.Connect{ConnID: id, Token: []byte(serviceToken(evil.session, evil.identity, "stalled", "Dial")), UseXgress: true}
			sc, err := edge.ParseStateConnected(evil.request(req.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			evil.newConn(id, sc.CircuitID, flow.Initiator, true) // begins the circuit
			<-stalled.accepted
			victim.ch.Pause() // reads nothing more
			defer victim.ch.Resume()
			collect()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			done := make(chan struct{})
			go func() { defer close(done); flood(ctx, evil, id, sc.CircuitID, c.size) }()
			lossy := func() bool {
				x := b.table.Get([]byte(sc.CircuitID))
				return x == nil || x.Lossy.Load() || b.srv.spill.Used() > 4<<20
			}
			eventually(t, "the flood is felt", lossy)
			for range 5 {
				conn, _, err := b.connect("d").dial("svc", true)
				if err != nil {
					t.Fatal(err)
				}
				exchange(t, conn, <-h.accepted, 200_000)
				_ = conn.Close()
			}
			if used := b.srv.spill.Used(); used > 32<<20 {
				t.Errorf("%d bytes wait in the router", used)
			}
			// A router in need stretches its budget; what it stores for clients without a
			// window is booked there, too.
			if used := b.srv.cfg.Budget.Used() - b.srv.spill.Used(); used > 5*most {
				t.Errorf("%d bytes wait for clients", used)
			}
			stop() // what it makes garbage of is not what the router keeps
			<-done
			collect()
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
				t.Errorf("the heap has grown by %d MiB", grown>>20)
			}
			evil.ch.Close()
			victim.ch.Close()
			eventually(t, "nothing waits", func() bool { return b.used() == 0 })
		})
	}
}

// TestManyStalledReaders: circuits of clients without windows whose far ends do
// not read: what the router stores is bounded, also in sum, and clients on
// other channels go on.
func TestManyStalledReaders(t *testing.T) {
	b := newBed(t, func(c *Config) { c.SpillPerCircuit, c.SpillTotal = 256<<10, 4<<20 })
	stalled := b.connect("s").host("stalled", true)
	h := b.connect("h").host("svc", true)
	collect()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var hosts []conn
	for i := range 8 {
		d := b.connect(fmt.Sprintf("p%d", i))
		c, _, err := d.dial("stalled", false)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, <-stalled.accepted)
		id := c.(*rawConn).id
		go func() {
			part := make([]byte, 32<<10)
			for ctx.Err() == nil {
				if d.ch.Send(ctx, (&edge.Data{ConnID: id, Body: part}).Encode()) != nil {
					return
				}
			}
		}()
	}
	eventually(t, "the clients are paused", func() bool {
		n := 0
		for _, c := range b.table.All() {
			if e, ok := c.Destination(forward.Initiator).(*relayed); ok {
				e.mu.Lock()
				if e.paused {
					n++
				}
				e.mu.Unlock()
			}
		}
		return n == 8
	})
	if used := b.srv.spill.Used(); used > 8<<20 {
		t.Errorf("%d bytes are stored", used)
	}
	for range 3 {
		c, _, err := b.connect("d").dial("svc", true)
		if err != nil {
			t.Fatal(err)
		}
		exchange(t, c, <-h.accepted, 1<<20)
		_ = c.Close()
	}
	collect()
	runtime.ReadMemStats(&after)
	// What the eight hosts hold unread in this process is up to their windows.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8*(4<<20)+96<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	stop()
	for _, x := range hosts {
		_ = x.Close()
	}
	eventually(t, "nothing is stored", func() bool { return b.srv.spill.Used() == 0 })
}

// collect frees what nobody uses, pooled memory included: a pool gives it back
// with the second collection.
func collect() {
	runtime.GC()
	runtime.GC()
}
