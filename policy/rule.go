package policy

import (
	"slices"

	"github.com/weftnet/weft/model/role"
)

// rule is a policy of any kind in the form that is evaluated.
type rule struct {
	entity   Entity
	relation Relation
	ordinal  int32
	semantic role.Semantic
	sets     [2]role.Set // left and right
	posture  role.Set    // posture checks
	at       int64       // last change of an entity it contains, Unix nanoseconds
}

func newRule(e Entity) (*rule, bool) {
	switch e := e.(type) {
	case *ServicePolicy:
		return &rule{entity: e, relation: relationOf(e.Action), semantic: e.Semantic,
			sets: [2]role.Set{normal(e.Identities), normal(e.Services)}, posture: normal(e.PostureChecks)}, true
	case *EdgeRouterPolicy:
		return &rule{entity: e, relation: MayUse, semantic: e.Semantic,
			sets: [2]role.Set{normal(e.Identities), normal(e.Routers)}}, true
	case *ServiceEdgeRouterPolicy:
		return &rule{entity: e, relation: MayServeBy, semantic: e.Semantic,
			sets: [2]role.Set{normal(e.Services), normal(e.Routers)}}, true
	}
	return nil, false
}

// same reports whether both grant the same.
func (r *rule) same(o *rule) bool {
	return r.relation == o.relation && r.semantic == o.semantic &&
		r.sets[0].Equal(o.sets[0]) && r.sets[1].Equal(o.sets[1]) && r.posture.Equal(o.posture)
}

func relationOf(a Action) Relation {
	if a == Bind {
		return MayBind
	}
	return MayDial
}

// normal returns a role list as sorted sets, with nothing beside #all.
func normal(s role.Set) role.Set {
	if s.All {
		return role.Set{All: true}
	}
	s.IDs, s.Attributes = sortedSet(s.IDs), sortedSet(s.Attributes)
	return s
}

// sortedSet returns texts as a sorted set, without copying if it is one.
func sortedSet(texts []string) []string {
	for i := 1; i < len(texts); i++ {
		if texts[i-1] >= texts[i] {
			texts = slices.Clone(texts)
			slices.Sort(texts)
			return slices.Compact(texts)
		}
	}
	return texts
}

func attributesOf(e Entity) []string {
	switch e := e.(type) {
	case *Identity:
		return sortedSet(e.Attributes)
	case *Service:
		return sortedSet(e.Attributes)
	case *Router:
		return sortedSet(e.Attributes)
	case *PostureCheck:
		return sortedSet(e.Attributes)
	}
	return nil
}
