package forward

import (
	"math"
	"sync/atomic"

	"github.com/weftnet/weft/flow"
)

// Budget bounds the bytes that wait in a router. The zero value has no room.
// When it gets scarce, the windows of the circuits that wait longest are shrunk,
// see Lane.Brake. That takes a while to be felt, and clients of the field have
// large windows: a message is dropped only when several times the budget waits,
// and then of a circuit that has more than its share.
type Budget struct {
	max   int64
	used  atomic.Int64
	lanes atomic.Int64 // in which something waits
}

// DefaultBudget is what may wait in a router altogether, in bytes.
const DefaultBudget = 64 << 20

// leastShare is what a circuit may have waiting whatever others do, in bytes of
// memory: what it may send before it has heard of anything fits. One
// that does not read cannot starve those that do.
const leastShare = 160 << 10

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget { return &Budget{max: bytes} }

// Take reserves n bytes if there is room.
func (b *Budget) Take(n int) bool {
	if b.used.Add(int64(n)) > b.max {
		b.used.Add(-int64(n))
		return false
	}
	return true
}

// stretch is how many times the budget may wait before anything is dropped.
const stretch = 4

// takeMore is Take, but the budget may be stretched.
func (b *Budget) takeMore(n int) bool {
	if b.used.Add(int64(n)) > stretch*b.max {
		b.used.Add(-int64(n))
		return false
	}
	return true
}

// Force reserves n bytes whether there is room or not.
func (b *Budget) Force(n int) { b.used.Add(int64(n)) }

// Give returns n bytes.
func (b *Budget) Give(n int) { b.used.Add(-int64(n)) }

// Full reports whether no byte more can be taken.
func (b *Budget) Full() bool { return b.used.Load() >= b.max }

// Used is the number of reserved bytes.
func (b *Budget) Used() int64 { return b.used.Load() }

// scarce reports whether so much is reserved that windows have to shrink.
func (b *Budget) scarce() bool { return b.used.Load() > b.max/4 }

// share is what each of those that wait may have, in bytes, for half of the
// budget to do.
func (b *Budget) share() int64 { return max(b.max/2/max(b.lanes.Load(), 1), b.least()/4, 1) }

// least is what each may have waiting in any case.
func (b *Budget) least() int64 { return min(leastShare, b.max/64) }

// Room returns the part of the budget of one end of flow control in this router,
// nil if b is.
func (b *Budget) Room() flow.Room {
	if b == nil {
		return nil
	}
	return &holding{b: b}
}

// holding implements flow.Room.
type holding struct {
	b *Budget
	n int
}

// Hold implements flow.Room.
func (h *holding) Hold(n int) {
	if n == h.n {
		return
	}
	h.b.used.Add(int64(n - h.n))
	switch {
	case h.n == 0:
		h.b.lanes.Add(1)
	case n == 0:
		h.b.lanes.Add(-1)
	}
	h.n = n
}

// Share implements flow.Room.
func (h *holding) Share() int {
	if !h.b.scarce() {
		return math.MaxInt
	}
	return int(h.b.share())
}
