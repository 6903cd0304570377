package link

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/weftnet/weft/clock"
)

// States of a target.
const (
	statePending     = "pending"
	stateDialing     = "dialing"
	stateQueueFailed = "queueFailed"
	stateDialFailed  = "dialFailed"
	stateLinkFailed  = "linkFailed"
	stateEstablished = "established"
)

// target is a link that this router wants to have: one of its dialers and the
// listeners of another router with the same interface name. The lock of the
// Manager guards it.
type target struct {
	key       string
	peer      *peer
	dialer    *Dialer
	listener  string   // interface name
	addresses []string // host:port, tried in turn
	groups    []string // of the listeners
	name      *name

	state    string
	attempts int
	delay    time.Duration // last pause
	next     time.Time     // of the next attempt
	timer    clock.Timer
	last     *Refusal // of the last attempt that failed
	lastAt   time.Time

	dialing    bool // queued or under way
	superseded bool // a link that the other router made is preferred
	cancel     context.CancelFunc
	done       chan struct{} // closed at the end of the attempt that is under way, nil without one
	removed    bool

	spent   float64 // redials at once, see redials
	spentAt time.Time
}

func (t *target) policy() Backoff {
	if t.peer.online {
		return t.dialer.Healthy
	}
	return t.dialer.Unhealthy
}

// start has t dialed unless there is no need. The lock is held, as for all
// below.
func (m *Manager) start(t *target) {
	t.stop()
	if !m.running || m.closed || t.removed || t.dialing || m.byKey[t.key] != nil {
		return
	}
	t.next = m.clock.Now()
	if !m.pool.submit(func() { m.dial(t) }) {
		m.fail(t, stateQueueFailed, refuse(CodeQueueFull, "too many link dials wait"))
		return
	}
	t.dialing = true
}

// stop ends the wait for the next attempt.
func (t *target) stop() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// retry dials at once, as if nothing had failed.
func (m *Manager) retry(t *target) {
	t.delay = 0
	m.start(t)
}

// fail notes why there is no link and waits for the next attempt.
func (m *Manager) fail(t *target, state string, why *Refusal) {
	t.state, t.last, t.lastAt = state, why, m.clock.Now()
	t.delay = t.policy().after(t.delay, rand.Float64())
	pause := t.delay
	if why.Code == CodeDuplicate {
		pause += time.Second + rand.N(3*time.Second)
	}
	m.schedule(t, pause)
}

// after is the pause that follows another one; chance is from [0, 1).
func (b Backoff) after(delay time.Duration, chance float64) time.Duration {
	factor := max(1, b.Factor+chance-0.5)
	next := float64(delay) * factor
	return time.Duration(min(max(next, float64(b.Min)), float64(b.Max)))
}

// schedule dials t after a pause.
func (m *Manager) schedule(t *target, pause time.Duration) {
	t.stop()
	if m.closed || t.removed {
		return
	}
	t.next = m.after(pause)
	var timer clock.Timer
	timer = m.clock.AfterFunc(pause, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if t.timer == timer && timer != nil {
			t.timer = nil
			m.start(t)
		}
	})
	t.timer = timer
}

// settle notes that the link is there.
func (t *target) settle() {
	t.stop()
	t.state, t.delay, t.next = stateEstablished, 0, time.Time{}
}

// drop forgets t.
func (m *Manager) drop(t *target) {
	t.removed = true
	t.stop()
	if t.cancel != nil {
		t.cancel()
	}
	if m.targets[t.key] == t {
		delete(m.targets, t.key)
	}
}

// again has a link that is lost made anew: at once, unless that happens all the
// time. The side that did not dial it leaves the other one a moment, and one that is
// replaced waits whether the other link comes.
func (m *Manager) again(l *Link, reason string, replaced bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.targets[l.key]
	switch {
	case t == nil || t.dialing || m.byKey[l.key] != nil:
	case !replaced && !t.spend(m.clock.Now()):
		m.fail(t, stateLinkFailed, refuse(CodeLost, reason))
	case l.dialed && !replaced:
		t.state, t.last, t.lastAt = stateLinkFailed, refuse(CodeLost, reason), m.clock.Now()
		m.retry(t)
	default:
		t.state, t.delay, t.last, t.lastAt = stateLinkFailed, 0, refuse(CodeLost, reason), m.clock.Now()
		m.schedule(t, courtesy/2+rand.N(courtesy))
	}
}

// redials is how many links in a row may be made anew at once; another one is
// granted after each pause of the policy.
const redials = 10

// spend takes one of the redials; false if none is left.
func (t *target) spend(now time.Time) bool {
	granted := float64(now.Sub(t.spentAt)) / float64(t.policy().Min)
	t.spent, t.spentAt = max(0, t.spent-granted), now
	if t.spent > redials-1 {
		return false
	}
	t.spent++
	return true
}

// courtesy is about how long a side waits for the other one to make a link anew
// that the other one had dialed.
const courtesy = time.Second
