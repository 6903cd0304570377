package control

import (
	"context"
	"sync"
)

// routes is the routes that are being made, by circuit. One that is taken back
// meanwhile must not leave a circuit behind, though the goroutine that makes it
// may begin after that.
type routes struct {
	mu sync.Mutex
	m  map[string]*making
}

type making struct {
	ctx    context.Context
	cancel context.CancelFunc
	after  <-chan struct{} // the route of the same circuit before it; nil for none
	done   chan struct{}
}

func newRoutes() *routes { return &routes{m: make(map[string]*making)} }

// begin is called in order of arrival. The route is made between wait and end.
func (r *routes) begin(ctx context.Context, circuitID string) *making {
	k := &making{done: make(chan struct{})}
	k.ctx, k.cancel = context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if before := r.m[circuitID]; before != nil {
		k.after = before.done
	}
	r.m[circuitID] = k
	return k
}

// wait returns when the route before it is made or this one is taken back.
func (k *making) wait() {
	if k.after == nil {
		return
	}
	select {
	case <-k.after:
	case <-k.ctx.Done():
	}
}

func (r *routes) end(circuitID string, k *making) {
	k.cancel()
	close(k.done)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m[circuitID] == k {
		delete(r.m, circuitID)
	}
}

// takeBack ends the contexts of the last routes of these circuits. Those before
// them had been taken back, or have come to their end.
func (r *routes) takeBack(circuitIDs []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range circuitIDs {
		if k := r.m[id]; k != nil {
			k.cancel()
		}
	}
}
