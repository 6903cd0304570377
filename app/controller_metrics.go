package app

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/events"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/metrics"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// makeMetrics makes what shows the measurements, which begin now.
func (c *Controller) makeMetrics() {
	c.addInstruments()
	var listed bool
	for _, s := range c.o.Config.Web {
		listed = listed || slices.ContainsFunc(s.APIs, func(a conf.WebAPI) bool { return a.Binding == conf.BindingMetrics })
	}
	rejected := c.instruments.Meter("weft.metrics.reports.rejected")
	c.exporter = metrics.New(metrics.Config{
		ID: c.id, Read: c.instruments.Read, Router: c.routerNow, Link: c.linkEnds, Rejected: rejected.Mark,
		Version: c.o.Build.Version, Started: time.Now(), Now: time.Now, Keep: listed,
	})
}

// routerNow returns the name of a router and whether it is connected.
func (c *Controller) routerNow(routerID string) (name string, online bool) {
	if r := state.Get[model.EdgeRouter](c.store.View(), routerID); r != nil {
		name = r.Name
	}
	return name, c.registry.Online(routerID)
}

// reported takes the report of a router.
func (c *Controller) reported(routerID string, m *ctrl.MetricsReport) {
	c.exporter.Take(routerID, m)
	c.observers.hub.Report(routerID, m)
}

// forgetMetrics drops what was measured of a router that has gone.
func (c *Controller) forgetMetrics(routerID string) {
	if c.registry.Online(routerID) {
		return // it has come back
	}
	c.exporter.Forget(routerID)
	c.instruments.RemoveIf(func(name string) bool {
		kind, about, _ := strings.Cut(name, ":")
		return about == routerID && strings.HasPrefix(kind, "ctrl.")
	})
}

// routerMeasured returns what takes the measurements of a session with a router.
func (c *Controller) routerMeasured(routerID string) func(control.Measurement) {
	var last control.Measurement // measurements come one after the other
	return func(m control.Measurement) {
		i, of := c.instruments, func(name string) string { return "ctrl." + name + ":" + routerID }
		i.Histogram(of("latency")).Update(float64(m.Trip))
		i.Histogram(of("queue_time")).Update(float64(m.Queue))
		mark := func(direction string, bytes, messages uint64) {
			i.Meter(of(direction + ".bytesrate")).Mark(int(bytes))
			i.Meter(of(direction + ".msgrate")).Mark(int(messages))
			if messages > 0 { // the size is the mean of those that moved together
				i.Histogram(of(direction + ".msgsize")).Update(float64(bytes) / float64(messages))
			}
		}
		mark("tx", m.Out-last.Out, m.MessagesOut-last.MessagesOut)
		mark("rx", m.In-last.In, m.MessagesIn-last.MessagesIn)
		last = m
	}
}

// tellMetrics publishes the measurements of this controller again and again,
// until ctx ends.
func (c *Controller) tellMetrics(ctx context.Context) {
	tick := time.NewTicker(c.o.Config.Network.MetricsReportInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.publishMetrics()
		}
	}
}

func (c *Controller) publishMetrics() {
	if !c.observers.hub.Wanted("metrics") {
		return
	}
	e := &events.Metrics{At: time.Now(), SourceID: c.id, ReportID: id.UUID()}
	for _, m := range metrics.Used(c.instruments.Read()) {
		e.Metrics = append(e.Metrics, events.Metric{Name: m.Name, Kind: string(m.Kind), Values: m.Values})
	}
	c.observers.hub.Publish(e)
}

// metricsBinding is the API of measurements of an entry of the configuration.
func metricsBinding(use string, a conf.WebAPI, e *metrics.Exporter) (chttp.Binding, error) {
	gate, err := newScrapeGate(use, a.Options, e.Handler(a.Options.IncludeTimestamps))
	return chttp.Binding{Name: a.Binding, Prefix: "/metrics", Handler: gate}, err
}

// inspectMetrics is the value of metrics.
func (c *Controller) inspectMetrics() inspectedMetrics {
	return inspectReadings(c.id, metrics.Used(c.instruments.Read()))
}

// inspectPrometheus is the value of metrics:prometheus: the page of this
// controller, with the latest reports of routers if the page is served.
func (c *Controller) inspectPrometheus() string {
	var b strings.Builder
	_ = c.exporter.Write(&b, false) // a Builder takes everything
	return b.String()
}

// addInstruments shows what parts of the controller count for themselves.
func (c *Controller) addInstruments() {
	i := c.instruments
	c.addLimits()
	c.addRaftInstruments()
	c.addNetworkInstruments()
	i.Counted("weft.events.dropped", c.observers.hub.Dropped)
	i.Counted("weft.events.webhook.retries", func() (n uint64) {
		for _, s := range c.observers.hub.Stats() {
			n += s.Retries
		}
		return n
	})
	for _, name := range slices.Sorted(maps.Keys(c.o.Config.Events)) {
		i.Gauge("weft.events.queued:"+name, func() float64 {
			for _, s := range c.observers.hub.Stats() {
				if s.Name == name {
					return float64(s.Queued)
				}
			}
			return math.NaN()
		})
	}
	if a := c.observers.audit; a != nil {
		i.Counted("weft.audit.missed", a.Missed)
		i.Counted("weft.audit.failed", a.Failed)
	}
}

// addLimits shows windows and pools.
func (c *Controller) addLimits() {
	i := c.instruments
	gauge := func(name string, read func() int) { i.Gauge(name, func() float64 { return float64(read()) }) }
	pair := func(first, second string, read func() (int, int)) {
		gauge(first, func() int { a, _ := read(); return a })
		gauge(second, func() int { _, b := read(); return b })
	}
	timers := []string{"raft.rate_limiter.work_timer"}
	if c.o.Config.Cluster == nil {
		timers = append(timers, "command.limiter.work_timer")
	}
	if w := c.store.window; w != nil {
		pair("raft.rate_limiter.window_size", "raft.rate_limiter.queue_size", w.Size)
		if c.o.Config.Cluster == nil {
			gauge("command.limiter.queued_count", func() int { _, n := w.Size(); return n })
		}
	}
	c.store.times.measure(i, timers, "weft.state.apply")
	pair("auth.limiter.window_size", "auth.limiter.queued_count", c.auth.LoginLimit)
	if w := c.handshakes; w != nil {
		pair("tls_handshake_limiter.window_size", "tls_handshake_limiter.in_process", w.Size)
	}
	pair("pool.router.messaging.queue_size", "pool.router.messaging.busy_workers", c.registry.Messages)
	gauge("pool.router.messaging.worker_count", func() int { return c.o.Config.Network.RouterMessaging.MaxWorkers })
	pair("weft.routers.requests:waiting", "weft.routers.requests:busy", c.registry.Requests)
	if d := c.dialer; d != nil {
		pair("ctrl_channel.dialer.queue_size", "ctrl_channel.dialer.busy_workers", d.Load)
		gauge("ctrl_channel.dialer.worker_count", func() int { return c.o.Config.Ctrl.Dialer.MaxWorkers })
	}
	gauge("bolt.open_read_txs", c.store.node.OpenReads)
	pair("weft.sessions:api", "weft.sessions:service", c.auth.Counts)
}

func (c *Controller) addRaftInstruments() {
	i, node := c.instruments, c.store.node
	i.Gauge("weft.raft.index:written", func() float64 { return float64(node.Stats().LastIndex) })
	i.Gauge("weft.raft.index:committed", func() float64 { return float64(node.Stats().Commit) })
	i.Gauge("weft.raft.index:applied", func() float64 { return float64(node.Stats().Applied) })
	i.Gauge("weft.raft.index:snapshot", func() float64 { return float64(node.Stats().Snapshot) })
	i.Gauge("weft.raft.term", func() float64 { return float64(node.Stats().Term) })
	i.Gauge("weft.raft.leader", func() float64 {
		if node.IsLeader() {
			return 1
		}
		return 0
	})
	for _, k := range model.Kinds() {
		i.Gauge("weft.state.entities:"+string(k), func() float64 { return float64(c.store.View().Count(k)) })
	}
}

func (c *Controller) addNetworkInstruments() {
	i := c.instruments
	for name, holds := range map[string]func(r *model.EdgeRouter) bool{
		"online":   func(r *model.EdgeRouter) bool { return c.registry.Online(r.ID) },
		"offline":  func(r *model.EdgeRouter) bool { return !r.Disabled && !c.registry.Online(r.ID) },
		"disabled": func(r *model.EdgeRouter) bool { return r.Disabled },
	} {
		i.Gauge("weft.routers:"+name, func() float64 {
			var n int
			for r := range state.All[model.EdgeRouter](c.store.View()) {
				if holds(r) {
					n++
				}
			}
			return float64(n)
		})
	}
	i.Gauge("weft.links", func() float64 { return float64(len(c.network.Links())) })
	i.Gauge("weft.circuits", func() float64 { return float64(len(c.network.Circuits())) })
	i.Gauge("weft.terminators", func() float64 { return float64(c.store.View().Count(model.KindTerminator)) })
}
