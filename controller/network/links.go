package network

import (
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/wire/ctrl"
)

// Link is a link between two routers; it does not change. Hop is one router of
// a path, from the initiator to the terminator, and Path a way between two
// routers.
type (
	Link = topology.Link
	Hop  = topology.Hop
	Path = topology.Path
)

const (
	healTime   = 30 * time.Second // after which the end of a link that the other one has lost is told to close it
	forgetTime = 10 * time.Minute // after which a link is forgotten that none of its routers tells of
)

// LinkChanges takes what a router tells of its links. Circuits over links that
// it says are gone get another path.
func (n *Network) LinkChanges(routerID string, m *ctrl.LinkChanges) {
	n.linksChanged(n.topo.Report(routerID, m))
}

// linksChanged draws the consequences of changes of links.
func (n *Network) linksChanged(changes []topology.Change) {
	if len(changes) == 0 {
		return
	}
	n.mu.Lock()
	n.affect(changes)
	n.mu.Unlock()
	n.topologyChanged()
	for _, c := range changes {
		n.linkEvent(c)
	}
}

// affect has the circuits looked at whose links have changed, with the lock
// held.
func (n *Network) affect(changes []topology.Change) {
	for _, c := range changes {
		switch c.Kind {
		case topology.Mute:
			for _, h := range n.byLink[c.Link.ID] {
				n.examine(h)
			}
		case topology.Lost, topology.Replaced:
			// The routers have taken their circuits off it, though there may be one of the
			// same id again already.
			for _, h := range n.byLink[c.Link.ID] {
				n.breaks(h)
			}
		}
	}
}

// linkEvent tells of a change of a link.
func (n *Network) linkEvent(c topology.Change) {
	l := c.Link
	e := &LinkEvent{At: n.cfg.Now(), Link: l}
	switch c.Kind {
	case topology.Appeared, topology.Replaced:
		e.Type = LinkNew
		if !n.Online(l.AcceptorID) {
			e.Type = LinkDisconnectedDest
		}
		n.cfg.Log.Info("link up", "link", l.ID, "dialer", l.DialerID, "acceptor", l.AcceptorID, "address", l.Address, "iteration", l.Iteration)
	case topology.Known:
		e.Type = LinkKnown
	case topology.Connections:
		e.Type = LinkConnectionsChanged
	case topology.Lost:
		e.Type = LinkFault
		if l.State == topology.Duplicate {
			e.Type = LinkDuplicate
		}
		n.cfg.Log.Info("link down", "link", l.ID, "dialer", l.DialerID, "acceptor", l.AcceptorID, "duplicate", l.State == topology.Duplicate)
	case topology.Mute:
		n.cfg.Log.Warn("link unresponsive, its circuits move if they can", "link", l.ID, "dialer", l.DialerID, "acceptor", l.AcceptorID)
		return
	default:
		return
	}
	n.cfg.Events(e)
}

// Links returns all links, in no order. The result is the caller's, the links
// are shared.
func (n *Network) Links() []*Link { return n.topo.Links() }

// Link returns one link, nil if there is none.
func (n *Network) Link(id string) *Link { return n.topo.Link(id) }

// ChangeLink sets the static cost of a link, or takes it out of use or back
// into use, for as long as this controller runs, also if its routers make it
// anew. Circuits leave a link that is taken out of use if they have another
// path, and stay on it if not. It returns false if there is no such link.
func (n *Network) ChangeLink(id string, staticCost *int, down *bool) bool {
	l := n.topo.Change(id, staticCost, down)
	if l == nil {
		return false
	}
	if !l.Usable() {
		n.mu.Lock()
		for _, h := range n.byLink[id] {
			n.examine(h)
		}
		n.mu.Unlock()
	}
	n.topologyChanged()
	return true
}

// RemoveLink has both ends close a link, after which its dialer may make it
// anew. Its circuits get another path. It returns false if there is no such
// link.
func (n *Network) RemoveLink(id, reason string) bool {
	l := n.topo.Remove(id)
	if l == nil {
		return false
	}
	n.closeLink(l, reason, l.DialerID, l.AcceptorID)
	n.linksChanged([]topology.Change{{Kind: topology.Lost, Link: l}})
	return true
}

func (n *Network) closeLink(l *Link, reason string, routers ...string) {
	for _, id := range routers {
		if node := n.node(id); node != nil {
			node.CloseLink(&ctrl.CloseLink{LinkId: l.ID, Reason: reason})
		}
	}
}

// tidyLinks closes links that only one end has, and forgets those that nobody
// tells of any more.
func (n *Network) tidyLinks() {
	now := n.cfg.Now()
	type state struct{ has, lacks, used bool }
	n.mu.Lock()
	halves := n.topo.Half()
	states := make([]state, len(halves))
	for i, h := range halves {
		states[i] = state{n.nodes[h.Has] != nil, n.nodes[h.Lacks] != nil, len(n.byLink[h.Link.ID]) > 0}
	}
	n.mu.Unlock()
	for i, h := range halves {
		patience := n.cfg.PendingLinkTimeout
		if h.Denied {
			patience = healTime
		}
		switch s := states[i]; {
		case now.Sub(h.Since) < patience:
		case s.has && (s.lacks || h.Denied):
			n.cfg.Log.Warn("link closed, only one of its ends has it", "link", h.Link.ID, "has", h.Has, "lacks", h.Lacks)
			n.topo.Touch(h.Link.ID)
			n.closeLink(h.Link, "the other end does not have it", h.Has)
		case !s.has && !s.lacks && !s.used && now.Sub(h.Since) >= forgetTime:
			n.topo.Remove(h.Link.ID)
		}
	}
}
