package edge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// dialing holds the connection id of a Connect until it is answered.
type dialing struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func (d *dialing) data(f *channel.Frame)                      { f.Release() }
func (d *dialing) circuit(f *channel.Frame, _ xgress.Address) { f.Release() }
func (d *dialing) leave(string)                               { d.cancel() }

// prepareConnect claims the connection id in order of arrival and returns what
// is to be done outside the reading goroutine.
func (c *client) prepareConnect(f *channel.Frame) func(*channel.Frame) {
	connID, ok := edge.ConnID(f.Headers)
	if !ok {
		return func(f *channel.Frame) { c.refuse(f.Seq, 0, "", edge.ErrConnID.Error(), nil) }
	}
	d := &dialing{}
	d.ctx, d.cancel = context.WithTimeout(c.ctx, c.srv.cfg.CircuitTimeout)
	if !c.claim(connID, d) {
		d.cancel()
		return func(f *channel.Frame) {
			c.refuse(f.Seq, connID, "", fmt.Sprintf("sink id %d already in use", connID), nil)
		}
	}
	return func(f *channel.Frame) { c.connect(f, connID, d) }
}

// connect serves one Connect from its session token to its answer.
func (c *client) connect(f *channel.Frame, connID uint32, d *dialing) {
	defer d.cancel()
	req, err := edge.ParseConnect(&f.Message)
	if err != nil {
		c.drop(connID, d)
		c.refuse(f.Seq, connID, "", err.Error(), nil)
		return
	}
	service, refusal := c.authorize(string(req.Token), policy.Dial)
	if refusal != nil {
		c.drop(connID, d)
		c.srv.log.Info("dial refused", "identity", c.session.IdentityID, "code", codeOf(refusal), "reason", refusal.Message, "remedy", refusal.Remedy)
		c.refuse(f.Seq, connID, "", refusal.Message, refusal)
		return
	}
	if c.srv.cfg.Table.Quiesced() {
		c.drop(connID, d)
		refusal := refusalOf(forward.Quiesced())
		c.refuse(f.Seq, connID, "", refusal.Message, refusal)
		return
	}
	circuit, err := c.srv.cfg.Table.Add(forward.Info{
		ID: id.New(), IdentityID: c.session.IdentityID, SessionID: c.session.ID,
		ServiceSessionID: service.ID, ServiceID: service.ServiceID, CreatedAt: time.Now(),
	})
	if err != nil {
		c.drop(connID, d)
		refusal := &edge.StructuredError{Message: err.Error(), Code: edge.CodeInternal, RetryHint: edge.RetryTooBusy}
		if errors.Is(err, forward.ErrTooMany) {
			refusal.Reason, refusal.Remedy = "TOO_MANY_CIRCUITS", "close connections that are not needed, or spread them over several identities"
			c.srv.log.Warn("dial refused", "identity", c.session.IdentityID, "service", service.ServiceID, "code", refusal.Reason, "reason", refusal.Message)
		}
		c.refuse(f.Seq, connID, "", refusal.Message, refusal)
		return
	}
	end := c.newEnd(circuit, forward.Initiator, connID, req.UseXgress, true)
	circuit.Attach(forward.Initiator, end)
	reply, refusal := c.establish(d.ctx, circuit, req)
	if err := c.srv.cfg.Directory.ServiceAlive(service.ID); err != nil {
		// It ended while the circuit was made, whatever else went wrong then.
		if refusal == nil {
			circuit.End(err.Error(), true) // the controller believes in it
		}
		refusal = &edge.StructuredError{Message: err.Error(), Code: edge.CodeInvalidSession, RetryHint: edge.RetryStartOver}
	}
	if refusal != nil {
		c.drop(connID, d)
		circuit.Abandon("dial failed")
		end.discard()
		c.srv.log.Info("dial refused", "identity", c.session.IdentityID, "service", service.ServiceID,
			"circuit", circuit.ID, "code", codeOf(refusal), "reason", refusal.Message, "remedy", refusal.Remedy)
		c.refuse(f.Seq, connID, circuit.ID, refusal.Message, refusal)
		return
	}
	if !c.swap(connID, d, end) {
		// The client has given up meanwhile.
		circuit.End("dial cancelled", true)
		end.discard()
		return
	}
	reply.ConnID, reply.CircuitID = connID, circuit.ID
	if req.UseXgress {
		reply.UseXgress, reply.XgressCtrlID, reply.XgressAddress = true, c.srv.cfg.RouterID, circuit.ID+"/i"
	}
	m := reply.Encode()
	channel.Answer(&message.Message{Seq: f.Seq}, m)
	end.open(frame(m))
}

// authorize verifies a service-session token against the session of this
// connection and the policies.
func (c *client) authorize(text string, action policy.Action) (token.Service, *edge.StructuredError) {
	deny := func(code edge.ErrorCode, hint edge.RetryHint, format string, args ...any) (token.Service, *edge.StructuredError) {
		return token.Service{}, &edge.StructuredError{Message: fmt.Sprintf(format, args...), Code: code, RetryHint: hint}
	}
	dir := c.srv.cfg.Directory
	if err := dir.Alive(c.session); err != nil {
		return deny(edge.CodeInvalidAPISession, edge.RetryStartOver, "invalid api session: %v", err)
	}
	if !strings.HasPrefix(text, "ey") {
		return deny(edge.CodeInvalidSession, edge.RetryStartOver, "unable to get service token either by JWT parsing or id lookup")
	}
	s, err := c.service(text)
	if err != nil {
		return deny(edge.CodeInvalidSession, edge.RetryStartOver, "failed to create service token from JWT: %v", err)
	}
	if s.APISessionID != c.session.ID {
		return deny(edge.CodeInvalidSession, edge.RetryStartOver,
			"api session id (%s) does not match service session api session id (%s)", c.session.ID, s.APISessionID)
	}
	if s.IdentityID != c.session.IdentityID {
		return deny(edge.CodeInvalidSession, edge.RetryStartOver, "invalid session")
	}
	if s.Type != action.String() {
		if action == policy.Bind {
			return deny(edge.CodeWrongSessionType, edge.RetryStartOver,
				"rejecting bind, invalid session type. expected Bind, got %s", s.Type)
		}
		return deny(edge.CodeWrongSessionType, edge.RetryStartOver, "incorrect session type")
	}
	if err := c.access(action, s); err != nil {
		return token.Service{}, noAccess(err)
	}
	return s, nil
}

// establish asks the controller for a way and follows it, until it works or the
// controller refuses.
func (c *client) establish(ctx context.Context, circuit *forward.Circuit, req *edge.Connect) (*edge.StateConnected, *edge.StructuredError) {
	ask := &ctrl.CreateCircuit{
		CircuitId: circuit.ID, IdentityId: circuit.IdentityID, SessionId: circuit.SessionID, ServiceId: circuit.ServiceID,
		InstanceId: req.Instance, Sticky: string(req.StickinessToken), PeerData: c.peerData(req),
	}
	made, err := c.srv.cfg.Table.Establish(ctx, alone{c.srv}, circuit, ask, func(f *ctrl.Failure, r *ctrl.Route) {
		c.srv.log.Info("dial of terminator failed", "circuit", circuit.ID, "service", circuit.ServiceID, "terminator", f.TerminatorId,
			"binding", r.GetEgress().GetBinding(), "address", r.GetEgress().GetAddress(), "cause", f.Cause.String(), "error", f.Message)
	})
	var refused *forward.Refused
	var exhausted *forward.Exhausted
	switch {
	case err == nil:
		return connected(made), nil
	case errors.As(err, &refused):
		return nil, refusalOf(refused.Refusal)
	case errors.As(err, &exhausted):
		return nil, c.exhausted(exhausted)
	}
	c.srv.log.Warn("no controller created the circuit", "circuit", circuit.ID, "error", err)
	return nil, &edge.StructuredError{
		Message: forward.ErrNoAnswer.Error(), Code: edge.CodeInternal, RetryHint: edge.RetryTooBusy,
		Reason: "NO_CONTROLLER", Remedy: "wait: the router calls its controllers again by itself; if it lasts, start a controller and see the router's log",
	}
}

// exhausted is the refusal when the router gives up before the controller does.
func (c *client) exhausted(e *forward.Exhausted) *edge.StructuredError {
	address := e.Egress.GetAddress()
	code, remedy := ctrl.Explain(e.Failure.GetCause(), address, c.srv.cfg.RouterID, strings.HasPrefix(address, addressPrefix))
	return &edge.StructuredError{Message: e.Error(), Code: edge.CodeInternal, Reason: code, Remedy: remedy}
}

// codeOf is the code of a refusal in the log.
func codeOf(e *edge.StructuredError) string {
	if e.Reason != "" {
		return e.Reason
	}
	return e.Code.String()
}

// peerData is what travels from a Connect to the host. Who dials is taken from
// the session, never from the message. The crypto method stays behind: hosts of
// the field cannot read each other's form of it.
func (c *client) peerData(req *edge.Connect) map[uint32][]byte {
	m := map[uint32][]byte{
		uint32(edge.HeaderDialerIdentityID):   []byte(c.session.IdentityID),
		uint32(edge.HeaderDialerIdentityName): []byte(c.session.IdentityName),
	}
	put := func(id int32, v []byte) {
		if len(v) > 0 {
			m[uint32(id)] = append([]byte(nil), v...)
		}
	}
	put(edge.HeaderPublicKey, req.PublicKey)
	put(edge.HeaderCallerID, []byte(req.CallerID))
	put(edge.HeaderAppData, req.AppData)
	put(edge.HeaderConnectionMarker, []byte(req.Marker))
	return m
}

// connected makes the answer to the dialer: the host's key comes with the
// terminator, or from the host itself for this connection.
func connected(made *forward.Established) *edge.StateConnected {
	return &edge.StateConnected{PublicKey: made.PeerData[uint32(edge.HeaderPublicKey)], StickinessToken: []byte(made.Sticky)}
}

// refusalOf translates a refusal of the controller. Its text is never empty.
func refusalOf(r *ctrl.Refusal) *edge.StructuredError {
	e := &edge.StructuredError{Message: r.GetMessage(), Code: edge.CodeInternal, Reason: r.GetCode(), Remedy: r.GetRemedy()}
	if e.Message == "" {
		e.Message = "refused by the controller: " + r.GetCode()
	}
	switch code := policy.Code(r.GetCode()); code {
	case "INVALID_SERVICE", policy.ServiceUnknown:
		e.Code, e.RetryHint = edge.CodeInvalidService, edge.RetryNotRetriable
	case "INVALID_SESSION":
		e.Code, e.RetryHint = edge.CodeInvalidSession, edge.RetryStartOver
	case "INVALID_API_SESSION", "SESSION_ENDED", policy.IdentityUnknown, policy.IdentityDisabled:
		e.Code, e.RetryHint = edge.CodeInvalidAPISession, edge.RetryStartOver
	case "ENCRYPTION_DATA_MISSING":
		e.Code, e.RetryHint = edge.CodeEncryptionDataMissing, edge.RetryStartOver
	case "ACCESS_DENIED", "UNAUTHORIZED", policy.NoDialPolicy, policy.NoBindPolicy, policy.PostureUnknown:
		e.Code, e.RetryHint = edge.CodeAccessDenied, edge.RetryStartOver
	case policy.NoCommonRouter, policy.RouterUnknown, policy.RouterDisabled, policy.IdentityNotRouted, policy.ServiceNotRouted:
		e.Code, e.RetryHint = edge.CodeInvalidEdgeRouterForSession, edge.RetryStartOver
	case "INVALID_TERMINATOR":
		e.Code, e.RetryHint = edge.CodeInvalidTerminator, edge.RetryNotRetriable
	case "SERVER_TOO_MANY_REQUESTS", "TOO_MANY_CIRCUITS", forward.CodeQuiesced:
		e.RetryHint = edge.RetryTooBusy
	}
	return e
}
