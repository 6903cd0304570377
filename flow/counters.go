package flow

import (
	"sync/atomic"
	"time"
)

// Counters count what happens at many ends, for metrics. Ends share them; they
// are safe for concurrent use. All but those of acknowledgements count what is
// rare.
type Counters struct {
	AcksReceived, AcksSent atomic.Uint64 // messages
	AckFailures            atomic.Uint64 // acknowledgements that found no room and are sent later
	DuplicateAcks          atomic.Uint64 // acknowledgements of what was acknowledged before
	DuplicatePayloads      atomic.Uint64 // payloads received again
	DroppedPayloads        atomic.Uint64 // received and not stored, for want of room
	Retransmissions        atomic.Uint64 // payloads sent again
	RetransmissionFailures atomic.Uint64 // those that found no room
	BlockedLocal           atomic.Uint64 // writers that had to wait for acknowledgements
	BlockedRemote          atomic.Uint64 // writers that had to wait for the reader of the other end

	// WaitingLocal and WaitingRemote are how many wait now.
	WaitingLocal, WaitingRemote atomic.Int64
	// Waited, if not nil, is told how long a writer has waited. It must not block. It
	// is set before the first end.
	Waited func(time.Duration)
}

// waiting is the state of a writer that waits for credit.
type waiting struct {
	since  time.Duration
	remote bool
	on     bool
}

// wait notes that a writer of an end waits from now on.
func (n *Counters) wait(w *waiting, now time.Duration, remote bool) {
	if n == nil || w.on {
		return
	}
	*w = waiting{since: now, remote: remote, on: true}
	if remote {
		n.BlockedRemote.Add(1)
		n.WaitingRemote.Add(1)
	} else {
		n.BlockedLocal.Add(1)
		n.WaitingLocal.Add(1)
	}
}

// waited notes that it does no longer.
func (n *Counters) waited(w *waiting, now time.Duration) {
	if n == nil || !w.on {
		return
	}
	w.on = false
	if w.remote {
		n.WaitingRemote.Add(-1)
	} else {
		n.WaitingLocal.Add(-1)
	}
	if n.Waited != nil && now > w.since {
		n.Waited(now - w.since)
	}
}

// refused notes a received payload that was not stored.
func (n *Counters) refused(again bool) {
	switch {
	case n == nil:
	case again:
		n.DuplicatePayloads.Add(1)
	default:
		n.DroppedPayloads.Add(1)
	}
}

// acked notes a received acknowledgement, and how much of it was known.
func (n *Counters) acked(known int) {
	if n == nil {
		return
	}
	n.AcksReceived.Add(1)
	if known > 0 {
		n.DuplicateAcks.Add(uint64(known))
	}
}

// told notes an acknowledgement on its way out.
func (n *Counters) told(ok bool) {
	switch {
	case n == nil:
	case ok:
		n.AcksSent.Add(1)
	default:
		n.AckFailures.Add(1)
	}
}

// again notes payloads that are sent again.
func (n *Counters) again(payloads int) {
	if n != nil && payloads > 0 {
		n.Retransmissions.Add(uint64(payloads))
	}
}

// noRoom notes a payload that could not be sent again.
func (n *Counters) noRoom() {
	if n != nil {
		n.RetransmissionFailures.Add(1)
	}
}

// Unacked returns how many payloads are sent and not acknowledged, and their
// bytes as the window counts them.
func (c *Conn) Unacked() (payloads, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m.pending(), c.m.inFlight
}

// WaitingAcks returns how many payloads are received and not acknowledged yet.
func (c *Conn) WaitingAcks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.m.acks) / 4
}
