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
}

// Bounds of requests that wait for the log: beyond them routers wait.
const (
	maxAside  = 64
	asideTime = 30 * time.Second
)

func newWork() *work {
	w := &work{slots: make(chan struct{}, maxAside)}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// aside runs what waits for something else than the router.
func (r *Registry) aside(fn func(context.Context)) {
	w := r.work
	w.group.Go(func() {
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
}

// Close ends what runs beside the sessions and waits for it. The sessions are
// those of the Listener, which is closed first.
func (r *Registry) Close() error {
	r.work.cancel()
	r.work.group.Wait()
	return nil
}
