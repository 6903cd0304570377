package state

import (
	"slices"

	"github.com/weftnet/weft/model"
)

// RoleAttributes returns the distinct role attributes of identities, services, edge
// routers or posture checks, sorted; nothing for other kinds.
func RoleAttributes(v *View, k model.Kind) []string {
	seen := make(map[string]struct{})
	for e := range v.All(k) {
		for _, a := range attributesOf(e) {
			seen[a] = struct{}{}
		}
	}
	out := make([]string, 0, len(seen))
	for a := range seen {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}

func attributesOf(e model.Entity) []string {
	switch e := e.(type) {
	case *model.Identity:
		return e.RoleAttributes
	case *model.Service:
		return e.RoleAttributes
	case *model.EdgeRouter:
		return e.RoleAttributes
	case *model.PostureCheck:
		return e.RoleAttributes
	}
	return nil
}
