package topology

import (
	"maps"
	"math"
	"slices"
	"sync/atomic"
)

// graph is the routers and their neighbours. It does not change, but remembers
// searches.
type graph struct {
	ids    []string // sorted
	index  map[string]int32
	nodes  []Router
	arcs   [][]arc // by router, ordered by the other one
	trees  []atomic.Pointer[Tree]
	kept   atomic.Int64 // routers in all trees
	byHand int          // least cost of a router
}

// maxKept bounds the routers in the trees that a graph remembers; beyond it
// searches are made anew.
const maxKept = 4 << 20

// arc leads to a neighbour, by one of several links.
type arc struct {
	to  int32
	via []choice // cheapest first, not empty
}

type choice struct {
	link string
	cost int
}

// build makes the graph, with the lock held.
func (t *Topology) build() *graph {
	ids := slices.Sorted(maps.Keys(t.routers))
	g := &graph{
		ids: ids, index: make(map[string]int32, len(ids)), nodes: make([]Router, len(ids)),
		arcs: make([][]arc, len(ids)), trees: make([]atomic.Pointer[Tree], len(ids)), byHand: t.cfg.MinRouterCost,
	}
	for i, id := range ids {
		g.index[id], g.nodes[i] = int32(i), t.routers[id]
	}
	for p, ls := range t.pairs {
		a, ok := g.index[p.a]
		b, ok2 := g.index[p.b]
		if !ok || !ok2 || a == b {
			continue
		}
		via := make([]choice, len(ls))
		for i, l := range ls {
			via[i] = choice{l.shown.ID, l.shown.Cost()}
		}
		g.arcs[a] = append(g.arcs[a], arc{b, via})
		g.arcs[b] = append(g.arcs[b], arc{a, via})
	}
	for _, as := range g.arcs {
		slices.SortFunc(as, func(x, y arc) int { return int(x.to - y.to) })
	}
	return g
}

// enter is what it costs to pass on to a router.
func (g *graph) enter(i int32) int { return max(g.nodes[i].Cost, g.byHand) }

// tree returns the cheapest paths from a router, remembered if there is room.
func (g *graph) tree(from int32) *Tree {
	if t := g.trees[from].Load(); t != nil {
		return t
	}
	t := g.search(from, nil)
	if g.kept.Add(int64(len(g.ids))) <= maxKept {
		g.trees[from].Store(t)
	} else {
		g.kept.Add(-int64(len(g.ids)))
	}
	return t
}

// Tree is the cheapest paths from one router to all others. A nil Tree has
// none.
type Tree struct {
	g    *graph
	from int32
	at   []label
}

// label is how a router is reached.
type label struct {
	cost int // math.MaxInt if it is not
	hops int32
	prev int32
	link string // from prev
	done bool
}

func (l *label) before(o *label) bool {
	return l.cost < o.cost || l.cost == o.cost && l.hops < o.hops
}

// Cost returns what the path to a router costs; false if there is none.
func (t *Tree) Cost(to string) (int, bool) {
	if t == nil {
		return 0, false
	}
	i, ok := t.g.index[to]
	if !ok || t.at[i].cost == math.MaxInt {
		return 0, false
	}
	return t.at[i].cost, true
}

// To returns the path to a router, nil if there is none.
func (t *Tree) To(to string) *Path {
	cost, ok := t.Cost(to)
	if !ok {
		return nil
	}
	i := t.g.index[to]
	p := &Path{Hops: make([]Hop, t.at[i].hops+1), Cost: cost}
	link := ""
	for at := t.at[i].hops; at >= 0; at-- {
		p.Hops[at] = Hop{RouterID: t.g.ids[i], Link: link}
		link, i = t.at[i].link, t.at[i].prev
	}
	return p
}
