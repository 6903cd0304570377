package app

import (
	"context"
	"sync"

	"github.com/weftnet/weft/router/renew"
)

// operations are the parts of a router that look after the others.
type operations struct {
	renewer *renew.Renewer
}

// provisionOperations makes them, when the uplink is there.
func (r *Router) provisionOperations() error {
	r.renewer = r.newRenewer()
	return nil
}

// startOperations runs them until ctx ends.
func (r *Router) startOperations(ctx context.Context, work *sync.WaitGroup) {
	work.Go(func() {
		if r.uplink.Connected(ctx) == nil {
			r.renewer.Run(ctx)
		}
	})
}
