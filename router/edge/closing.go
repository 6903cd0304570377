package edge

import (
	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// closing makes the StateClosed with which a client learns that its circuit is
// gone. Unless an end has left it, the client is told why.
func (c *client) closing(circuit *forward.Circuit, side forward.Side, connID uint32, reason string) *channel.Frame {
	return frame((&edge.StateClosed{ConnID: connID, Reason: reason, Error: c.explain(circuit, side, reason)}).Encode())
}

// explain returns what the end of a circuit is about, nil if an end has left it.
func (c *client) explain(circuit *forward.Circuit, side forward.Side, reason string) *edge.StructuredError {
	cause, detail := circuit.Cause()
	if cause == forward.Removed && side == forward.Initiator {
		// A controller may be faster than the news that this router acts on.
		if err := c.srv.cfg.Directory.Access(policy.Dial, circuit.IdentityID, circuit.ServiceID); err != nil {
			cause, detail = forward.AccessLost, err.Error()
		}
	}
	e := &edge.StructuredError{Message: reason, Code: edge.CodeInternal, Reason: circuit.Code()}
	switch cause {
	case forward.Left:
		return nil
	case forward.AccessLost:
		e.Code, e.RetryHint = edge.CodeAccessDenied, edge.RetryStartOver
	case forward.SessionEnded:
		e.Code, e.RetryHint = edge.CodeInvalidSession, edge.RetryStartOver
	case forward.NoPath:
		e.Remedy = ctrl.RemedyNoPath
	case forward.PeerGone:
		if e.Reason == ctrl.CodePeerGone {
			e.Remedy = ctrl.RemedyPeerGone
		}
	}
	if side == forward.Initiator && detail != "" {
		e.Message += ": " + detail
	}
	return e
}
