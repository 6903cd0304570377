package http

import (
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// attributeUse is one kind of entity that has role attributes or asks for them.
type attributeUse struct {
	name string // in the answer
	kind model.Kind
	of   func(e model.Entity) []string
}

// attributeUses are those of one list of role attributes; the first is the kind
// that has them.
type attributeUses []attributeUse

// attributeSources returns them by the part of the operation ids.
func attributeSources() map[string]attributeUses {
	roles := func(kind model.Kind, of func(e model.Entity) []string) attributeUse {
		return attributeUse{model.Describe(kind).Store, kind, func(e model.Entity) []string { return mentioned(of(e)) }}
	}
	dial := func(of func(p *model.ServicePolicy) []string) attributeUse {
		return roles(model.KindServicePolicy, func(e model.Entity) []string { return of(e.(*model.ServicePolicy)) })
	}
	use := func(of func(p *model.EdgeRouterPolicy) []string) attributeUse {
		return roles(model.KindEdgeRouterPolicy, func(e model.Entity) []string { return of(e.(*model.EdgeRouterPolicy)) })
	}
	serve := func(of func(p *model.ServiceEdgeRouterPolicy) []string) attributeUse {
		return roles(model.KindServiceEdgeRouterPolicy, func(e model.Entity) []string { return of(e.(*model.ServiceEdgeRouterPolicy)) })
	}
	return map[string]attributeUses{
		"Identity": {
			{"identities", model.KindIdentity, func(e model.Entity) []string { return e.(*model.Identity).RoleAttributes }},
			dial(func(p *model.ServicePolicy) []string { return p.IdentityRoles }),
			use(func(p *model.EdgeRouterPolicy) []string { return p.IdentityRoles })},
		"EdgeRouter": {
			{"edgeRouters", model.KindEdgeRouter, func(e model.Entity) []string { return e.(*model.EdgeRouter).RoleAttributes }},
			use(func(p *model.EdgeRouterPolicy) []string { return p.EdgeRouterRoles }),
			serve(func(p *model.ServiceEdgeRouterPolicy) []string { return p.EdgeRouterRoles })},
		"Service": {
			{"services", model.KindService, func(e model.Entity) []string { return e.(*model.Service).RoleAttributes }},
			dial(func(p *model.ServicePolicy) []string { return p.ServiceRoles }),
			serve(func(p *model.ServiceEdgeRouterPolicy) []string { return p.ServiceRoles })},
		"PostureCheck": {
			{"postureChecks", model.KindPostureCheck, func(e model.Entity) []string { return e.(*model.PostureCheck).RoleAttributes }},
			dial(func(p *model.ServicePolicy) []string { return p.PostureCheckRoles })},
	}
}

// mentioned returns the attributes of a role list.
func mentioned(roles []string) []string {
	var out []string
	for _, r := range roles {
		if a, ok := strings.CutPrefix(r, "#"); ok && r != "#all" {
			out = append(out, a)
		}
	}
	return out
}

// attribute is one role attribute with the entities that have it or ask for it,
// by the names of the uses.
type attribute struct {
	id    string
	usage map[string]api.RoleAttributeSources
}

// inUse handles the list of the attributes that entities have.
func (u attributeUses) inUse() handler {
	l := &listing[attribute, string]{
		table:     newTable(nil, text("id", func(a *attribute) string { return a.id })),
		shape:     func(_ *call, d *string, a *attribute) { *d = a.id },
		unlimited: true,
	}
	return func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for e := range c.state.All(u[0].kind) {
			for _, a := range u[0].of(e) {
				seen[a] = true
			}
		}
		return l.answer(c, p, source[attribute]{each: func(yield func(*attribute) bool) {
			for _, id := range sortedKeys(seen) {
				if !yield(&attribute{id: id}) {
					return
				}
			}
		}, all: len(seen)})
	}
}

// usage handles the list of the attributes that entities have or policies ask
// for, with how many of each kind do.
func (u attributeUses) usage() handler {
	l := &listing[attribute, api.RoleAttributeUsage]{
		table:     newTable(nil, text("id", func(a *attribute) string { return a.id }), text("roleAttribute", func(a *attribute) string { return a.id })),
		shape:     func(_ *call, d *api.RoleAttributeUsage, a *attribute) { d.RoleAttribute, d.Usage = a.id, a.usage },
		unlimited: true,
	}
	return func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		withIDs, err := boolParam(c.r.URL.Query()["withIds"], "withIds")
		if err != nil {
			return err
		}
		all := u.count(c.state, withIDs)
		return l.answer(c, p, source[attribute]{each: func(yield func(*attribute) bool) {
			for _, id := range sortedKeys(all) {
				if !yield(all[id]) {
					return
				}
			}
		}, all: len(all)})
	}
}

func (u attributeUses) count(v *state.View, withIDs bool) map[string]*attribute {
	all := map[string]*attribute{}
	for _, use := range u {
		for e := range v.All(use.kind) {
			for _, id := range use.of(e) {
				a := all[id]
				if a == nil {
					a = &attribute{id, make(map[string]api.RoleAttributeSources, len(u))}
					for _, each := range u {
						a.usage[each.name] = api.RoleAttributeSources{}
					}
					all[id] = a
				}
				n := a.usage[use.name]
				if n.Count++; withIDs {
					n.Ids = append(n.Ids, e.Meta().ID)
				}
				a.usage[use.name] = n
			}
		}
	}
	return all
}

func boolParam(values []string, name string) (bool, error) {
	if len(values) == 0 || values[0] == "" {
		return false, nil
	}
	switch strings.ToLower(values[0]) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fault.CouldNotValidate.Field(name, name+" in query must be of type bool: \""+values[0]+"\"", values[0])
}
