package topology

import (
	"sync"
	"time"
)

// Config describes a Topology.
type Config struct {
	MinRouterCost  int           // least cost of a router on a path
	InitialLatency time.Duration // of an end of a link that has not measured it
	Now            func() time.Time
}

// Topology is the routers and links of a network. All methods are safe for
// concurrent use. Paths are chosen on an immutable graph, which is made anew
// when somebody asks after something has changed.
type Topology struct {
	cfg Config

	mu       sync.RWMutex
	routers  map[string]Router
	links    map[string]*link            // by id
	of       map[string]map[string]*link // by router and id
	pairs    map[pairKey][]*link         // usable ones, cheapest first
	settings map[string]setting          // by key of the link
	reported map[string]int              // links by the router that reported them first
	graph    *graph                      // nil if something has changed since
	version  uint64                      // grows with every change of the graph
}

// setting is what an operator has set for the links of a key. It outlives them.
type setting struct {
	static int
	down   bool
}

// pairKey is two routers, the smaller id first.
type pairKey struct{ a, b string }

func pairOf(a, b string) pairKey {
	if b < a {
		a, b = b, a
	}
	return pairKey{a, b}
}

// New returns a topology without routers and links.
func New(cfg Config) *Topology {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Topology{
		cfg: cfg, routers: make(map[string]Router), links: make(map[string]*link), of: make(map[string]map[string]*link),
		pairs: make(map[pairKey][]*link), settings: make(map[string]setting), reported: make(map[string]int),
	}
}

// SetRouter makes a router one that paths may touch, or changes it.
func (t *Topology) SetRouter(id string, r Router) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.routers[id]; !ok || old != r {
		t.routers[id] = r
		t.changed()
	}
}

// RemoveRouter makes a router one that paths may not touch. Its links stay:
// others may still report them.
func (t *Topology) RemoveRouter(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.routers[id]; ok {
		delete(t.routers, id)
		t.changed()
	}
}

// changed drops the graph, with the lock held.
func (t *Topology) changed() {
	t.graph = nil
	t.version++
}

// Version grows with everything that may change a path.
func (t *Topology) Version() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.version
}

// current returns the graph as it is now.
func (t *Topology) current() *graph {
	t.mu.RLock()
	g := t.graph
	t.mu.RUnlock()
	if g != nil {
		return g
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.graph == nil {
		t.graph = t.build()
	}
	return t.graph
}

// Avoid is what a path may not touch; nil for nothing.
type Avoid struct {
	Links   map[string]bool // ids
	Routers map[string]bool // ids; not the ends
}

func (a *Avoid) empty() bool { return a == nil || len(a.Links) == 0 && len(a.Routers) == 0 }

// Path returns the cheapest path between two routers, nil if there is none. Of
// paths that cost the same it is the one with the fewest routers, and of these
// always the same.
func (t *Topology) Path(from, to string, avoid *Avoid) *Path { return t.From(from, avoid).To(to) }

// From returns the cheapest paths that begin at a router.
func (t *Topology) From(router string, avoid *Avoid) *Tree {
	g := t.current()
	i, ok := g.index[router]
	if !ok {
		return nil
	}
	if !avoid.empty() {
		return g.search(i, avoid)
	}
	return g.tree(i)
}
