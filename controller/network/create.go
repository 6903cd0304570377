package network

import (
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// CreateCircuit answers a router's request for a circuit or for the next
// attempt at one. It does not wait: everything it needs is in memory.
func (n *Network) CreateCircuit(routerID string, m *ctrl.CreateCircuit) *ctrl.CircuitCreated {
	if m.Failure != nil {
		n.failed(routerID, m)
	}
	answer, circuit := n.attempt(routerID, m)
	if circuit == nil {
		n.abandon(routerID, m.CircuitId)
		return answer
	}
	n.mu.Lock()
	old := n.circuits[m.CircuitId]
	if old != nil {
		if old.Path[0].RouterID != routerID {
			n.mu.Unlock()
			return refusedCircuit(refusal(CodeDuplicateCircuit, "the circuit id is in use"))
		}
		n.remove(old)
	} else if n.byIdentity[m.IdentityId] >= n.cfg.MaxCircuits {
		n.mu.Unlock()
		n.cfg.Log.Warn("circuit refused, the identity has too many", "identity", m.IdentityId, "service", m.ServiceId, "router", routerID, "most", n.cfg.MaxCircuits)
		return refusedCircuit(tooMany(m.IdentityId, n.cfg.MaxCircuits))
	}
	n.add(circuit)
	n.mu.Unlock()
	n.costs.succeeded(circuit.TerminatorID)
	return answer
}

func refusedCircuit(r *ctrl.Refusal) *ctrl.CircuitCreated { return &ctrl.CircuitCreated{Refusal: r} }

// attempt selects a terminator for one attempt; the circuit is nil for a
// refusal.
func (n *Network) attempt(routerID string, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, *Circuit) {
	view, rules := n.cfg.State.View(), n.cfg.Policy()
	service := state.Get[model.Service](view, m.ServiceId)
	if service == nil {
		return refusedCircuit(refusal(CodeInvalidService, "service %s does not exist", m.ServiceId)), nil
	}
	if d := rules.Check(policy.Dial, m.IdentityId, m.ServiceId, routerID); !d.Allowed() {
		return refusedCircuit(denied(d)), nil
	}
	if n.sessionEnded(view, m.SessionId) {
		return refusedCircuit(refusal(CodeSessionEnded, "the api session has ended")), nil
	}
	if int(m.Attempt) > n.cfg.Attempts {
		return refusedCircuit(n.exhausted(routerID, m)), nil
	}
	if service.EncryptionRequired && m.Failure == nil && len(m.PeerData[peerPublicKey]) == 0 {
		return refusedCircuit(refusal(CodeEncryptionData, "encryption required on service, initiator did not send public header")), nil
	}
	cs, skipped := n.candidates(view, rules, service, m.InstanceId, routerID)
	if len(cs) == 0 {
		if m.Failure != nil {
			return refusedCircuit(n.exhausted(routerID, m)), nil
		}
		r := noCandidate(service.ID, m.InstanceId, skipped)
		n.cfg.Log.Info("no terminator for a circuit", "circuit", m.CircuitId, "identity", m.IdentityId, "service", service.Name, "router", routerID,
			"code", r.Code, "offline", skipped.offline, "unreachable", skipped.noPath, "remedy", r.Remedy)
		return refusedCircuit(r), nil
	}
	c, sticky, ok := choose(service.TerminatorStrategy, cs, m.Sticky)
	if !ok {
		return refusedCircuit(refusal(CodeInvalidStrategy, "service %s has an unknown terminator strategy %q", service.Name, service.TerminatorStrategy)), nil
	}
	circuit := &Circuit{
		ID: m.CircuitId, IdentityID: m.IdentityId, SessionID: m.SessionId, ServiceID: service.ID,
		TerminatorID: c.ID, HostID: c.HostID, Path: c.path, CreatedAt: n.cfg.Now().UTC(),
	}
	return &ctrl.CircuitCreated{Route: firstNode(circuit, c), PeerData: c.PeerData, Sticky: sticky}, circuit
}

// sessionEnded also knows what a revocation does not tell: ends by inactivity,
// and those of long ago.
func (n *Network) sessionEnded(view *state.View, id string) bool {
	if r := state.Get[model.Revocation](view, id); r != nil && r.ExpiresAt.After(n.cfg.Now()) {
		return true
	}
	return n.cfg.SessionAlive != nil && !n.cfg.SessionAlive(id)
}

// firstNode returns the part of the path that the initiating router makes.
func firstNode(circuit *Circuit, c candidate) *ctrl.Route {
	r := &ctrl.Route{CircuitId: circuit.ID, ServiceId: circuit.ServiceID, DownstreamLink: c.path[0].Link}
	if len(c.path) == 1 {
		r.Egress = &ctrl.Egress{
			TerminatorId: c.ID, Binding: c.Binding, Address: c.Address, InstanceId: c.InstanceID, HostId: c.HostID,
		}
	}
	return r
}

// exhausted is the refusal after the last attempt, with the reason of the host
// innermost.
func (n *Network) exhausted(routerID string, m *ctrl.CreateCircuit) *ctrl.Refusal {
	code, remedy, why := ctrl.CodeDialFailed, "", "no attempt is left"
	if f := m.Failure; f != nil {
		why = f.Reason()
		code, remedy = n.explain(routerID, f)
	}
	r := refusal(code, "exceeded maximum [%d] retries creating circuit [c/%s] (%s)", n.cfg.Attempts, m.CircuitId, why)
	r.Remedy = remedy
	return r
}

// explain returns the code and the remedy of a failed attempt.
func (n *Network) explain(routerID string, f *ctrl.Failure) (code, remedy string) {
	view := n.cfg.State.View()
	address, router, isHosted := "of terminator "+f.TerminatorId, routerID, false
	if t := state.Get[model.Terminator](view, f.TerminatorId); t != nil {
		address, isHosted = t.Address, hosted(t)
	}
	if r := state.Get[model.EdgeRouter](view, routerID); r != nil {
		router = r.Name
	}
	return ctrl.Explain(f.Cause, address, router, isHosted)
}

// hosted reports whether a client hosts a terminator.
func hosted(t *model.Terminator) bool { return t.Binding == BindingEdge || t.Binding == BindingTunnel }

// abandon forgets the circuit of an earlier attempt.
func (n *Network) abandon(routerID, circuitID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.byRouter[routerID][circuitID]; c != nil {
		n.remove(c)
	}
}

// failed draws the consequences of a failed attempt for the terminator.
func (n *Network) failed(routerID string, m *ctrl.CreateCircuit) {
	f := m.Failure
	t := state.Get[model.Terminator](n.cfg.State.View(), f.TerminatorId)
	if t == nil || t.RouterID != routerID {
		return
	}
	n.costs.failed(t.ID)
	code, remedy := n.explain(routerID, f)
	n.cfg.Log.Info("dial of terminator failed", "circuit", m.CircuitId, "service", t.ServiceID, "terminator", t.ID, "router", routerID,
		"address", t.Address, "code", code, "reason", f.Message, "remedy", remedy)
	switch {
	case f.Cause == ctrl.Cause_INVALID_TERMINATOR && hosted(t):
		n.cfg.Log.Info("terminator removed, its router does not know it", "terminator", t.ID, "router", routerID, "service", t.ServiceID)
		n.jobs.remove([]string{t.ID})
	case f.Cause == ctrl.Cause_INVALID_TERMINATOR || f.Cause == ctrl.Cause_MISCONFIGURED_TERMINATOR:
		if t.Precedence != model.PrecedenceFailed {
			n.cfg.Log.Warn("terminator is misconfigured, its precedence becomes failed", "terminator", t.ID, "router", routerID,
				"service", t.ServiceID, "reason", f.Message)
			n.jobs.fail(t.ID)
		}
	}
}
