package policy

import (
	"slices"
	"strings"
)

// Difference are the pairs that one kind of access has in one of two views only.
type Difference struct {
	Gained, Lost  int    // pairs
	Gains, Losses []Pair // the first of them in the order of the names on the left
}

// Pair is one of them: an identity or service on the left, a service or router
// on the right.
type Pair struct{ Left, Right Entity }

// Comparison is what changes of policies mean. A pair of Dial and Bind counts
// when Check allows it through any router.
type Comparison struct {
	Dial, Bind    Difference // identity × service
	Use, ServedBy Difference // identity × router, service × router
}

// Compare finds what was gained and lost from one view to another, listing at
// most limit pairs of each. It walks entities and policies, never the pairs:
// some milliseconds for 10,000 identities, 1,000 services and 1,000 policies.
func Compare(old, now *View, limit int) Comparison {
	was, is := newMatrix(old), newMatrix(now)
	u := newUniverse(old, now)
	was.prepare(u)
	is.prepare(u)
	var out Comparison
	diff := func(d *Difference, leftClass, rightClass int, row func(m *matrix, s *subject) ordinals) {
		u.diff(d, was, is, leftClass, rightClass, limit, row)
	}
	diff(&out.Dial, identities, services, func(m *matrix, s *subject) ordinals { return m.access(Dial, s) })
	diff(&out.Bind, identities, services, func(m *matrix, s *subject) ordinals { return m.access(Bind, s) })
	diff(&out.Use, identities, routers, func(m *matrix, s *subject) ordinals { return m.row(MayUse, s, nil) })
	diff(&out.ServedBy, services, routers, func(m *matrix, s *subject) ordinals { return m.row(MayServeBy, s, nil) })
	return out
}

// universe numbers the services and routers of two views and lists the entities
// of every class.
type universe struct {
	ids [classes][]string
}

func newUniverse(views ...*View) *universe {
	u := &universe{}
	for _, class := range []int{identities, services, routers} {
		for i, v := range views {
			v.classes[class].subjects.each(func(id string, s *subject) bool {
				if s.entity != nil && (i == 0 || views[0].classes[class].find(id) == nil) {
					u.ids[class] = append(u.ids[class], id)
				}
				return true
			})
		}
	}
	return u
}

// matrix answers, for one view, what stands on the right of an entity, as
// numbers of the universe. Answers are kept per group.
type matrix struct {
	v       *View
	u       *universe
	rights  [relations][]ordinals         // by policy: what its right side contains
	enabled ordinals                      // routers
	through map[string]ordinals           // services by the routers that an identity may use
	served  map[string][]int32            // services by the routers that they are served by
	kept    [classes]map[keptRow]ordinals // of groups that no policy names by id
}

type keptRow struct {
	what  Relation
	group int32
}

func newMatrix(v *View) *matrix {
	m := &matrix{v: v, through: map[string]ordinals{}, served: map[string][]int32{}}
	for i := range m.kept {
		m.kept[i] = map[keptRow]ordinals{}
	}
	return m
}

// prepare finds what every policy contains on its right.
func (m *matrix) prepare(u *universe) {
	m.u = u
	for r := range relations {
		p := sides[r][1]
		c := &m.v.classes[p.class]
		for i, id := range u.ids[p.class] {
			if s := c.find(id); s != nil {
				h := c.holding(s, p.slot)
				eachCommon(&h, nil, func(n int32) { m.put(r, n, int32(i)) })
			}
		}
	}
	for i, id := range u.ids[routers] {
		if e := m.v.entity(routers, id); e != nil && !disabled(e) {
			m.enabled = put(m.enabled, int32(i))
		}
	}
	for i, id := range u.ids[services] {
		if s := m.v.classes[services].find(id); s != nil {
			key := setKey(m.row(MayServeBy, s, nil).clone().and(m.enabled))
			m.served[key] = append(m.served[key], int32(i))
		}
	}
}

func (m *matrix) put(r Relation, policy, right int32) {
	for int(policy) >= len(m.rights[r]) {
		m.rights[r] = append(m.rights[r], nil)
	}
	m.rights[r][policy] = put(m.rights[r][policy], right)
}

// row returns what policies relate to a subject on the left, leaving out some of
// the policies. It is shared.
func (m *matrix) row(r Relation, s *subject, except ordinals) ordinals {
	p := sides[r][0]
	key := keptRow{r, s.group}
	plain := s.direct[p.slot] == nil
	if plain {
		if out, ok := m.kept[p.class][key]; ok {
			return out
		}
	}
	var out ordinals
	h := m.v.classes[p.class].holding(s, p.slot)
	eachCommon(&h, nil, func(n int32) {
		if int(n) < len(m.rights[r]) && !except.has(n) {
			out = out.or(m.rights[r][n])
		}
	})
	if plain {
		m.kept[p.class][key] = out
	}
	return out
}

// access returns the services on which an identity has an action.
func (m *matrix) access(a Action, s *subject) ordinals {
	if disabled(s.entity) {
		return nil
	}
	granted := m.row(relationOf(a), s, m.v.demanding[a])
	if len(granted) == 0 {
		return nil
	}
	return granted.clone().and(m.reachable(m.row(MayUse, s, nil)))
}

// reachable returns the services that may be used through one of some routers.
func (m *matrix) reachable(by ordinals) ordinals {
	key := setKey(by)
	out, known := m.through[key]
	if known {
		return out
	}
	for served, list := range m.served {
		if meets(by, served) {
			for _, n := range list {
				out = put(out, n)
			}
		}
	}
	m.through[key] = out
	return out
}

// diff compares the rows of all entities of a class.
func (u *universe) diff(d *Difference, was, is *matrix, class, right, limit int, row func(*matrix, *subject) ordinals) {
	var gains, losses []changedRow
	for _, id := range u.ids[class] {
		var before, after ordinals
		var e Entity
		if s := was.v.classes[class].find(id); s != nil {
			before, e = row(was, s), s.entity
		}
		if s := is.v.classes[class].find(id); s != nil {
			after, e = row(is, s), s.entity
		}
		d.Gained += add(&gains, e, after, before)
		d.Lost += add(&losses, e, before, after)
	}
	d.Gains, d.Losses = u.list(gains, is.v, right, limit), u.list(losses, was.v, right, limit)
}

// changedRow is what one entity gains or loses.
type changedRow struct {
	left   Entity
	rights ordinals
}

// add appends what is in a and not in b, and counts it.
func add(to *[]changedRow, left Entity, a, b ordinals) int {
	n := a.countWithout(b)
	if n > 0 {
		*to = append(*to, changedRow{left, a.minus(b)})
	}
	return n
}

// list returns the first pairs of some rows by the names on both sides.
func (u *universe) list(rows []changedRow, v *View, right, limit int) []Pair {
	slices.SortFunc(rows, func(a, b changedRow) int {
		return strings.Compare(NameOf(a.left), NameOf(b.left))
	})
	var out []Pair
	for _, r := range rows {
		if len(out) >= limit {
			break
		}
		from := len(out)
		r.rights.each(func(n int32) {
			if e := v.entity(right, u.ids[right][n]); e != nil {
				out = append(out, Pair{r.left, e})
			}
		})
		slices.SortFunc(out[from:], func(a, b Pair) int { return strings.Compare(NameOf(a.Right), NameOf(b.Right)) })
	}
	return out[:min(len(out), limit)]
}

// NameOf returns the name of an entity.
func NameOf(e Entity) string {
	switch e := e.(type) {
	case *Identity:
		return e.Name
	case *Service:
		return e.Name
	case *Router:
		return e.Name
	case *PostureCheck:
		return e.Name
	case *ServicePolicy:
		return e.Name
	case *EdgeRouterPolicy:
		return e.Name
	case *ServiceEdgeRouterPolicy:
		return e.Name
	}
	return ""
}
