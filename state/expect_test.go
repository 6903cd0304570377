package state

import (
	"errors"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// TestExpect: a command is refused as a whole if an entity is not as its proposer
// has seen it.
func TestExpect(t *testing.T) {
	w := newWorld(t)
	r := &model.EdgeRouter{Name: "r", Fingerprint: "aa"}
	r.ID = "r"
	w.must(w.command().Create(r))
	expect := func(fingerprint string) *Command {
		return w.command().Expect(model.KindEdgeRouter, "r", map[string]any{"fingerprint": fingerprint, "isVerified": false}).
			Patch(model.KindEdgeRouter, "r", map[string]any{"fingerprint": "bb"})
	}
	if err := w.refused(expect("cc")); !errors.Is(err, fault.Unauthorized) {
		t.Error(err)
	}
	w.must(expect("aa"))
	if got := Get[model.EdgeRouter](w.View(), "r").Fingerprint; got != "bb" {
		t.Errorf("fingerprint %q", got)
	}
	w.refused(expect("aa"))
	w.must(w.command().Delete(model.KindEdgeRouter, "r"))
	if err := w.refused(expect("bb")); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
