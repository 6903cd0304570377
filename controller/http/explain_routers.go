package http

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// identityRouters says which edge router policies let the identity use routers.
func (x *explanation) identityRouters(r *api.ExplainedRule) {
	x.routed(r, routing{
		relation: policy.MayUse, kind: policy.KindIdentity, policy: policy.KindEdgeRouterPolicy, code: policy.IdentityNotRouted,
		id: x.identity.ID, name: x.identity.Name, who: "identity", may: "may use",
		none: "no edge router policy lets identity %q use %s",
		fix:  "weft create edge-router-policy NAME --identity-roles '@%s' --edge-router-roles '%s'",
	})
}

// serviceRouters says which service edge router policies let the service be
// used through routers.
func (x *explanation) serviceRouters(r *api.ExplainedRule) {
	x.routed(r, routing{
		relation: policy.MayServeBy, kind: policy.KindService, policy: policy.KindServiceEdgeRouterPolicy, code: policy.ServiceNotRouted,
		id: x.service.ID, name: x.service.Name, who: "service", may: "may be used through",
		none: "no service edge router policy lets service %q be used through %s",
		fix:  "weft create service-edge-router-policy NAME --service-roles '@%s' --edge-router-roles '%s'",
	})
}

// routing is one of the two kinds of router policies.
type routing struct {
	relation     policy.Relation
	kind, policy policy.Kind
	code         policy.Code
	id, name     string
	who, may     string
	none, fix    string
}

// routed says which policies join one side with routers, or with the one that
// was asked for.
func (x *explanation) routed(r *api.ExplainedRule, k routing) {
	v := x.c.policy
	routers := keys(v.Rights(k.relation, k.id))
	policies, what, role := v.PoliciesOf(k.relation, k.kind, k.id), "any router", "#all"
	if x.router != nil {
		policies, what, role = v.Granting(k.relation, k.id, x.router.ID), "router "+quoted(x.router.Name), "@"+x.router.Name
		routers = slices.DeleteFunc(routers, func(id string) bool { return id != x.router.ID })
	}
	for _, p := range x.sorted(policies) {
		ref := x.policyRef(p)
		text := fmt.Sprintf("%q contains the %s by %s", policy.NameOf(p), k.who, by(v.Match(k.policy, p.Key(), k.kind, k.id), k.name))
		if x.router != nil {
			text += ", and the router by " + by(v.Match(k.policy, p.Key(), policy.KindRouter, x.router.ID), x.router.Name)
		}
		note(r, stateOK, &ref, text)
	}
	if len(routers) > 0 {
		r.Sentence = fmt.Sprintf("%s %q %s %s", k.who, k.name, k.may, many(len(routers), "router", "routers"))
		return
	}
	refuse(r, string(k.code), fmt.Sprintf(k.none, k.name, what), fmt.Sprintf(k.fix, k.name, role))
	if x.router == nil {
		return
	}
	gaps, more := v.Gaps(k.relation, k.id, x.router.ID, maxDetails)
	r.Omitted = more
	for _, g := range gaps {
		ref := x.policyRef(g.Policy)
		has, lacks := k.who, "router"
		if g.Left {
			has, lacks = "router", k.who
		}
		text := fmt.Sprintf("%q contains the %s, but not the %s", policy.NameOf(g.Policy), has, lacks)
		if missing := hashed(g.Match.Missing); len(missing) > 0 {
			text += ", which lacks " + strings.Join(missing, " ")
		}
		note(r, stateFailed, &ref, text)
	}
}

// commonRouters says which routers both may use, and whether they are there.
func (x *explanation) commonRouters(r *api.ExplainedRule) {
	if x.named != "" && x.router == nil {
		refuse(r, string(policy.RouterUnknown), "router "+quoted(x.named)+" does not exist", "weft list edge-routers")
		return
	}
	common := x.common()
	if len(common) == 0 {
		what := "no router may be used by identity %q and for service %q at once"
		if x.router != nil {
			what = "router " + quoted(x.router.Name) + " may not be used by identity %q and for service %q at once"
		}
		refuse(r, string(policy.NoCommonRouter), fmt.Sprintf(what, x.identity.Name, x.service.Name),
			fmt.Sprintf("weft create edge-router-policy NAME --identity-roles '@%s' --edge-router-roles '#all', and: weft create service-edge-router-policy NAME --service-roles '@%s' --edge-router-roles '#all'",
				x.identity.Name, x.service.Name))
		return
	}
	code, remedies := "", []string{}
	for _, e := range common {
		ref := x.c.ref(x.c.s.links.edgeRouter, model.KindEdgeRouter, e.ID)
		ref.Name = e.Name
		why, what := x.unfitCode(e)
		if why == "" {
			x.via = append(x.via, e)
			note(r, stateOK, &ref, "router "+quoted(e.Name)+" is online")
			continue
		}
		note(r, stateFailed, &ref, what.reason)
		if code == "" {
			code = why
		}
		remedies = append(remedies, what.remedy)
	}
	slices.SortStableFunc(r.Details, func(a, b api.ExplainedDetail) int { return -strings.Compare(a.State, b.State) }) // ok first
	if len(x.via) > 0 {
		r.Sentence = fmt.Sprintf("%s common to both, %d of them online", many(len(common), "router is", "routers are"), len(x.via))
		return
	}
	if len(common) > 1 {
		code = string(policy.NoCommonRouter)
	}
	sentence := r.Details[0].Sentence
	if len(common) > 1 {
		sentence = fmt.Sprintf("none of the %d routers common to both is online and enabled", len(common))
	}
	refuse(r, code, sentence, remedies[0])
}

// common returns the routers that both may use, or the one asked for, in the
// order of their names.
func (x *explanation) common() []*model.EdgeRouter {
	var out []*model.EdgeRouter
	served := keys(x.c.policy.Rights(policy.MayServeBy, x.service.ID))
	for _, id := range keys(x.c.policy.Rights(policy.MayUse, x.identity.ID)) {
		if x.router != nil && id != x.router.ID {
			continue
		}
		if _, both := slices.BinarySearch(served, id); !both {
			continue
		}
		if e := state.Get[model.EdgeRouter](x.c.state, id); e != nil {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *model.EdgeRouter) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// unfitCode says why a router takes no circuits; the code is empty if it does.
func (x *explanation) unfitCode(e *model.EdgeRouter) (string, obstacle) {
	found := x.c.unfit(e, false)
	if len(found) == 0 {
		return "", obstacle{}
	}
	switch {
	case e.Disabled:
		return string(policy.RouterDisabled), found[0]
	case !x.c.routerStatus(e.ID).Online:
		return codeRouterOffline, found[0]
	}
	return codeRouterQuiesced, found[0]
}
