package app

import (
	"context"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/router/report"
	"github.com/weftnet/weft/wire/ctrl"
)

// newMetrics makes the reports of measurements, and the instruments that show
// what parts of the router count for themselves.
func (r *Router) newMetrics() *report.Metrics {
	c := r.o.Config.Metrics
	r.addGauges()
	m := report.New(report.Config{
		Interval: c.ReportInterval, Age: c.IntervalAgeThreshold, Queue: c.MessageQueueSize, Events: c.EventQueueSize,
		Instruments: r.instruments, Usages: r.table.Usages, Log: r.o.Log,
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

func (r *Router) addGauges() {
	i := r.instruments
	i.Counted("xgress.dropped_payloads", func() uint64 { return r.table.Counters().Drops })
	i.Counted("xgress.blocked_by_remote_window_rate", func() uint64 { return r.table.Counters().Brakes })
	i.Gauge("circuits", func() float64 { return float64(r.table.Len()) })
	i.Gauge("ctrl_limiter.window_size", func() float64 { window, _ := r.uplink.TerminatorWindow(); return float64(window) })
	i.Gauge("ctrl_limiter.in_process", func() float64 { _, busy := r.uplink.TerminatorWindow(); return float64(busy) })
	i.Gauge("ctrl.latency", func() float64 { return float64(r.uplink.Status().RoundTrip) })
	if r.edge != nil {
		i.Gauge("edge.connections", func() float64 { return float64(len(r.edge.Connections())) })
	}
}

// dataDelay returns who measures long waits of data in the router, nil for
// nobody.
func (r *Router) dataDelay() func(time.Duration) {
	if !r.o.Config.Metrics.DataDelay {
		return nil
	}
	return r.instruments.Timer("xgress_edge.long_data_queue_time").Update
}

// linkMeasured takes a measurement of a link.
func (r *Router) linkMeasured(linkID string, m channel.Round) {
	r.instruments.Histogram("link." + linkID + ".latency").Update(float64(m.Trip))
	r.instruments.Histogram("link." + linkID + ".queue_time").Update(float64(m.Queue))
}

// linksChanged tells the controller of links, and forgets what was measured of
// those that are gone.
func (r *Router) linksChanged(m *ctrl.LinkChanges) {
	r.uplink.ReportLinks(m)
	if n := len(m.Gone); n > 0 {
		r.linkFaults.Mark(n)
	}
	for _, g := range m.Gone {
		r.instruments.Remove("link." + g.Id + ".")
	}
}

// circuitFault tells the controller of a circuit whose messages go nowhere.
func (r *Router) circuitFault(circuit string) {
	r.circuitFaults.Mark(1)
	r.uplink.CircuitFault(circuit)
}

// gauges are the instruments of a router that its parts use.
type gauges struct {
	instruments               *observe.Instruments
	linkFaults, circuitFaults *observe.Meter
}

func newGauges() gauges {
	i := observe.NewInstruments(nil)
	return gauges{instruments: i, linkFaults: i.Meter("faults.link"), circuitFaults: i.Meter("faults.circuit")}
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
