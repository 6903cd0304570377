package link

import (
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/xgress"
)

func TestLinkOfOneDialer(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(a, b)
	l := connected(t, a, b)
	if !l.dialed || linkOf(t, b).dialed {
		t.Error("the wrong side dialed")
	}
	wait(t, "three connections for payloads and one for the rest", func() bool {
		for _, n := range []*node{a, b} {
			if c := linkOf(t, n).conns.Load(); len(c.payload) != 3 || len(c.ack) != 1 {
				return false
			}
		}
		return true
	})
	wait(t, "both report it with all connections", func() bool {
		ra, rb := a.report(l.id), b.report(l.id)
		return ra != nil && rb != nil && len(ra.Connections) == 4 && len(rb.Connections) == 4
	})
	for _, n := range []*node{a, b} {
		r := n.report(l.id)
		if r.DialerId != "A" || r.AcceptorId != "B" || r.Key != "A/default~B/default" || r.Iteration != 1 ||
			r.Address != "tls:"+b.addr || r.Protocol != "tls" || r.LatencyNanos <= 0 || r.Unresponsive {
			t.Errorf("%s reports %+v", n.id, r)
		}
	}
	in := a.Inspect()
	if d := in.Destinations; len(d) != 1 || d[0].ID != "B" || len(d[0].LinkStates) != 1 || d[0].LinkStates[0].Status != stateEstablished ||
		d[0].LinkStates[0].EstablishedLinkID != l.id || d[0].LinkStates[0].ConnectedCount != 4 {
		t.Errorf("destinations %+v", d)
	}
	if s := in.Links; len(s) != 1 || s[0].Underlays[KindPayload] != 3 || s[0].Underlays[KindAck] != 1 || s[0].Dest != "B" || s[0].DestVersion != "v1" {
		t.Errorf("links %+v", s)
	}
}

// TestFirstReportHasLatency: what the controller hears first is enough to
// compute the cost of the link.
func TestFirstReportHasLatency(t *testing.T) {
	net := newNetwork()
	first := make(chan *ctrl.Link, 1)
	a := newNode(t, net, "A", "", func(c *Config) {
		c.Heartbeats.Send, c.Heartbeats.Check = time.Hour, time.Hour // the first probe alone
		c.Changed = func(m *ctrl.LinkChanges) {
			for _, l := range m.Put {
				select {
				case first <- l:
				default:
				}
			}
		}
	})
	b := newNode(t, net, "B", "")
	tell(a, b)
	if r := <-first; r.LatencyNanos <= 0 {
		t.Errorf("first report %+v", r)
	}
}

func TestMessagesCrossInOrder(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(a, b)
	connected(t, a, b)
	wait(t, "all connections", func() bool { return len(linkOf(t, a).conns.Load().all()) == 4 })
	const circuits, each = 20, 200
	used := make(map[any]bool)
	for c := range circuits {
		id := fmt.Sprint("circuit", c)
		p, other := linkOf(t, a).Outlets(id)
		if p == other {
			t.Error("payloads and acknowledgements share an outlet")
		}
		again, _ := linkOf(t, a).Outlets(id)
		if p != again {
			t.Error("a circuit changes its connection")
		}
		used[p] = true
		lane, acks := p.Lane(nil, false), other.Lane(nil, false)
		for s := range each {
			if !lane.Push(payload(id, int32(s))) {
				t.Fatal("dropped")
			}
		}
		acks.Push(ack(id))
	}
	if len(used) < 2 {
		t.Error("all circuits on one connection")
	}
	wait(t, "all messages", func() bool { return b.received() == circuits*(each+1) })
	next := make(map[string]int32)
	for _, m := range b.frames {
		if m.Type != xgress.TypePayload {
			continue
		}
		p, err := xgress.ParsePayload(m)
		if err != nil || p.Seq != next[string(p.Circuit)] {
			t.Fatalf("%s: %d after %d, %v", p.Circuit, p.Seq, next[string(p.Circuit)], err)
		}
		next[string(p.Circuit)]++
	}
}

// TestWithoutSplit: one kind of connection for everything.
func TestWithoutSplit(t *testing.T) {
	net := newNetwork()
	a := newNode(t, net, "A", "", func(c *Config) { c.Dialers[0].Split, c.Dialers[0].MaxPayload = false, 1 })
	b := newNode(t, net, "B", "")
	tell(a, b)
	connected(t, a, b)
	for _, n := range []*node{a, b} {
		if p, other := linkOf(t, n).Outlets("x"); p != other {
			t.Error("two ways")
		}
	}
	wait(t, "measured", func() bool { return a.report(linkOf(t, a).id) != nil })
	if c := linkOf(t, a).conns.Load(); len(c.payload) != 1 || len(c.ack) != 0 {
		t.Errorf("%d and %d connections", len(c.payload), len(c.ack))
	}
}

// TestConnectionLost: the link goes on while it has a connection for payloads,
// circuits move, and the dialer opens another one.
func TestConnectionLost(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(a, b)
	l := connected(t, a, b)
	full := func() bool {
		return len(l.conns.Load().all()) == 4 && len(linkOf(t, b).conns.Load().all()) == 4
	}
	wait(t, "all connections", full)
	p, other := l.Outlets("moved")
	lane, acks := p.Lane(nil, false), other.Lane(nil, false)
	var used *conn
	for _, c := range l.conns.Load().payload {
		if c.outlet == p {
			used = c
		}
	}
	for i, c := range []*conn{used, l.conns.Load().ack[0]} {
		c.ch.Load().Close()
		wait(t, "the connection is gone, and that is told", func() bool {
			a.mu.Lock()
			defer a.mu.Unlock()
			return c.gone.Load() && len(a.broken) == i+1
		})
	}
	lane.Push(payload("moved", 0))
	acks.Push(ack("moved"))
	wait(t, "messages by other connections", func() bool { return b.received() == 2 })
	wait(t, "other connections in their place", full)
	a.mu.Lock()
	broken := a.broken
	a.mu.Unlock()
	if len(broken) != 2 || len(broken[0]) != 1 || broken[0][0] != p || broken[1] != nil || len(a.losses()) != 0 || len(b.losses()) != 0 {
		t.Errorf("disturbed %v, lost %v and %v", broken, a.losses(), b.losses())
	}
	for _, c := range l.conns.Load().payload {
		c.ch.Load().Close()
	}
	wait(t, "the link made anew", func() bool { return same(t, a, b) && linkOf(t, a).iteration == 2 })
	if lost := a.losses(); len(lost) != 1 || lost[0] != l.id {
		t.Errorf("lost %v", lost)
	}
}

func TestCloseLinkIsMadeAnew(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(a, b)
	l := connected(t, a, b)
	if !b.CloseLink(l.id, "an operator wants it") || b.CloseLink("nobody", "") {
		t.Error("the wrong link is known")
	}
	wait(t, "made anew", func() bool { return same(t, a, b) && linkOf(t, a).iteration > l.iteration })
	wait(t, "the end is reported", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.gone) == 1 && b.gone[0].Id == l.id && b.gone[0].Iteration == 1 && b.gone[0].Reason == "an operator wants it"
	})
}

// TestRecheck: a router that is disabled loses its links at once and gets them
// back when it is enabled.
func TestRecheck(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(a, b)
	tell(b, a)
	connected(t, a, b)
	net.set(net.disabled, "B", true)
	a.Recheck()
	if linkOf(t, a) != nil {
		t.Error("the link is still there")
	}
	wait(t, "refused because of that", func() bool {
		s := a.Inspect().Destinations[0].LinkStates[0]
		return s.LastError != nil && s.LastError.Code == CodeDisabled && s.LastError.Remedy != ""
	})
	net.set(net.disabled, "B", false)
	a.Recheck()
	b.Recheck()
	connected(t, a, b)
}
