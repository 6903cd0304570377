package network

import (
	"context"
	"sync"
)

// work is the goroutines that wait for routers.
type work struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	group  sync.WaitGroup
}

func newWork() *work {
	w := &work{}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// start runs fn with a context that ends with the Network; false if that has
// ended.
func (w *work) start(fn func(context.Context)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.group.Go(func() { fn(w.ctx) })
	return true
}

func (w *work) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.group.Wait()
}
