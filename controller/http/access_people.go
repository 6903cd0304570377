package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// above returns a right of the identity that the caller lacks, empty if there is
// none. Who could change how such an identity logs in could take its place.
func (c *Caller) above(i *model.Identity) string {
	if c.Admin || i.ID == c.IdentityID {
		return ""
	}
	if i.IsAdmin || i.IsDefaultAdmin {
		return "admin"
	}
	for _, p := range i.Permissions {
		if !c.may(p) {
			return p
		}
	}
	return ""
}

// guard keeps callers away from an identity with rights that they lack: from its
// settings, and from how it enrols and logs in.
func (c *call) guard(i *model.Identity) error {
	switch right := c.caller.above(i); right {
	case "":
		return nil
	case "admin":
		return fault.Unauthorized.Errorf("non-admins may not change admin users")
	default:
		return fault.Unauthorized.Errorf("the identity %s has the permission %s, which the caller lacks", i.Name, right).
			WithRemedy("let an admin do it, or somebody who has all permissions of the identity")
	}
}

// guardID is guard for an identity that need not exist.
func (c *call) guardID(identity string) error {
	if i := state.Get[model.Identity](c.state, identity); i != nil {
		return c.guard(i)
	}
	return nil
}

// permitIdentity keeps those who are not admins away from identities with more
// rights than theirs, and from giving rights.
func permitIdentity(c *call, old *model.Identity, in any) error {
	if c.caller.Admin {
		return nil
	}
	if old != nil {
		if err := c.guard(old); err != nil {
			return err
		}
	}
	body, _ := in.(*api.IdentityInput)
	switch {
	case body == nil:
		return nil
	case c.ep.op.Method == "PUT":
		return fault.Unauthorized.Errorf("non-admins may not use the PUT method, use PATCH instead")
	case old == nil && (body.IsAdmin != nil && *body.IsAdmin || len(body.Permissions) > 0):
		return fault.Unauthorized.Errorf("non-admins may not create admin users")
	case old != nil && (body.IsAdmin != nil || body.Permissions != nil):
		return fault.Unauthorized.Errorf("non-admins may not change permissions or isAdmin")
	}
	return nil
}

// mayEnrollAs reports whether the caller may see the one-time tokens of an
// identity, which make whoever has them that identity: the identity itself, and
// those who could make such a token because they may write.
func (c *call) mayEnrollAs(identity string) bool {
	if c.caller.Admin || identity == c.caller.IdentityID {
		return true
	}
	if !c.mayAny("identity.create", "enrollment.create", "enrollment.update") {
		return false
	}
	i := state.Get[model.Identity](c.state, identity)
	return i == nil || c.caller.above(i) == ""
}

// mayEnrollRouters is mayEnrollAs for routers.
func (c *call) mayEnrollRouters() bool {
	return c.mayAny("router.create", "router.update")
}

// maySeeToken is mayEnrollAs for an enrollment.
func (c *call) maySeeToken(e *model.Enrollment) bool {
	if e.IdentityID == "" {
		return c.mayEnrollRouters()
	}
	return c.mayEnrollAs(e.IdentityID)
}

func (c *call) mayAny(permissions ...string) bool {
	for _, p := range permissions {
		if c.caller.may(p) {
			return true
		}
	}
	return false
}
