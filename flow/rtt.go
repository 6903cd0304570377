package flow

import "time"

const (
	minRTO     = time.Second
	maxRTO     = 10 * time.Second
	minReorder = 100 * time.Millisecond
	rttMemory  = 10 * time.Second       // how long the lowest sample counts
	calmSlack  = 2 * time.Millisecond   // queueing that does not count as inflation
	ackDelay   = 5 * time.Millisecond   // longest wait for company of an acknowledgement
	probeDelay = 500 * time.Millisecond // without credit and with nothing under way
)

// roundTrip estimates the time from transmission to acknowledgement.
type roundTrip struct {
	smooth  time.Duration
	lowest  time.Duration
	lowedAt time.Duration // when lowest was set
}

func (r *roundTrip) sample(now, d time.Duration) {
	if d < 0 {
		return
	}
	if r.smooth == 0 {
		r.smooth = d
	} else {
		r.smooth += (d - r.smooth) / 8
	}
	if r.lowest == 0 || d <= r.lowest || now-r.lowedAt > rttMemory {
		r.lowest, r.lowedAt = d, now
	}
}

// calm reports that no queue is building up on the path.
func (r *roundTrip) calm() bool { return r.smooth <= r.lowest+r.lowest/4+calmSlack }

// timeout is the age at which a payload counts as lost. It does not grow while
// nothing is acknowledged: after an outage of any length the next attempt is
// near. What is sent then is little, see sender.tries.
func (r *roundTrip) timeout() time.Duration { return min(max(minRTO, 3*r.smooth), maxRTO) }

// reorder is how much later a payload must have been sent for its
// acknowledgement to prove that an earlier one is lost.
func (r *roundTrip) reorder() time.Duration { return max(minReorder, r.smooth) }
