package network

import (
	"fmt"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Attach makes a router known as connected and takes over the links and
// circuits that it reports. It returns the circuits that the router has to end,
// because nobody may have them any more or they have left it. Circuits that begin
// or end at the router and that it does not report end everywhere.
func (n *Network) Attach(routerID string, node Node, m *ctrl.Register) (drop []string) {
	view := n.cfg.Policy()
	seen := make(map[string]bool, len(m.GetCircuits()))
	n.mu.Lock()
	n.nodes[routerID] = node
	n.setQuiesced(routerID, m.GetState().GetQuiesced())
	n.refresh(routerID)
	for _, r := range n.requests {
		if r.routerID == routerID { // of an earlier session
			r.given = true
		}
	}
	changes := n.topo.Report(routerID, &ctrl.LinkChanges{Whole: true, Put: m.GetLinks()})
	n.affect(changes)
	over, left := make(map[ending][]gone), make(map[string][]string)
	for _, r := range m.GetCircuits() {
		if r.Path == 0 && r.TerminatorId == "" {
			continue // being created; its request went with the former session
		}
		seen[r.CircuitId] = true
		if !n.adopt(routerID, r) {
			drop = append(drop, r.CircuitId)
		} else if h := n.circuits[r.CircuitId]; h != nil && h.reports != nil {
			e, others := n.settle(h, view)
			for _, id := range others {
				left[id] = append(left[id], h.ID)
			}
			if e != nil {
				if e.code == "" { // else the router is told the code
					drop = append(drop, h.ID)
				}
				over[*e] = append(over[*e], n.take(h))
			}
		}
	}
	for id, h := range n.byRouter[routerID] {
		n.confirm(h)
		switch {
		case seen[id]:
		case h.reports != nil:
			n.retract(h, routerID)
		case h.isEnd(routerID):
			over[peerGone] = append(over[peerGone], n.take(h))
		default:
			n.breaks(h)
		}
	}
	n.mu.Unlock()
	for id, ids := range left {
		n.unroute(id, ids, ending{reason: "the circuit has another path"})
	}
	for e, cs := range over {
		n.ended(cs, e)
	}
	n.topologyChanged()
	n.routerEvent(routerID, true)
	for _, c := range changes {
		n.linkEvent(c)
	}
	return drop
}

// Detach makes a router unknown, unless it has been attached anew with another
// node. Its links and circuits stay: it carries them without a controller.
func (n *Network) Detach(routerID string, node Node) {
	n.mu.Lock()
	was := n.nodes[routerID] == node
	if was {
		delete(n.nodes, routerID)
		n.topo.RemoveRouter(routerID)
		for _, h := range n.byRouter[routerID] {
			n.doubt(h)
		}
	}
	n.mu.Unlock()
	if was {
		n.routerEvent(routerID, false)
	}
}

// refresh brings what paths depend on of a connected router up to date, with
// the lock held.
func (n *Network) refresh(routerID string) {
	r := state.Get[model.EdgeRouter](n.cfg.State.View(), routerID)
	if n.nodes[routerID] == nil || r == nil || r.Disabled {
		n.topo.RemoveRouter(routerID)
		return
	}
	n.topo.SetRouter(routerID, topology.Router{Cost: r.Cost, NoTraversal: r.NoTraversal || n.quiesced[routerID]})
}

// SetQuiesced takes a router out of the paths of new circuits, or back into
// them. Circuits that exist go on.
func (n *Network) SetQuiesced(routerID string, on bool) {
	n.mu.Lock()
	n.setQuiesced(routerID, on)
	n.refresh(routerID)
	n.mu.Unlock()
	n.topologyChanged()
}

func (n *Network) setQuiesced(routerID string, on bool) {
	if on {
		n.quiesced[routerID] = true
	} else {
		delete(n.quiesced, routerID)
	}
}

func (n *Network) isQuiesced(routerID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.quiesced[routerID]
}

// RouterCost returns what a router adds to the cost of a path that it is not the
// first one of.
func (n *Network) RouterCost(id string) int { return n.topo.RouterCost(id) }

// Path returns the path that a circuit between two routers would get. The error
// says why there is none and what would help.
func (n *Network) Path(from, to string) (*Path, error) {
	for _, id := range []string{from, to} {
		switch r := state.Get[model.EdgeRouter](n.cfg.State.View(), id); {
		case r == nil:
			return nil, fmt.Errorf("there is no router %s: see weft list routers", id)
		case r.Disabled:
			return nil, fmt.Errorf("router %s is disabled: enable it", r.Name)
		case !n.Online(id):
			return nil, fmt.Errorf("router %s is offline: start it, or see its log for why it does not reach the controller", r.Name)
		case n.isQuiesced(id):
			return nil, fmt.Errorf("router %s is quiesced, it takes no new circuits: end that with weft agent dequiesce", r.Name)
		}
	}
	if p := pathTo(n.topo.From(from, nil), from, to); p != nil {
		return p, nil
	}
	a, b := n.reach(from), n.reach(to)
	name := func(id string) string { return state.Get[model.EdgeRouter](n.cfg.State.View(), id).Name }
	switch {
	case a == 0 && b == 0:
		return nil, fmt.Errorf("routers %s and %s have no usable link: give one a link listener and the other a link dialer with a common group, and see weft list links", name(from), name(to))
	case a == 0 || b == 0:
		id := from
		if a > 0 {
			id = to
		}
		return nil, fmt.Errorf("router %s has no usable link: give it a link listener that others reach, or a link dialer with a group of theirs, and see weft list links", name(id))
	}
	return nil, fmt.Errorf("no usable links lead from router %s to router %s: link the two parts of the network, or allow traversal of a router between them; see weft list links", name(from), name(to))
}

// reach counts the usable links of a router.
func (n *Network) reach(routerID string) (usable int) {
	for _, l := range n.topo.LinksOf(routerID) {
		if l.Usable() && n.Online(l.Other(routerID)) {
			usable++
		}
	}
	return usable
}

// endGone is the end of circuits that begin or end at a router which is not part
// of the network any more.
var endGone = ending{reason: "a router at its end was disabled or deleted"}

// RouterGone ends the circuits that begin or end at a router which was disabled
// or deleted, gives those that pass it another path, and has the others close
// their links to it.
func (n *Network) RouterGone(routerID string) {
	var over []gone
	n.mu.Lock()
	n.topo.RemoveRouter(routerID)
	delete(n.quiesced, routerID)
	for _, h := range n.byRouter[routerID] {
		if r := h.reports[routerID]; h.reports == nil && h.isEnd(routerID) || r != nil && r.isEnd() {
			over = append(over, n.take(h))
		}
	}
	n.mu.Unlock()
	n.ended(over, endGone)
	var lost []topology.Change
	for _, l := range n.topo.RemoveOf(routerID) {
		n.closeLink(l, "a router of the link was disabled or deleted", l.Other(routerID))
		lost = append(lost, topology.Change{Kind: topology.Lost, Link: l})
	}
	n.linksChanged(lost)
}

// StateChanged draws the consequences of changes of routers and terminators.
// With nil anything may have changed.
func (n *Network) StateChanged(changes []state.Change) {
	relevant := changes == nil
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case model.KindEdgeRouter:
			relevant = true
		case model.KindTerminator:
			n.terminatorChanged(c)
		}
	}
	if !relevant {
		return
	}
	n.mu.Lock()
	for id := range n.nodes {
		n.refresh(id)
	}
	n.mu.Unlock()
	n.topologyChanged()
}
