package metrics

import (
	"strings"

	"github.com/weftnet/weft/observe"
)

// Definition describes the measurements of a name.
type Definition struct {
	// Name is that of the instrument, without the part after the colon that says
	// what it is about.
	Name string
	Kind observe.Kind
	// About is the label of what it is about, such as router_id; empty for the
	// whole process.
	About string
	// Router is whether routers measure it; else the controller does.
	Router bool
	Doc    string // what it shows, with the unit
}

// Labels of what measurements are about.
const (
	labelLink   = "link_id"
	labelRouter = "router_id"
	labelPeer   = "peer_id"
)

// pool are the measurements of a pool of workers.
func pool(name, doc string, router bool) []Definition {
	return []Definition{
		{name + ".queue_size", observe.KindGauge, "", router, "Work that waits for a worker: " + doc + "."},
		{name + ".worker_count", observe.KindGauge, "", router, "Most workers at once: " + doc + "."},
		{name + ".busy_workers", observe.KindGauge, "", router, "Workers that are at it: " + doc + "."},
		{name + ".work_timer", observe.KindTimer, "", router, "Time that the work takes, in nanoseconds: " + doc + "."},
	}
}

// moved are the measurements of one way of traffic.
func moved(name, about, doc string, router bool) []Definition {
	return []Definition{
		{name + ".bytesrate", observe.KindMeter, about, router, "Bytes per second " + doc + "."},
		{name + ".msgrate", observe.KindMeter, about, router, "Messages per second " + doc + "."},
		{name + ".msgsize", observe.KindHistogram, about, router, "Size of messages in bytes, " + doc + "."},
	}
}

// Catalogue returns what controllers and routers measure, besides the timers of
// routes of the APIs, which are called after path and method.
func Catalogue() []Definition {
	var out []Definition
	for _, group := range [][]Definition{controllerWork(), controllerOwn(), routerLinks(), routerFlow(), routerEdge(), routerPools()} {
		out = append(out, group...)
	}
	return out
}

func controllerWork() []Definition {
	g, m, h, t := observe.KindGauge, observe.KindMeter, observe.KindHistogram, observe.KindTimer
	out := []Definition{
		{"raft.rate_limiter.queue_size", g, "", false, "Changes of the model that are in flight; near 0 at rest."},
		{"raft.rate_limiter.window_size", g, "", false, "Changes of the model that may be in flight; the window shrinks when changes take too long."},
		{"raft.rate_limiter.work_timer", t, "", false, "Time that a change of the model takes until it is in force here, in nanoseconds."},
		{"command.limiter.queued_count", g, "", false, "The same as raft.rate_limiter.queue_size, of a controller without a cluster section."},
		{"command.limiter.work_timer", t, "", false, "The same as raft.rate_limiter.work_timer, of a controller without a cluster section."},
		{"ctrl.latency", h, labelRouter, false, "Round trip of heartbeats on the control connection of a router, in nanoseconds."},
		{"ctrl.queue_time", h, labelRouter, false, "Time that a message to a router waits in the send queue, in nanoseconds."},
		{"auth.limiter.queued_count", g, "", false, "Logins in progress."},
		{"auth.limiter.window_size", g, "", false, "Logins that may be in progress."},
		{"auth.limiter.work_timer", t, "", false, "Time that a login takes, in nanoseconds."},
		{"tls_handshake_limiter.in_process", g, "", false, "TLS handshakes in progress, if tls.rateLimiter is enabled."},
		{"tls_handshake_limiter.window_size", g, "", false, "TLS handshakes that may be in progress."},
		{"tls_handshake_limiter.work_timer", t, "", false, "Time that a TLS handshake takes, in nanoseconds."},
		{"bolt.open_read_txs", g, "", false, "Open read transactions of the log on disk. Reads of the model need none."},
		{"api-session.create", t, "", false, "Time that an attempt to log in takes, in nanoseconds."},
		{"session.create", t, "", false, "Time to make a service session, in nanoseconds."},
		{"services.list", t, "", false, "Time to list services, in nanoseconds."},
		{"identity.refresh", m, "", false, "Questions per second of clients whether their services have changed."},
		{"api.session.enforcer.run", t, "", false, "Time of a search for inactive API sessions, in nanoseconds."},
		{"api.session.enforcer.delete", m, "", false, "API sessions per second that ended because nobody used them."},
		{"revocation.enforcer.run", t, "", false, "Time of a search for revocations that are over, in nanoseconds."},
		{"revocation.enforcer.delete", m, "", false, "Revocations per second that were removed because they are over."},
	}
	out = append(out, moved("ctrl.tx", labelRouter, "sent to a router over its control connection", false)...)
	out = append(out, moved("ctrl.rx", labelRouter, "received from a router over its control connection", false)...)
	out = append(out, pool("pool.router.messaging", "messages in which routers are told of each other", false)...)
	return append(out, pool("ctrl_channel.dialer", "calls of routers that let themselves be called", false)...)
}

// Own begins the names of measurements that the ecosystem does not have.
const Own = "weft."

func controllerOwn() []Definition {
	g, m, t := observe.KindGauge, observe.KindMeter, observe.KindTimer
	return []Definition{
		{"weft.raft.index", g, "position", false, "Index of the log: last written here, committed, applied here, in the newest snapshot."},
		{"weft.raft.term", g, "", false, "Term of the log."},
		{"weft.raft.leader", g, "", false, "1 if this controller leads."},
		{"weft.state.apply", t, "", false, "Time to apply a batch of entries of the log to the state."},
		{"weft.state.entities", g, "kind", false, "Entities of the model."},
		{"weft.sessions", g, "type", false, "Live sessions that this controller knows: api and service."},
		{"weft.routers", g, "state", false, "Edge routers: online, offline, and disabled ones."},
		{"weft.routers.requests", g, "state", false, "Requests of routers that wait for their turn, and that are being answered."},
		{"weft.links", g, "", false, "Links between routers."},
		{"weft.circuits", g, "", false, "Circuits of this controller."},
		{"weft.terminators", g, "", false, "Terminators of the model."},
		{"weft.events.dropped", m, "", false, "Events that no subscriber got, because its queue was full or its handler failed."},
		{"weft.events.queued", g, "subscriber", false, "Events that wait for a subscriber."},
		{"weft.events.webhook.retries", m, "", false, "Requests of webhooks that were repeats."},
		{"weft.audit.missed", m, "", false, "Entries of the log without an audit record, because the disk took none for too long."},
		{"weft.audit.failed", m, "", false, "Writes of audit records that failed and were tried again."},
		{"weft.metrics.reports.rejected", m, "", false, "Measurements of routers that were left out, because a router reported too many or such as are none."},
	}
}

func routerLinks() []Definition {
	m, h := observe.KindMeter, observe.KindHistogram
	out := []Definition{
		{"link.latency", h, labelLink, true, "Round trip on a link, in nanoseconds."},
		{"link.queue_time", h, labelLink, true, "Time that a message waits before it leaves by a link, in nanoseconds."},
		{"link.dropped_msgs", m, labelLink, true, "Messages per second that a link had no room for."},
		{"link.dropped_xg_msgs", m, labelLink, true, "Those of them that begin or end at the router."},
		{"link.dropped_rtx_msgs", m, labelLink, true, "Retransmissions per second that a link had no room for."},
		{"link.dropped_fwd_msgs", m, labelLink, true, "Messages per second in transit that a link had no room for."},
		{"faults.link", m, "", true, "Links per second that failed."},
		{"faults.circuit", m, "", true, "Circuits per second whose messages could not be passed on."},
	}
	out = append(out, moved("link.tx", labelLink, "sent over a link", true)...)
	out = append(out, moved("link.rx", labelLink, "received over a link", true)...)
	for _, side := range []struct{ name, doc string }{
		{"ingress", "the dialing side"}, {"egress", "the hosting side"}, {"fabric", "other routers"},
	} {
		out = append(out, moved(side.name+".rx", "", "received from "+side.doc, true)...)
		out = append(out, moved(side.name+".tx", "", "sent to "+side.doc, true)...)
	}
	return out
}

func routerFlow() []Definition {
	g, m, t := observe.KindGauge, observe.KindMeter, observe.KindTimer
	return []Definition{
		{"xgress.dropped_payloads", m, "", true, "Payloads per second that were dropped."},
		{"xgress.rx.acks", m, "", true, "Acknowledgements received per second."},
		{"xgress.tx.acks", m, "", true, "Acknowledgements sent per second."},
		{"xgress.ack_failures", m, "", true, "Acknowledgements per second that could not be sent."},
		{"xgress.ack_duplicates", m, "", true, "Acknowledgements per second of what was acknowledged already."},
		{"xgress.payload_duplicates", m, "", true, "Payloads per second that had been received already."},
		{"xgress.retransmissions", m, "", true, "Payloads sent again per second."},
		{"xgress.retransmission_failures", m, "", true, "Payloads per second that could not be sent again."},
		{"xgress.blocked_by_local_window_rate", m, "", true, "Times per second that an end waited for its own window."},
		{"xgress.blocked_by_remote_window_rate", m, "", true, "Times per second that an end waited for room at the other one."},
		{"xgress.blocked_by_local_window", g, "", true, "Ends that wait for their own window."},
		{"xgress.blocked_by_remote_window", g, "", true, "Ends that wait for room at the other one."},
		{"xgress.blocked_time", t, "", true, "Time that an end waited for a window, in nanoseconds."},
		{"xgress.tx_unacked_payloads", g, "", true, "Payloads without an acknowledgement."},
		{"xgress.tx_unacked_payload_bytes", g, "", true, "Bytes without an acknowledgement."},
		{"xgress.acks.queue_size", g, "", true, "Acknowledgements that wait to be sent."},
		{"xgress.edge.dropped_msgs", m, "", true, "Messages of clients dropped per second."},
		{"xgress.edge.dropped_payloads", m, "", true, "Payloads to clients dropped per second."},
		{"xgress.edge.dropped_acks", m, "", true, "Acknowledgements to clients dropped per second."},
		{"xgress_edge.long_data_queue_time", t, "", true, "Waits of data in the router above 5 ms, in nanoseconds, if metrics.enableDataDelayMetric is set."},
		{"weft.router.circuits", g, "", true, "Circuits that the router carries."},
		{"weft.router.circuits.slowed_acks", m, "", true, "Acknowledgements that were made to slow a source down."},
	}
}

func routerEdge() []Definition {
	g, m := observe.KindGauge, observe.KindMeter
	return []Definition{
		{"edge.connections", g, "", true, "Connected clients."},
		{"edge.connect.successes", m, "", true, "Clients per second that connected."},
		{"edge.connect.failures", m, "", true, "Clients per second that were refused."},
		{"edge.disconnects", m, "", true, "Clients per second that left."},
		{"edge.invalid_api_tokens", m, "", true, "Session tokens refused per second."},
		{"edge.invalid_api_tokens_during_sync", m, "", true, "Session tokens refused per second before the router knew its network."},
		{"weft.router.ctrl.latency_seconds", g, "", true, "Round trip of the last heartbeat to the controller."},
	}
}

func routerPools() []Definition {
	out := []Definition{
		{"ctrl_limiter.in_process", observe.KindGauge, "", true, "Changes of terminators at the controller."},
		{"ctrl_limiter.window_size", observe.KindGauge, "", true, "Changes of terminators that may be at the controller."},
		{"ctrl_limiter.work_timer", observe.KindTimer, "", true, "Time that the controller takes for them, in nanoseconds."},
	}
	for _, p := range []struct{ name, doc string }{
		{"link.dialer", "dials of links"}, {"rate_limiter", "changes of terminators"}, {"route.handler", "dials of servers"},
	} {
		out = append(out, pool("pool."+p.name, p.doc, true)...)
	}
	return out
}

// renamed are measurements of routers whose names say too little beside those of
// others.
var renamed = map[string]string{
	"circuits": "weft.router.circuits", "circuits.slowed_acks": "weft.router.circuits.slowed_acks", "ctrl.latency": "weft.router.ctrl.latency_seconds",
}

// split returns the name of a measurement as the catalogue has it, and what it is
// about.
func split(name string, known families, router bool) (base, about string) {
	if router {
		if n := renamed[name]; n != "" {
			return n, ""
		}
	}
	if base, about, found := strings.Cut(name, ":"); found && !strings.HasPrefix(name, "/") {
		return base, about
	}
	if rest, ok := strings.CutPrefix(name, "link."); ok && known[name] == nil {
		if id, kind, ok := strings.Cut(rest, "."); ok && known["link."+kind] != nil {
			return "link." + kind, id
		}
	}
	return name, ""
}
