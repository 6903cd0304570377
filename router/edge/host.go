package edge

import (
	"context"
	"fmt"
	"strings"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

const addressPrefix = "hosted:"

// Dial implements forward.Dialer: it offers the circuit to the client that
// hosts the terminator.
func (s *Server) Dial(ctx context.Context, circuit *forward.Circuit, e *ctrl.Egress) (map[uint32][]byte, error) {
	termID := strings.TrimPrefix(e.GetAddress(), addressPrefix)
	t := s.terminator(termID)
	if t == nil {
		return nil, &forward.DialError{
			Cause:   ctrl.Cause_INVALID_TERMINATOR,
			Message: fmt.Sprintf("no client of this router hosts terminator %s", termID),
		}
	}
	c := t.client
	var end end
	connID, ok := c.assign(func(id uint32) sink {
		end = c.newEnd(circuit, forward.Terminator, id, t.useXgress, false)
		return end
	})
	if !ok {
		return nil, &forward.DialError{Cause: ctrl.Cause_INVALID_TERMINATOR, Message: "the host has just disconnected"}
	}
	if !circuit.Attach(forward.Terminator, end) {
		c.drop(connID, end)
		return nil, forward.ErrEnded
	}
	peer, err := t.offer(ctx, circuit, connID, e.GetPeerData())
	if err != nil {
		circuit.Detach(forward.Terminator, end)
		defer end.Unrouted("dial failed", true)
		if c.drop(connID, end) {
			// The host may have taken it in the meantime.
			c.ch.TrySend((&edge.StateClosed{ConnID: connID, Reason: "dial failed"}).Encode())
		}
		return nil, err
	}
	circuit.SetHost(t.id, c.session.IdentityID)
	end.start()
	return peer, nil
}

// offer sends the Dial and waits for the answer of the host.
func (t *terminator) offer(ctx context.Context, circuit *forward.Circuit, connID uint32, peer map[uint32][]byte) (map[uint32][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.client.srv.cfg.DialTimeout)
	defer cancel()
	get := func(id int32) []byte { return peer[uint32(id)] }
	d := edge.Dial{
		ConnID: t.connID, Token: []byte(t.token), RouterConnID: true, NewConnID: connID,
		CallerID: string(get(edge.HeaderCallerID)), CircuitID: circuit.ID,
		PublicKey: get(edge.HeaderPublicKey), AppData: get(edge.HeaderAppData), Marker: string(get(edge.HeaderConnectionMarker)),
		DialerID: string(get(edge.HeaderDialerIdentityID)), DialerName: string(get(edge.HeaderDialerIdentityName)),
	}
	if t.useXgress {
		d.UseXgress, d.XgressCtrlID, d.XgressAddress = true, t.client.srv.cfg.RouterID, circuit.ID+"/t"
	}
	answer, err := t.client.ch.Request(ctx, d.Encode())
	if err != nil {
		cause, text := ctrl.Cause_INVALID_TERMINATOR, err.Error()
		if ctx.Err() != nil {
			cause, text = ctrl.Cause_DIAL_TIMED_OUT, "the host did not answer in time"
		}
		return nil, &forward.DialError{Cause: cause, Message: text}
	}
	switch answer.Type {
	case edge.TypeDialSuccess:
		var own map[uint32][]byte
		if key, ok := answer.Headers.Get(edge.HeaderPublicKey); ok && len(key) > 0 {
			own = map[uint32][]byte{uint32(edge.HeaderPublicKey): key}
		}
		return own, nil
	case edge.TypeDialFailed, edge.TypeStateClosed:
		return nil, &forward.DialError{Cause: ctrl.Cause_REJECTED_BY_APPLICATION, Message: "rejected by application: " + string(answer.Body)}
	}
	return nil, &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: "the host answered with " + edge.TypeName(answer.Type)}
}

// updateToken refuses: only connections with a bearer token renew it, and this
// edge has none. The channel ends, as clients expect.
func (c *client) updateToken(f *channel.Frame) {
	e := &edge.StructuredError{
		Code:    edge.CodeInvalidAPISessionType,
		Message: "current connection isn't authenticated via JWT beater tokens, unable to switch to them",
	}
	m := (&edge.UpdateTokenResult{Error: e}).Encode()
	channel.Answer(&f.Message, m)
	c.send(m)
	c.srv.log.Warn("token update refused", "identity", c.session.IdentityID, "session", c.session.ID, "reason", e.Message)
	_ = c.ch.Close()
}
