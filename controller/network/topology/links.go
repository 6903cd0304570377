package topology

import (
	"slices"
	"time"
)

// Link returns a link, nil if there is none.
func (t *Topology) Link(id string) *Link {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if l := t.links[id]; l != nil {
		return l.shown
	}
	return nil
}

// Links returns all links, in no order.
func (t *Topology) Links() []*Link {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]*Link, 0, len(t.links))
	for _, l := range t.links {
		out = append(out, l.shown)
	}
	return out
}

// LinksOf returns the links of a router, in no order.
func (t *Topology) LinksOf(routerID string) []*Link {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]*Link, 0, len(t.of[routerID]))
	for _, l := range t.of[routerID] {
		out = append(out, l.shown)
	}
	return out
}

// Has reports whether a router has said that it has a link, and nothing else
// since.
func (t *Topology) Has(routerID, linkID string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	l := t.links[linkID]
	if l == nil {
		return false
	}
	at := slices.Index([]string{l.shown.DialerID, l.shown.AcceptorID}, routerID)
	return at >= 0 && l.ends[at].has
}

// Change sets the static cost of a link, or takes it out of use, for as long as
// this controller runs: also when its routers make it anew. It returns the link
// as it is then, nil if there is none.
func (t *Topology) Change(id string, staticCost *int, down *bool) *Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.links[id]
	if l == nil {
		return nil
	}
	s := setting{l.shown.StaticCost, l.shown.Down}
	if staticCost != nil {
		s.static = min(max(*staticCost, 0), MaxStaticCost)
	}
	if down != nil {
		s.down = *down
	}
	key := settingKey(l.shown)
	if s == (setting{static: DefaultStaticCost}) {
		delete(t.settings, key)
	} else if len(t.settings) < maxLinks {
		t.settings[key] = s
	}
	next := *l.shown
	t.show(l, &next)
	return l.shown
}

// Remove forgets a link until one of its ends reports it with a higher
// iteration. It returns the link as failed, nil if there was none.
func (t *Topology) Remove(id string) *Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.links[id]
	if l == nil {
		return nil
	}
	was := *l.shown
	was.State = Failed
	t.drop(l)
	return &was
}

// RemoveOf forgets all links of a router, which is not part of the network any
// more, and returns them as failed.
func (t *Topology) RemoveOf(routerID string) []*Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Link
	for _, l := range t.of[routerID] {
		was := *l.shown
		was.State = Failed
		out = append(out, &was)
	}
	for _, l := range out {
		t.drop(t.links[l.ID])
	}
	return out
}

// CostOf returns what a circuit's path costs now, its first router included;
// false if one of its links is not usable.
func (t *Topology) CostOf(hops []Hop) (int, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	sum := 0
	for _, h := range hops {
		sum += max(t.routers[h.RouterID].Cost, t.cfg.MinRouterCost)
		if h.Link == "" {
			continue
		}
		l := t.links[h.Link]
		if l == nil || !l.shown.Usable() {
			return 0, false
		}
		sum += l.shown.Cost()
	}
	return sum, true
}

// RouterCost returns what a router adds to a path.
func (t *Topology) RouterCost(id string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return max(t.routers[id].Cost, t.cfg.MinRouterCost)
}

// Half is a link that only one of its routers has.
type Half struct {
	Link       *Link
	Has, Lacks string    // routers
	Denied     bool      // the other one has said that it does not have it
	Since      time.Time // of the last change, or Touch
}

// Half returns the links that only one of their routers has.
func (t *Topology) Half() []Half {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []Half
	for _, l := range t.links {
		if l.ends[0].has == l.ends[1].has {
			continue
		}
		h := Half{Link: l.shown, Has: l.shown.DialerID, Lacks: l.shown.AcceptorID, Denied: l.ends[1].known, Since: l.touched}
		if l.ends[1].has {
			h.Has, h.Lacks, h.Denied = h.Lacks, h.Has, l.ends[0].known
		}
		out = append(out, h)
	}
	return out
}

// Touch makes the Since of a Half now.
func (t *Topology) Touch(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.links[id]; l != nil {
		l.touched = t.cfg.Now()
	}
}

// Idle returns the ids of links that are there, but not to be used.
func (t *Topology) Idle() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []string
	for id, l := range t.links {
		if l.shown.State == Connected && !l.shown.Usable() {
			out = append(out, id)
		}
	}
	return out
}
