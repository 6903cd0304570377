package sdk

import (
	"context"
	"sync"
)

// flight lets all who want the same thing at the same time wait for one call
// of run. The call goes on when a waiter gives up.
type flight[T any] struct {
	mu  sync.Mutex
	cur *flightCall[T]
}

type flightCall[T any] struct {
	done chan struct{}
	v    T
	err  error
}

// do joins the running call or starts one with start, which must run f on a
// goroutine of its own and may refuse.
func (f *flight[T]) do(ctx context.Context, start func(func()) bool, run func() (T, error)) (T, error) {
	f.mu.Lock()
	c := f.cur
	if c == nil {
		c = &flightCall[T]{done: make(chan struct{})}
		ok := start(func() {
			c.v, c.err = run()
			f.mu.Lock()
			f.cur = nil
			f.mu.Unlock()
			close(c.done)
		})
		if !ok {
			f.mu.Unlock()
			var zero T
			return zero, ErrClosed
		}
		f.cur = c
	}
	f.mu.Unlock()
	select {
	case <-c.done:
		return c.v, c.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}
