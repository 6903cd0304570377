package http

import (
	"slices"

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
	entity := a.Rule == api.EntityAccess || a.Rule == api.EntityAccessNoReadonly
	read := a.Rule == api.EntityAccess && a.Action == "read" || a.Rule == api.AdminOrReadonly
	switch {
	case a.Rule == api.Authenticated, c.Admin:
		return nil
	case a.Rule == api.Admin:
		return fault.Unauthorized.New(nil)
	case a.Rule == api.AnyPermission && len(c.Permissions) > 0:
		return nil
	case read && slices.Contains(c.Permissions, adminReadonly):
		return nil
	case entity && (slices.Contains(c.Permissions, e.needs[0]) || slices.Contains(c.Permissions, e.needs[1])) && e.reads(c):
		return nil
	}
	return fault.Unauthorized.New(nil)
}

// reads reports whether the caller may read the further entities that the
// operation shows.
func (e *endpoint) reads(c *Caller) bool {
	return !slices.ContainsFunc(e.op.Reads, func(entity string) bool {
		return !slices.Contains(c.Permissions, entity) && !slices.Contains(c.Permissions, entity+".read")
	})
}
