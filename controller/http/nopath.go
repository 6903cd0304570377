package http

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// obstacle is something that keeps a path from leading over a router or a link.
type obstacle struct{ reason, remedy string }

// obstacles says why there is no path between two routers: what is wrong with
// its ends, or else what bars the way on which least is in the way. It is empty
// if nothing is.
func (c *call) obstacles(from, to *model.EdgeRouter) []obstacle {
	var out []obstacle
	for _, r := range []*model.EdgeRouter{from, to} {
		if r == to && from == to {
			break
		}
		out = append(out, c.unfit(r, false)...)
	}
	if len(out) > 0 {
		return out
	}
	links := map[string][]*Link{}
	for _, l := range c.s.cfg.Mesh.Links() {
		links[l.DialerID] = append(links[l.DialerID], l)
		links[l.AcceptorID] = append(links[l.AcceptorID], l)
	}
	ways := c.ways(from.ID, to.ID, links)
	if _, ok := ways[to.ID]; !ok && from != to {
		return []obstacle{{
			fmt.Sprintf("no chain of links leads from %s, which is linked with %s, to %s, which is linked with %s",
				from.Name, c.neighbours(from.ID, links), to.Name, c.neighbours(to.ID, links)),
			"give a router of either side a link listener that one of the other side can reach, and that one a link dialer with a common group",
		}}
	}
	for at := to.ID; at != from.ID; at = ways[at].from {
		out = append(slices.Clone(ways[at].obstacles), out...)
	}
	return out
}

// unfit says why circuits cannot begin or end at a router, or pass it.
func (c *call) unfit(r *model.EdgeRouter, passing bool) []obstacle {
	live := c.routerStatus(r.ID)
	switch {
	case r.Disabled:
		return []obstacle{{"router " + r.Name + " is disabled", "weft update router " + r.Name + " --disabled=false"}}
	case !live.Online:
		return []obstacle{{"router " + r.Name + " is offline", "start it, or see its log for why it does not reach the controller"}}
	case live.Quiesced:
		return []obstacle{{"router " + r.Name + " is quiesced", "weft agent dequiesce on its machine"}}
	case passing && r.NoTraversal:
		return []obstacle{{"router " + r.Name + " carries no traffic between others (noTraversal)", "weft update router " + r.Name + " --no-traversal=false"}}
	}
	return nil
}

// broken says why no path leads over a link.
func (c *call) broken(l *Link) []obstacle {
	name := fmt.Sprintf("link %s between %s and %s", l.ID, c.fabricRouterRef(l.DialerID).Name, c.fabricRouterRef(l.AcceptorID).Name)
	switch {
	case l.Down:
		return []obstacle{{name + " is down", "weft update link " + l.ID + " --down=false"}}
	case l.State != linkConnected:
		return []obstacle{{name + " is " + strings.ToLower(l.State), "check the network between the two routers"}}
	}
	return nil
}

// linkConnected is the state of a link that works.
const linkConnected = "Connected"

// way is the last step to a router: where from, and what bars it.
type way struct {
	from      string
	bars      int // on the whole way
	obstacles []obstacle
}

// ways finds, for every router, the way on which fewest obstacles are, and of
// those a short one.
func (c *call) ways(from, to string, links map[string][]*Link) map[string]way {
	found := map[string]way{from: {}}
	next := [][]string{{from}} // by number of obstacles
	for bars := 0; bars < len(next); bars++ {
		for i := 0; i < len(next[bars]); i++ {
			at := next[bars][i]
			if found[at].bars < bars {
				continue // reached better
			}
			for _, l := range links[at] {
				id := l.AcceptorID
				if id == at {
					id = l.DialerID
				}
				w := way{from: at, obstacles: c.broken(l)}
				if r := state.Get[model.EdgeRouter](c.state, id); r == nil {
					continue
				} else if id != to {
					w.obstacles = append(w.obstacles, c.unfit(r, true)...)
				}
				w.bars = bars + len(w.obstacles)
				if known, ok := found[id]; ok && known.bars <= w.bars {
					continue
				}
				found[id] = w
				for len(next) <= w.bars {
					next = append(next, nil)
				}
				next[w.bars] = append(next[w.bars], id)
			}
		}
	}
	return found
}

// maxNeighbours bounds the names in a reason.
const maxNeighbours = 10

// neighbours names the routers that a router has links with.
func (c *call) neighbours(id string, links map[string][]*Link) string {
	var names []string
	for _, l := range links[id] {
		other := l.AcceptorID
		if other == id {
			other = l.DialerID
		}
		names = append(names, c.fabricRouterRef(other).Name)
	}
	names = sortedUnique(names)
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > maxNeighbours:
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxNeighbours], ", "), len(names)-maxNeighbours)
	}
	return strings.Join(names, ", ")
}
