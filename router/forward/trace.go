package forward

import (
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// Types of hops of a trace.
const (
	HopRouter = "forwarder"
	HopEdge   = "xgress/edge"
	HopEgress = "xgress/transport"
)

const (
	tracesAtOnce = 1024 // that wait for other routers; more get an error
	traceTimeout = 5 * time.Second
)

// Hop answers a question about the path of a circuit.
type Hop struct {
	Left uint32 // hops that were asked for beyond the one that answers
	Type string
	ID   string
	Err  string
}

// Tracer is a Destination beyond which there are more hops, or which is of
// another type than HopEgress.
type Tracer interface {
	// Trace asks for the hop so many steps away, 1 being the destination itself.
	// answer is called once.
	Trace(hops uint32, timestamp uint64, answer func(Hop))
}

// traces are the questions that other routers have been asked.
type traces struct {
	mu      sync.Mutex
	last    uint32
	waiting map[uint32]question
}

// question is one that waits for its answer, which comes along the circuit.
type question struct {
	circuit *Circuit
	answer  func(Hop)
}

func (t *traces) add(c *Circuit, answer func(Hop)) (id uint32, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= tracesAtOnce {
		return 0, false
	}
	if t.waiting == nil {
		t.waiting = make(map[uint32]question)
	}
	t.last++
	t.waiting[t.last] = question{c, answer}
	return t.last, true
}

// take removes a question about a circuit; nil if it does not wait any more.
func (t *traces) take(c *Circuit, id uint32) func(Hop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q, ok := t.waiting[id]
	if !ok || q.circuit != c {
		return nil
	}
	delete(t.waiting, id)
	return q.answer
}

// SetRouterID says what the router calls itself in traces. It must come before
// the first circuit.
func (t *Table) SetRouterID(id string) { t.routerID = id }

// Trace asks for the hop so many steps away on a side: 1 is the end at this
// router, or the router beyond the link. answer is called once.
func (c *Circuit) Trace(to Side, hops uint32, timestamp uint64, answer func(Hop)) {
	switch d := c.Destination(to).(type) {
	case nil:
		answer(Hop{Err: "unknown connection"})
	case *linkEnd:
		c.ask(d, hops, timestamp, answer)
	case Tracer:
		d.Trace(hops, timestamp, answer)
	default:
		answer(Hop{Left: hops - min(hops, 1), Type: HopEgress})
	}
}

// ask passes a question on to the next router.
func (c *Circuit) ask(e *linkEnd, hops uint32, timestamp uint64, answer func(Hop)) {
	id, ok := c.table.traces.add(c, answer)
	if !ok {
		answer(Hop{Type: HopRouter, ID: c.table.routerID, Err: "too many traces at once"})
		return
	}
	time.AfterFunc(traceTimeout, func() {
		if f := c.table.traces.take(c, id); f != nil {
			f(Hop{Left: hops, Type: HopRouter, ID: c.table.routerID, Err: "the next router did not answer"})
		}
	})
	e.Forward(c.control(e.side, &xgress.Control{
		Type: xgress.ControlTrace, Circuit: c.ID, HopCount: hops, Timestamp: timestamp, UserValue: id,
	}))
}

// control makes a message to a side, with the address that messages of a circuit
// have on links.
func (c *Circuit) control(to Side, m *xgress.Control) *channel.Frame {
	out := m.Message()
	out.Headers.PutString(xgress.HeaderCircuitID, c.ID)
	if to == Initiator {
		out.Headers.PutUint32(xgress.HeaderFlags, uint32(xgress.FlagOriginator))
	}
	f := channel.NewFrame(out, len(out.Body))
	copy(f.Body, out.Body)
	return f
}

// trace handles a control message that has come by a link.
func (c *Circuit) trace(to Side, f *channel.Frame) {
	m, err := xgress.ParseControl(&message.Message{Type: f.Type, Headers: f.Headers, Body: f.Body})
	f.Release()
	switch {
	case err != nil:
	case m.Type == xgress.ControlTraceResponse:
		if answer := c.table.traces.take(c, m.UserValue); answer != nil {
			answer(Hop{Left: m.HopCount, Type: m.HopType, ID: m.HopID, Err: m.Error})
		}
	case m.Type == xgress.ControlTrace:
		reply := func(h Hop) {
			if back, ok := c.Destination(to.Other()).(*linkEnd); ok {
				back.Forward(c.control(to.Other(), &xgress.Control{
					Type: xgress.ControlTraceResponse, Circuit: c.ID, Timestamp: m.Timestamp, UserValue: m.UserValue,
					HopCount: h.Left, HopType: h.Type, HopID: h.ID, Error: h.Err,
				}))
			}
		}
		if m.HopCount <= 1 {
			reply(Hop{Type: HopRouter, ID: c.table.routerID})
			return
		}
		c.Trace(to, m.HopCount-1, m.Timestamp, reply)
	}
}
