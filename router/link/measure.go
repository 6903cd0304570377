package link

import (
	"fmt"
	"math"
	"time"

	"github.com/weftnet/weft/channel"
)

// vitals are the signs of life of a connection, as of the last look.
type vitals struct {
	traffic channel.Traffic
	sign    time.Time // when something last came
	asked   time.Time // since when a probe is without an answer; zero if none is
	// due is how many bytes have to arrive until the probe has, everything if
	// there was no room for it.
	due uint64
}

// health is what is known of the way to the other router.
type health struct {
	latency  time.Duration // smoothed mean round trip
	queue    time.Duration // smoothed mean wait of a probe in the send queue
	measured bool
	rough    bool      // the last measurement was far from the mean
	busy     bool      // more than small talk at the last look
	mute     bool      // no sign of life
	round    time.Time // last one of probes

	announced bool          // the controller has been told of the link
	told      time.Duration // latency that it was told
	toldAt    time.Time
}

const (
	// smallTalk is what probes and their answers take at most between two looks,
	// in bytes: more than that is traffic.
	smallTalk = 1024
	// smoothing is the weight of a new measurement.
	smoothing = 0.25
	// reportEvery is the least time between two reports of a latency.
	reportEvery = 5 * time.Second
	// announceAfter is how long a new link waits for its first measurement before
	// the controller is told of it.
	announceAfter = time.Second
)

// look takes note of what has moved on a connection and reports whether that is
// more than small talk.
func (c *conn) look(now time.Time, moved *Moved) (busy bool) {
	ch := c.ch.Load()
	if ch == nil {
		return false
	}
	t := ch.Traffic()
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.vitals
	was := v.traffic
	v.traffic = t
	moved.add(was, t)
	busy = t.In-was.In+t.Out-was.Out > smallTalk
	switch {
	case t.In != was.In:
		v.sign, v.asked = now, time.Time{}
	case t.Acked > was.Acked+smallTalk && was.Acked < v.due:
		// The other system takes in what is before the probe, if slowly. What comes
		// behind the probe does not count, nor does small talk: a system confirms
		// megabytes for a process that stands still.
		v.sign = now
	}
	return busy
}

// ask sends a probe unless one is under way. Without room for one an answer is
// due all the same: something has to move before there is room.
func (c *conn) ask(now time.Time) {
	ch := c.ch.Load()
	c.mu.Lock()
	pending := !c.vitals.asked.IsZero()
	again := pending && c.vitals.due == math.MaxUint64
	if !pending {
		c.vitals.asked, c.vitals.due = now, math.MaxUint64
	}
	c.mu.Unlock()
	if ch == nil || pending && !again {
		return
	}
	queued := uint64(ch.Queued())
	before := ch.Traffic().Out + queued + queued/64 // and what encryption adds
	if !ch.Probe(func(r channel.Round) { c.link.measured(c, r) }) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vitals.due = before + smallTalk
}

// asked reports whether an answer is due.
func (c *conn) asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.vitals.asked.IsZero()
}

// probe asks on all connections.
func (l *Link) probe(now time.Time) {
	l.mu.Lock()
	l.health.round = now
	l.mu.Unlock()
	for _, c := range l.conns.Load().all() {
		c.ask(now)
	}
}

// measured takes the answer to a probe. The round trip counts on the connection
// that has the least to carry, the wait on those for payloads.
func (l *Link) measured(c *conn, r channel.Round) {
	if f := l.m.cfg.Measured; f != nil && l.gauge() == c {
		f(l.id, r)
	}
	l.mu.Lock()
	h := &l.health
	if l.gauge() == c && r.Trip < l.m.cfg.Heartbeats.Unresponsive { // a longer one tells of an outage, not of the way
		h.rough = h.measured && (r.Trip-h.latency).Abs() > max(time.Millisecond, h.latency/4)
		smooth(&h.latency, r.Trip, h.measured)
		h.measured = true
	}
	if c.kind == KindPayload {
		smooth(&h.queue, r.Queue, h.queue > 0)
	}
	first := !h.announced && h.measured
	h.announced = h.announced || first
	l.mu.Unlock()
	if first {
		l.m.reports.touch(l)
	}
}

// gauge is the connection whose round trip counts.
func (l *Link) gauge() *conn {
	all := l.conns.Load()
	switch {
	case len(all.ack) > 0:
		return all.ack[0]
	case len(all.payload) > 0:
		return all.payload[0]
	}
	return nil
}

func smooth(mean *time.Duration, v time.Duration, known bool) {
	if !known {
		*mean = v
		return
	}
	*mean += time.Duration(smoothing * float64(v-*mean))
}

// examine looks at all connections, asks for signs of life, and decides what
// their absence means.
func (l *Link) examine(now time.Time) {
	hb := l.m.cfg.Heartbeats
	all := l.conns.Load().all()
	busy := false
	var moved Moved
	for _, c := range all {
		busy = c.look(now, &moved) || busy
	}
	if f := l.m.cfg.Moved; f != nil && moved != (Moved{}) {
		f(l.id, moved)
	}
	silence, latest := l.silence(all, now)
	switch {
	case silence >= hb.Close:
		l.m.end(l, fmt.Sprintf("no sign of life for %s", hb.Close))
		return
	case silence >= hb.Unresponsive:
		l.setMute(true, silence)
	default:
		l.setMute(false, silence)
		closeSilent(all, now, latest, hb.Unresponsive)
	}
	l.mu.Lock()
	pause := hb.Send
	l.health.busy = busy
	unanswered := moved.BytesOut > 0 && moved.BytesIn == 0 // little traffic that nothing comes back for
	if busy || unanswered || silence > 0 || l.health.rough || !l.health.measured {
		pause = hb.Check
	}
	due := now.Sub(l.health.round) >= pause
	l.mu.Unlock()
	if due {
		l.probe(now)
	}
	l.tell(now)
}

// silence is how long nothing at all has come although an answer is due, and
// when something came last.
func (l *Link) silence(all []*conn, now time.Time) (silence time.Duration, latest time.Time) {
	var asked time.Time
	for _, c := range all {
		c.mu.Lock()
		v := c.vitals
		c.mu.Unlock()
		if v.sign.After(latest) {
			latest = v.sign
		}
		if !v.asked.IsZero() && (asked.IsZero() || v.asked.Before(asked)) {
			asked = v.asked
		}
	}
	if asked.IsZero() {
		return 0, latest
	}
	if latest.After(asked) {
		asked = latest
	}
	return now.Sub(asked), latest
}

// closeSilent closes the connections from which nothing comes while others of
// the link live.
func closeSilent(all []*conn, now, latest time.Time, limit time.Duration) {
	for _, c := range all {
		c.mu.Lock()
		v := c.vitals
		c.mu.Unlock()
		from := v.asked
		if v.sign.After(from) {
			from = v.sign
		}
		if ch := c.ch.Load(); !v.asked.IsZero() && now.Sub(from) >= limit && latest.After(from) && ch != nil {
			c.link.m.log.Warn("connection of a link closed: no sign of life", "link", c.link.id, "router", c.link.peer, "kind", c.kind)
			ch.Close()
		}
	}
}

// setMute notes whether the other router is silent and reports a change.
func (l *Link) setMute(mute bool, silence time.Duration) {
	l.mu.Lock()
	changed := l.health.mute != mute
	l.health.mute = mute
	l.mu.Unlock()
	if !changed {
		return
	}
	if mute {
		l.m.log.Warn("link does not respond", "link", l.id, "router", l.peer, "silence", silence)
	} else {
		l.m.log.Info("link responds again", "link", l.id, "router", l.peer)
	}
	l.m.reports.touch(l)
}

// tell reports the link for the first time, or its latency when that has
// changed enough.
func (l *Link) tell(now time.Time) {
	l.mu.Lock()
	h := &l.health
	report := false
	switch {
	case !h.announced:
		report = since(now, l.since) >= announceAfter
	case now.Sub(h.toldAt) >= reportEvery:
		d := (h.latency - h.told).Abs()
		report = d > time.Millisecond && d > h.told/10
	}
	h.announced = h.announced || report
	l.mu.Unlock()
	if report {
		l.m.reports.touch(l)
	}
}
