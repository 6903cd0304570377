package http

import (
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

const adminReadonly = "admin_readonly"

// permitted decides whether the caller may call the operation. Refusals have no
// cause: they do not tell what exists.
func (e *endpoint) permitted(c *Caller) error {
	a := e.op.Access
	if a.Rule == api.Public {
		return nil
	}
	if c == nil {
		return fault.Unauthorized.New(nil)
	}
	if a.Rule == api.AuthenticatedOrPartial {
		return nil
	}
	if c.Partial {
		return fault.Unauthorized.New(nil).WithRemedy("satisfy the outstanding authentication queries of the session first")
	}
	if a.Rule == api.Authenticated || c.Admin || e.granted(c) {
		return nil
	}
	return fault.Unauthorized.New(nil)
}

// granted reports whether a permission of the caller, who is no admin, covers
// the operation.
func (e *endpoint) granted(c *Caller) bool {
	a := e.op.Access
	switch a.Rule {
	case api.AnyPermission:
		return len(c.Permissions) > 0
	case api.AdminOrReadonly:
		return slices.Contains(c.Permissions, adminReadonly)
	case api.EntityAccess:
		if a.Action == "read" && slices.Contains(c.Permissions, adminReadonly) {
			return true
		}
	case api.EntityAccessNoReadonly:
	default: // admins only
		return false
	}
	if !slices.Contains(c.Permissions, e.needs[0]) && !slices.Contains(c.Permissions, e.needs[1]) {
		return false
	}
	return !slices.ContainsFunc(e.op.Reads, func(entity string) bool { return !c.may(entity + ".read") })
}

// may reports whether the caller has a permission, itself or as part of a wider
// one.
func (c *Caller) may(permission string) bool {
	entity, action, _ := strings.Cut(permission, ".")
	return c.Admin || slices.Contains(c.Permissions, permission) || slices.Contains(c.Permissions, entity) ||
		action == "read" && slices.Contains(c.Permissions, adminReadonly)
}

// maySee reports whether the caller may follow events of a type. Those that show
// changes show every kind of entity.
func (c *Caller) maySee(eventType string) bool {
	return eventType != "audit" && eventType != "entityChange" || c.Admin || slices.Contains(c.Permissions, adminReadonly)
}
