package network

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// ForgetWait is how long the controller keeps a circuit none of whose routers is
// connected. Routers that still carry it then report it when they are back.
const ForgetWait = 10 * time.Minute

// Times of the maintenance of paths.
const (
	tick      = time.Second
	quietTime = 20 * time.Millisecond // least time between two looks at all circuits without a path
	faultTime = 3 * time.Second       // after another path, in which faults are those of the old one
)

// maintain retries circuits without a path whenever something has changed, ends
// those that have waited too long, and moves some to better paths.
func (n *Network) maintain(ctx context.Context) {
	ticker, cycle := time.NewTicker(tick), time.NewTicker(n.cfg.Cycle)
	defer ticker.Stop()
	defer cycle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.changed:
			n.tend()
			select {
			case <-ctx.Done():
			case <-time.After(quietTime):
			}
		case <-ticker.C:
			n.tend()
			n.leaveBadLinks()
			n.tidyLinks()
		case <-cycle.C:
			n.improve()
		}
	}
}

// topologyChanged has circuits without a path looked at.
func (n *Network) topologyChanged() {
	select {
	case n.changed <- struct{}{}:
	default:
	}
}

// tend looks at the circuits that are incomplete or have no path.
func (n *Network) tend() {
	view, now := n.cfg.Policy(), n.cfg.Now()
	over, left := make(map[ending][]gone), make(map[string][]string)
	n.mu.Lock()
	for _, h := range n.unwell {
		if h.reports != nil {
			e, others := n.settle(h, view)
			for _, id := range others {
				left[id] = append(left[id], h.ID)
			}
			if e != nil {
				over[*e] = append(over[*e], n.take(h))
				continue
			}
		}
		switch {
		case h.moving:
		case !h.alone.IsZero() && now.Sub(h.alone) >= ForgetWait:
			over[forgotten] = append(over[forgotten], n.take(h))
		case h.broken.IsZero():
		case now.Sub(h.broken) >= PathWait:
			over[pathless] = append(over[pathless], n.take(h))
		case h.reports == nil:
			n.look(h.ID)
		}
	}
	n.mu.Unlock()
	for id, ids := range left {
		n.unroute(id, ids, ending{reason: "the circuit has another path"})
	}
	for _, c := range over[pathless] {
		n.cfg.Log.Warn("circuit ended, its path is lost and there is no other", "circuit", c.ID, "service", c.ServiceID, "waited", PathWait)
	}
	for e, cs := range over {
		n.ended(cs, e)
	}
}

// Ends of circuits that have waited too long.
var (
	pathless  = ending{reason: "the path of the circuit is lost and there is no other", code: ctrl.CodeNoPath}
	forgotten = ending{reason: "none of its routers has been connected for too long"}
)

// doubt notes that none of the routers of a circuit is connected any more, if
// that is so, with the lock held.
func (n *Network) doubt(h *held) {
	if h.reports != nil || !h.alone.IsZero() {
		return
	}
	for _, hop := range h.Path {
		if n.nodes[hop.RouterID] != nil {
			return
		}
	}
	h.alone = n.cfg.Now()
	n.unwell[h.ID] = h
	n.show(h, func(c *Circuit) { c.State = Unconfirmed })
}

// confirm notes that a router of a circuit is connected, with the lock held.
func (n *Network) confirm(h *held) {
	if h.alone.IsZero() {
		return
	}
	h.alone = time.Time{}
	if h.broken.IsZero() {
		n.fit(h)
	} else {
		n.show(h, func(c *Circuit) { c.State = Waiting })
	}
}

// leaveBadLinks has the circuits on links that are not to be used looked at:
// another path may have come up.
func (n *Network) leaveBadLinks() {
	for _, l := range n.topo.Idle() {
		n.mu.Lock()
		for _, h := range n.byLink[l] {
			n.look(h.ID)
		}
		n.mu.Unlock()
	}
}

// CircuitFaults takes a router's word that messages of circuits cannot be
// passed on.
func (n *Network) CircuitFaults(routerID string, ids []string) {
	var unknown []string
	n.mu.Lock()
	now := n.cfg.Now()
	for _, id := range ids {
		h := n.circuits[id]
		switch {
		case n.requests[id] != nil || h != nil && (h.reports != nil || h.moving):
		case h == nil || h.at(routerID) < 0:
			unknown = append(unknown, id)
		case n.judge(h) == broken || now.Sub(h.moved) >= faultTime && now.Sub(h.CreatedAt) >= faultTime && len(h.Path) > 1:
			n.breaks(h)
		}
	}
	n.mu.Unlock()
	if len(unknown) > 0 {
		n.unroute(routerID, unknown, ending{reason: "the controller does not know the circuit at this router"})
	}
}

// improve moves some circuits to better paths, those first whose paths cost
// most.
func (n *Network) improve() {
	type dear struct {
		*Circuit
		cost int
	}
	var cs []dear
	for _, c := range n.Circuits() {
		if len(c.Path) < 2 || c.State != Active {
			continue
		}
		if cost, ok := n.topo.CostOf(c.Path); ok {
			cs = append(cs, dear{c, cost})
		}
	}
	most := min(max(int(float64(len(cs))*n.cfg.Smart.Fraction), 1), n.cfg.Smart.Cap)
	slices.SortFunc(cs, func(a, b dear) int { return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.ID, b.ID)) })
	for _, c := range cs {
		if most <= 0 {
			return
		}
		p := n.topo.Path(c.first(), c.last(), nil)
		if p == nil || slices.Equal(p.Hops, c.Path) || c.cost-p.Cost-n.topo.RouterCost(c.first()) < n.cfg.Smart.MinDelta {
			continue
		}
		n.mu.Lock()
		if h := n.circuits[c.ID]; h != nil && h.Circuit == c.Circuit {
			h.better = true
			n.look(c.ID)
			most--
		}
		n.mu.Unlock()
	}
}
