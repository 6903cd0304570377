package http

import (
	"iter"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/state"
)

// byRoles yields the entities with all or any of the given attributes, united
// with those that are named by id; unknown ids are skipped.
func (x *entity[E, D, P]) byRoles(c *call, roles []string) (iter.Seq[*E], error) {
	set, err := role.Parse("roleFilter", roles)
	if err != nil {
		return nil, err
	}
	sem, err := role.ParseSemantic("roleSemantic", c.r.URL.Query().Get("roleSemantic"))
	if err != nil {
		return nil, err
	}
	if set.All {
		return x.only(state.All[E, P](c.state)), nil
	}
	ids := slices.Clone(set.IDs)
	var first map[string]int // number of attributes that an entity has
	for _, a := range set.Attributes {
		for e := range state.ByIndex[E, P](c.state, state.ByAttribute, a) {
			if first == nil {
				first = map[string]int{}
			}
			first[P(e).Meta().ID]++
		}
	}
	for id, n := range first {
		if sem == role.AnyOf || n == len(set.Attributes) {
			ids = append(ids, id)
		}
	}
	return x.byIDs(c, ids), nil
}

// checkRoles judges the syntax of the role lists of a policy.
func checkRoles(lists map[string][]string) error {
	for _, name := range sortedKeys(lists) {
		if _, err := role.Parse(name, lists[name]); err != nil {
			return err
		}
	}
	return nil
}

// display returns the roles with the names of the entities they mention;
// entries whose entity is gone are left out.
func display(c *call, k model.Kind, roles []string) []api.NamedRole {
	out := make([]api.NamedRole, 0, len(roles))
	for _, r := range roles {
		id, ok := strings.CutPrefix(r, "@")
		if !ok {
			out = append(out, api.NamedRole{Name: r, Role: r})
			continue
		}
		if e := c.state.Get(k, id); e != nil {
			out = append(out, api.NamedRole{Name: "@" + nameOf(e), Role: r})
		}
	}
	return out
}

// nameOf returns the name of an entity, its id if it has none.
func nameOf(e model.Entity) string {
	switch e := e.(type) {
	case *model.Identity:
		return e.Name
	case *model.Service:
		return e.Name
	case *model.EdgeRouter:
		return e.Name
	case *model.Config:
		return e.Name
	case *model.ConfigType:
		return e.Name
	case *model.AuthPolicy:
		return e.Name
	case *model.ServicePolicy:
		return e.Name
	case *model.PostureCheck:
		return e.Name
	case *model.CA:
		return e.Name
	case *model.ExternalJwtSigner:
		return e.Name
	}
	return e.Meta().ID
}

func sortedUnique(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
