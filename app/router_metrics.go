package app

import (
	"context"
	"sync"
	"time"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/report"
	"github.com/weftnet/weft/wire/ctrl"
)

// newMetrics makes the reports of measurements, and the instruments that show
// what parts of the router count for themselves.
func (r *Router) newMetrics() *report.Metrics {
	c := r.o.Config.Metrics
	r.addInstruments()
	m := report.New(report.Config{
		Interval: c.ReportInterval, Age: c.IntervalAgeThreshold, Queue: c.MessageQueueSize, Events: c.EventQueueSize,
		Instruments: r.instruments, Usages: r.usages, Log: r.o.Log,
		Send: func(ctx context.Context, m *ctrl.MetricsReport) error {
			if err := r.uplink.Connected(ctx); err != nil {
				return err
			}
			return r.uplink.Metrics(ctx, m)
		},
	})
	r.table.SetUsed(m.Used)
	return m
}

// usages looks at the circuits, when a report is due, and forgets what was
// measured of links that are gone.
func (r *Router) usages() []forward.Usage {
	r.sweepLinks()
	return r.table.Usages()
}

// dataDelay returns who measures long waits of data in the router, nil for
// nobody.
func (r *Router) dataDelay() func(time.Duration) {
	if !r.o.Config.Metrics.DataDelay {
		return nil
	}
	return r.instruments.Timer("xgress_edge.long_data_queue_time").Update
}

// circuitFault tells the controller of a circuit whose messages go nowhere.
func (r *Router) circuitFault(circuit string) {
	r.circuitFaults.Mark(1)
	r.uplink.CircuitFault(circuit)
}

// startReports tells controllers who is connected and which interfaces there
// are, until ctx ends.
func (r *Router) startReports(ctx context.Context, work *sync.WaitGroup) {
	work.Go(func() { r.metrics.Run(ctx) })
	if c := r.o.Config.ConnectEvents; c.Enabled && r.edge != nil {
		work.Go(func() {
			report.Identities(ctx, report.IdentitiesConfig{
				Batch: c.BatchInterval, Whole: c.FullSyncInterval, Details: c.MaxQueuedEvents,
				Connections: r.connections, Session: r.uplink.ControllerSession, Send: r.uplink.Identities, Log: r.o.Log,
			})
		})
	}
	if c := r.o.Config.InterfaceDiscovery; !c.Disabled {
		work.Go(func() {
			report.Interfaces(ctx, report.InterfacesConfig{
				Check: c.CheckInterval, Report: c.MinReportInterval, Session: r.uplink.ControllerSession, Log: r.o.Log,
				Send: func(ctx context.Context, m *ctrl.Interfaces) error {
					if err := r.uplink.Connected(ctx); err != nil {
						return err
					}
					return r.uplink.Interfaces(ctx, m)
				},
			})
		})
	}
}

// connections lists the clients that are connected.
func (r *Router) connections() []report.Connection {
	var out []report.Connection
	for _, c := range r.edge.Connections() {
		out = append(out, report.Connection(c))
	}
	return out
}
