package audit

import (
	"fmt"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// TestLargeChange: every entity of a change has its record, also when it is
// larger than what the state keeps for others, or when the audit begins after it.
func TestLargeChange(t *testing.T) {
	for _, after := range []bool{false, true} {
		w := newWorld(t)
		w.store.Keep(10)
		if after {
			l, stop := w.follow(Config{})
			w.service("first", "first")
			w.reached(l)
			stop()
		}
		hold := w.store.Hold(w.index)
		l, stop := (*Log)(nil), func() {}
		if !after {
			l, stop = w.follow(Config{})
			w.service("first", "first")
		}
		for i := range 3 {
			w.apply(func(c *state.Command) {
				for j := range 40 {
					id := fmt.Sprint(i, "-", j)
					c.Create(&model.Service{Base: model.Base{ID: id}, Name: id})
				}
			})
		}
		if after {
			l, stop = w.follow(Config{})
		}
		w.reached(l)
		if got := records(t, l); len(got) != 121 {
			t.Errorf("%d records of 121 changes, begun after them: %v; the last is %+v", len(got), after, got[0])
		}
		stop()
		hold.Release()
	}
}
