package policy

import (
	"slices"

	"github.com/weftnet/weft/model/role"
)

// Match says how the role list of one side of a policy stands to an entity.
type Match struct {
	Selects bool
	By      []string // roles that select it: `#all`, `@` with its id, or attributes with `#`
	Missing []string // attributes whose absence keeps it from being selected; empty if only ids are listed
	Any     bool     // any one of Missing would do, not all of them
}

// Match says how a policy stands to a known entity of a kind, on the side where
// the kind stands; posture checks stand on the third side of service policies.
// It is the zero Match where either is unknown.
func (v *View) Match(policy Kind, policyID string, kind Kind, id string) Match {
	class, known := classOf(kind)
	if !known {
		return Match{}
	}
	e := v.entity(class, id)
	if e == nil {
		return Match{}
	}
	r, side, ok := v.sideOf(policy, policyID, kind)
	if !ok {
		return Match{}
	}
	return matchOf(r.sets[side], r.semantic, id, attributesOf(e))
}

func matchOf(set role.Set, sem role.Semantic, id string, attributes []string) Match {
	m := Match{Any: sem == role.AnyOf}
	if set.All {
		return Match{Selects: true, By: []string{"#all"}}
	}
	for _, a := range set.Attributes {
		if _, ok := slices.BinarySearch(attributes, a); ok {
			m.By = append(m.By, "#"+a)
		} else {
			m.Missing = append(m.Missing, a)
		}
	}
	m.Selects = set.MatchAttributes(sem, attributes)
	switch {
	case m.Selects:
		m.Missing = nil
	case set.MatchID(id):
		return Match{Selects: true, By: []string{"@" + id}}
	default:
		m.By = nil
	}
	return m
}

// Gap is a policy that contains an entity on one side but not that on the other.
type Gap struct {
	Policy Entity
	Left   bool  // the left one is missing, else the right one
	Match  Match // of the missing one
}

// Gaps returns policies of a relation that contain exactly one of two known
// entities: those that come nearest first, at most limit, and how many more
// there are. A policy is the nearer the fewer attributes are missing.
func (v *View) Gaps(r Relation, leftID, rightID string, limit int) (gaps []Gap, more int) {
	left, okLeft := v.holding(r, 0, leftID)
	right, okRight := v.holding(r, 1, rightID)
	if !okLeft || !okRight {
		return nil, 0
	}
	collect := func(in, out *holding, missingLeft bool) {
		eachCommon(in, nil, func(n int32) {
			if out.has(n) {
				return
			}
			rule, side, id := v.rules[r].at(n), 1, rightID
			if missingLeft {
				side, id = 0, leftID
			}
			attributes := attributesOf(v.entity(sides[r][side].class, id))
			gaps = append(gaps, Gap{rule.entity, missingLeft, matchOf(rule.sets[side], rule.semantic, id, attributes)})
		})
	}
	collect(&left, &right, false)
	collect(&right, &left, true)
	slices.SortStableFunc(gaps, func(a, b Gap) int { return a.distance() - b.distance() })
	if len(gaps) > limit {
		more = len(gaps) - limit
		gaps = gaps[:limit]
	}
	return gaps, more
}

// distance is the number of attributes that would have to be added.
func (g Gap) distance() int {
	switch {
	case len(g.Match.Missing) == 0:
		return 1 << 20 // no attribute helps
	case g.Match.Any:
		return 1
	}
	return len(g.Match.Missing)
}
