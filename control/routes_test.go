package control

import (
	"context"
	"testing"
)

// TestRouteTakenBack: an Unroute reaches a route whose goroutine has not begun,
// and the next route of the circuit waits for it.
func TestRouteTakenBack(t *testing.T) {
	r := newRoutes()
	first := r.begin(context.Background(), "c")
	other := r.begin(context.Background(), "d")
	r.takeBack([]string{"c", "unknown"})
	if first.ctx.Err() == nil || other.ctx.Err() != nil {
		t.Error("the wrong one was taken back")
	}
	next := r.begin(context.Background(), "c")
	if next.ctx.Err() != nil {
		t.Error("what is taken back is not the next one")
	}
	waited := make(chan bool)
	go func() { next.wait(); close(waited) }()
	select {
	case <-waited:
		t.Error("it does not wait for the one before")
	default:
	}
	r.end("c", first)
	<-waited
	if r.m["c"] != next {
		t.Error("the end of the first has forgotten the next")
	}
	r.end("c", next)
	r.end("d", other)
	if len(r.m) != 0 {
		t.Error("something is left")
	}
}
