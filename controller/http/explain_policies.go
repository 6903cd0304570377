package http

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
)

// policies says which service policies contain both, and which come near.
func (x *explanation) policies(r *api.ExplainedRule) {
	granting := x.sorted(x.c.policy.Granting(x.relation, x.identity.ID, x.service.ID))
	for _, p := range granting {
		i := x.c.policy.Match(policy.KindServicePolicy, p.Key(), policy.KindIdentity, x.identity.ID)
		s := x.c.policy.Match(policy.KindServicePolicy, p.Key(), policy.KindService, x.service.ID)
		ref := x.policyRef(p)
		note(r, stateOK, &ref, fmt.Sprintf("%q contains the identity by %s and the service by %s",
			policy.NameOf(p), by(i, x.identity.Name), by(s, x.service.Name)))
	}
	if len(granting) > 0 {
		r.Sentence = fmt.Sprintf("%s both: %s", many(len(granting), x.action.String()+" service policy contains", x.action.String()+" service policies contain"), names(granting))
		return
	}
	d := x.c.policy.Check(x.action, x.identity.ID, x.service.ID, "")
	if d.Code == policy.IdentityDisabled { // asked about as if it were enabled
		d.Code = policy.NoDialPolicy
		if x.action == policy.Bind {
			d.Code = policy.NoBindPolicy
		}
		d.Rule = fmt.Sprintf("no %s service policy contains both identity %q and service %q", x.action, x.identity.Name, x.service.Name)
		d.Remedy = fmt.Sprintf("weft create service-policy NAME %s --identity-roles '@%s' --service-roles '@%s'", x.action, x.identity.Name, x.service.Name)
	}
	refuse(r, string(d.Code), d.Rule, d.Remedy)
	gaps, more := x.c.policy.Gaps(x.relation, x.identity.ID, x.service.ID, maxDetails)
	r.Omitted = more
	for n, g := range gaps {
		ref := x.policyRef(g.Policy)
		note(r, stateFailed, &ref, x.gap(g))
		if n == 0 && len(g.Match.Missing) > 0 {
			r.Remedy = d.Remedy + ", or: " + x.addAttribute(g)
		}
	}
}

// gap says what keeps a policy that contains one side from containing the other.
func (x *explanation) gap(g policy.Gap) string {
	has, lacks, kind, id, name := "identity", "service", policy.KindIdentity, x.identity.ID, x.identity.Name
	if g.Left {
		has, lacks, kind, id, name = "service", "identity", policy.KindService, x.service.ID, x.service.Name
	}
	m := x.c.policy.Match(policy.KindServicePolicy, g.Policy.Key(), kind, id)
	text := fmt.Sprintf("%q contains the %s by %s, but not the %s", policy.NameOf(g.Policy), has, by(m, name), lacks)
	switch missing := hashed(g.Match.Missing); {
	case len(missing) == 0:
		return text + ": it is not named there"
	case g.Match.Any:
		return text + ", which would need one of " + strings.Join(missing, " ")
	default:
		return text + ", which lacks " + strings.Join(missing, " ")
	}
}

// addAttribute is the command that closes a gap.
func (x *explanation) addAttribute(g policy.Gap) string {
	kind, name, have := "service", x.service.Name, x.service.RoleAttributes
	if g.Left {
		kind, name, have = "identity", x.identity.Name, x.identity.RoleAttributes
	}
	add := g.Match.Missing
	if g.Match.Any {
		add = add[:1]
	}
	return fmt.Sprintf("weft update %s %q --role-attributes %s", kind, name, strings.Join(sortedUnique(append(slices.Clone(have), add...)), ","))
}

// posture says whether one of the policies grants without posture.
func (x *explanation) posture(r *api.ExplainedRule) {
	var free, held []policy.Entity
	for _, p := range x.sorted(x.c.policy.Granting(x.relation, x.identity.ID, x.service.ID)) {
		if x.c.policy.Grants(p.(*policy.ServicePolicy)) {
			free = append(free, p)
			continue
		}
		held = append(held, p)
		var checks []policy.Entity
		for _, check := range x.c.policy.Posture(p.Key()) {
			checks = append(checks, check)
		}
		ref := x.policyRef(p)
		note(r, stateSkipped, &ref, fmt.Sprintf("%q demands posture checks, which are not evaluated: %s", policy.NameOf(p), names(checks)))
	}
	switch {
	case len(free) == 0 && len(held) == 0:
		r.State, r.Sentence = stateSkipped, "not asked: no policy contains both"
	case len(held) == 0:
		r.Sentence = "no posture is demanded"
	case len(free) > 0:
		r.Sentence = "not evaluated; " + names(free) + " grants without posture"
	default:
		d := x.c.policy.Check(x.action, x.identity.ID, x.service.ID, "")
		if d.Code != policy.PostureUnknown { // disabled
			d.Code, d.Rule = policy.PostureUnknown, "every policy that contains both demands posture checks, and posture is not evaluated"
			d.Remedy = fmt.Sprintf("weft update service-policy %q --posture-check-roles ''", policy.NameOf(held[0]))
		}
		refuse(r, string(d.Code), d.Rule, d.Remedy)
	}
}

// sorted orders policies by name.
func (x *explanation) sorted(policies []policy.Entity) []policy.Entity {
	slices.SortFunc(policies, func(a, b policy.Entity) int {
		return strings.Compare(policy.NameOf(a)+"\x00"+a.Key(), policy.NameOf(b)+"\x00"+b.Key())
	})
	return policies
}

func (x *explanation) policyRef(p policy.Entity) api.Ref { return x.c.policyRef(p) }

// policyRef returns the reference of a policy of any kind.
func (c *call) policyRef(p policy.Entity) api.Ref {
	set, kind := c.s.links.servicePolicy, model.KindServicePolicy
	switch p.Kind() {
	case policy.KindEdgeRouterPolicy:
		set, kind = c.s.links.edgeRouterPolicy, model.KindEdgeRouterPolicy
	case policy.KindServiceEdgeRouterPolicy:
		set, kind = c.s.links.serviceERPolicy, model.KindServiceEdgeRouterPolicy
	}
	r := c.ref(set, kind, p.Key())
	r.Name = policy.NameOf(p)
	return r
}

// by names the roles that select an entity.
func by(m policy.Match, name string) string {
	if len(m.By) == 1 && m.By[0][0] == '@' {
		return "@" + name
	}
	return strings.Join(m.By, " ")
}

func hashed(attributes []string) []string {
	out := make([]string, len(attributes))
	for i, a := range attributes {
		out[i] = "#" + a
	}
	return out
}

// names quotes the names of the first entities.
func names(entities []policy.Entity) string {
	var out []string
	for i, e := range entities {
		if i == maxNamed {
			out = append(out, fmt.Sprintf("%d more", len(entities)-maxNamed))
			break
		}
		out = append(out, quoted(policy.NameOf(e)))
	}
	return strings.Join(out, ", ")
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
