package link

import (
	"context"
	"slices"
	"time"
)

// extras is how the dialing side keeps the number of connections.
type extras struct {
	busy     bool // an attempt is under way
	failures int
	next     time.Time
}

const (
	extraPause    = 2 * time.Second // after the first failure, and more after each
	extraMaxPause = time.Minute
)

// extend opens the next connection that a dialed link lacks, or closes one that
// it has beyond its number.
func (m *Manager) extend(l *Link, now time.Time) {
	if !l.dialed {
		return
	}
	l.mu.Lock()
	kind := l.lacks()
	if c := l.surplus(); c != nil {
		defer c.ch.Load().Close()
	}
	// The answer to a probe says that the other side has the link by now.
	ready := l.health.measured && now.Sub(l.since) >= l.dialer.StartupDelay
	due := kind != "" && ready && !l.ended && !l.extras.busy && !now.Before(l.extras.next)
	l.extras.busy = l.extras.busy || due
	l.mu.Unlock()
	if due && !m.pool.submit(func() { m.widen(l, kind) }) {
		l.extended(m.after(extraPause), refuse(CodeQueueFull, "too many link dials wait"))
	}
}

// lacks returns the kind of the next connection to open, empty for none. A link
// without a sign of life gets another connection: if the other router is there,
// that is the sign.
func (l *Link) lacks() string {
	all := l.conns.Load()
	payload := l.dialer.MaxPayload
	if l.health.mute {
		payload = max(payload, len(all.payload)+1)
		payload = min(payload, 2*l.dialer.MaxPayload+1)
	}
	switch {
	case l.split && len(all.ack) == 0 && l.dialer.MaxAck > 0 && !l.health.mute:
		return KindAck
	case len(all.payload) < payload:
		return KindPayload
	case l.split && len(all.ack) < l.dialer.MaxAck:
		return KindAck
	}
	return ""
}

// surplus is a connection that was opened while the link gave no sign of life
// and is not needed after all. It goes when nothing moves and all others live.
func (l *Link) surplus() *conn {
	all := l.conns.Load().payload
	if l.health.mute || l.health.busy || len(all) <= l.dialer.MaxPayload || slices.ContainsFunc(all, (*conn).asked) {
		return nil
	}
	if c := all[len(all)-1]; c.ch.Load().Queued() == 0 {
		return c
	}
	return nil
}

// widen makes one attempt at a further connection.
func (m *Manager) widen(l *Link, kind string) {
	h := *l.hello
	h.kind, h.joins = kind, true
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	defer context.AfterFunc(m.ctx, cancel)()
	c, err := m.connect(ctx, l, &h)
	if err == nil && !l.add(c) {
		c.ch.Load().Close()
		err = errEnded
	}
	if err != nil && refusalOf(err).Code == CodeUnknownLink {
		m.end(l, "the other router does not know the link any more")
		return
	}
	now := m.clock.Now()
	l.extended(now, err)
	if err == nil {
		l.setMute(false, 0) // the other router has answered
		m.reports.touch(l)
		m.extend(l, now)
	}
}

// extended notes the end of an attempt.
func (l *Link) extended(now time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.extras
	e.busy = false
	if err == nil {
		e.failures, e.next = 0, now
		return
	}
	e.failures++
	e.next = now.Add(min(time.Duration(e.failures)*extraPause, extraMaxPause))
}
