package edge

import (
	"io"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
)

// slowDialer connects with a window of its own and returns the frames that
// reach the connection id, and a way to begin the circuit.
func slowDialer(t *testing.T, d *sdk, service string) (seen chan *channel.Frame, begin func() conn) {
	t.Helper()
	id := d.newID()
	seen = make(chan *channel.Frame, 100)
	d.handle(id, func(f *channel.Frame) { seen <- f })
	req := edge.Connect{ConnID: id, Token: []byte(serviceToken(d.session, d.identity, service, "Dial")), UseXgress: true}
	sc, err := edge.ParseStateConnected(d.request(req.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	return seen, func() conn {
		c := d.newConn(id, sc.CircuitID, flow.Initiator, true)
		for {
			select {
			case f := <-seen:
				d.HandleFrame(nil, f)
				continue
			default:
			}
			return c
		}
	}
}

// TestHostSpeaksFirst: a dialer with a window gets nothing before it has begun
// the circuit, and then all of it without a repetition.
func TestHostSpeaksFirst(t *testing.T) {
	for name, window := range map[string]bool{"host with window": true, "host without": false} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			l := b.connect("h").host("svc", window)
			d := b.connect("d")
			seen, begin := slowDialer(t, d, "svc")
			host := <-l.accepted
			if _, err := host.Write([]byte("banner")); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the banner waits", func() bool { return waits(b) })
			select {
			case f := <-seen:
				t.Fatalf("%s before the dialer began", edge.TypeName(f.Type))
			default:
			}
			start := time.Now()
			c := begin()
			got := make([]byte, 6)
			if _, err := io.ReadFull(c, got); err != nil || string(got) != "banner" {
				t.Fatalf("%q, %v", got, err)
			}
			if took := time.Since(start); took > 900*time.Millisecond {
				t.Errorf("the banner took %v", took)
			}
			exchange(t, c, host, 100_000)
			_, _ = c.Close(), host.Close()
			eventually(t, "the circuit ends", func() bool { return b.table.Len() == 0 })
			eventually(t, "nothing waits", func() bool { return b.used() == 0 })
		})
	}
}

// waits reports that something waits for the only dialer.
func waits(b *bed) bool {
	for _, c := range b.table.All() {
		if e, ok := c.Destination(forward.Initiator).(*windowed); ok {
			return b.srv.cfg.Budget.Used() > 0 && !e.running.Load()
		}
	}
	return false
}

// TestEndBeforeTheBeginning: the circuit ends before the dialer has begun it.
func TestEndBeforeTheBeginning(t *testing.T) {
	for name, drop := range map[string]bool{"delivering": false, "dropping": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			l := b.connect("h").host("svc", true)
			d := b.connect("d")
			seen, begin := slowDialer(t, d, "svc")
			if _, err := (<-l.accepted).Write([]byte("banner")); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the banner waits", func() bool { return waits(b) })
			b.table.All()[0].End("over", drop)
			if drop {
				if f := <-seen; f.Type != edge.TypeStateClosed {
					t.Fatalf("%s", edge.TypeName(f.Type))
				}
			} else {
				c := begin()
				got, err := io.ReadAll(c)
				if string(got) != "banner" || err != nil {
					t.Fatalf("%q, %v", got, err)
				}
			}
			eventually(t, "nothing waits", func() bool { return b.used() == 0 })
			eventually(t, "the connection id is free", func() bool { return sinks(b, "d") == 0 })
		})
	}
}

// sinks counts the connection ids in use by an identity.
func sinks(b *bed, identity string) (n int) {
	for _, c := range b.srv.allClients() {
		if c.session.IdentityID == identity {
			c.mu.Lock()
			n += len(c.sinks)
			c.mu.Unlock()
		}
	}
	return n
}

// TestEndWhileAnswering: the circuit ends after the dialer has begun it and
// before the router has noted its own answer.
func TestEndWhileAnswering(t *testing.T) {
	b := newBed(t)
	b.connect("h").host("svc", true)
	d := b.connect("d")
	seen := make(chan *channel.Frame, 10)
	d.handle(1, func(f *channel.Frame) { seen <- f })
	var cl *client
	eventually(t, "the router knows the dialer", func() bool {
		for _, x := range b.srv.allClients() {
			if x.session.IdentityID == "d" {
				cl = x
			}
		}
		return cl != nil
	})
	circuit, err := b.table.Add(forward.Info{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	e := cl.newEnd(circuit, forward.Initiator, 1, true, true).(*windowed)
	circuit.Attach(forward.Initiator, e)
	cl.claim(1, e)
	e.mu.Lock()
	e.begin()
	e.mu.Unlock()
	circuit.EndBecause(forward.AccessLost, "over", "", true)
	e.open(frame((&edge.StateConnected{ConnID: 1}).Encode()))
	if a, z := <-seen, <-seen; a.Type != edge.TypeStateConnected || z.Type != edge.TypeStateClosed {
		t.Fatalf("%s, %s", edge.TypeName(a.Type), edge.TypeName(z.Type))
	}
	if sinks(b, "d") != 0 {
		t.Error("the connection id is kept")
	}
}
