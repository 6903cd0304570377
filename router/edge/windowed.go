package edge

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// end is a client's end of a circuit.
type end interface {
	sink
	forward.Destination
	// open lets messages of the circuit through to the client, after first.
	open(first *channel.Frame)
	// discard frees an end that is not opened.
	discard()
	// start begins the circuit at this side, after the client has agreed.
	start()
}

// newEnd makes the end of a circuit for a client with or without a window of
// its own. A held end lets nothing through to the client until open.
func (c *client) newEnd(circuit *forward.Circuit, side forward.Side, connID uint32, ownWindow, held bool) end {
	if ownWindow {
		e := &windowed{client: c, c: circuit, side: side, connID: connID}
		e.repeats.init()
		if !held {
			e.phase = begun
			e.running.Store(true)
		}
		e.lane = c.outlet.Lane(nil, held)
		return e
	}
	return newRelayed(c, circuit, side, connID, held)
}

// phase is how far a dialing client is with a circuit.
type phase uint8

const (
	dialed   phase = iota // its Connect is not answered
	answered              // it has begun nothing yet
	begun
)

// windowed is the end of a client that keeps its own window: payloads and
// acknowledgements go through in the memory they came in.
//
// A dialing client gets nothing of the circuit before it has sent the first
// message of it: clients of the field work through the answer to a Connect in
// another goroutine than through payloads, and drop what they do not know yet.
type windowed struct {
	client *client
	c      *forward.Circuit
	side   forward.Side
	connID uint32
	lane   *forward.Lane

	running atomic.Bool // phase is begun
	mu      sync.Mutex
	phase   phase
	early   bool // the client has begun before phase was answered
	over    bool // unrouted, and why
	dropped bool
	reason  string

	inOrder atomic.Bool // the client has been passed the end of the circuit

	repeats repeats // of the client
}

func (e *windowed) start()   {}
func (e *windowed) discard() { e.lane.Close() }

// open sends the answer to the Connect. It may wait for room.
func (e *windowed) open(first *channel.Frame) {
	if e.client.ch.SendFrame(e.client.ctx, first) != nil {
		e.lane.Close()
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.phase = answered
	if e.early {
		e.begin()
	}
	if e.over {
		e.finish(e.reason, e.dropped)
	}
}

// begin lets through what waits for the client, with the lock held.
func (e *windowed) begin() {
	if e.phase == dialed {
		e.early = true
		return
	}
	e.phase = begun
	e.running.Store(true)
	e.lane.Open(nil)
}

// leavePatience is how long a client may take to leave a circuit that has ended
// in order, and to begin one that has ended before.
const leavePatience = 2 * time.Second

// data drops the stray Data message by which some clients repeat a half close.
func (e *windowed) data(f *channel.Frame) { f.Release() }

func (e *windowed) circuit(f *channel.Frame, a xgress.Address) {
	if !e.running.Load() {
		e.mu.Lock()
		e.begin()
		e.mu.Unlock()
	}
	// Control messages, for traces along a circuit, stop here.
	fromTerminator := a.Flags&xgress.FlagOriginator != 0
	if f.Type == edge.TypeXgControl || string(a.Circuit) != e.c.ID || fromTerminator != (e.side == forward.Terminator) {
		f.Release()
		return
	}
	if f.Type == edge.TypeXgPayload && e.repeats.needless(a, e.c.Lossy.Load()) {
		f.Release()
		return
	}
	e.c.Send(e.side.Other(), f)
}

// Brake says how much what waits for the client slows its source down.
func (e *windowed) Brake() int { return e.lane.Brake() }

// PathLost implements flow.Path.
func (e *windowed) PathLost() {}

// Rerouted implements flow.Path: what the client has sent before may be needed
// again.
func (e *windowed) Rerouted() { e.repeats.rerouted.Store(true) }

// Forward implements forward.Destination.
func (e *windowed) Forward(f *channel.Frame) {
	if f.Type == edge.TypeXgAcknowledgement {
		e.repeats.acknowledged(&f.Message)
	}
	a := xgress.AddressOf(&f.Message)
	if f.Type == edge.TypeXgPayload && a.Flags&xgress.FlagCircuitEnd != 0 {
		e.inOrder.Store(true)
	}
	if a.ConnID == nil || a.Reply {
		f = readdress(f, e.connID)
	} else {
		edge.PatchConnID(f.Headers, e.connID)
	}
	kind := f.Type
	if !e.lane.Push(f) {
		e.client.srv.dropped(kind)
		e.c.Lossy.Store(true)
	}
}

// readdress makes a copy of f with a connection id and without a claim to be a reply.
func readdress(f *channel.Frame, connID uint32) *channel.Frame {
	m := message.Message{Type: f.Type, Headers: f.Headers.Clone(), Body: f.Body}
	m.Headers.Delete(edge.HeaderReplyFor)
	m.Headers.Delete(edge.HeaderConnID)
	m.Headers.PutUint32(edge.HeaderConnID, connID)
	out := frame(&m)
	f.Release()
	return out
}

// Unrouted implements forward.Destination.
func (e *windowed) Unrouted(reason string, drop bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over, e.reason, e.dropped = true, reason, drop
	if e.phase != dialed {
		e.finish(reason, drop)
	} else if drop {
		e.lane.Clear()
	}
}

// finish tells the client that the circuit is gone, with the lock held. A client
// that has the end in order, or has not begun, is given time to leave by itself:
// clients of the field forget at a StateClosed what nobody has read yet.
func (e *windowed) finish(reason string, drop bool) {
	if !drop && (e.phase == answered || e.inOrder.Load()) && e.client.swap(e.connID, e, e) {
		e.client.leaving.Store(e.c.ID, e)
		time.AfterFunc(e.client.srv.cfg.leave, func() {
			e.client.leaving.Delete(e.c.ID)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.close(reason)
		})
		return
	}
	if drop {
		e.lane.Clear()
	}
	e.close(reason)
}

// close sends the StateClosed, unless the client has left, with the lock held.
func (e *windowed) close(reason string) {
	if !e.client.drop(e.connID, e) {
		e.lane.Close()
		return
	}
	e.lane.Push(e.client.closing(e.c, e.side, e.connID, reason))
	if e.phase == answered {
		e.begin()
	}
}

// leave implements sink.
func (e *windowed) leave(reason string) {
	if reason == errChannelClosed.Error() {
		e.c.EndBecause(forward.PeerGone, "the other end has lost its connection", "", false)
		return
	}
	e.c.End("xgress unrouted", false)
}
