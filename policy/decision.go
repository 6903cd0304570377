package policy

import (
	"fmt"

	"github.com/weftnet/weft/fault"
)

// Code is the stable code of a decision.
type Code string

// The codes. Granted is the empty code; the others are refusals.
const (
	Granted           Code = ""
	IdentityUnknown   Code = "IDENTITY_UNKNOWN"              // the identity was deleted
	IdentityDisabled  Code = "IDENTITY_DISABLED"             // the identity is disabled
	ServiceUnknown    Code = "SERVICE_UNKNOWN"               // the service does not exist
	NoDialPolicy      Code = "NO_DIAL_POLICY"                // no Dial service policy contains both
	NoBindPolicy      Code = "NO_BIND_POLICY"                // no Bind service policy contains both
	PostureUnknown    Code = "POSTURE_NOT_EVALUATED"         // every service policy that contains both demands posture checks, and posture is not evaluated yet
	NoCommonRouter    Code = "NO_EDGE_ROUTERS_AVAILABLE"     // no router is granted to both the identity and the service
	RouterUnknown     Code = "ROUTER_UNKNOWN"                // the router was deleted
	RouterDisabled    Code = "ROUTER_DISABLED"               // the router is disabled
	IdentityNotRouted Code = "NO_EDGE_ROUTER_POLICY"         // no edge router policy grants the router to the identity
	ServiceNotRouted  Code = "NO_SERVICE_EDGE_ROUTER_POLICY" // no service edge router policy grants the router to the service
)

// Decision is the answer to one question, with its reason.
type Decision struct {
	Code   Code
	Policy *ServicePolicy // a policy that grants; nil for most refusals
	Rule   string         // of a refusal: what was missing, a sentence without full stop
	Remedy string         // of a refusal: what to do
}

// Allowed reports whether access is granted.
func (d Decision) Allowed() bool { return d.Code == Granted }

// Fault returns the refusal for people and APIs, nil if access is granted. Its
// kind is fault.Unauthorized for the identity, fault.NotFound for services
// that are unknown or not granted, fault.InvalidPosture for posture, and
// fault.NoEdgeRoutersAvailable for routers; its data carries the code as `policyCode`.
func (d Decision) Fault() *fault.Error {
	kind := fault.NoEdgeRoutersAvailable
	switch d.Code {
	case Granted:
		return nil
	case IdentityUnknown, IdentityDisabled:
		kind = fault.Unauthorized
	case ServiceUnknown, NoDialPolicy, NoBindPolicy:
		kind = fault.NotFound
	case PostureUnknown:
		kind = fault.InvalidPosture
	}
	e := kind.Errorf("%s", d.Rule)
	e.Remedy = d.Remedy
	e.Data = map[string]any{"policyCode": string(d.Code)}
	return e
}

// Check decides whether an identity may dial or bind a service through a
// router; with an empty router id, through any. It takes well under a
// microsecond when it grants and does not allocate then.
func (v *View) Check(action Action, identityID, serviceID, routerID string) Decision {
	ids, svcs := &v.classes[identities], &v.classes[services]
	i, s := ids.find(identityID), svcs.find(serviceID)
	if i == nil || s == nil {
		return v.unknown(identityID, serviceID, i == nil)
	}
	identity, service := i.entity.(*Identity), s.entity.(*Service)
	if identity.Disabled {
		return Decision{Code: IdentityDisabled,
			Rule:   fmt.Sprintf("identity %q is disabled", identity.Name),
			Remedy: fmt.Sprintf("enable it: weft update identity %q --disabled=false", identity.Name)}
	}
	r := relationOf(action)
	left, right := ids.holding(i, sides[r][0].slot), svcs.holding(s, sides[r][1].slot)
	n := granting(&left, &right, v.demanding[action])
	if n < 0 {
		return v.noServicePolicy(action, identity, service)
	}
	d := Decision{Policy: v.rules[r].at(n).entity.(*ServicePolicy)}
	use, serve := ids.holding(i, sides[MayUse][0].slot), svcs.holding(s, sides[MayServeBy][0].slot)
	if routerID == "" {
		return v.anyRouter(d, identity, service, &use, &serve)
	}
	return v.oneRouter(d, identity, service, &use, &serve, routerID)
}

func (v *View) oneRouter(d Decision, identity *Identity, service *Service, use, serve *holding, id string) Decision {
	c := &v.classes[routers]
	s := c.find(id)
	if s == nil {
		d.Code, d.Rule = RouterUnknown, fmt.Sprintf("router %q does not exist", id)
		d.Remedy = "connect to a router that the session lists"
		return d
	}
	router := s.entity.(*Router)
	byIdentity, byService := c.holding(s, sides[MayUse][1].slot), c.holding(s, sides[MayServeBy][1].slot)
	switch {
	case router.Disabled:
		d.Code, d.Rule = RouterDisabled, fmt.Sprintf("router %q is disabled", router.Name)
		d.Remedy = fmt.Sprintf("enable it: weft update edge-router %q --disabled=false", router.Name)
	case common(use, &byIdentity) < 0:
		d.Code = IdentityNotRouted
		d.Rule = fmt.Sprintf("no edge router policy lets identity %q use router %q", identity.Name, router.Name)
		d.Remedy = fmt.Sprintf("weft create edge-router-policy NAME --identity-roles '@%s' --edge-router-roles '@%s'", identity.Name, router.Name)
	case common(serve, &byService) < 0:
		d.Code = ServiceNotRouted
		d.Rule = fmt.Sprintf("no service edge router policy lets service %q be used through router %q", service.Name, router.Name)
		d.Remedy = fmt.Sprintf("weft create service-edge-router-policy NAME --service-roles '@%s' --edge-router-roles '@%s'", service.Name, router.Name)
	}
	return d
}

func (v *View) anyRouter(d Decision, identity *Identity, service *Service, use, serve *holding) Decision {
	found := false
	v.eachRouter(use, serve, func(*Router) bool { found = true; return false })
	if found {
		return d
	}
	d.Code = NoCommonRouter
	d.Rule = fmt.Sprintf("no enabled router may be used by identity %q and for service %q at once", identity.Name, service.Name)
	d.Remedy = "check the edge router policies of the identity and the service edge router policies of the service; `#all` on both sides of each admits every router"
	return d
}
