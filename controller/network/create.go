package network

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// pursue makes attempts at a circuit, the first one with c, until one succeeds
// or none is left.
func (n *Network) pursue(ctx context.Context, r *request, c candidate) {
	for {
		if len(c.path) == 1 {
			n.finish(r, c, nil)
			return
		}
		peer, bad := n.attempt(ctx, r, c)
		left := n.givenUp(r) || n.work.ctx.Err() != nil
		if bad == nil && !left {
			n.finish(r, c, peer)
			return
		}
		for _, hop := range c.path[1:] {
			n.unroute(hop.RouterID, []string{r.CircuitId}, ending{reason: "the attempt was abandoned"})
		}
		if left {
			n.abandon(r, refusal(ctrl.CodeDialFailed, "the dialer has given up"))
			return
		}
		n.learn(r, c, bad)
		next, refusal := n.choose(r)
		if refusal != nil {
			n.abandon(r, refusal)
			return
		}
		c = next
	}
}

func (n *Network) givenUp(r *request) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return r.given
}

// attempt has the routers behind the first one make the path.
func (n *Network) attempt(ctx context.Context, r *request, c candidate) (map[uint32][]byte, *misfire) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	circuit := n.circuit(r, c)
	places := make([]int, len(c.path)-1)
	for i := range places {
		places[i] = i + 1
	}
	return n.lay(ctx, circuit, places, func(place int, m *ctrl.Route) {
		if place == len(c.path)-1 {
			m.Egress = egressOf(c.Terminator)
			m.Egress.PeerData = r.PeerData
		}
	})
}

// learn draws the consequences of a failed attempt: for the terminator if its
// router failed to dial it, else for the next path.
func (n *Network) learn(r *request, c candidate, bad *misfire) {
	hop := c.path[bad.place]
	r.last, r.lastAt = bad, hop.RouterID
	isLast := bad.place == len(c.path)-1
	n.cfg.Log.Info("attempt at a circuit failed", "circuit", r.CircuitId, "service", r.service.Name, "terminator", c.ID,
		"router", hop.RouterID, "last", isLast, "reason", bad.Error())
	switch {
	case bad.failure.GetCause() == ctrl.Cause_INVALID_LINK_DESTINATION:
		r.avoid.Links = noteAll(r.avoid.Links, missing(c.path, bad)...)
	case !isLast:
		r.avoid.Routers = noteAll(r.avoid.Routers, hop.RouterID)
	default:
		r.tried = append(r.tried, c.ID)
		n.dialFailed(r, hop.RouterID, &ctrl.Failure{TerminatorId: c.ID, Cause: bad.failure.GetCause(), Message: bad.failure.GetMessage()})
	}
}

// missing returns the link that a router says it does not have, or those that
// it may mean.
func missing(path []Hop, bad *misfire) []string {
	var out []string
	for _, id := range []string{path[max(bad.place-1, 0)].Link, path[bad.place].Link} {
		if id == "" {
			continue
		}
		if strings.Contains(bad.failure.GetMessage(), id) {
			return []string{id}
		}
		out = append(out, id)
	}
	return out
}

func noteAll(m map[string]bool, ids ...string) map[string]bool {
	if m == nil {
		m = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		m[id] = true
	}
	return m
}

// finish enters the circuit that an attempt has made and gives the first router
// its part. With one router only, it dials itself and asks again if that fails.
func (n *Network) finish(r *request, c candidate, peer map[uint32][]byte) {
	circuit := n.circuit(r, c)
	answer := &ctrl.CircuitCreated{Route: routeOf(circuit, 0), PeerData: withAll(c.PeerData, peer), Sticky: c.sticky}
	if len(c.path) == 1 {
		answer.Route.Egress = egressOf(c.Terminator)
	}
	answer.Route.TimeoutMillis = uint32(max(c.within.Milliseconds(), 1))
	h := &held{Circuit: circuit, number: circuit.PathNumber, attempts: r.attempts, tried: r.tried, deadline: r.deadline}
	n.mu.Lock()
	if r.given {
		n.mu.Unlock()
		n.withdraw(circuit)
		n.abandon(r, refusal(ctrl.CodeDialFailed, "the dialer has given up"))
		return
	}
	n.leave(r)
	n.add(h)
	strays := slices.DeleteFunc(r.strays, func(id string) bool { return circuit.at(id) >= 0 })
	n.mu.Unlock()
	for _, id := range strays {
		n.unroute(id, []string{circuit.ID}, ending{reason: "the circuit has another path"})
	}
	n.costs.succeeded(circuit.TerminatorID)
	r.reply(answer)
	now := n.cfg.Now()
	n.cfg.Events(&CircuitEvent{At: now, Type: CircuitCreated, Circuit: circuit, Took: now.Sub(r.started)})
	if len(c.path) > 1 {
		n.recheck(h, circuit)
	}
}

// recheck looks whether what has happened while a circuit was created concerns
// it.
func (n *Network) recheck(h *held, c *Circuit) {
	view := n.cfg.State.View()
	switch {
	case c.SessionID != "" && n.sessionEnded(view, c.SessionID, c.IdentityID):
		n.end(c.ID, ending{reason: "the api session has ended"})
	case !allowed(n.cfg.Policy(), c):
		n.end(c.ID, ending{reason: "access was withdrawn"})
	default:
		n.mu.Lock()
		if n.circuits[c.ID] == h {
			n.examine(h)
		}
		n.mu.Unlock()
	}
}

// withAll returns a with b put over it.
func withAll(a, b map[uint32][]byte) map[uint32][]byte {
	if len(b) == 0 {
		return a
	}
	out := make(map[uint32][]byte, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// exhausted is the refusal after the last attempt, with the reason of the host
// innermost.
func (n *Network) exhausted(r *request) *ctrl.Refusal {
	code, remedy, why := ctrl.CodeDialFailed, "", "no attempt is left"
	if r.last != nil {
		why = r.last.failure.Reason()
		code, remedy = n.explain(r.lastAt, r.last.failure)
	}
	out := refusal(code, "exceeded maximum [%d] retries creating circuit [c/%s] (%s)", n.cfg.Attempts, r.CircuitId, why)
	out.Remedy = remedy
	return out
}

// explain returns the code and the remedy of a failed attempt.
func (n *Network) explain(routerID string, f *ctrl.Failure) (code, remedy string) {
	view := n.cfg.State.View()
	address, router, isHosted := "of terminator "+f.GetTerminatorId(), routerID, false
	if t := state.Get[model.Terminator](view, f.GetTerminatorId()); t != nil {
		address, isHosted = t.Address, hosted(t)
	}
	if r := state.Get[model.EdgeRouter](view, routerID); r != nil {
		router = r.Name
	}
	return ctrl.Explain(f.GetCause(), address, router, isHosted)
}

// hosted reports whether a client hosts a terminator.
func hosted(t *model.Terminator) bool { return t.Binding == BindingEdge || t.Binding == BindingTunnel }

// failed takes a router's word that it could not follow the route that it got.
func (n *Network) failed(r *request) {
	f := r.Failure
	if t := state.Get[model.Terminator](n.cfg.State.View(), f.TerminatorId); t != nil && t.RouterID == r.routerID {
		if !slices.Contains(r.tried, t.ID) {
			r.tried = append(r.tried, t.ID)
		}
		n.dialFailed(r, r.routerID, f)
	}
}

// dialFailed draws the consequences of a failed dial for the terminator.
func (n *Network) dialFailed(r *request, routerID string, f *ctrl.Failure) {
	t := state.Get[model.Terminator](n.cfg.State.View(), f.TerminatorId)
	if t == nil || t.RouterID != routerID {
		return
	}
	n.costs.failed(t.ID)
	code, remedy := n.explain(routerID, f)
	n.cfg.Log.Info("dial of terminator failed", "circuit", r.CircuitId, "service", t.ServiceID, "terminator", t.ID, "router", routerID,
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
