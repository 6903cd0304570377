package forward

import (
	"math"
	"testing"
)

func TestRoomOfEnds(t *testing.T) {
	b := NewBudget(64 << 20)
	one, two := b.Room(), b.Room()
	one.Hold(10 << 20)
	if one.Share() != math.MaxInt {
		t.Error("a share although there is plenty")
	}
	two.Hold(10 << 20)
	if got := one.Share(); got != 16<<20 {
		t.Errorf("two share half of the budget: %d", got)
	}
	one.Hold(0)
	two.Hold(17 << 20)
	if got := two.Share(); got != 32<<20 {
		t.Errorf("the share of one alone: %d", got)
	}
	two.Hold(0)
	if b.Used() != 0 || b.lanes.Load() != 0 {
		t.Errorf("%d bytes of %d stay", b.Used(), b.lanes.Load())
	}
	if (*Budget)(nil).Room() != nil {
		t.Error("a room without a budget")
	}
}
