package forward

import (
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// DefaultCloseCheck is the time for which nothing must arrive before a circuit
// is removed whose data is still delivered.
const DefaultCloseCheck = 5 * time.Second

// deliverMost bounds how long a circuit goes on that a controller has ended.
const deliverMost = time.Minute

// SetCloseCheck sets the time for which nothing must arrive before a circuit is
// removed that a controller has ended in a way that lets data be delivered. It
// must come before the first circuit; 0 removes at once.
func (t *Table) SetCloseCheck(d time.Duration) { t.closeCheck = d }

// EndCircuits ends circuits at a controller's wish. What is under way is
// dropped, or, if m says so, delivered: then a circuit goes on until nothing
// has arrived by a link for a while. Unknown ids are ignored.
func (t *Table) EndCircuits(m *ctrl.Unroute) {
	cause := Removed
	switch m.GetCode() {
	case ctrl.CodeNoPath:
		cause = NoPath
	case ctrl.CodePeerGone:
		cause = PeerGone
	}
	for _, id := range m.GetCircuitIds() {
		c := t.Get([]byte(id))
		switch {
		case c == nil:
		case m.GetDeliver() && cause != NoPath && t.closeCheck > 0:
			c.endWhenQuiet(cause, m, time.Now().Add(deliverMost))
		default:
			c.blame(cause, m.GetCode(), "")
			c.finish(m.GetReason(), ending{drop: !m.GetDeliver()})
		}
	}
}

// endWhenQuiet ends the circuit when nothing has arrived for the interval.
func (c *Circuit) endWhenQuiet(cause Cause, m *ctrl.Unroute, latest time.Time) {
	c.mu.Lock()
	waiting := c.closing
	c.closing = true
	c.mu.Unlock()
	if waiting {
		return
	}
	c.arrived.Store(false)
	var look func()
	look = func() {
		if c.arrived.Swap(false) && time.Now().Before(latest) && !c.Ended() {
			time.AfterFunc(c.table.closeCheck, look)
			return
		}
		if m.GetCode() != "" {
			c.blame(cause, m.GetCode(), "")
		}
		c.finish(m.GetReason(), ending{})
	}
	time.AfterFunc(c.table.closeCheck, look)
}

// Ended reports whether the circuit has ended.
func (c *Circuit) Ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}
