package forward

import (
	"context"
	"testing"

	"github.com/weftnet/weft/channel"
)

// queueing is a Sender that says what waits in it.
type queueing struct {
	full
	bytes int
}

func (q *queueing) TrySendFrame(f *channel.Frame) bool { return q.full.TrySendFrame(f) }
func (q *queueing) SendFrame(ctx context.Context, f *channel.Frame) error {
	return q.full.SendFrame(ctx, f)
}
func (q *queueing) Queued() int { return q.bytes }

func TestQuietOutlet(t *testing.T) {
	ch := &queueing{}
	o := NewOutlet(t.Context(), ch, NewBudget(DefaultBudget))
	if !o.quiet() {
		t.Error("nothing waits")
	}
	if ch.bytes = quietMost; o.quiet() {
		t.Error("acknowledgements would wait for payloads")
	}
	if NewOutlet(t.Context(), full{}, NewBudget(DefaultBudget)).quiet() {
		t.Error("nothing is known of the channel")
	}
}
