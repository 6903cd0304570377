package edge

import (
	"context"
	"fmt"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// bind serves one Bind. The answer is early: the terminator may not exist at
// the controller yet. BindSuccess follows when it does.
func (c *client) bind(f *channel.Frame) {
	req, err := edge.ParseBind(&f.Message)
	if err != nil {
		c.srv.log.Warn("bind without a connection id dropped", "identity", c.session.IdentityID)
		return
	}
	refuse := func(e *edge.StructuredError) {
		c.srv.log.Info("bind refused", "identity", c.session.IdentityID, "code", codeOf(e), "reason", e.Message, "remedy", e.Remedy)
		c.refuse(f.Seq, req.ConnID, "", e.Message, e)
	}
	service, refusal := c.authorize(string(req.Token), policy.Bind)
	if refusal != nil {
		refuse(refusal)
		return
	}
	if !req.RouterConnID {
		refuse(&edge.StructuredError{Message: "bind needs connection ids chosen by the router", Code: edge.CodeInternal, RetryHint: edge.RetryNotRetriable})
		return
	}
	if req.Precedence > edge.PrecedenceFailed {
		refuse(&edge.StructuredError{Message: fmt.Sprintf("invalid precedence %d", req.Precedence), Code: edge.CodeInvalidPrecedence, RetryHint: edge.RetryNotRetriable})
		return
	}
	t := c.newTerminator(req, service)
	old, verdict := c.srv.enter(t)
	if verdict != bindNew {
		t.cancel()
	}
	switch verdict {
	case bindStale:
		return
	case bindAgain:
		c.acceptBind(f.Seq, req)
		if old.established() {
			old.announce()
		}
		return
	case bindInUse:
		refuse(&edge.StructuredError{Message: fmt.Sprintf("sink id %d already in use", req.ConnID), Code: edge.CodeInternal})
		return
	}
	c.acceptBind(f.Seq, req)
	if old != nil {
		old.supersede()
	}
	t.mu.Lock()
	inherited := t.confirmed != nil
	t.startPublishing()
	t.mu.Unlock()
	if inherited {
		t.announce()
	}
	if t.inspects {
		c.srv.work.Go(t.inspect)
	}
	c.srv.checkServiceSession(t) // it may have ended before t was in the tables
}

func (c *client) acceptBind(seq int32, req *edge.Bind) {
	m := (&edge.StateConnected{ConnID: req.ConnID, RouterConnID: req.RouterConnID}).Encode()
	channel.Answer(&message.Message{Seq: seq}, m)
	c.send(m)
}

func (c *client) newTerminator(req *edge.Bind, service token.Service) *terminator {
	t := &terminator{
		client: c, id: id.New(), connID: req.ConnID, token: string(req.Token), serviceSession: service.ID,
		key:       listenerKey{string(req.ListenerID), c.session.IdentityID, service.ServiceID},
		useXgress: req.UseXgress, inspects: req.SupportsInspect, announces: req.SupportsBindSuccess,
	}
	if t.key.listener == "" {
		// Without a listener id, one per token and instance.
		t.key.listener = "\x00" + t.token + "\x00" + req.Instance
	}
	t.ctx, t.cancel = context.WithCancel(c.ctx)
	t.desired = &ctrl.Terminator{
		ServiceId: service.ServiceID, Binding: Binding, InstanceId: req.Instance,
		InstanceSecret: append([]byte(nil), req.InstanceSecret...), HostId: c.session.IdentityID,
		Cost: uint32(req.Cost), Precedence: precedenceName(req.Precedence),
	}
	if len(req.PublicKey) > 0 {
		t.desired.PeerData = map[uint32][]byte{uint32(edge.HeaderPublicKey): append([]byte(nil), req.PublicKey...)}
	}
	t.rename(t.id)
	return t
}

func (t *terminator) rename(id string) {
	t.id = id
	t.desired.Id, t.desired.Address = id, addressPrefix+id
}

func precedenceName(p byte) string {
	switch p {
	case edge.PrecedenceRequired:
		return "required"
	case edge.PrecedenceFailed:
		return "failed"
	}
	return "default"
}

// verdict on a bind.
type verdict int

const (
	bindNew   verdict = iota // old, if any, is superseded
	bindAgain                // a repetition of what old is
	bindStale                // overtaken by a later bind of the same channel
	bindInUse                // the connection id stands for something else
)

// enter puts t into the tables. The terminator of the same listener, if there
// is one, passes its id on.
func (s *Server) enter(t *terminator) (old *terminator, v verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old = s.listeners[t.key]
	if old != nil && old.client == t.client {
		switch {
		case old.connID == t.connID && old.token == t.token:
			return old, bindAgain
		case t.connID < old.connID:
			return old, bindStale
		}
	}
	if old != nil && old.client == t.client && old.connID == t.connID {
		if !t.client.swap(t.connID, old, t) {
			return old, bindInUse
		}
	} else if !t.client.claim(t.connID, t) {
		return old, bindInUse
	}
	if old != nil {
		old.mu.Lock()
		if old.dead {
			old.mu.Unlock()
			old = nil
		} else {
			old.transferred = true
			t.rename(old.id)
			t.confirmed = old.confirmed
			old.mu.Unlock()
		}
	}
	s.terminators[t.id] = t
	s.listeners[t.key] = t
	return old, bindNew
}

// supersede tells the client of a terminator that a later bind has taken over.
func (t *terminator) supersede() {
	t.mu.Lock()
	t.dead = true
	t.mu.Unlock()
	t.cancel()
	t.client.drop(t.connID, t)
	e := &edge.StructuredError{Message: "newer terminator found for listener id", Code: edge.CodeInternal}
	t.client.ch.TrySend((&edge.StateClosed{ConnID: t.connID, Reason: "found a newer terminator for listener id", Error: e}).Encode())
}

// hosted returns the terminator that a request of the client is about, after
// checking its token; it refuses otherwise.
func (c *client) hosted(f *channel.Frame, connID uint32, text string) *terminator {
	t, _ := c.sinkOf(f).(*terminator)
	if t == nil {
		return nil
	}
	if text != t.token {
		if _, refusal := c.authorize(text, policy.Bind); refusal != nil {
			c.refuse(f.Seq, connID, "", refusal.Message, refusal)
			return nil
		}
	}
	return t
}

// unbind removes a listener. What it has accepted goes on. Some clients wait
// for an answer, which the others ignore.
func (c *client) unbind(f *channel.Frame) {
	req, err := edge.ParseUnbind(&f.Message)
	if err != nil {
		return
	}
	if t := c.hosted(f, req.ConnID, string(req.Token)); t != nil {
		c.drop(req.ConnID, t)
		c.srv.retire(t)
		c.refuse(f.Seq, req.ConnID, "", "unbind successful", nil)
	}
}

func (c *client) updateBind(f *channel.Frame) {
	req, err := edge.ParseUpdateBind(&f.Message)
	if err != nil {
		return
	}
	t := c.hosted(f, req.ConnID, string(req.Token))
	if t == nil {
		return
	}
	if req.Precedence != nil && *req.Precedence > edge.PrecedenceFailed {
		e := &edge.StructuredError{Message: fmt.Sprintf("invalid precedence %d", *req.Precedence), Code: edge.CodeInvalidPrecedence, RetryHint: edge.RetryNotRetriable}
		c.refuse(f.Seq, req.ConnID, "", e.Message, e)
		return
	}
	t.change(func(d *ctrl.Terminator) {
		if req.Cost != nil {
			d.Cost = uint32(*req.Cost)
		}
		if req.Precedence != nil {
			d.Precedence = precedenceName(*req.Precedence)
		}
	})
}

// healthEvent makes a terminator the last choice while what it serves is ill.
func (c *client) healthEvent(f *channel.Frame) {
	req, err := edge.ParseHealthEvent(&f.Message)
	if err != nil {
		return
	}
	if t := c.hosted(f, req.ConnID, string(req.Token)); t != nil {
		t.change(func(d *ctrl.Terminator) {
			if !req.Passed {
				d.Precedence = precedenceName(edge.PrecedenceFailed)
			} else if d.Precedence == precedenceName(edge.PrecedenceFailed) {
				d.Precedence = precedenceName(edge.PrecedenceDefault)
			}
		})
	}
}
