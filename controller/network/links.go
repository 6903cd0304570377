package network

import (
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

// LinkChanges takes what a router tells of its links. Circuits over links that
// it says are gone get another path.
func (n *Network) LinkChanges(routerID string, m *ctrl.LinkChanges) {
	n.linksChanged(routerID, n.topo.Report(routerID, m))
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
	n.linksChanged("", []topology.Change{{Kind: topology.Lost, Link: l}})
	return true
}
