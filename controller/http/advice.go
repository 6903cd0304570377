package http

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// policyAdvice tells what an identity may do with a service.
func (s *Server) policyAdvice(c *call) error {
	i, err := s.identities.get(c, c.params[0])
	if err != nil {
		return err
	}
	sv := state.Get[model.Service](c.state, c.params[1])
	if sv == nil {
		return fault.NotFound.Errorf("service with id %s not found", c.params[1])
	}
	d := &api.PolicyAdvice{IdentityID: i.ID, Identity: c.identityRef(i.ID), ServiceID: sv.ID, Service: c.serviceRef(sv.ID),
		IsDialAllowed: c.policy.Allows(policy.Dial, i.ID, sv.ID), IsBindAllowed: c.policy.Allows(policy.Bind, i.ID, sv.ID)}
	mine := rights(c.policy, policy.MayUse, i.ID)
	its := rights(c.policy, policy.MayServeBy, sv.ID)
	d.IdentityRouterCount, d.ServiceRouterCount = len(mine), len(its)
	for _, r := range mine {
		if _, common := slices.BinarySearch(its, r); common {
			d.CommonRouters = append(d.CommonRouters, api.RouterRef{Ref: c.ref(s.links.edgeRouter, model.KindEdgeRouter, r), IsOnline: s.cfg.Live.Router(r).Online})
		}
	}
	d.Dial, d.Bind = c.decision(policy.Dial, i.ID, sv.ID), c.decision(policy.Bind, i.ID, sv.ID)
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, d)
	c.out = append(b, `,"meta":null}`+"\n"...)
	c.send(200)
	return nil
}

// decide answers as routers do for any router of both, and refuses when none of
// those is online.
func (c *call) decide(action policy.Action, identity, service string) policy.Decision {
	d := c.policy.Check(action, identity, service, "")
	if !d.Allowed() {
		return d
	}
	var offline []string
	for r := range c.policy.CommonRouters(identity, service) {
		if c.s.cfg.Live.Router(r.ID).Online {
			return d
		}
		offline = append(offline, strconv.Quote(r.Name))
	}
	slices.Sort(offline)
	if len(offline) > maxNamed {
		offline = append(offline[:maxNamed], fmt.Sprintf("%d more", len(offline)-maxNamed))
	}
	d.Code = policy.NoCommonRouter
	d.Rule = "none of the routers granted to both is online: " + strings.Join(offline, ", ")
	d.Remedy = "start one of them"
	return d
}

// maxNamed bounds the names in a sentence.
const maxNamed = 3

func (c *call) decision(action policy.Action, identity, service string) api.Decision {
	d := c.decide(action, identity, service)
	relation := policy.MayDial
	if action == policy.Bind {
		relation = policy.MayBind
	}
	out := api.Decision{Allowed: d.Allowed(), Code: string(d.Code), Remedy: d.Remedy, Rule: d.Rule}
	for _, p := range c.policy.Granting(relation, identity, service) {
		if !c.policy.Grants(p.(*policy.ServicePolicy)) {
			continue
		}
		out.Policies = append(out.Policies, c.ref(c.s.links.servicePolicy, model.KindServicePolicy, p.Key()))
	}
	slices.SortFunc(out.Policies, func(a, b api.Ref) int { return strings.Compare(a.ID, b.ID) })
	return out
}
