package topology

import "math"

// search is Dijkstra's. Of equal ways the one with fewer routers wins, then the
// one whose last router but one comes first, so that the result does not depend
// on the order of anything.
func (g *graph) search(from int32, avoid *Avoid) *Tree {
	t := &Tree{g: g, from: from, at: make([]label, len(g.ids))}
	for i := range t.at {
		t.at[i] = label{cost: math.MaxInt, prev: -1}
	}
	t.at[from].cost = 0
	q := queue{{router: from}}
	for len(q) > 0 {
		i := q.pop().router
		if t.at[i].done {
			continue
		}
		t.at[i].done = true
		if i != from && g.nodes[i].NoTraversal || i != from && avoid != nil && avoid.Routers[g.ids[i]] {
			continue
		}
		for _, a := range g.arcs[i] {
			if way, ok := a.cheapest(avoid); ok && !t.at[a.to].done {
				t.relax(&q, i, a.to, way)
			}
		}
	}
	return t
}

// cheapest returns the cheapest link of an arc that is not avoided.
func (a *arc) cheapest(avoid *Avoid) (choice, bool) {
	for _, c := range a.via {
		if avoid == nil || !avoid.Links[c.link] {
			return c, true
		}
	}
	return choice{}, false
}

// relax takes a way to a router if it is better than the one known.
func (t *Tree) relax(q *queue, by, to int32, way choice) {
	old := &t.at[to]
	l := label{cost: t.at[by].cost + way.cost + t.g.enter(to), hops: t.at[by].hops + 1, prev: by, link: way.link}
	switch {
	case l.before(old):
		*old = l
		q.push(waiting{l.cost, l.hops, to})
	case !old.before(&l) && by < old.prev:
		*old = l // in the queue already, at the same place
	}
}

// waiting is a router in the queue of a search.
type waiting struct {
	cost   int
	hops   int32
	router int32
}

func (w waiting) before(o waiting) bool {
	if w.cost != o.cost {
		return w.cost < o.cost
	}
	return w.hops < o.hops
}

// queue is a binary heap, cheapest first.
type queue []waiting

func (q *queue) push(w waiting) {
	*q = append(*q, w)
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) pop() waiting {
	h := *q
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*q = h
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(h) && h[c].before(h[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
