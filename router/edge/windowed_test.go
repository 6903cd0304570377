package edge

import (
	"testing"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/xgress"
)

// TestRetransmissions: the first router drops a retransmission of what it has
// passed on along the current path, and lets it through after a change of path.
func TestRetransmissions(t *testing.T) {
	table := forward.NewTable(nil)
	c, err := table.Add(forward.Info{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	e := &windowed{c: c}
	e.repeats.init()
	pass := func(seq int32, flags xgress.Flags) bool {
		return !e.repeats.needless(xgress.Address{Seq: seq, Flags: flags}, false)
	}
	for seq := range int32(10) {
		if !pass(seq, 0) {
			t.Fatal("a first transmission is dropped")
		}
	}
	if pass(4, xgress.FlagRetransmit) {
		t.Error("a retransmission on the same path is passed on")
	}
	e.Rerouted()
	if !pass(10, 0) || !pass(4, xgress.FlagRetransmit) || !pass(9, xgress.FlagRetransmit) {
		t.Error("what the old path may have lost is dropped")
	}
	if pass(10, xgress.FlagRetransmit) {
		t.Error("a retransmission of what went by the new path is passed on")
	}
	e.Rerouted()
	if !pass(10, xgress.FlagRetransmit) {
		t.Error("after another change of path it is dropped")
	}
}
