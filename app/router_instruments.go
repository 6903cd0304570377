package app

import (
	"time"

	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/router/edge"
)

// gauges are the instruments of a router that its parts use.
type gauges struct {
	instruments               *observe.Instruments
	linkFaults, circuitFaults *observe.Meter
	badTokens, earlyTokens    *observe.Meter // the latter before the router knew its network
	dials                     dialTimes
}

// dialTimes show how long work of the router's pools takes.
type dialTimes struct{ links, routes, terminators, answers *observe.Timer }

func newGauges() gauges {
	i := observe.NewInstruments(nil)
	return gauges{
		instruments: i, linkFaults: i.Meter("faults.link"), circuitFaults: i.Meter("faults.circuit"),
		badTokens: i.Meter("edge.invalid_api_tokens"), earlyTokens: i.Meter("edge.invalid_api_tokens_during_sync"),
		dials: dialTimes{
			links: i.Timer("pool.link.dialer.work_timer"), routes: i.Timer("pool.route.handler.work_timer"),
			terminators: i.Timer("pool.rate_limiter.work_timer"), answers: i.Timer("ctrl_limiter.work_timer"),
		},
	}
}

// terminatorsTook takes the time of an answer to changes of terminators.
func (g gauges) terminatorsTook(d time.Duration) {
	g.dials.terminators.Update(d)
	g.dials.answers.Update(d)
}

// addInstruments shows what parts of the router count for themselves.
func (r *Router) addInstruments() {
	i := r.instruments
	i.Gauge("circuits", func() float64 { return float64(r.table.Len()) })
	i.Gauge("ctrl.latency", func() float64 { return float64(r.uplink.Status().RoundTrip) })
	i.Gauge("ctrl_limiter.window_size", func() float64 { window, _ := r.uplink.TerminatorWindow(); return float64(window) })
	i.Gauge("ctrl_limiter.in_process", func() float64 { _, busy := r.uplink.TerminatorWindow(); return float64(busy) })
	r.addPool("rate_limiter", r.o.Config.Forwarder.RateLimitedWorkers, r.uplink.TerminatorQueue)
	if r.links != nil {
		r.addPool("link.dialer", r.o.Config.Forwarder.LinkDialWorkerCount, r.links.DialPool)
	}
	if r.egress != nil {
		r.addPool("route.handler", r.o.Config.Forwarder.XgressDialWorkerCount, r.egress.load)
	}
	r.addFlowInstruments()
	if r.edge != nil {
		r.addEdgeInstruments()
	}
}

// addPool shows a pool of so many workers, which exist while there is work.
func (r *Router) addPool(name string, workers int, load func() (waiting, busy int)) {
	i, name := r.instruments, "pool."+name
	i.Gauge(name+".queue_size", func() float64 { waiting, _ := load(); return float64(waiting) })
	i.Gauge(name+".busy_workers", func() float64 { _, busy := load(); return float64(busy) })
	i.Gauge(name+".worker_count", func() float64 { return float64(workers) })
}

// addFlowInstruments shows what the ends of flow control at this router count:
// of egress, of on-ramps, and of clients without a window of their own.
func (r *Router) addFlowInstruments() {
	i, n := r.instruments, r.table.FlowCounters()
	for name, count := range map[string]func() uint64{
		"rx.acks": n.AcksReceived.Load, "tx.acks": n.AcksSent.Load, "ack_failures": n.AckFailures.Load,
		"ack_duplicates": n.DuplicateAcks.Load, "payload_duplicates": n.DuplicatePayloads.Load,
		"retransmissions": n.Retransmissions.Load, "retransmission_failures": n.RetransmissionFailures.Load,
		"blocked_by_local_window_rate": n.BlockedLocal.Load, "blocked_by_remote_window_rate": n.BlockedRemote.Load,
		"dropped_payloads": func() uint64 { return r.table.Counters().Drops + n.DroppedPayloads.Load() },
	} {
		i.Counted("xgress."+name, count)
	}
	i.Gauge("xgress.blocked_by_local_window", func() float64 { return float64(n.WaitingLocal.Load()) })
	i.Gauge("xgress.blocked_by_remote_window", func() float64 { return float64(n.WaitingRemote.Load()) })
	i.Gauge("xgress.tx_unacked_payloads", func() float64 { return float64(r.table.Outstanding().Payloads) })
	i.Gauge("xgress.tx_unacked_payload_bytes", func() float64 { return float64(r.table.Outstanding().Bytes) })
	i.Gauge("xgress.acks.queue_size", func() float64 { return float64(r.table.Outstanding().Acks) })
	i.Counted("circuits.slowed_acks", func() uint64 { return r.table.Counters().Brakes })
	n.Waited = i.Timer("xgress.blocked_time").Update
}

func (r *Router) addEdgeInstruments() {
	i := r.instruments
	i.Gauge("edge.connections", func() float64 { return float64(len(r.edge.Connections())) })
	for name, count := range map[string]func(edge.Counters) uint64{
		"edge.connect.successes":       func(n edge.Counters) uint64 { return n.Connected },
		"edge.connect.failures":        func(n edge.Counters) uint64 { return n.Refused },
		"edge.disconnects":             func(n edge.Counters) uint64 { return n.Disconnected },
		"xgress.edge.dropped_msgs":     func(n edge.Counters) uint64 { return n.Drops },
		"xgress.edge.dropped_payloads": func(n edge.Counters) uint64 { return n.DroppedPayloads },
		"xgress.edge.dropped_acks":     func(n edge.Counters) uint64 { return n.DroppedAcks },
	} {
		i.Counted(name, func() uint64 { return count(r.edge.Counters()) })
	}
}

// tokenRefused notes a session token that was not good.
func (r *Router) tokenRefused() {
	if !r.uplink.Filled() {
		r.earlyTokens.Mark(1)
		return
	}
	r.badTokens.Mark(1)
}
