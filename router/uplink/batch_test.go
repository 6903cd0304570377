package uplink

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/wire/ctrl"
)

// add asks for a terminator without waiting for the answer.
func add(t *testing.T, u *Uplink, id string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	return u.AddTerminator(ctx, &ctrl.Terminator{Id: id})
}

func limited(limits TerminatorLimits) *Uplink {
	u := &Uplink{cfg: Config{Terminators: limits}}
	u.terminators = newTerminators(u)
	return u
}

func TestWindowBoundsTerminatorsUnderWay(t *testing.T) {
	u := limited(TerminatorLimits{Window: &limit.WindowConfig{Min: 1, Max: 5}, Workers: 10})
	for i := range 8 {
		add(t, u, fmt.Sprint(i))
	}
	l := u.terminators
	first := l.batch()
	if len(first.ids) != 5 {
		t.Fatalf("%d terminators under way, the window is 5", len(first.ids))
	}
	if l.batch() != nil {
		t.Error("another message although the window is full")
	}
	for _, done := range first.done {
		done(limit.Success)
	}
	if next := l.batch(); next == nil || len(next.ids) != 3 {
		t.Errorf("next %+v", next)
	}
}

func TestWorkersBoundMessagesUnderWay(t *testing.T) {
	u := limited(TerminatorLimits{Workers: 2})
	l := u.terminators
	for i := range 3 {
		add(t, u, fmt.Sprint(i))
		if b := l.batch(); (b != nil) != (i < 2) {
			t.Errorf("message %d: %v", i+1, b)
		}
	}
}

// TestOneMessagePerTerminator: its removal waits until its creation is
// answered.
func TestOneMessagePerTerminator(t *testing.T) {
	u := limited(TerminatorLimits{Workers: 5})
	add(t, u, "a")
	l := u.terminators
	if b := l.batch(); len(b.changes.Put) != 1 {
		t.Fatal(b)
	}
	u.RemoveTerminator("a")
	if b := l.batch(); b != nil {
		t.Fatalf("a second message with the terminator: %v", b.changes)
	}
	l.mu.Lock()
	delete(l.busy, "a")
	l.mu.Unlock()
	if b := l.batch(); b == nil || len(b.changes.Remove) != 1 {
		t.Error("the removal is lost")
	}
}

func TestQueueOfTerminators(t *testing.T) {
	u := limited(TerminatorLimits{Queue: 2})
	for i, want := range []error{context.DeadlineExceeded, context.DeadlineExceeded, ErrTerminatorQueue} {
		if err := add(t, u, fmt.Sprint(i)); !errors.Is(err, want) {
			t.Errorf("terminator %d: %v, want %v", i, err, want)
		}
	}
}
