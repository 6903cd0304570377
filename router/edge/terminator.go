package edge

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// listenerKey names one logical listener: of an identity, for a service.
type listenerKey struct{ listener, identity, service string }

// terminator is what a Bind makes: the offer of a client to host a service. It
// is the sink of the listener's connection id.
type terminator struct {
	client    *client
	id        string // also at the controller; a take-over passes it on
	key       listenerKey
	connID    uint32
	token     string
	useXgress bool
	inspects  bool
	announces bool // wants BindSuccess

	serviceSession string // id of that of the token

	ctx    context.Context
	cancel context.CancelFunc

	mu          sync.Mutex
	desired     *ctrl.Terminator // never changed in place
	confirmed   *ctrl.Terminator // what the controller has, nil if nothing
	running     bool             // a goroutine brings confirmed to desired
	transferred bool             // a later bind has the id now
	dead        bool
}

func (t *terminator) data(f *channel.Frame)                      { f.Release() }
func (t *terminator) circuit(f *channel.Frame, _ xgress.Address) { f.Release() }

// leave implements sink: the client closed the listener or is gone.
func (t *terminator) leave(string) { t.client.srv.retire(t) }

func (t *terminator) report() *ctrl.Terminator {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.desired
}

// change replaces what the controller is to have.
func (t *terminator) change(f func(*ctrl.Terminator)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := proto.Clone(t.desired).(*ctrl.Terminator)
	f(d)
	t.desired = d
	t.startPublishing()
}

// startPublishing runs publish, with the lock held.
func (t *terminator) startPublishing() {
	if t.running || t.dead {
		return
	}
	t.running = true
	t.client.srv.work.Go(t.publish)
}

// publish has the controller confirm the terminator, for as long as it takes.
// It ends when the controller has what is desired, refuses for good, or the
// terminator is gone.
func (t *terminator) publish() {
	refusals := 0
	wait := 100 * time.Millisecond
	for {
		t.mu.Lock()
		want := t.desired
		if t.dead || proto.Equal(want, t.confirmed) {
			t.running = false
			t.mu.Unlock()
			return
		}
		first := t.confirmed == nil
		t.mu.Unlock()
		err := t.client.srv.cfg.Controller.PutTerminator(t.ctx, want)
		var refused *RefusedError
		switch {
		case err == nil:
			t.settled(want, first)
			continue
		case errors.As(err, &refused):
			e := refusalOf(&ctrl.Refusal{Code: refused.Code, Message: refused.Message, Remedy: refused.Remedy})
			if refusals++; refusals >= 3 || e.RetryHint != edge.RetryDefault {
				t.client.srv.log.Warn("terminator refused", "terminator", t.id, "service", t.key.service,
					"identity", t.key.identity, "reason", e.Message)
				t.end("received error from controller: "+e.Message, e)
				continue
			}
			wait = t.client.srv.cfg.RetryPeriod
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-t.ctx.Done():
			timer.Stop()
		}
		wait = min(2*wait, 10*time.Second)
	}
}

// settled notes what the controller has confirmed and tells the client, once.
func (t *terminator) settled(has *ctrl.Terminator, first bool) {
	t.mu.Lock()
	t.confirmed = has
	dead, transferred := t.dead, t.transferred
	t.mu.Unlock()
	switch {
	case dead && !transferred:
		t.client.srv.cfg.Controller.RemoveTerminator(t.id)
	case !dead && first:
		t.announce()
	}
}

// announceAfter is how long BindSuccess stays behind the answer to the Bind. Go
// clients count a listener as established in the goroutine that waits for that
// answer, and miss a BindSuccess that overtakes it there; on a busy machine 10 ms
// were not always enough.
const announceAfter = 50 * time.Millisecond

func (t *terminator) announce() {
	t.client.srv.log.Info("terminator established", "terminator", t.id, "service", t.key.service, "identity", t.key.identity)
	if t.announces {
		time.AfterFunc(announceAfter, func() {
			if t.ctx.Err() == nil {
				t.client.send((&edge.BindSuccess{ConnID: t.connID}).Encode())
			}
		})
	}
}

// established reports whether the controller has the terminator.
func (t *terminator) established() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.confirmed != nil
}

// end removes the terminator and tells the client why.
func (t *terminator) end(reason string, e *edge.StructuredError) {
	if !t.client.srv.retire(t) {
		return
	}
	t.client.drop(t.connID, t)
	// Send after the reply to the Bind, which takes the same way.
	t.client.send((&edge.StateClosed{ConnID: t.connID, Reason: reason, Error: e}).Encode())
}

// inspect asks the client whether it still listens, until it answers. A
// listener that is none, or that never answers, is removed.
func (t *terminator) inspect() {
	cfg := &t.client.srv.cfg
	deadline := time.Now().Add(cfg.InspectLimit)
	for tries := 1; ; tries++ {
		ctx, cancel := context.WithTimeout(t.ctx, cfg.InspectPeriod)
		answer, err := t.client.ch.Request(ctx, (&edge.ConnInspectRequest{ConnID: t.connID}).Encode())
		cancel()
		switch {
		case t.ctx.Err() != nil:
			return
		case err == nil && isListener(answer):
			return
		case err == nil:
			t.end("the client does not listen on this connection id", &edge.StructuredError{
				Message: "the client does not listen on this connection id", Code: edge.CodeInvalidTerminator})
			return
		case t.client.ch.Err() != nil:
			return
		case tries >= 3 && time.Now().After(deadline):
			t.client.srv.log.Warn("listener removed: the client does not answer", "terminator", t.id, "identity", t.key.identity)
			t.end("the listener did not answer", &edge.StructuredError{Message: "the listener did not answer", Code: edge.CodeInternal})
			return
		}
	}
}

func isListener(answer *message.Message) bool {
	r, err := edge.ParseConnInspectResponse(answer)
	return err == nil && r.Type == edge.ConnBind
}

// terminator returns a hosted terminator, nil if there is none.
func (s *Server) terminator(id string) *terminator {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terminators[id]
}

// retire removes t from the tables and from the controller; false if that has
// happened already.
func (s *Server) retire(t *terminator) bool {
	s.mu.Lock()
	if s.terminators[t.id] == t {
		delete(s.terminators, t.id)
	}
	if s.listeners[t.key] == t {
		delete(s.listeners, t.key)
	}
	s.mu.Unlock()
	t.mu.Lock()
	first := !t.dead
	t.dead = true
	transferred := t.transferred
	t.mu.Unlock()
	t.cancel()
	if first && !transferred {
		s.cfg.Controller.RemoveTerminator(t.id)
	}
	return first
}
