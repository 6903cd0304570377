package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
)

type (
	servicePolicyEntity           = entity[model.ServicePolicy, api.ServicePolicy, *model.ServicePolicy]
	edgeRouterPolicyEntity        = entity[model.EdgeRouterPolicy, api.EdgeRouterPolicy, *model.EdgeRouterPolicy]
	serviceEdgeRouterPolicyEntity = entity[model.ServiceEdgeRouterPolicy, api.ServiceEdgeRouterPolicy, *model.ServiceEdgeRouterPolicy]
)

func (s *Server) servicePolicyEntity() *servicePolicyEntity {
	in := func(kind policy.Kind) func(c *call, e *model.ServicePolicy) []string {
		return func(c *call, e *model.ServicePolicy) []string {
			return keys(c.policy.Members(policy.KindServicePolicy, e.ID, kind))
		}
	}
	x := newEntity[model.ServicePolicy, api.ServicePolicy](s.links.servicePolicy, shapeServicePolicy,
		textSet("identities", in(policy.KindIdentity)), textSet("services", in(policy.KindService)),
		numbered("type", func(e *model.ServicePolicy) string { return e.Type }, model.Dial, model.Bind))
	x.before = func(w *change[model.ServicePolicy]) error {
		return checkRoles(map[string][]string{"identityRoles": w.e.IdentityRoles, "serviceRoles": w.e.ServiceRoles, "postureCheckRoles": w.e.PostureCheckRoles})
	}
	return x
}

func shapeServicePolicy(c *call, d *api.ServicePolicy, e *model.ServicePolicy) {
	base(&d.Base, &e.Base, c.s.links.servicePolicy)
	d.IsSystem = e.IsSystem
	d.IdentityRoles, d.IdentityRolesDisplay = e.IdentityRoles, display(c, model.KindIdentity, e.IdentityRoles)
	d.ServiceRoles, d.ServiceRolesDisplay = e.ServiceRoles, display(c, model.KindService, e.ServiceRoles)
	d.PostureCheckRoles, d.PostureCheckRolesDisplay = e.PostureCheckRoles, display(c, model.KindPostureCheck, e.PostureCheckRoles)
	d.Name, d.Semantic, d.Type = e.Name, e.Semantic, e.Type
}

func (s *Server) edgeRouterPolicyEntity() *edgeRouterPolicyEntity {
	x := newEntity[model.EdgeRouterPolicy, api.EdgeRouterPolicy](s.links.edgeRouterPolicy, shapeEdgeRouterPolicy)
	x.before = func(w *change[model.EdgeRouterPolicy]) error {
		return checkRoles(map[string][]string{"identityRoles": w.e.IdentityRoles, "edgeRouterRoles": w.e.EdgeRouterRoles})
	}
	return x
}

func shapeEdgeRouterPolicy(c *call, d *api.EdgeRouterPolicy, e *model.EdgeRouterPolicy) {
	base(&d.Base, &e.Base, c.s.links.edgeRouterPolicy)
	d.IsSystem = e.IsSystem
	d.IdentityRoles, d.IdentityRolesDisplay = e.IdentityRoles, display(c, model.KindIdentity, e.IdentityRoles)
	d.EdgeRouterRoles, d.EdgeRouterRolesDisplay = e.EdgeRouterRoles, display(c, model.KindEdgeRouter, e.EdgeRouterRoles)
	d.Name, d.Semantic = e.Name, e.Semantic
}

func (s *Server) serviceEdgeRouterPolicyEntity() *serviceEdgeRouterPolicyEntity {
	x := newEntity[model.ServiceEdgeRouterPolicy, api.ServiceEdgeRouterPolicy](s.links.serviceERPolicy, shapeServiceEdgeRouterPolicy)
	x.before = func(w *change[model.ServiceEdgeRouterPolicy]) error {
		return checkRoles(map[string][]string{"serviceRoles": w.e.ServiceRoles, "edgeRouterRoles": w.e.EdgeRouterRoles})
	}
	return x
}

func shapeServiceEdgeRouterPolicy(c *call, d *api.ServiceEdgeRouterPolicy, e *model.ServiceEdgeRouterPolicy) {
	base(&d.Base, &e.Base, c.s.links.serviceERPolicy)
	d.IsSystem = e.IsSystem
	d.ServiceRoles, d.ServiceRolesDisplay = e.ServiceRoles, display(c, model.KindService, e.ServiceRoles)
	d.EdgeRouterRoles, d.EdgeRouterRolesDisplay = e.EdgeRouterRoles, display(c, model.KindEdgeRouter, e.EdgeRouterRoles)
	d.Name, d.Semantic = e.Name, e.Semantic
}
