package network

import (
	"cmp"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// adoptWait is how long a circuit that not all of its routers have reported
// waits for the others before it gets a path between its ends.
const adoptWait = 10 * time.Second

// report is a circuit as one of its routers knows it.
type report struct {
	up, down string // links; empty at the end of the circuit
	path     uint32
}

func (r *report) isEnd() bool { return r.up == "" || r.down == "" }

// adopt takes what a router reports of a circuit, with the lock held. It
// returns false if the router has to end it.
func (n *Network) adopt(routerID string, m *ctrl.Circuit) bool {
	if r := n.requests[m.CircuitId]; r != nil {
		if r.routerID != routerID {
			r.strays = append(r.strays, routerID)
		}
		return true
	}
	h := n.circuits[m.CircuitId]
	if h != nil && h.reports == nil {
		return n.known(h, routerID, m)
	}
	if h == nil {
		now := n.cfg.Now()
		h = &held{reports: make(map[string]*report), since: now, Circuit: &Circuit{
			ID: m.CircuitId, IdentityID: m.IdentityId, SessionID: m.SessionId, ServiceID: m.ServiceId,
			TerminatorID: m.TerminatorId, HostID: m.HostId, State: Incomplete,
			CreatedAt: time.UnixMilli(m.CreatedMillis).UTC(), UpdatedAt: now.UTC(),
		}}
		n.add(h)
	} else if h.TerminatorID == "" && m.TerminatorId != "" {
		n.costs.began(m.TerminatorId)
		n.show(h, func(c *Circuit) { c.TerminatorID, c.HostID = m.TerminatorId, m.HostId })
	}
	h.reports[routerID] = &report{up: m.UpstreamLink, down: m.DownstreamLink, path: m.Path}
	h.routers = [2]string{cmp.Or(h.routers[0], m.InitiatorRouter), cmp.Or(h.routers[1], m.TerminatorRouter)}
	h.number = max(h.number, m.Path)
	n.unwell[h.ID] = h
	n.show(h, func(c *Circuit) { c.Path, c.PathNumber = h.chain(), h.number })
	return true
}

// retract takes back what a router has reported of an incomplete circuit, with
// the lock held.
func (n *Network) retract(h *held, routerID string) {
	n.unindex(h)
	delete(h.reports, routerID)
	next := *h.Circuit
	if next.Path = nil; len(h.reports) > 0 {
		next.Path = h.chain()
	}
	h.Circuit = &next
	n.index(h)
}

// known compares a report with a circuit whose path is known.
func (n *Network) known(h *held, routerID string, m *ctrl.Circuit) bool {
	i := h.at(routerID)
	if i < 0 {
		return h.moving && h.stale[routerID]
	}
	h.number = max(h.number, m.Path)
	up := ""
	if i > 0 {
		up = h.Path[i-1].Link
	}
	if m.UpstreamLink != up || m.DownstreamLink != h.Path[i].Link {
		n.breaks(h)
	}
	return true
}

// chain returns the routers that hang together, from the initiator on if that
// is known.
func (h *held) chain() []Hop {
	start, most := "", -1
	for id, r := range h.reports {
		if r.up == "" && int(r.path) > most {
			start, most = id, int(r.path)
		}
	}
	if start == "" {
		for id := range h.reports {
			if start == "" || id < start {
				start = id
			}
		}
		return []Hop{{RouterID: start}}
	}
	var out []Hop
	seen := make(map[string]bool)
	for id := start; id != "" && !seen[id]; id = h.after(id) {
		seen[id] = true
		out = append(out, Hop{RouterID: id, Link: h.reports[id].down})
	}
	return out
}

// after returns the router to which the path leads on from another one, empty
// if it has not reported or the path ends.
func (h *held) after(id string) string {
	link := h.reports[id].down
	if link == "" {
		return ""
	}
	for next, r := range h.reports {
		if r.up == link && next != id {
			return next
		}
	}
	return ""
}

// ends returns the routers at both ends of an incomplete circuit; ok is false
// as long as one is missing.
func (h *held) ends() (from, to string, ok bool) {
	var a, b uint32
	for id, r := range h.reports {
		if r.up == "" && (from == "" || r.path > a) {
			from, a = id, r.path
		}
		if r.down == "" && (to == "" || r.path > b) {
			to, b = id, r.path
		}
	}
	return from, to, from != "" && to != ""
}

// complete makes an incomplete circuit one like the others if its routers hang
// together, with the lock held. It returns the routers that are not part of it.
func (n *Network) complete(h *held) (done bool, left []string) {
	path := h.chain()
	last := h.reports[path[len(path)-1].RouterID]
	first := h.reports[path[0].RouterID]
	if first == nil || last == nil || first.up != "" || last.down != "" {
		return false, nil
	}
	next := Circuit{Path: path}
	for id := range h.reports {
		if next.at(id) < 0 {
			left = append(left, id)
		}
	}
	n.unreport(h)
	h.force = false
	n.show(h, func(c *Circuit) { c.Path, c.PathNumber, c.State = path, h.number, Active })
	n.fit(h)
	return true, left
}

// unreport forgets the reports of a circuit whose path is known now.
func (n *Network) unreport(h *held) {
	n.unindex(h)
	h.reports = nil
	n.index(h)
}

// settle looks what can be done about an incomplete circuit, with the lock
// held. over, if not nil, is why it has to end; left is the routers that have to
// end their part.
func (n *Network) settle(h *held, view *policy.View) (over *ending, left []string) {
	switch {
	case len(h.reports) == 0:
		return &peerGone, nil
	case h.SessionID != "" && n.revoked(n.cfg.State.View(), h.SessionID):
		return &ending{reason: "the api session has ended"}, nil
	}
	if done, left := n.complete(h); done {
		if !allowed(view, h.Circuit) {
			return &ending{reason: "access was withdrawn"}, left
		}
		n.examine(h)
		return nil, left
	}
	if over := n.beheaded(h); over != nil {
		return over, nil
	}
	now := n.cfg.Now()
	_, _, both := h.ends()
	lost, promising := n.dangling(h)
	waited := now.Sub(h.since) >= adoptWait
	switch {
	case both && (lost || waited):
		if !h.moving {
			h.force = true
			n.unfit(h)
			n.look(h.ID)
		}
	case promising: // its next router lives, but has not come back to this controller
		h.broken = time.Time{}
	case waited && h.broken.IsZero():
		h.broken = now
	}
	return nil, nil
}

// peerGone is the end of a circuit that a router at its end does not have any
// more.
var peerGone = ending{reason: "a router at an end of the circuit no longer has it", code: ctrl.CodePeerGone}

// beheaded returns why an incomplete circuit cannot be whole again, nil if it
// can: a router at one of its ends is connected and has not reported it, or is
// not part of the network any more. One that has not come back to this
// controller yet is no evidence.
func (n *Network) beheaded(h *held) *ending {
	for side, id := range h.routers {
		r := h.reports[id]
		if id == "" || r != nil && (side == 0 && r.up == "" || side == 1 && r.down == "") {
			continue
		}
		if n.nodes[id] != nil {
			return &peerGone
		}
		if r := state.Get[model.EdgeRouter](n.cfg.State.View(), id); r == nil || r.Disabled {
			return &endGone
		}
	}
	return nil
}

// dangling looks at the links of an incomplete circuit: lost says that one of
// them is gone, promising that one leads to a router that has not connected to
// this controller yet.
func (n *Network) dangling(h *held) (lost, promising bool) {
	for id, r := range h.reports {
		for _, link := range []string{r.up, r.down} {
			if link == "" {
				continue
			}
			l := n.topo.Link(link)
			switch {
			case l == nil || l.State != topology.Connected:
				lost = true
			case n.nodes[l.Other(id)] == nil:
				promising = true
			}
		}
	}
	return lost, promising
}
