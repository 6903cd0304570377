package control

import (
	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

// HandleFrame is called by the channel.
func (s *ControllerEnd) HandleFrame(c *channel.Channel, f *channel.Frame) {
	defer f.Release()
	if err := s.handle(c, f); err != nil {
		c.Close()
	}
}

// handle passes a message on to the handler.
func (s *ControllerEnd) handle(c *channel.Channel, f *channel.Frame) error {
	h := s.handler
	s.line(c).sees(Received, f.Type, f.Body)
	switch f.Type {
	case ctrl.TypeRegister:
		return on(f, func(m *ctrl.Register) {
			h.HandleRegister(s, m, replies[*ctrl.Registered](s.line(c), f, ctrl.TypeRegistered))
		})
	case ctrl.TypeSliceResync:
		h.HandleResync(s)
	case ctrl.TypeCreateCircuit:
		return on(f, func(m *ctrl.CreateCircuit) {
			h.HandleCreateCircuit(s, m, replies[*ctrl.CircuitCreated](s.line(c), f, ctrl.TypeCircuitCreated))
		})
	case ctrl.TypeCircuitsEnded:
		return on(f, func(m *ctrl.CircuitsEnded) { h.HandleCircuitsEnded(s, m.CircuitIds) })
	case ctrl.TypeCircuitFaults:
		return on(f, func(m *ctrl.CircuitFaults) { h.HandleCircuitFaults(s, m.CircuitIds) })
	case ctrl.TypeConfirmCircuits:
		return on(f, func(m *ctrl.ConfirmCircuits) {
			h.HandleConfirmCircuits(s, m, replies[*ctrl.ConfirmedCircuits](s.line(c), f, ctrl.TypeConfirmedCircuits))
		})
	case ctrl.TypeTerminatorChanges:
		return on(f, func(m *ctrl.TerminatorChanges) {
			h.HandleTerminatorChanges(s, m, replies[*ctrl.TerminatorResults](s.line(c), f, ctrl.TypeTerminatorResults))
		})
	default:
		return s.handleReport(c, f)
	}
	return nil
}

// handleReport passes on what a router tells of itself and its links.
func (s *ControllerEnd) handleReport(c *channel.Channel, f *channel.Frame) error {
	h := s.handler
	switch f.Type {
	case ctrl.TypeLinkChanges:
		return on(f, func(m *ctrl.LinkChanges) { h.HandleLinkChanges(s, m) })
	case ctrl.TypeRouterState:
		return on(f, func(m *ctrl.RouterState) { h.HandleRouterState(s, m) })
	case ctrl.TypeActivity:
		return on(f, func(m *ctrl.Activity) { h.HandleActivity(s, m.SessionIds) })
	case ctrl.TypeMetricsReport:
		return on(f, func(m *ctrl.MetricsReport) { h.HandleMetrics(s, m) })
	case ctrl.TypeIdentities:
		return on(f, func(m *ctrl.ConnectedIdentities) { h.HandleIdentities(s, m) })
	case ctrl.TypeInterfaces:
		return on(f, func(m *ctrl.Interfaces) { h.HandleInterfaces(s, m) })
	case ctrl.TypeExtend:
		return on(f, func(m *ctrl.Extend) {
			h.HandleExtend(s, m, replies[*ctrl.Extended](s.line(c), f, ctrl.TypeExtended))
		})
	case ctrl.TypeConfirmExtend:
		return on(f, func(m *ctrl.ConfirmExtend) {
			h.HandleConfirmExtend(s, m, replies[*ctrl.ExtendConfirmed](s.line(c), f, ctrl.TypeExtendConfirmed))
		})
	}
	return nil
}

// on decodes the body of a message and hands it to fn.
func on[T any, P interface {
	*T
	proto.Message
}](f *channel.Frame, fn func(*T)) error {
	m, err := decode[T, P](f)
	if err == nil {
		fn(m)
	}
	return err
}

// replies returns what answers the request f. A peer that takes no answer is
// disconnected.
func replies[M proto.Message](c line, f *channel.Frame, contentType int32) func(M) {
	req := &message.Message{Type: f.Type, Seq: f.Seq}
	return func(m M) {
		if !trySend(c, contentType, req, m) {
			c.Close()
		}
	}
}
