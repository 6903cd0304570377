package network

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/wire/ctrl"
)

// PathWait is how long a circuit waits for another path before it ends.
const PathWait = 30 * time.Second

const (
	maxTries  = 4 // paths in a row for one circuit, before it waits for a change
	maxDenied = 3 // times that an end may refuse a path before the circuit counts as ended there
)

// health is how the path of a circuit is.
type health int

const (
	intact health = iota
	poor          // it holds, but another one would be better
	broken
)

// judge returns how a circuit's path is, with the lock held.
func (n *Network) judge(h *held) health {
	if h.reports != nil || h.force {
		return broken
	}
	out := intact
	if h.better {
		out = poor
	}
	for _, hop := range h.Path {
		if hop.Link == "" {
			continue
		}
		switch l := n.topo.Link(hop.Link); {
		case l == nil || l.State != topology.Connected:
			return broken
		case !l.Usable():
			out = poor
		}
	}
	return out
}

// examine has the path of a circuit changed if it does not hold or should not
// be used, with the lock held.
func (n *Network) examine(h *held) {
	switch n.judge(h) {
	case broken:
		n.unfit(h)
		n.look(h.ID)
	case poor:
		n.look(h.ID)
	}
}

// breaks notes that a router has lost its part of a circuit's path, with the
// lock held.
func (n *Network) breaks(h *held) {
	h.force = true
	n.unfit(h)
	n.look(h.ID)
}

// unfit lets the time run until which a circuit needs a path.
func (n *Network) unfit(h *held) {
	n.unwell[h.ID] = h
	if h.broken.IsZero() {
		h.broken = n.cfg.Now()
	}
}

// fit notes that the path holds.
func (n *Network) fit(h *held) {
	h.broken = time.Time{}
	if !h.alone.IsZero() {
		return
	}
	delete(n.unwell, h.ID)
	if h.State != Active {
		n.show(h, func(c *Circuit) { c.State = Active })
	}
}

// plan is a wish for another path.
type plan struct {
	h        *held
	c        *Circuit // as it is at the beginning
	from, to string
	health   health
	forced   bool
	deadline time.Time
}

// move gives a circuit another path if it needs one and there is one. Only one
// worker does that at a time.
func (n *Network) move(ctx context.Context, id string) {
	var avoid topology.Avoid
	for try := 1; ; try++ {
		p := n.plan(id, try == 1)
		if p == nil {
			return
		}
		if try > maxTries || !n.step(ctx, p, &avoid) {
			if n.rest(p) {
				n.look(id)
			}
			return
		}
	}
}

// plan returns what a circuit needs, nil for nothing.
func (n *Network) plan(id string, first bool) *plan {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.circuits[id]
	if h == nil {
		return nil
	}
	if first && h.moving {
		h.again = true
		return nil
	}
	p := &plan{h: h, c: h.Circuit, health: n.judge(h), forced: h.force}
	ready := true
	if h.reports != nil {
		p.from, p.to, ready = h.ends()
		ready = ready && h.force
	} else {
		p.from, p.to = h.first(), h.last()
	}
	if p.health == intact || !ready || p.from == p.to {
		if p.health == intact {
			n.fit(h)
		}
		h.moving, h.again = false, false
		return nil
	}
	if p.health == broken {
		n.unfit(h)
		p.deadline = h.broken.Add(PathWait)
		if !n.cfg.Now().Before(p.deadline) { // tend ends it
			h.moving, h.again = false, false
			return nil
		}
	}
	h.moving, h.again, h.force, h.better = true, false, false, false
	return p
}

// rest ends the work at a circuit that still needs a path, and reports whether
// something has happened meanwhile.
func (n *Network) rest(p *plan) (again bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	again = p.h.again
	p.h.moving, p.h.again = false, false
	p.h.force = p.h.force || p.forced
	if n.circuits[p.h.ID] == p.h && n.judge(p.h) == broken && p.h.State != Unconfirmed {
		n.unfit(p.h)
		n.show(p.h, func(c *Circuit) { c.State = Waiting })
	}
	return again
}

// step tries one path. It returns false if there is nothing more to try now.
func (n *Network) step(ctx context.Context, p *plan, avoid *topology.Avoid) bool {
	path := n.topo.Path(p.from, p.to, avoid)
	if path == nil {
		return false
	}
	next, ok := n.number(p, path)
	if !ok {
		return false
	}
	limit := n.cfg.RouteTimeout
	if p.health == broken {
		limit = min(limit, max(p.deadline.Sub(n.cfg.Now()), time.Second))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := n.cfg.Now()
	touched, bad := n.relay(ctx, p, next)
	if bad == nil {
		return n.moved(p, next, n.cfg.Now().Sub(started))
	}
	return n.missed(p, next, bad, touched, avoid)
}

// number numbers the path and notes whom it concerns; false if it is the one
// that the circuit has and that need not be made again.
func (n *Network) number(p *plan, path *Path) (*Circuit, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := p.h
	if n.circuits[h.ID] != h {
		return nil, false
	}
	if p.health == poor && slices.Equal(path.Hops, h.Path) {
		return nil, false
	}
	h.number++
	next := *h.Circuit
	next.Path, next.PathNumber = path.Hops, h.number
	for _, hop := range path.Hops {
		h.stale = noteAll(h.stale, hop.RouterID)
	}
	return &next, true
}

// relay gives the routers of a path their parts: first those between the ends,
// so that nothing is lost on the way, then both ends, which send again what is
// not acknowledged. touched says that the old path may not hold any more.
func (n *Network) relay(ctx context.Context, p *plan, next *Circuit) (touched bool, bad *misfire) {
	reroute := func(_ int, r *ctrl.Route) { r.Reroute = true }
	between := make([]int, 0, len(next.Path))
	for i := 1; i < len(next.Path)-1; i++ {
		between = append(between, i)
		touched = touched || p.c.at(next.Path[i].RouterID) >= 0
	}
	if len(between) > 0 {
		if _, bad := n.lay(ctx, next, between, reroute); bad != nil {
			return touched, bad
		}
	}
	_, bad = n.lay(ctx, next, []int{0, len(next.Path) - 1}, reroute)
	return true, bad
}

// moved enters the new path; it returns true: the circuit is looked at once
// more.
func (n *Network) moved(p *plan, next *Circuit, took time.Duration) bool {
	h := p.h
	n.mu.Lock()
	if n.circuits[h.ID] != h { // ended meanwhile
		n.mu.Unlock()
		n.withdraw(next)
		return false
	}
	var left []string
	for _, hop := range h.Path {
		h.stale = noteAll(h.stale, hop.RouterID)
	}
	for id := range h.reports {
		h.stale = noteAll(h.stale, id)
	}
	for _, id := range slices.Sorted(maps.Keys(h.stale)) {
		if next.at(id) < 0 {
			left = append(left, id)
		}
	}
	now, adopted := n.cfg.Now(), h.reports != nil
	n.unreport(h)
	n.show(h, func(c *Circuit) {
		c.Path, c.PathNumber, c.State, c.UpdatedAt = next.Path, next.PathNumber, Active, now.UTC()
	})
	h.stale, h.denied, h.moved, p.forced = nil, 0, now, false
	shown := h.Circuit
	n.mu.Unlock()
	for _, id := range left {
		n.unroute(id, []string{shown.ID}, ending{reason: "the circuit has another path"})
	}
	n.cfg.Log.Debug("circuit has another path", "circuit", shown.ID, "service", shown.ServiceID, "path", shown.PathNumber, "routers", len(shown.Path))
	n.cfg.Events(&CircuitEvent{At: now, Type: CircuitPathUpdated, Circuit: shown, Took: took})
	if adopted && !allowed(n.cfg.Policy(), shown) {
		n.end(shown.ID, ending{reason: "access was withdrawn"})
	}
	return true
}

// withdraw takes a path back from its routers: the circuit has ended while they
// got it.
func (n *Network) withdraw(c *Circuit) {
	for _, hop := range c.Path {
		n.unroute(hop.RouterID, []string{c.ID}, ending{reason: "ended"})
	}
}

// missed draws the consequences of a path that could not be made, and reports
// whether another one is worth a try.
func (n *Network) missed(p *plan, next *Circuit, bad *misfire, touched bool, avoid *topology.Avoid) bool {
	h, at := p.h, next.Path[bad.place].RouterID
	n.cfg.Log.Debug("path of a circuit not made", "circuit", next.ID, "path", next.PathNumber, "router", at, "reason", bad.Error())
	isEnd := bad.place == 0 || bad.place == len(next.Path)-1
	again, over := true, false
	n.mu.Lock()
	if n.circuits[h.ID] != h {
		n.mu.Unlock()
		n.withdraw(next)
		return false
	}
	h.force = h.force || p.forced || touched
	switch {
	case bad.failure.GetCause() == ctrl.Cause_INVALID_LINK_DESTINATION:
		avoid.Links = noteAll(avoid.Links, missing(next.Path, bad)...)
	case !isEnd:
		avoid.Routers = noteAll(avoid.Routers, at)
	case bad.silent || bad.away:
		again = false
	default:
		h.denied++
		over = h.denied >= maxDenied
	}
	n.mu.Unlock()
	if over {
		n.end(next.ID, ending{reason: "router " + at + " no longer has the circuit: " + bad.Error(), deliver: true})
		return false
	}
	return again
}
