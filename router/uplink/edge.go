package uplink

import (
	"context"
	"crypto/x509"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/edge"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
)

// EdgeNode is the Node of a router that serves SDKs: the circuits of a table
// and the clients of an edge server, which may come later.
type EdgeNode struct {
	table  *forward.Table
	server atomic.Pointer[edge.Server]
}

// NewEdgeNode returns the node of a table without an edge server.
func NewEdgeNode(t *forward.Table) *EdgeNode { return &EdgeNode{table: t} }

// Serve adds the edge server.
func (n *EdgeNode) Serve(s *edge.Server) { n.server.Store(s) }

// Circuits is part of Node.
func (n *EdgeNode) Circuits() []*ctrl.Circuit { return n.table.Reports() }

// EndCircuits is part of Node.
func (n *EdgeNode) EndCircuits(ids []string, reason string) { n.table.Unroute(reason, ids...) }

// AccessChanged is part of Node.
func (n *EdgeNode) AccessChanged(e *policy.Effects) {
	if s := n.server.Load(); s != nil {
		s.Recheck(e.Pair)
		s.RecheckSessions()
	}
}

// SessionsEnded is part of Node.
func (n *EdgeNode) SessionsEnded() {
	if s := n.server.Load(); s != nil {
		s.RecheckSessions()
	}
}

// TerminatorRefused is part of Node. The edge server has already ended what
// lost access by the router's own slice.
func (n *EdgeNode) TerminatorRefused(string, *Refused) {}

// LiveSessions is part of Node.
func (n *EdgeNode) LiveSessions() []string {
	if s := n.server.Load(); s != nil {
		return s.Sessions()
	}
	return nil
}

// Inspect is part of Node.
func (n *EdgeNode) Inspect([]string) map[string]string { return nil }

// EdgeView is what an edge.Server asks of an Uplink: edge.Directory and
// edge.Controller.
type EdgeView struct {
	u *Uplink

	mu     sync.Mutex
	issued map[string]time.Time // by session id, of sessions that were verified
}

// maxIssued bounds the sessions whose time of issue is remembered. A session
// that is forgotten counts as old: a revocation of its identity ends it.
const maxIssued = 1 << 16

// newsTime is how long a session may wait for the slice to catch up with the
// controller that issued it.
const newsTime = 3 * time.Second

// Edge returns the view of an edge server.
func (u *Uplink) Edge() *EdgeView { return &EdgeView{u: u, issued: make(map[string]time.Time)} }

// Session is part of edge.Directory. It waits a little for what may still be
// on its way: a new identity, certificate or key.
func (v *EdgeView) Session(ctx context.Context, text string, certs []*x509.Certificate) (edge.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, newsTime)
	defer cancel()
	for {
		news := v.u.Changed()
		s, err := v.u.Directory.Session(text, certs)
		if err == nil {
			return v.remember(s), nil
		}
		if !errors.Is(err, ErrNoIdentity) && !errors.Is(err, token.ErrUnknownKey) && !errors.Is(err, pki.ErrNotBound) {
			return edge.Session{}, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return edge.Session{}, err
		}
	}
}

func (v *EdgeView) remember(s token.Session) edge.Session {
	v.mu.Lock()
	if len(v.issued) >= maxIssued {
		clear(v.issued)
	}
	v.issued[s.ID] = s.IssuedAt
	v.mu.Unlock()
	out := edge.Session{ID: s.ID, IdentityID: s.IdentityID}
	if i := v.u.View().Identity(s.IdentityID); i != nil {
		out.IdentityName = i.Name
	}
	return out
}

// Alive is part of edge.Directory.
func (v *EdgeView) Alive(s edge.Session) error {
	v.mu.Lock()
	issued := v.issued[s.ID]
	v.mu.Unlock()
	return v.u.AliveSession(s.ID, s.IdentityID, issued)
}

// Service is part of edge.Directory.
func (v *EdgeView) Service(text string) (token.Service, error) { return v.u.Service(text) }

// Access is part of edge.Directory.
func (v *EdgeView) Access(action policy.Action, identityID, serviceID string) error {
	d := v.u.View().Check(action, identityID, serviceID, v.u.RouterID())
	if d.Allowed() {
		return nil
	}
	return d.Fault()
}

// CreateCircuit is part of edge.Controller.
func (v *EdgeView) CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	return v.u.CreateCircuit(ctx, m)
}

// PutTerminator is part of edge.Controller.
func (v *EdgeView) PutTerminator(ctx context.Context, t *ctrl.Terminator) error {
	err := v.u.AddTerminator(ctx, t)
	var r *Refused
	if errors.As(err, &r) {
		return &edge.RefusedError{Code: r.Code, Message: r.Message, Remedy: r.Remedy}
	}
	return err
}

// RemoveTerminator is part of edge.Controller.
func (v *EdgeView) RemoveTerminator(id string) { v.u.RemoveTerminator(id) }
