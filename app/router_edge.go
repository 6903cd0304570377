package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/edge"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
)

// directory shows the uplink's copy of the network to the edge.
type directory struct {
	uplink   *uplink.Uplink
	routerID string
	// patience is how long a hello waits for news of a session that is not good
	// yet: its identity, or the authenticator with its certificate, may have been
	// made a moment ago.
	patience time.Duration
	refused  func() // a token was not good; nil if nobody wants to know
}

// Changed is closed at the next change of the copy.
func (d *directory) Changed() <-chan struct{} { return d.uplink.Changed() }

// pending reports whether news of the network may make a session good.
func pending(err error) bool {
	return errors.Is(err, uplink.ErrNoIdentity) || errors.Is(err, token.ErrUnknownKey) || errors.Is(err, pki.ErrNotBound)
}

// Session verifies the token of an API session.
func (d *directory) Session(ctx context.Context, text string, certs []*x509.Certificate) (edge.Session, error) {
	s, err := d.await(ctx, text, certs)
	if err != nil && d.refused != nil {
		d.refused()
	}
	return s, err
}

// await verifies the token, again at news while those may make it good.
func (d *directory) await(ctx context.Context, text string, certs []*x509.Certificate) (edge.Session, error) {
	patience := d.patience
	if end, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(end)*9/10) // the refusal has to arrive too
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		changed := d.uplink.Changed()
		s, err := d.uplink.Session(text, certs)
		if err == nil {
			return d.session(s), nil
		}
		if !pending(err) || !d.uplink.Status().Connected {
			return edge.Session{}, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return edge.Session{}, err
		}
	}
}

func (d *directory) session(s token.Session) edge.Session {
	out := edge.Session{ID: s.ID, IdentityID: s.IdentityID, IssuedAt: s.IssuedAt}
	if i := d.uplink.View().Identity(s.IdentityID); i != nil {
		out.IdentityName = i.Name
	}
	return out
}

// Alive returns why a session is no longer good.
func (d *directory) Alive(s edge.Session) error {
	return d.uplink.AliveSession(s.ID, s.IdentityID, s.IssuedAt)
}

// Service verifies a service-session token.
func (d *directory) Service(text string) (token.Service, error) { return d.uplink.Service(text) }

// ServiceAlive returns why a service session is no longer good.
func (d *directory) ServiceAlive(id string) error { return d.uplink.AliveService(id) }

// Access returns why an identity may not dial or bind a service through this
// router.
func (d *directory) Access(action policy.Action, identityID, serviceID string) error {
	if refusal := d.uplink.View().Check(action, identityID, serviceID, d.routerID).Fault(); refusal != nil {
		return refusal
	}
	return nil
}

// controllers shows the uplink to the edge.
type controllers struct {
	*uplink.Uplink
	timeout time.Duration // for an answer
}

// CreateCircuit asks for a circuit or for the next attempt at one.
func (c controllers) CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	made, err := c.Uplink.CreateCircuit(ctx, m)
	if errors.Is(err, uplink.ErrNoController) {
		err = fmt.Errorf("%w: %w", edge.ErrNotConnected, err)
	}
	return made, err
}

// PutTerminator has a terminator written.
func (c controllers) PutTerminator(ctx context.Context, t *ctrl.Terminator) error {
	err := c.Uplink.AddTerminator(ctx, t)
	var refused *uplink.Refused
	if errors.As(err, &refused) {
		return &edge.RefusedError{Code: refused.Code, Message: refused.Message, Remedy: refused.Remedy}
	}
	return err
}

// EncryptionRequired reports whether the ends of a service have to encrypt.
func (d *directory) EncryptionRequired(serviceID string) bool {
	s := d.uplink.View().Service(serviceID)
	return s == nil || s.EncryptionRequired
}

// routerNode shows table and edge to the uplink.
type routerNode struct {
	table *forward.Table
	edge  *edge.Server // nil without an edge section
	log   *slog.Logger
	// values returns those of an inspection
	values func(ctx context.Context, keys []string) map[string]string
}

// Circuits lists what the router carries.
func (n *routerNode) Circuits() []*ctrl.Circuit { return n.table.Reports() }

// EndCircuits ends circuits at the controller's wish.
func (n *routerNode) EndCircuits(m *ctrl.Unroute) { n.table.EndCircuits(m) }

// Route makes the router a node of a path.
func (n *routerNode) Route(ctx context.Context, m *ctrl.Route) *ctrl.RouteResult {
	return n.table.Route(ctx, m)
}

// AccessChanged checks what the effects name.
func (n *routerNode) AccessChanged(effects *policy.Effects) {
	if n.edge != nil {
		n.edge.Recheck(effects.Pair)
		n.edge.RecheckSessions()
	}
}

// SessionsEnded checks all connections.
func (n *routerNode) SessionsEnded() {
	if n.edge != nil {
		n.edge.RecheckSessions()
	}
}

// TerminatorRefused ends a terminator that was established before and that the
// controller does not accept any more.
func (n *routerNode) TerminatorRefused(id string, why *uplink.Refused) {
	n.log.Warn("terminator no longer accepted", "terminator", id, "code", why.Code, "reason", why.Message, "remedy", why.Remedy)
	if n.edge != nil {
		n.edge.RefuseTerminator(id, &edge.RefusedError{Code: why.Code, Message: why.Message, Remedy: why.Remedy})
	}
}

// LiveSessions lists the API sessions with a connection.
func (n *routerNode) LiveSessions() []string {
	if n.edge == nil {
		return nil
	}
	return n.edge.Sessions()
}

// Inspect returns the values of the keys it knows.
func (n *routerNode) Inspect(keys []string) map[string]string {
	return n.values(context.Background(), keys)
}

// boundedDialer bounds the egress dials of a router.
type boundedDialer struct {
	forward.Dialer
	slots *limit.Slots // dials at once
	queue *limit.Slots // dials at once and waiting
	dwell time.Duration
	took  func(time.Duration) // told after a dial; nil if nobody wants to know
}

// load returns how many dials wait and how many are under way.
func (b *boundedDialer) load() (waiting, busy int) {
	busy = b.slots.InUse()
	return max(0, b.queue.InUse()-busy), busy
}

func newBoundedDialer(d forward.Dialer, f conf.Forwarder) forward.Dialer {
	return &boundedDialer{
		Dialer: d, slots: limit.NewSlots(f.XgressDialWorkerCount),
		queue: limit.NewSlots(f.XgressDialWorkerCount + f.XgressDialQueueLength), dwell: f.XgressDialDwellTime,
	}
}

// Dial waits for a free slot and dials.
func (b *boundedDialer) Dial(ctx context.Context, c *forward.Circuit, e *ctrl.Egress) (map[uint32][]byte, error) {
	if !b.queue.Try() {
		return nil, &forward.DialError{Cause: ctrl.Cause_RESOURCES_NOT_AVAILABLE, Message: "the queue of egress dials is full, see forwarder.xgressDialQueueLength"}
	}
	defer b.queue.Free()
	if err := b.slots.Wait(ctx); err != nil {
		return nil, &forward.DialError{Cause: ctrl.Cause_DIAL_TIMED_OUT, Message: "no free worker in time, see forwarder.xgressDialWorkerCount"}
	}
	defer b.slots.Free()
	if b.dwell > 0 {
		timer := time.NewTimer(b.dwell)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, &forward.DialError{Cause: ctrl.Cause_DIAL_TIMED_OUT, Message: "the dwell time before the dial is longer than its deadline"}
		}
	}
	begun := time.Now()
	peer, err := b.Dialer.Dial(ctx, c, e)
	if b.took != nil {
		b.took(time.Since(begun))
	}
	return peer, err
}
