package edge

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// sink is what a connection id of a client stands for. Its methods are called
// on the reading goroutine of the channel and must not block.
type sink interface {
	// data takes a Data message, circuit a message of flow control; both own f.
	data(f *channel.Frame)
	circuit(f *channel.Frame, a xgress.Address)
	// leave follows a StateClosed of the client, or the end of its channel.
	leave(reason string)
}

var errChannelClosed = errors.New("channel closed")

// client is one connected SDK: a channel with a proven session. It implements
// channel.Handler.
type client struct {
	srv     *Server
	session Session
	flow    *flow.Options // of its circuits, nil for none
	ch      *channel.Channel
	outlet  *forward.Outlet
	ctx     context.Context // ends with the channel
	cancel  context.CancelFunc

	mu     sync.Mutex
	sinks  map[uint32]sink
	nextID uint32 // of connections that the router opens
	gone   bool

	told atomic.Int64 // when the log was told last that the channel is paused

	leaving sync.Map // *windowed by circuit id: ended, and the client is about to leave

	requests requests
}

func newClient(s *Server, session Session) *client {
	c := &client{srv: s, session: session, sinks: make(map[uint32]sink), nextID: edge.FirstRouterConnID}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	return c
}

// pausesLogged is how often a client whose channel is paused is worth a line:
// whoever sends faster than the far end reads is paused many times a second.
const pausesLogged = time.Minute

// tell reports whether a pause of the channel is worth a line of the log.
func (c *client) tell(now time.Time) bool {
	last := c.told.Load()
	return (last == 0 || now.UnixNano()-last >= int64(pausesLogged)) && c.told.CompareAndSwap(last, now.UnixNano())
}

// HandleOpen is called by the channel.
func (c *client) HandleOpen(ch *channel.Channel) {
	c.ch = ch
	c.outlet = forward.NewOutlet(c.ctx, ch, c.srv.cfg.Budget)
	if !c.srv.add(c) || c.srv.cfg.Directory.Alive(c.session) != nil {
		ch.Close()
		return
	}
	c.srv.counts.connected.Add(1)
	c.srv.log.Info("client connected", "identity", c.session.IdentityID, "session", c.session.ID, "remote", ch.Peer().Remote)
}

// HandleClose is called by the channel.
func (c *client) HandleClose(_ *channel.Channel, err error) {
	c.cancel()
	c.mu.Lock()
	c.gone = true
	sinks := c.sinks
	c.sinks = nil
	c.mu.Unlock()
	for _, s := range sinks {
		s.leave(errChannelClosed.Error())
	}
	c.srv.remove(c)
	c.srv.counts.disconnected.Add(1)
	c.srv.log.Info("client disconnected", "identity", c.session.IdentityID, "session", c.session.ID, "reason", err)
}

// HandleFrame is called by the channel, in order of arrival.
func (c *client) HandleFrame(_ *channel.Channel, f *channel.Frame) {
	switch f.Type {
	case edge.TypeXgPayload, edge.TypeXgAcknowledgement, edge.TypeXgControl:
		c.handleCircuit(f)
	case edge.TypeData:
		if s := c.sinkOf(f); s != nil {
			s.data(f)
			return
		}
		f.Release()
	case edge.TypeStateClosed:
		if s := c.take(f); s != nil {
			s.leave("close called")
		}
		f.Release()
	case edge.TypeXgClose:
		c.handleXgClose(f)
	default:
		c.handleRequest(f)
	}
}

// handleCircuit passes a message of flow control on: by connection id, or by
// circuit id from clients that leave the former out.
func (c *client) handleCircuit(f *channel.Frame) {
	a := xgress.AddressOf(&f.Message)
	if s := c.circuitSink(f, a); s != nil {
		s.circuit(f, a)
		return
	}
	f.Release()
}

func (c *client) circuitSink(f *channel.Frame, a xgress.Address) sink {
	if a.ConnID != nil {
		return c.sinkOf(f)
	}
	circuit := c.srv.cfg.Table.Get(a.Circuit)
	if circuit == nil {
		return nil
	}
	side := forward.Initiator
	if a.Flags&xgress.FlagOriginator != 0 {
		side = forward.Terminator
	}
	if e, ok := circuit.Destination(side).(*windowed); ok && e.client == c {
		return e
	}
	return nil
}

func (c *client) handleXgClose(f *channel.Frame) {
	circuit := c.srv.cfg.Table.Get(f.Body)
	if circuit == nil {
		if e, ok := c.leaving.LoadAndDelete(string(f.Body)); ok {
			c.drop(e.(*windowed).connID, e.(*windowed))
		}
	}
	f.Release()
	if circuit == nil {
		return
	}
	for _, side := range []forward.Side{forward.Initiator, forward.Terminator} {
		if e, ok := circuit.Destination(side).(*windowed); ok && e.client == c {
			c.drop(e.connID, e)
			e.leave("xgress unrouted")
		}
	}
}

// sinkOf returns the sink of the connection id in f, nil if there is none.
func (c *client) sinkOf(f *channel.Frame) sink {
	id, ok := edge.ConnID(f.Headers)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sinks[id]
}

// take removes and returns the sink of the connection id in f.
func (c *client) take(f *channel.Frame) sink {
	id, ok := edge.ConnID(f.Headers)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sinks[id]
	delete(c.sinks, id)
	return s
}

// claim gives a connection id to s; false if it is in use or the client is gone.
func (c *client) claim(id uint32, s sink) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, used := c.sinks[id]; used || c.gone {
		return false
	}
	c.sinks[id] = s
	return true
}

// swap replaces old by s; false if old is not there any more.
func (c *client) swap(id uint32, old, s sink) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sinks[id] != old {
		return false
	}
	c.sinks[id] = s
	return true
}

// drop removes s if it still has the id, and reports that.
func (c *client) drop(id uint32, s sink) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sinks[id] != s {
		return false
	}
	delete(c.sinks, id)
	return true
}

// assign gives a new sink an id of the router's choice; false if the client is
// gone.
func (c *client) assign(make func(id uint32) sink) (uint32, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return 0, false
	}
	for {
		id := c.nextID
		if c.nextID++; c.nextID < edge.FirstRouterConnID {
			c.nextID = edge.FirstRouterConnID
		}
		if _, used := c.sinks[id]; !used {
			c.sinks[id] = make(id)
			return id, true
		}
	}
}

// send queues a message of the router's own, waiting for room in a goroutine
// that is not the reading one.
func (c *client) send(m *message.Message) { _ = c.ch.Send(c.ctx, m) }

// invalidSession is the reason, letter by letter, at which clients built on the
// C SDK get a new service session and try again; they read nothing else.
const invalidSession = "Invalid Session"

// refuse answers a request with StateClosed. The reason must not be empty:
// clients take an empty one for the end of their session. What is wrong with a
// service session is said in the structured error alone. The remedy ends the
// texts, for clients that read nothing else.
func (c *client) refuse(seq int32, connID uint32, circuitID, reason string, e *edge.StructuredError) {
	if e != nil && e.Code == edge.CodeInvalidSession {
		reason = invalidSession
	}
	if e != nil && e.Remedy != "" && !strings.Contains(e.Message, e.Remedy) {
		told := *e
		told.Message += "; " + e.Remedy
		if reason == e.Message {
			reason = told.Message
		}
		e = &told
	}
	m := (&edge.StateClosed{ConnID: connID, Reason: reason, CircuitID: circuitID, Error: e}).Encode()
	channel.Answer(&message.Message{Seq: seq}, m)
	c.send(m)
}

// frame encodes a message of the router's own.
func frame(m *message.Message) *channel.Frame {
	f := channel.NewFrame(m, len(m.Body))
	copy(f.Body, m.Body)
	return f
}
