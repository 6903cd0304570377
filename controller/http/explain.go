package http

import (
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// Names of the rules of an explanation, in the order in which they apply.
const (
	ruleLogin       = "login"
	ruleService     = "service"
	rulePolicies    = "service-policies"
	rulePosture     = "posture"
	ruleIdentity    = "edge-router-policies"
	ruleServedBy    = "service-edge-router-policies"
	ruleRouters     = "routers"
	ruleTerminators = "terminators"
	rulePath        = "path"
)

// States of rules and of their details.
const (
	stateOK      = "ok"
	stateFailed  = "failed"
	stateSkipped = "skipped"
)

// maxDetails bounds the details of a rule.
const maxDetails = 20

// explanation is an explanation being made.
type explanation struct {
	c        *call
	action   policy.Action
	relation policy.Relation
	identity *model.Identity   // nil if unknown
	service  *model.Service    // nil if unknown
	router   *model.EdgeRouter // the one asked for, nil if unknown
	named    string            // how the request names it, empty for any router
	via      []*model.EdgeRouter
	hosts    []*model.Terminator
	out      *api.Explanation
}

// explain handles GET /explain.
func (s *Server) explain(c *call) error {
	q := c.r.URL.Query()
	x := &explanation{c: c, named: q.Get("router"), out: &api.Explanation{}}
	var err error
	if x.action, err = actionParam(q.Get("type")); err != nil {
		return err
	}
	x.relation = relationOf(x.action)
	for _, name := range []string{"identity", "service"} {
		if q.Get(name) == "" {
			return fault.CouldNotValidate.Field(name, name+" in query is required", "")
		}
	}
	x.identity = byIDOrName[model.Identity](c, q.Get("identity"))
	x.service = byIDOrName[model.Service](c, q.Get("service"))
	x.out.Type = x.action.String()
	x.out.Identity = api.Ref{Links: api.Links{Set: s.links.identity}, Entity: "identities", Name: q.Get("identity")}
	x.out.Service = api.Ref{Links: api.Links{Set: s.links.service}, Entity: "services", Name: q.Get("service")}
	if x.identity != nil {
		x.out.Identity = c.identityRef(x.identity.ID)
	}
	if x.service != nil {
		x.out.Service = c.serviceRef(x.service.ID)
	}
	if x.named != "" {
		ref := api.Ref{Links: api.Links{Set: s.links.edgeRouter}, Entity: "edge-routers", Name: x.named}
		if x.router = byIDOrName[model.EdgeRouter](c, x.named); x.router != nil {
			ref = c.ref(s.links.edgeRouter, model.KindEdgeRouter, x.router.ID)
		}
		x.out.Router = &ref
	}
	x.run()
	return c.detail(x.out)
}

// run asks all rules. Those that have nothing to look at because of an earlier
// one are skipped.
func (x *explanation) run() {
	x.login()
	x.knownService()
	both := x.identity != nil && x.service != nil
	x.ask(both, rulePolicies, x.policies)
	x.ask(both, rulePosture, x.posture)
	x.ask(x.identity != nil, ruleIdentity, x.identityRouters)
	x.ask(x.service != nil, ruleServedBy, x.serviceRouters)
	x.ask(both, ruleRouters, x.commonRouters)
	if x.action == policy.Dial {
		x.ask(x.service != nil, ruleTerminators, x.terminators)
		x.ask(len(x.via) > 0 && len(x.hosts) > 0, rulePath, x.path)
	}
	x.out.Allowed = true
	for i := range x.out.Rules {
		if r := &x.out.Rules[i]; r.State == stateFailed {
			x.out.Allowed = false
			x.out.Failed, x.out.Code, x.out.Cause, x.out.Remedy = r.Rule, r.Code, r.Sentence, r.Remedy
			return
		}
	}
}

// ask adds a rule: what a function makes of it, or that there is nothing to ask.
func (x *explanation) ask(possible bool, name string, fn func(r *api.ExplainedRule)) {
	r := api.ExplainedRule{Rule: name, State: stateOK}
	if possible {
		fn(&r)
	} else {
		r.State, r.Sentence = stateSkipped, "not asked: an earlier rule leaves nothing to look at"
	}
	if n := len(r.Details); n > maxDetails {
		r.Details, r.Omitted = r.Details[:maxDetails], r.Omitted+n-maxDetails
	}
	x.out.Rules = append(x.out.Rules, r)
}

func (x *explanation) knownService() {
	x.ask(true, ruleService, func(r *api.ExplainedRule) {
		if x.service == nil {
			refuse(r, string(policy.ServiceUnknown), "service "+quoted(x.out.Service.Name)+" does not exist", "weft list services, or weft create service "+x.out.Service.Name)
			return
		}
		r.Sentence = "service " + quoted(x.service.Name) + " exists"
	})
}

// refuse makes a rule fail.
func refuse(r *api.ExplainedRule, code, sentence, remedy string) {
	r.State, r.Code, r.Sentence, r.Remedy = stateFailed, code, sentence, remedy
}

func note(r *api.ExplainedRule, state string, entity *api.Ref, sentence string) {
	r.Details = append(r.Details, api.ExplainedDetail{State: state, Entity: entity, Sentence: sentence})
}

func quoted(s string) string { return `"` + s + `"` }

func relationOf(a policy.Action) policy.Relation {
	if a == policy.Bind {
		return policy.MayBind
	}
	return policy.MayDial
}

// actionParam reads the parameter type.
func actionParam(text string) (policy.Action, error) {
	switch strings.ToLower(text) {
	case "", "dial":
		return policy.Dial, nil
	case "bind":
		return policy.Bind, nil
	}
	return 0, fault.CouldNotValidate.Field("type", "type in query should be one of [dial bind]", text)
}

// byIDOrName finds an entity by its id, else by its name.
func byIDOrName[E any, P pointer[E]](c *call, ref string) *E {
	if e := state.Get[E, P](c.state, ref); e != nil {
		return e
	}
	return state.FirstBy[E, P](c.state, state.ByName, ref)
}
