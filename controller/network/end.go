package network

import (
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// ending is why circuits end.
type ending struct {
	reason  string
	code    string // for the clients; may be empty
	deliver bool   // what has arrived may still be delivered
	except  string // router that knows
}

// gone is a circuit that was removed, with the routers that may have it.
type gone struct {
	*Circuit
	routers []string
}

// take removes a circuit, with the lock held.
func (n *Network) take(h *held) gone {
	n.remove(h)
	g := gone{Circuit: h.Circuit}
	seen := make(map[string]bool)
	note := func(id string) {
		if !seen[id] {
			seen[id] = true
			g.routers = append(g.routers, id)
		}
	}
	for _, hop := range h.Path {
		note(hop.RouterID)
	}
	for id := range h.stale {
		note(id)
	}
	for id := range h.reports {
		note(id)
	}
	return g
}

// ended tells the routers of removed circuits, and whoever listens to events.
func (n *Network) ended(cs []gone, e ending) {
	byRouter := make(map[string][]string)
	now := n.cfg.Now()
	for _, c := range cs {
		for _, id := range c.routers {
			if id != e.except {
				byRouter[id] = append(byRouter[id], c.ID)
			}
		}
	}
	for routerID, ids := range byRouter {
		n.unroute(routerID, ids, e)
	}
	for _, c := range cs {
		n.cfg.Events(&CircuitEvent{
			At: now, Type: CircuitDeleted, Circuit: c.Circuit, Lasted: now.Sub(c.CreatedAt), Code: e.code, Reason: e.reason,
		})
	}
}

func (n *Network) unroute(routerID string, ids []string, e ending) {
	if node := n.node(routerID); node != nil {
		node.Unroute(&ctrl.Unroute{CircuitIds: ids, Reason: e.reason, Code: e.code, Deliver: e.deliver})
	}
}

// endAll ends the circuits for which f returns true.
func (n *Network) endAll(e ending, f func(*held) bool) {
	var out []gone
	n.mu.Lock()
	for _, h := range n.circuits {
		if f(h) {
			out = append(out, n.take(h))
		}
	}
	n.mu.Unlock()
	n.ended(out, e)
}

// EndCircuit ends a circuit everywhere; false if there is none.
func (n *Network) EndCircuit(id, reason string) bool {
	return n.end(id, ending{reason: reason})
}

func (n *Network) end(id string, e ending) bool {
	n.mu.Lock()
	h := n.circuits[id]
	if h == nil {
		n.mu.Unlock()
		return false
	}
	g := n.take(h)
	n.mu.Unlock()
	n.ended([]gone{g}, e)
	return true
}

// EndSession ends the circuits of an API session.
func (n *Network) EndSession(sessionID string) {
	n.endAll(ending{reason: "the api session has ended"}, func(h *held) bool { return h.SessionID == sessionID })
}

// CircuitsEnded takes a router's word that circuits have ended. That of an end
// counts for the whole circuit; one that has lost its part of a path gets the
// circuit another one.
func (n *Network) CircuitsEnded(routerID string, ids []string) {
	var out []gone
	n.mu.Lock()
	for _, id := range ids {
		if r := n.requests[id]; r != nil && r.routerID == routerID {
			r.given = true
		}
		h := n.circuits[id]
		switch {
		case h == nil:
		case h.reports != nil:
			if r := h.reports[routerID]; r != nil && r.isEnd() {
				out = append(out, n.take(h))
			} else {
				n.retract(h, routerID)
			}
		case h.isEnd(routerID):
			out = append(out, n.take(h))
		case h.at(routerID) >= 0:
			n.breaks(h)
		default:
			delete(h.stale, routerID)
		}
	}
	n.mu.Unlock()
	n.ended(out, ending{reason: "ended", deliver: true, except: routerID})
}

// AccessChanged ends the circuits whose ends have lost access, and has their
// terminators removed.
func (n *Network) AccessChanged(effects *policy.Effects) {
	if effects == nil || effects.Empty() {
		return
	}
	view := n.cfg.Policy()
	n.endAll(ending{reason: "access was withdrawn"}, func(h *held) bool {
		concerned := h.IdentityID == "" || effects.Pair(h.IdentityID, h.ServiceID) || h.HostID != "" && effects.Pair(h.HostID, h.ServiceID)
		return concerned && h.reports == nil && !allowed(view, h.Circuit)
	})
	n.dropTerminators(effects, view)
}

// allowed reports whether both ends of a circuit have access.
func allowed(view *policy.View, c *Circuit) bool {
	if c.IdentityID == "" { // an on-ramp of the router itself
		if view.Service(c.ServiceID) == nil {
			return false
		}
	} else if !view.Check(policy.Dial, c.IdentityID, c.ServiceID, c.first()).Allowed() {
		return false
	}
	return c.HostID == "" || view.Check(policy.Bind, c.HostID, c.ServiceID, c.last()).Allowed()
}

// dropTerminators removes the terminators of hosts that may no longer bind.
func (n *Network) dropTerminators(effects *policy.Effects, view *policy.View) {
	if !effects.Loss() {
		return
	}
	var ids []string
	for t := range state.All[model.Terminator](n.cfg.State.View()) {
		if t.HostID != "" && effects.Pair(t.HostID, t.ServiceID) && !view.Check(policy.Bind, t.HostID, t.ServiceID, t.RouterID).Allowed() {
			ids = append(ids, t.ID)
		}
	}
	n.jobs.remove(ids)
}

// ConfirmCircuits returns which of the circuits that nothing has passed for a
// while a router has to end, and ends those that have been silent for longer
// than their service allows.
func (n *Network) ConfirmCircuits(routerID string, m *ctrl.ConfirmCircuits) (drop []string) {
	view := n.cfg.State.View()
	idle, orphan := ending{reason: "idle for longer than the service allows"}, ending{reason: "the service was deleted"}
	var silent, orphans []gone
	n.mu.Lock()
	for _, c := range m.Circuits {
		h := n.circuits[c.CircuitId]
		switch {
		case n.requests[c.CircuitId] != nil || h != nil && (h.reports != nil || h.moving):
		case h == nil || h.at(routerID) < 0:
			drop = append(drop, c.CircuitId)
		default:
			service := state.Get[model.Service](view, h.ServiceID)
			if service == nil {
				orphans = append(orphans, n.take(h))
			} else if most := service.MaxIdleTimeMillis; most > 0 && c.IdleMillis >= most && h.isEnd(routerID) {
				silent = append(silent, n.take(h))
			}
		}
	}
	n.mu.Unlock()
	n.ended(silent, idle)
	n.ended(orphans, orphan)
	return drop
}
