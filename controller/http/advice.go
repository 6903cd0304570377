package http

import (
	"slices"

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
		IsDialAllowed: c.policy.Related(policy.MayDial, i.ID, sv.ID), IsBindAllowed: c.policy.Related(policy.MayBind, i.ID, sv.ID)}
	mine := rights(c.policy, policy.MayUse, i.ID)
	its := rights(c.policy, policy.MayServeBy, sv.ID)
	d.IdentityRouterCount, d.ServiceRouterCount = len(mine), len(its)
	for _, r := range mine {
		if _, common := slices.BinarySearch(its, r); common {
			d.CommonRouters = append(d.CommonRouters, api.RouterRef{Ref: c.ref(s.links.edgeRouter, model.KindEdgeRouter, r), IsOnline: s.cfg.Live.Router(r).Online})
		}
	}
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, d)
	c.out = append(b, `,"meta":null}`+"\n"...)
	c.send(200)
	return nil
}
