package app

import (
	"context"
	"sync"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/health"
	"github.com/weftnet/weft/router/renew"
	"github.com/weftnet/weft/router/report"
)

// operations are the parts of a router that look after the others.
type operations struct {
	renewer *renew.Renewer
	health  *health.Checks
	web     *webServers
	metrics *report.Metrics
	trace   control.Trace // nil without one
	gauges
	watched []*pki.Identity // besides that of the process
}

// openTrace opens the trace of the configuration, before the uplink is made.
func (r *Router) openTrace() error {
	t, err := startTrace(r.o.Config.Trace, r.o.Log)
	if t != nil {
		r.trace = t.see
		r.parts.add(t.Close)
	}
	return err
}

// provisionOperations makes them, when the uplink is there.
func (r *Router) provisionOperations() error {
	r.renewer = r.newRenewer()
	r.health = r.newHealth()
	r.metrics = r.newMetrics()
	return r.makeWeb()
}

// startOperations runs them until ctx ends.
func (r *Router) startOperations(ctx context.Context, work *sync.WaitGroup) {
	work.Go(func() {
		if r.uplink.Connected(ctx) == nil {
			r.renewer.Run(ctx)
		}
	})
	work.Go(func() { r.health.Run(ctx) })
	for _, i := range r.watched {
		work.Go(func() { i.Watch(ctx, watchInterval, reloaded(r.o.Log)) })
	}
	r.startReports(ctx, work)
	r.web.serve()
}
