package link

import (
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// pair are two routers, the first of which dials the second by a way that the
// test controls.
func pair(t *testing.T, hb Heartbeats, options ...nodeOption) (a, b *node, w *way) {
	t.Helper()
	net := newNetwork()
	beats := func(c *Config) { c.Heartbeats = hb }
	a = newNode(t, net, "A", "", append(options, beats)...)
	b = newNode(t, net, "B", "", beats)
	w = newWay(t, b.addr)
	tellWay(a, b, w)
	connected(t, a, b)
	wait(t, "both report it", func() bool {
		l := linkOf(t, a)
		return l != nil && a.report(l.id) != nil && b.report(l.id) != nil
	})
	return a, b, w
}

// TestSilentDeath: a link whose way swallows everything is reported, then
// closed, at both ends, and made anew when the way is there again.
func TestSilentDeath(t *testing.T) {
	hb := Heartbeats{Send: 30 * time.Millisecond, Check: 10 * time.Millisecond, Unresponsive: 100 * time.Millisecond, Close: 500 * time.Millisecond}
	a, b, w := pair(t, hb)
	old := linkOf(t, a)
	w.stop()
	for _, n := range []*node{a, b} {
		wait(t, n.id+" reports it unresponsive", func() bool { r := n.report(old.id); return r != nil && r.Unresponsive })
	}
	for _, n := range []*node{a, b} {
		wait(t, n.id+" closes it", func() bool {
			n.mu.Lock()
			defer n.mu.Unlock()
			return len(n.gone) > 0 && n.gone[0].Id == old.id
		})
	}
	w.heal()
	wait(t, "made anew", func() bool { return same(t, a, b) && linkOf(t, a) != old })
}

// TestSparseTraffic: a link of a circuit that sends little, as a terminal does, is
// found silent although the next round of probes is far away.
func TestSparseTraffic(t *testing.T) {
	hb := Heartbeats{Send: time.Hour, Check: 10 * time.Millisecond, Unresponsive: 50 * time.Millisecond, Close: time.Hour}
	a, _, w := pair(t, hb)
	l := linkOf(t, a)
	wait(t, "measured and quiet", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.health.measured && !l.health.rough && !l.health.busy && time.Since(l.health.round) > 5*hb.Check
	})
	w.stop()
	p, _ := l.Outlets("c1")
	lane := p.Lane(nil, false)
	seq, last := int32(0), time.Time{}
	wait(t, "A reports it unresponsive", func() bool {
		if time.Since(last) > 5*hb.Check { // the first may go out while something still comes in
			last, seq = time.Now(), seq+1
			lane.Push(payload("c1", seq))
		}
		return a.report(l.id).Unresponsive
	})
}

// TestShortSilence: a link that comes back before it is closed is used again.
func TestShortSilence(t *testing.T) {
	hb := Heartbeats{Send: 30 * time.Millisecond, Check: 10 * time.Millisecond, Unresponsive: 100 * time.Millisecond, Close: time.Hour}
	a, b, w := pair(t, hb)
	l := linkOf(t, a)
	w.stop()
	for _, n := range []*node{a, b} {
		wait(t, n.id+" reports it unresponsive", func() bool { return n.report(l.id).Unresponsive })
	}
	w.heal()
	for _, n := range []*node{a, b} {
		wait(t, n.id+" reports it responsive", func() bool { return !n.report(l.id).Unresponsive })
	}
	if linkOf(t, a) != l || len(a.losses()) != 0 {
		t.Error("the link was lost")
	}
	wait(t, "no more connections than before", func() bool { return len(l.conns.Load().payload) == 3 })
}

// TestFrozenConnections: connections that are dead while a new one gets through,
// as after a change of a firewall's state, are replaced; the link stays.
func TestFrozenConnections(t *testing.T) {
	hb := Heartbeats{Send: 30 * time.Millisecond, Check: 10 * time.Millisecond, Unresponsive: 200 * time.Millisecond, Close: time.Hour}
	net := newNetwork()
	beats := func(c *Config) { c.Heartbeats = hb }
	a := newNode(t, net, "A", "", beats)
	b := newNode(t, net, "B", "", beats)
	dead, good := newWay(t, b.addr), newWay(t, b.addr)
	tellWay(a, b, dead)
	l := connected(t, a, b)
	wait(t, "all connections", func() bool { return len(l.conns.Load().all()) == 4 })
	old := l.conns.Load().all()
	dead.stop()
	// The address stays; the way behind it is another one from now on.
	a.Manager.mu.Lock()
	l.hello.address = good.addr
	a.Manager.mu.Unlock()
	wait(t, "new connections in place of the dead", func() bool {
		for _, c := range old {
			if !c.gone.Load() {
				return false
			}
		}
		return len(l.conns.Load().all()) >= 4
	})
	wait(t, "reported as good", func() bool { return !a.report(l.id).Unresponsive && !b.report(l.id).Unresponsive })
	if linkOf(t, a) != l {
		t.Error("the link was lost")
	}
}

// TestBulkOverSlowWay: a link that is busy with more than its way carries is not
// taken for dead, although its probes wait behind the data.
func TestBulkOverSlowWay(t *testing.T) {
	hb := Heartbeats{Send: 50 * time.Millisecond, Check: 20 * time.Millisecond, Unresponsive: 400 * time.Millisecond, Close: 2 * time.Second}
	a, b, w := pair(t, hb, func(c *Config) { c.Dialers[0].Split, c.Dialers[0].MaxPayload = false, 1 })
	l := linkOf(t, a)
	w.slow(256 << 10)
	p, _ := l.Outlets("bulk")
	lane := p.Lane(nil, false)
	data := make([]byte, 16<<10)
	const count = 60 // nearly 4 s of the way, more than twice the limit
	for s := range count {
		m := (&xgress.Payload{Circuit: []byte("bulk"), Seq: int32(s), Data: data}).Message(nil)
		f := channel.NewFrame(&message.Message{Type: m.Type, Headers: m.Headers}, len(data))
		if !lane.Push(f) {
			t.Fatal("dropped")
		}
	}
	wait(t, "everything", func() bool {
		if r := a.report(l.id); r == nil || r.Unresponsive {
			t.Fatal("taken for dead")
		}
		return b.received() == count
	})
	if linkOf(t, a) != l {
		t.Error("the link was lost")
	}
}

// TestStandingProcess: a peer whose system confirms bytes while the process does
// nothing is silent.
func TestStandingProcess(t *testing.T) {
	now := time.Unix(1000, 0)
	l := &Link{m: &Manager{}}
	c := &conn{link: l}
	l.conns.Store(&conns{payload: []*conn{c}})
	c.vitals = vitals{sign: now, asked: now.Add(time.Second)}
	if s, _ := l.silence([]*conn{c}, now.Add(4*time.Second)); s != 3*time.Second {
		t.Errorf("silent for %v", s)
	}
	c.vitals.sign = now.Add(2 * time.Second)
	if s, _ := l.silence([]*conn{c}, now.Add(4*time.Second)); s != 2*time.Second {
		t.Errorf("silent for %v", s)
	}
	c.vitals.asked = time.Time{}
	if s, _ := l.silence([]*conn{c}, now.Add(time.Hour)); s != 0 {
		t.Errorf("an idle link is silent for %v", s)
	}
}

// TestBulkIntoStandingProcess: data that goes out all the time and is confirmed
// is no sign of life when the answer to a probe does not come.
func TestBulkIntoStandingProcess(t *testing.T) {
	hb := Heartbeats{Send: 50 * time.Millisecond, Check: 10 * time.Millisecond, Unresponsive: 200 * time.Millisecond, Close: time.Hour}
	a, _, w := pair(t, hb)
	l := linkOf(t, a)
	w.swallow()
	p, _ := l.Outlets("bulk")
	lane := p.Lane(nil, false)
	data := make([]byte, 16<<10)
	seq := int32(0)
	wait(t, "it is reported unresponsive", func() bool {
		m := (&xgress.Payload{Circuit: []byte("bulk"), Seq: seq, Data: data}).Message(nil)
		lane.Push(channel.NewFrame(&message.Message{Type: m.Type, Headers: m.Headers}, len(data)))
		seq++
		return a.report(l.id).Unresponsive
	})
}

// TestSparseReports: a latency is reported again when it has changed a lot, and
// not more often than every few seconds.
func TestSparseReports(t *testing.T) {
	a, b, _ := pair(t, quick)
	l := linkOf(t, a)
	wait(t, "all connections are reported", func() bool { return len(a.report(l.id).Connections) == 4 })
	tell := func(latency time.Duration, at time.Duration) bool {
		l.mu.Lock()
		l.health.latency, l.health.told, l.health.toldAt = latency, 100*time.Millisecond, time.Unix(1000, 0)
		l.mu.Unlock()
		a.reports.mu.Lock()
		clear(a.reports.dirty)
		a.reports.mu.Unlock()
		l.tell(time.Unix(1000, 0).Add(at))
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.health.toldAt != time.Unix(1000, 0) || len(a.reports.wake) > 0
	}
	a.stop() // nobody but this test reports
	for len(a.reports.wake) > 0 {
		<-a.reports.wake
	}
	for _, tt := range []struct {
		latency, at time.Duration
		want        bool
	}{
		{109 * time.Millisecond, time.Hour, false},
		{150 * time.Millisecond, reportEvery - 1, false},
		{150 * time.Millisecond, reportEvery, true},
		{50 * time.Millisecond, reportEvery, true},
	} {
		if got := tell(tt.latency, tt.at); got != tt.want {
			t.Errorf("%v after %v: reported %v", tt.latency, tt.at, got)
		}
		for len(a.reports.wake) > 0 {
			<-a.reports.wake
		}
	}
	_ = b
}
