package control

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

// ControllerHandler is what a controller does for one router. Its methods are
// called in order on the reading goroutine of the session and must not wait
// for the session or for the log; what takes longer answers through reply.
type ControllerHandler interface {
	HandleRegister(s *ControllerEnd, m *ctrl.Register, reply func(*ctrl.Registered))
	HandleResync(s *ControllerEnd)
	HandleCreateCircuit(s *ControllerEnd, m *ctrl.CreateCircuit, reply func(*ctrl.CircuitCreated))
	HandleCircuitsEnded(s *ControllerEnd, ids []string)
	HandleCircuitFaults(s *ControllerEnd, ids []string)
	HandleConfirmCircuits(s *ControllerEnd, m *ctrl.ConfirmCircuits, reply func(*ctrl.ConfirmedCircuits))
	HandleTerminatorChanges(s *ControllerEnd, m *ctrl.TerminatorChanges, reply func(*ctrl.TerminatorResults))
	HandleLinkChanges(s *ControllerEnd, m *ctrl.LinkChanges)
	HandleRouterState(s *ControllerEnd, m *ctrl.RouterState)
	HandleActivity(s *ControllerEnd, sessionIDs []string)
	HandleMetrics(s *ControllerEnd, m *ctrl.MetricsReport)
	HandleIdentities(s *ControllerEnd, m *ctrl.ConnectedIdentities)
	HandleInterfaces(s *ControllerEnd, m *ctrl.Interfaces)
	HandleExtend(s *ControllerEnd, m *ctrl.Extend, reply func(*ctrl.Extended))
	HandleConfirmExtend(s *ControllerEnd, m *ctrl.ConfirmExtend, reply func(*ctrl.ExtendConfirmed))
	HandleEnd(s *ControllerEnd, err error)
}

// ControllerEnd is the controller's end of a session. Safe for concurrent use.
// It is the Handler of its channel.
type ControllerEnd struct {
	RouterID string

	handler ControllerHandler
	trace   Trace
	pulse   *pulse
	ch      *channel.Channel
	ready   chan struct{} // closed when ch is set
	probing sync.WaitGroup
}

// Tuning is what an operator may choose for the controller's ends of sessions.
// Zero values mean the defaults.
type Tuning struct {
	Queue        int           // messages that wait for a connection, besides their 64 MiB; 0 for no such bound
	WriteTimeout time.Duration // for a write, after which the session ends; 20 s by default
	Heartbeats   Heartbeats
	// Trace returns what sees the messages of a router, directions being those of
	// the router; nil if nobody does.
	Trace func(routerID string) Trace
	// Measure returns what is told of the measurements of a session with a router;
	// nil if nobody is. It must not block.
	Measure func(routerID string) func(Measurement)
}

// NewControllerEnd returns the handler for the channel of a router, which is
// known by its verified certificate.
func NewControllerEnd(routerID string, h ControllerHandler, t Tuning) *ControllerEnd {
	s := &ControllerEnd{RouterID: routerID, handler: h, ready: make(chan struct{}), pulse: &pulse{cfg: t.Heartbeats.withDefaults()}}
	if t.Trace != nil {
		s.trace = t.Trace(routerID)
	}
	if t.Measure != nil {
		s.pulse.measured = t.Measure(routerID)
	}
	return s
}

// ChannelOptions are the limits of the controller's channels.
func (t Tuning) ChannelOptions() channel.Options {
	if t.WriteTimeout <= 0 {
		t.WriteTimeout = defaultWriteTimeout
	}
	return channel.Options{Limits: limits, QueueBytes: 64 << 20, QueueMessages: t.Queue, WriteTimeout: t.WriteTimeout}
}

// HandleOpen is called by the channel.
func (s *ControllerEnd) HandleOpen(c *channel.Channel) {
	s.ch = c
	close(s.ready)
	s.probing.Go(func() { s.pulse.run(c) })
}

// HandleClose is called by the channel.
func (s *ControllerEnd) HandleClose(_ *channel.Channel, err error) {
	s.probing.Wait()
	s.handler.HandleEnd(s, err)
}

// line is the channel of the session with its trace, whose directions are those
// of the router.
func (s *ControllerEnd) line(c *channel.Channel) line {
	if s.trace == nil {
		return line{Channel: c}
	}
	return line{c, func(d Direction, contentType int32, body []byte) {
		if d == Sent {
			s.trace(Received, contentType, body)
		} else {
			s.trace(Sent, contentType, body)
		}
	}}
}

// channel returns the channel of the session, nil before it is open.
func (s *ControllerEnd) channel() *channel.Channel {
	select {
	case <-s.ready:
		return s.ch
	default:
		return nil
	}
}

// Peer returns what is known of the router's connection, nil before it is open.
func (s *ControllerEnd) Peer() *channel.Peer {
	if c := s.channel(); c != nil {
		return c.Peer()
	}
	return nil
}

// Close ends the session.
func (s *ControllerEnd) Close() {
	if c := s.channel(); c != nil {
		c.Close()
	}
}

// Alive asks the router for a sign of life within the given time.
func (s *ControllerEnd) Alive(ctx context.Context, within time.Duration) bool {
	c := s.channel()
	if c == nil {
		return true // just being opened
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := c.Request(ctx, message.New(channel.TypePing, nil))
	return err == nil
}

// PushSlice queues messages of the slice. A router that does not take them is
// disconnected: it starts anew when it comes back.
func (s *ControllerEnd) PushSlice(updates []*ctrl.SliceUpdate) {
	for _, u := range updates {
		if !trySend(s.line(s.ch), ctrl.TypeSliceUpdate, nil, u) {
			s.ch.Close()
			return
		}
	}
}

// Unroute ends circuits at the router.
func (s *ControllerEnd) Unroute(m *ctrl.Unroute) { s.push(ctrl.TypeUnroute, m) }

// PushPeers tells the router of other routers.
func (s *ControllerEnd) PushPeers(m *ctrl.Peers) { s.push(ctrl.TypePeers, m) }

// PushEndpoints tells the router where controllers are.
func (s *ControllerEnd) PushEndpoints(m *ctrl.Endpoints) { s.push(ctrl.TypeEndpoints, m) }

// CloseLink closes a link at the router.
func (s *ControllerEnd) CloseLink(m *ctrl.CloseLink) { s.push(ctrl.TypeCloseLink, m) }

// push queues a message. A router that does not take it is disconnected: it
// starts anew when it comes back.
func (s *ControllerEnd) push(contentType int32, body proto.Message) {
	if c := s.channel(); c != nil && !trySend(s.line(c), contentType, nil, body) {
		c.Close()
	}
}

// Route makes the router a node of a path.
func (s *ControllerEnd) Route(ctx context.Context, m *ctrl.Route) (*ctrl.RouteResult, error) {
	return request[ctrl.RouteResult](ctx, s.line(s.ch), ctrl.TypeRoute, m, ctrl.TypeRouteResult)
}

// Inspect asks the router about itself.
func (s *ControllerEnd) Inspect(ctx context.Context, keys []string) (*ctrl.InspectResult, error) {
	return request[ctrl.InspectResult](ctx, s.line(s.ch), ctrl.TypeInspect, &ctrl.Inspect{Keys: keys}, ctrl.TypeInspectResult)
}
