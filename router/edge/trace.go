package edge

import (
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

const (
	tracesAtOnce = 64 // that wait for one client; more get an error
	traceTimeout = 5 * time.Second
)

// traces are the questions that a client has been asked on behalf of others. Its
// answers are no replies; they name the question.
type traces struct {
	mu      sync.Mutex
	last    uint32
	waiting map[uint32]func(*edge.TraceRouteResponse)
}

// add notes a question; false if too many wait.
func (t *traces) add(answer func(*edge.TraceRouteResponse)) (id uint32, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= tracesAtOnce {
		return 0, false
	}
	if t.waiting == nil {
		t.waiting = make(map[uint32]func(*edge.TraceRouteResponse))
	}
	t.last++
	t.waiting[t.last] = answer
	return t.last, true
}

// take removes a question; nil if it does not wait any more.
func (t *traces) take(id uint32) func(*edge.TraceRouteResponse) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.waiting[id]
	delete(t.waiting, id)
	return f
}

// trace answers a question about the path of a connection: the first hop is the
// client's end at this router, the second the router; then come the other routers
// of the path, the end at the last one, and what is the other client's.
func (c *client) trace(f *channel.Frame) {
	t, err := edge.ParseTraceRoute(&f.Message)
	if err != nil {
		return
	}
	seq := f.Seq
	answer := func(r *edge.TraceRouteResponse) {
		out := edge.TraceRouteResponse{ConnID: t.ConnID, Timestamp: t.Timestamp, Hops: r.Hops, HopType: r.HopType, HopID: r.HopID, Error: r.Error}
		m := out.Encode()
		channel.Answer(&message.Message{Seq: seq}, m)
		c.send(m)
	}
	var circuit *forward.Circuit
	var far forward.Side
	switch e := c.sinkOf(f).(type) {
	case *windowed:
		circuit, far = e.c, e.side.Other()
	case *relayed:
		circuit, far = e.c, e.side.Other()
	}
	switch {
	case circuit == nil || circuit.Destination(far) == nil:
		answer(&edge.TraceRouteResponse{Hops: t.Hops - min(t.Hops, 1), HopType: forward.HopEdge, Error: "unknown connection"})
	case t.Hops <= 1:
		answer(&edge.TraceRouteResponse{HopType: forward.HopEdge})
	case t.Hops == 2:
		answer(&edge.TraceRouteResponse{HopType: forward.HopRouter, HopID: c.srv.cfg.RouterID})
	default:
		circuit.Trace(far, t.Hops-2, t.Timestamp, func(h forward.Hop) {
			answer(&edge.TraceRouteResponse{Hops: h.Left, HopType: h.Type, HopID: h.ID, Error: h.Err})
		})
	}
}

// Trace implements forward.Tracer.
func (e *windowed) Trace(hops uint32, timestamp uint64, answer func(forward.Hop)) {
	e.client.traceTo(e.connID, hops, timestamp, answer)
}

// Trace implements forward.Tracer.
func (e *relayed) Trace(hops uint32, timestamp uint64, answer func(forward.Hop)) {
	e.client.traceTo(e.connID, hops, timestamp, answer)
}

// traceTo answers for the end of a client, and asks the client for what is beyond.
func (c *client) traceTo(connID, hops uint32, timestamp uint64, answer func(forward.Hop)) {
	if hops <= 1 {
		answer(forward.Hop{Type: forward.HopEdge})
		return
	}
	c.ask(&edge.TraceRoute{ConnID: connID, Hops: hops - 1, Timestamp: timestamp}, func(r *edge.TraceRouteResponse) {
		answer(forward.Hop{Left: r.Hops, Type: r.HopType, ID: r.HopID, Err: r.Error})
	})
}

// ask passes a question on to the client; answer is called once.
func (c *client) ask(t *edge.TraceRoute, answer func(*edge.TraceRouteResponse)) {
	failed := func(why string) { answer(&edge.TraceRouteResponse{Hops: t.Hops, HopType: forward.HopEdge, Error: why}) }
	id, ok := c.requests.traces.add(answer)
	if !ok {
		failed("too many traces at once")
		return
	}
	t.SourceRequestID, t.HasSource = id, true
	time.AfterFunc(traceTimeout, func() {
		if c.requests.traces.take(id) != nil {
			failed("the client did not answer")
		}
	})
	if !c.ch.TrySend(t.Encode()) && c.requests.traces.take(id) != nil {
		failed("the client is too busy")
	}
}

// traced takes the answer of a client to ask.
func (c *client) traced(f *channel.Frame) {
	r, err := edge.ParseTraceRouteResponse(&f.Message)
	if err != nil || !r.HasSource {
		return
	}
	if answer := c.requests.traces.take(r.SourceRequestID); answer != nil {
		answer(r)
	}
}
