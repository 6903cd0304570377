package uplink

import (
	"context"
	"errors"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestTerminatorAddedTooLate: a host that is removed while it asks to be added
// leaves nothing behind, whichever comes first.
func TestTerminatorAddedTooLate(t *testing.T) {
	u := &Uplink{}
	u.terminators = newTerminators(u)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	u.RemoveTerminator("t1")
	if err := u.AddTerminator(ctx, &ctrl.Terminator{Id: "t1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if m := u.terminators.batch(); m != nil {
		t.Errorf("the controller is told %v", m)
	}
}
