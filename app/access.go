package app

import (
	"slices"

	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/policy"
)

// access answers what authentication asks about services.
type access struct {
	policies func() *policy.View
	online   func(routerID string) bool
}

// ServiceAccess returns what an identity may do with a service.
func (a access) ServiceAccess(identityID, serviceID, sessionType string) auth.ServiceAccess {
	v := a.policies()
	relation := policy.MayDial
	if sessionType == auth.SessionBind {
		relation = policy.MayBind
	}
	out := auth.ServiceAccess{Policies: []string{}}
	if i := v.Identity(identityID); i != nil && v.Service(serviceID) != nil {
		out.Visible = v.Related(policy.MayDial, identityID, serviceID) || v.Related(policy.MayBind, identityID, serviceID)
	}
	for _, p := range v.Granting(relation, identityID, serviceID) {
		if v.Grants(p.(*policy.ServicePolicy)) {
			out.Policies = append(out.Policies, p.Key())
		}
	}
	slices.Sort(out.Policies)
	out.Allowed = len(out.Policies) > 0
	for r := range v.CommonRouters(identityID, serviceID) {
		if out.Routers = a.online(r.ID); out.Routers {
			break
		}
	}
	return out
}
