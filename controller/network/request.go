package network

import (
	"context"
	"slices"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// maxRequests bounds the circuits over several routers that are being created,
// maxRouterRequests those that one router asks for, and maxRouterCircuits the
// circuits at one router beyond which it gets no more.
const (
	maxRequests       = 10_000
	maxRouterRequests = 2000
	maxRouterCircuits = 500_000
)

// request is a circuit that is being created.
type request struct {
	*ctrl.CreateCircuit
	routerID string // that asks
	node     Node   // the session in which it does
	service  *model.Service
	started  time.Time
	deadline time.Time
	attempts int      // made already
	tried    []string // terminators that have failed
	avoid    topology.Avoid
	last     *misfire // why the last attempt failed
	lastAt   string   // router where
	given    bool     // up by the dialer: what is under way is waited for and then taken back; guarded by the lock of the Network
	strays   []string // routers that have reported the circuit meanwhile; likewise
	reply    func(*ctrl.CircuitCreated)
}

// CreateCircuit answers a router's request for a circuit or for the next
// attempt at one. It does not wait: reply is called at once where no other
// router has to be asked, and from another goroutine otherwise, or never if the
// controller ends before. A request by another node than the one that was
// attached last is ignored, unless node is nil.
func (n *Network) CreateCircuit(routerID string, node Node, m *ctrl.CreateCircuit, reply func(*ctrl.CircuitCreated)) {
	r := &request{CreateCircuit: m, routerID: routerID, node: node, started: n.cfg.Now(), reply: reply}
	r.deadline = r.started.Add(n.cfg.RouteTimeout)
	if m.Failure != nil {
		m.Failure = shortened(m.Failure)
		r.last, r.lastAt = &misfire{failure: m.Failure}, routerID
	}
	if refusal := n.begin(r); refusal != nil {
		n.refuse(r, refusal)
		return
	}
	if m.Failure != nil {
		n.failed(r)
	}
	c, refusal := n.choose(r)
	switch {
	case refusal != nil:
		n.abandon(r, refusal)
	case len(c.path) == 1:
		n.finish(r, c, nil)
	default:
		ctx, cancel := context.WithDeadline(n.work.ctx, time.Now().Add(r.deadline.Sub(n.cfg.Now())))
		if !n.work.start(func(context.Context) { defer cancel(); n.pursue(ctx, r, c) }) {
			cancel()
		}
	}
}

// begin enters a request, unless it is refused before anything is tried. What
// an earlier attempt has left at other routers is taken away.
func (n *Network) begin(r *request) *ctrl.Refusal {
	if refusal := n.admit(r); refusal != nil {
		return refusal
	}
	var old *gone
	n.mu.Lock()
	h := n.circuits[r.CircuitId]
	switch {
	case r.node != nil && n.nodes[r.routerID] != r.node:
		n.mu.Unlock()
		return refusal(CodeDuplicateCircuit, "the router has connected anew")
	case n.requests[r.CircuitId] != nil, h != nil && (h.reports != nil || h.first() != r.routerID):
		n.mu.Unlock()
		return refusal(CodeDuplicateCircuit, "the circuit id is in use")
	case h == nil && r.IdentityId != "" && n.byIdentity[r.IdentityId] >= n.cfg.MaxCircuits:
		n.mu.Unlock()
		n.cfg.Log.Warn("circuit refused, the identity has too many", "identity", r.IdentityId, "service", r.ServiceId, "router", r.routerID, "most", n.cfg.MaxCircuits)
		return tooMany(r.IdentityId, n.cfg.MaxCircuits)
	case h == nil && len(n.byRouter[r.routerID]) >= maxRouterCircuits:
		n.mu.Unlock()
		return routerFull(r.routerID)
	case len(n.requests) >= maxRequests || n.asking[r.routerID] >= maxRouterRequests:
		n.mu.Unlock()
		return busy()
	}
	r.attempts = int(r.Attempt) - 1
	if h != nil {
		g := n.take(h)
		old = &g
		r.attempts, r.tried, r.deadline = max(r.attempts, h.attempts), h.tried, h.deadline
		if m := r.Failure; m != nil && m.Cause == ctrl.Cause_INVALID_LINK_DESTINATION {
			r.avoid.Links = map[string]bool{h.Path[0].Link: true}
		}
	}
	n.requests[r.CircuitId] = r
	n.asking[r.routerID]++
	n.byIdentity[r.IdentityId]++
	n.mu.Unlock()
	if old != nil {
		for _, id := range old.routers {
			if id != r.routerID {
				n.unroute(id, []string{r.CircuitId}, ending{reason: "the attempt was abandoned"})
			}
		}
	}
	return nil
}

// admit returns why a circuit may not be, nil if it may.
func (n *Network) admit(r *request) *ctrl.Refusal {
	view := n.cfg.State.View()
	r.service = state.Get[model.Service](view, r.ServiceId)
	if r.service == nil && r.Own {
		r.service = state.FirstBy[model.Service](view, state.ByName, r.ServiceId)
	}
	switch {
	case r.CircuitId == "" || len(r.CircuitId) > maxIDLength || len(r.SessionId) > maxIDLength:
		return refusal(CodeDuplicateCircuit, "the circuit has no id that can be used")
	case r.service == nil:
		return refusal(CodeInvalidService, "service %s does not exist", r.ServiceId)
	case r.Own:
		r.IdentityId, r.SessionId = "", ""
		if r.service.EncryptionRequired {
			return ownEncrypted(r.service)
		}
	default:
		if d := n.cfg.Policy().Check(policy.Dial, r.IdentityId, r.service.ID, r.routerID); !d.Allowed() {
			return denied(d)
		}
		if n.sessionEnded(view, r.SessionId, r.IdentityId) {
			return refusal(CodeSessionEnded, "the api session has ended")
		}
	}
	if r.service.EncryptionRequired && r.Failure == nil && len(r.PeerData[peerPublicKey]) == 0 {
		return refusal(CodeEncryptionData, "encryption required on service, initiator did not send public header")
	}
	if n.isQuiesced(r.routerID) {
		return quiesced(r.routerID)
	}
	return nil
}

// sessionEnded also knows what a revocation does not tell: ends by inactivity,
// and those of long ago. A session of another identity is none.
func (n *Network) sessionEnded(view *state.View, id, identityID string) bool {
	return n.revoked(view, id) || n.cfg.SessionAlive != nil && !n.cfg.SessionAlive(id, identityID)
}

// revoked reports whether the end of a session is on record.
func (n *Network) revoked(view *state.View, id string) bool {
	r := state.Get[model.Revocation](view, id)
	return r != nil && r.ExpiresAt.After(n.cfg.Now())
}

// choose selects a terminator and a path for the next attempt.
func (n *Network) choose(r *request) (candidate, *ctrl.Refusal) {
	if r.attempts >= n.cfg.Attempts || !n.cfg.Now().Before(r.deadline) {
		return candidate{}, n.exhausted(r)
	}
	r.attempts++
	view, rules := n.cfg.State.View(), n.cfg.Policy()
	cs, skipped := n.candidates(view, rules, r)
	if len(cs) == 0 {
		if r.last != nil {
			return candidate{}, n.exhausted(r)
		}
		refusal := noCandidate(r.service.ID, r.InstanceId, skipped)
		n.cfg.Log.Info("no terminator for a circuit", "circuit", r.CircuitId, "identity", r.IdentityId, "service", r.service.Name, "router", r.routerID,
			"code", refusal.Code, "offline", skipped.offline, "unreachable", skipped.noPath, "remedy", refusal.Remedy)
		return candidate{}, refusal
	}
	left := slices.DeleteFunc(slices.Clone(cs), func(c candidate) bool { return slices.Contains(r.tried, c.ID) })
	if len(left) > 0 {
		cs = left
	}
	c, sticky, ok := choose(r.service.TerminatorStrategy, cs, r.Sticky)
	if !ok {
		return c, refusal(CodeInvalidStrategy, "service %s has an unknown terminator strategy %q", r.service.Name, r.service.TerminatorStrategy)
	}
	c.sticky = sticky
	c.within = r.deadline.Sub(n.cfg.Now())
	if len(left) > 1 { // what hangs leaves time for the others
		c.within /= time.Duration(n.cfg.Attempts - r.attempts + 1)
	}
	return c, nil
}

// circuit returns what an attempt makes if it succeeds.
func (n *Network) circuit(r *request, c candidate) *Circuit {
	now := n.cfg.Now().UTC()
	return &Circuit{
		ID: r.CircuitId, IdentityID: r.IdentityId, SessionID: r.SessionId, ServiceID: r.service.ID, TerminatorID: c.ID, HostID: c.HostID,
		InstanceID: r.InstanceId, Path: c.path, PathNumber: uint32(r.attempts), State: Active, Cost: c.rank, CreatedAt: now, UpdatedAt: now,
	}
}

// leave takes a request out of the tables, with the lock held.
func (n *Network) leave(r *request) {
	delete(n.requests, r.CircuitId)
	if n.asking[r.routerID]--; n.asking[r.routerID] <= 0 {
		delete(n.asking, r.routerID)
	}
	n.left(r.IdentityId)
}

// abandon gives a request up.
func (n *Network) abandon(r *request, why *ctrl.Refusal) {
	n.mu.Lock()
	n.leave(r)
	n.mu.Unlock()
	for _, id := range r.strays {
		n.unroute(id, []string{r.CircuitId}, ending{reason: "the attempt was abandoned"})
	}
	n.refuse(r, why)
}

func (n *Network) refuse(r *request, why *ctrl.Refusal) {
	r.reply(&ctrl.CircuitCreated{Refusal: why})
	n.cfg.Log.Info("circuit refused", "circuit", r.CircuitId, "identity", r.IdentityId, "service", r.ServiceId, "router", r.routerID,
		"code", why.Code, "reason", why.Message, "remedy", why.Remedy)
	now := n.cfg.Now()
	cause := why.Code
	if r.last != nil {
		cause = r.last.cause()
	}
	c := &Circuit{
		ID: r.CircuitId, IdentityID: r.IdentityId, SessionID: r.SessionId, ServiceID: r.ServiceId, InstanceID: r.InstanceId,
		PathNumber: uint32(max(r.attempts, 0)), CreatedAt: r.started,
	}
	if r.last != nil {
		c.TerminatorID = r.last.failure.GetTerminatorId()
	}
	n.cfg.Events(&CircuitEvent{
		At: now, Type: CircuitFailed, Circuit: c, Lasted: now.Sub(r.started), Cause: cause, Code: why.Code, Reason: why.Message,
	})
}
