package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/model/role"
)

// Posture returns the posture checks that a service policy demands, in the
// order of their ids: those that exist and that it selects. While there are
// any, the policy grants nothing.
func (v *View) Posture(policyID string) []*PostureCheck {
	table, _ := ruleTable(KindServicePolicy)
	r, ok := v.byID[table].get(policyID)
	if !ok || r.posture.Empty() {
		return nil
	}
	var out []*PostureCheck
	v.classes[checks].subjects.each(func(id string, s *subject) bool {
		if c, ok := s.entity.(*PostureCheck); ok && r.posture.Match(r.semantic, id, sortedSet(c.Attributes)) {
			out = append(out, c)
		}
		return true
	})
	slices.SortFunc(out, func(a, b *PostureCheck) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Grants reports whether a service policy that contains somebody and something
// grants: whether it demands no posture.
func (v *View) Grants(p *ServicePolicy) bool {
	table, _ := ruleTable(KindServicePolicy)
	r, ok := v.byID[table].get(p.ID)
	return ok && !v.demanding[p.Action].has(r.ordinal)
}

// Allows reports whether a service policy that demands no posture contains an
// identity and a service, both of which must exist. Check asks more: that the
// identity is enabled and that there is a router.
func (v *View) Allows(a Action, identityID, serviceID string) bool {
	if a >= actions {
		return false
	}
	left, okLeft := v.holding(relationOf(a), 0, identityID)
	right, okRight := v.holding(relationOf(a), 1, serviceID)
	return okLeft && okRight && granting(&left, &right, v.demanding[a]) >= 0
}

// postureUnknown refuses because of policies that all demand posture.
func (v *View) postureUnknown(policies []Entity) Decision {
	var names []string
	for _, c := range v.Posture(policies[0].Key()) {
		if len(names) == maxNames {
			names = append(names, "more")
			break
		}
		names = append(names, fmt.Sprintf("%q", c.Name))
	}
	p := policies[0].(*ServicePolicy)
	return Decision{Code: PostureUnknown,
		Rule: fmt.Sprintf("every %s service policy that contains both demands posture checks, and posture is not evaluated: %s demands %s",
			p.Action, policyNames(policies), strings.Join(names, ", ")),
		Remedy: fmt.Sprintf("take the posture checks out of one of them: weft update service-policy %q --posture-check-roles ''", p.Name)}
}

// ask notes a policy that names posture checks.
func (t *transaction) ask(r *rule) {
	if !r.posture.Empty() {
		t.view.asking[r.relation] = t.view.asking[r.relation].with(r.ordinal)
		t.asked = append(t.asked, r)
	}
}

func (t *transaction) forgetPosture(r *rule) {
	if !r.posture.Empty() {
		t.view.asking[r.relation] = t.view.asking[r.relation].without(r.ordinal)
		t.view.demanding[r.relation] = t.view.demanding[r.relation].without(r.ordinal)
	}
}

// settlePosture finds out, at the end of a batch, which policies demand
// posture: those that were put, or all if the checks have changed.
func (t *transaction) settlePosture() {
	if !t.checks {
		for _, r := range t.asked {
			if now, ok := t.view.byID[0].get(r.entity.Key()); ok && now.ordinal == r.ordinal && now.relation == r.relation {
				t.settle(now)
			}
		}
		return
	}
	for _, relation := range []Relation{MayDial, MayBind} {
		t.view.asking[relation].each(func(n int32) { t.settle(t.view.rules[relation].at(n)) })
	}
}

// settle brings the bit of one policy up to date.
func (t *transaction) settle(r *rule) {
	demanding := &t.view.demanding[r.relation]
	was, is := demanding.has(r.ordinal), t.selectsCheck(r.semantic, r.posture)
	if was == is {
		return
	}
	if is {
		*demanding = demanding.with(r.ordinal)
	} else {
		*demanding = demanding.without(r.ordinal)
	}
	t.effects.rule(r, is)
	dated := *r
	dated.at = t.at
	t.storeRule(&dated)
}

// selectsCheck reports whether there is a posture check that a role list
// selects.
func (t *transaction) selectsCheck(sem role.Semantic, set role.Set) bool {
	c := &t.view.classes[checks]
	if set.All {
		found := false
		c.subjects.each(func(_ string, s *subject) bool { found = s.entity != nil; return !found })
		return found
	}
	return slices.ContainsFunc(set.IDs, func(id string) bool { return c.find(id) != nil }) ||
		len(t.matching(checks, sem, set)) > 0
}
