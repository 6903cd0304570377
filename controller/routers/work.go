package routers

import (
	"context"
	"sync"
	"time"
)

// work is what the registry does beside the reading of sessions.
type work struct {
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{}
	group  sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]int // requests by router
}

// Bounds of requests that wait for the log: beyond maxAside routers wait, and one
// router has maxOfRouter of them at most.
const (
	maxAside    = 64
	maxOfRouter = 2
	asideTime   = 30 * time.Second
)

func newWork() *work {
	w := &work{slots: make(chan struct{}, maxAside), waiting: make(map[string]int)}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// enter counts a request of a router; false if it has too many.
func (w *work) enter(routerID string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[routerID] >= maxOfRouter {
		return false
	}
	w.waiting[routerID]++
	return true
}

func (w *work) leave(routerID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[routerID]--; w.waiting[routerID] <= 0 {
		delete(w.waiting, routerID)
	}
}

// aside runs what waits for something else than the router. It returns false
// and does nothing if the router has too many such requests already.
func (r *Registry) aside(routerID string, fn func(context.Context)) bool {
	w := r.work
	if !w.enter(routerID) {
		return false
	}
	w.group.Go(func() {
		defer w.leave(routerID)
		select {
		case w.slots <- struct{}{}:
			defer func() { <-w.slots }()
		case <-w.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(w.ctx, asideTime)
		defer cancel()
		fn(ctx)
	})
	return true
}

// Messages returns how many messages in which routers are told of each other
// wait for a worker, and how many are being made.
func (r *Registry) Messages() (waiting, busy int) {
	return len(r.peers.queue), int(r.peers.telling.Load())
}

// Requests returns how many requests of routers wait for their turn, and how
// many are being answered.
func (r *Registry) Requests() (waiting, busy int) {
	r.work.mu.Lock()
	defer r.work.mu.Unlock()
	for _, n := range r.work.waiting {
		waiting += n
	}
	busy = len(r.work.slots)
	return max(waiting-busy, 0), busy
}

// Close ends what runs beside the sessions and waits for it. The sessions are
// those of the Listener, which is closed first.
func (r *Registry) Close() error {
	r.work.cancel()
	r.work.group.Wait()
	return nil
}
