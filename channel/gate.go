package channel

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// gate bounds how many connections are in one phase of being set up. When it
// is full, the oldest one has to go as soon as it has had its grace: whoever
// is honest has moved on by then, so silent connections cannot shut out
// others.
type gate struct {
	max   int
	grace time.Duration

	mu    sync.Mutex
	inner list.List     // of *visitor, oldest first
	left  chan struct{} // closed when somebody leaves and others wait
}

type visitor struct {
	since time.Time
	evict func() // must not block
}

func newGate(max int, grace time.Duration) *gate {
	return &gate{max: max, grace: grace, left: make(chan struct{})}
}

// enter waits for room and returns the function that leaves. evict is called,
// at most once, if the visitor has to make room; its place is free then. The
// error is that of ctx.
func (g *gate) enter(ctx context.Context, evict func()) (leave func(), err error) {
	for {
		g.mu.Lock()
		if g.inner.Len() < g.max {
			e := g.inner.PushBack(&visitor{since: time.Now(), evict: evict})
			g.mu.Unlock()
			return func() { g.leave(e) }, nil
		}
		oldest := g.inner.Front()
		v := oldest.Value.(*visitor)
		wait := g.grace - time.Since(v.since)
		if wait <= 0 {
			g.inner.Remove(oldest)
			g.mu.Unlock()
			v.evict()
			continue
		}
		left := g.left
		g.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-left:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

func (g *gate) leave(e *list.Element) {
	g.mu.Lock()
	defer g.mu.Unlock()
	full := g.inner.Len() >= g.max
	g.inner.Remove(e) // does nothing if e was evicted
	if full {
		close(g.left)
		g.left = make(chan struct{})
	}
}
