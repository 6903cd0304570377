package state

import (
	"maps"
	"slices"

	"github.com/weftnet/weft/model"
)

// follow makes the changes that follow from e having been written.
func (t *tx) follow(old, e model.Entity) error {
	switch e := e.(type) {
	case *model.Identity:
		was, _ := old.(*model.Identity)
		if e.DisabledAt != nil && was != nil && (was.DisabledAt == nil || !was.DisabledAt.Equal(*e.DisabledAt)) {
			t.revoke(e.ID)
		}
	case *model.EdgeRouter:
		return t.companions(e)
	}
	return nil
}

// companions keeps the identity and the policy of a router in step with it: a
// tunneler-enabled router has both, under its own id, any other has none.
func (t *tx) companions(r *model.EdgeRouter) error {
	identity, _ := t.get(model.KindIdentity, r.ID).(*model.Identity)
	policy := t.get(model.KindEdgeRouterPolicy, r.ID)
	if !r.IsTunnelerEnabled || r.IsTransit {
		return t.dropCompanions(r.ID)
	}
	return t.asSystem(func() error {
		if identity == nil {
			i := &model.Identity{Name: r.Name, Type: model.IdentityRouter}
			i.ID = r.ID
			if err := t.write(nil, i); err != nil {
				return err
			}
		} else if identity.Name != r.Name {
			i := clone(identity).(*model.Identity)
			i.Name = r.Name
			if err := t.write(identity, i); err != nil {
				return err
			}
		}
		if policy != nil {
			return nil
		}
		p := &model.EdgeRouterPolicy{
			Name: model.SystemPolicyName(r.ID), Semantic: model.AnyOf,
			IdentityRoles: []string{"@" + r.ID}, EdgeRouterRoles: []string{"@" + r.ID},
		}
		p.ID, p.IsSystem = r.ID, true
		return t.write(nil, p)
	})
}

// dropCompanions deletes the policy and the identity that the system made for a
// router.
func (t *tx) dropCompanions(id string) error {
	return t.asSystem(func() error {
		if p := t.get(model.KindEdgeRouterPolicy, id); p != nil && p.Meta().IsSystem {
			if err := t.delete(p); err != nil {
				return err
			}
		}
		i, ok := t.get(model.KindIdentity, id).(*model.Identity)
		if ok && i.Type == model.IdentityRouter {
			return t.delete(i)
		}
		return nil
	})
}

// asSystem runs f with the rights of the controller itself.
func (t *tx) asSystem(f func() error) error {
	cmd := t.cmd
	system := *cmd
	system.System = true
	t.cmd = &system
	defer func() { t.cmd = cmd }()
	return f()
}

// cascade removes what belonged to e and every mention of it.
func (t *tx) cascade(e model.Entity) error {
	id := e.Meta().ID
	switch e := e.(type) {
	case *model.Identity:
		t.dropAll(model.KindAuthenticator, ByIdentity, id)
		t.dropAll(model.KindEnrollment, ByIdentity, id)
		t.dropAll(model.KindMFA, ByIdentity, id)
		t.forgetRole(model.KindServicePolicy, ByIdentityRole, id)
		t.forgetRole(model.KindEdgeRouterPolicy, ByIdentityRole, id)
		t.revoke(id)
	case *model.Service:
		t.dropAll(model.KindTerminator, ByService, id)
		t.forgetRole(model.KindServicePolicy, ByServiceRole, id)
		t.forgetRole(model.KindServiceEdgeRouterPolicy, ByServiceRole, id)
		t.forgetService(id)
	case *model.EdgeRouter:
		t.dropAll(model.KindTerminator, ByRouter, id)
		t.dropAll(model.KindEnrollment, ByRouter, id)
		t.forgetRole(model.KindEdgeRouterPolicy, ByEdgeRouterRole, id)
		t.forgetRole(model.KindServiceEdgeRouterPolicy, ByEdgeRouterRole, id)
		return t.dropCompanions(id)
	case *model.Config:
		t.forgetConfig(e)
	case *model.CA:
		t.dropAll(model.KindEnrollment, ByCA, id)
	case *model.PostureCheck:
		t.forgetRole(model.KindServicePolicy, ByPostureCheckRole, id)
	}
	return nil
}

// dropAll removes the entities of an index, which have no dependants.
func (t *tx) dropAll(k model.Kind, index, value string) {
	for _, e := range t.list(k, index, value) {
		t.drop(e)
	}
}

// forgetRole takes @id out of the role lists of an index.
func (t *tx) forgetRole(k model.Kind, index, id string) {
	role := "@" + id
	for _, old := range t.list(k, index, role) {
		e := t.copy(old)
		for _, list := range roleLists(e, index) {
			*list = without(*list, role)
		}
		t.put(old, e)
	}
}

// roleLists returns the list of a policy that an index is made of.
func roleLists(e model.Entity, index string) []*[]string {
	switch e := e.(type) {
	case *model.ServicePolicy:
		switch index {
		case ByIdentityRole:
			return []*[]string{&e.IdentityRoles}
		case ByServiceRole:
			return []*[]string{&e.ServiceRoles}
		case ByPostureCheckRole:
			return []*[]string{&e.PostureCheckRoles}
		}
	case *model.EdgeRouterPolicy:
		switch index {
		case ByIdentityRole:
			return []*[]string{&e.IdentityRoles}
		case ByEdgeRouterRole:
			return []*[]string{&e.EdgeRouterRoles}
		}
	case *model.ServiceEdgeRouterPolicy:
		switch index {
		case ByServiceRole:
			return []*[]string{&e.ServiceRoles}
		case ByEdgeRouterRole:
			return []*[]string{&e.EdgeRouterRoles}
		}
	}
	return nil
}

// forgetService takes a service out of the settings of identities.
func (t *tx) forgetService(id string) {
	for _, old := range t.list(model.KindIdentity, ByService, id) {
		i := t.copy(old).(*model.Identity)
		i.ServiceConfigs = withoutKey(i.ServiceConfigs, id)
		i.ServiceHostingCosts = withoutKey(i.ServiceHostingCosts, id)
		i.ServiceHostingPrecedences = withoutKey(i.ServiceHostingPrecedences, id)
		t.put(old, i)
	}
}

// forgetConfig takes a config out of services and of overrides.
func (t *tx) forgetConfig(c *model.Config) {
	for _, old := range t.list(model.KindService, ByConfig, c.ID) {
		s := t.copy(old).(*model.Service)
		s.Configs = without(s.Configs, c.ID)
		t.put(old, s)
	}
	for _, old := range t.list(model.KindIdentity, ByConfig, c.ID) {
		i := t.copy(old).(*model.Identity)
		overrides := make(map[string]map[string]string, len(i.ServiceConfigs))
		for service, byType := range i.ServiceConfigs {
			if byType[c.ConfigTypeID] == c.ID {
				byType = withoutKey(byType, c.ConfigTypeID)
			}
			if len(byType) > 0 {
				overrides[service] = byType
			}
		}
		i.ServiceConfigs = overrides
		t.put(old, i)
	}
}

// copy returns a shallow copy with the time of the command.
func (t *tx) copy(e model.Entity) model.Entity {
	c := clone(e)
	c.Meta().UpdatedAt = t.cmd.Time
	return c
}

func without(list []string, s string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(v string) bool { return v == s })
	if len(out) == 0 {
		return nil
	}
	return out
}

func withoutKey[V any](m map[string]V, key string) map[string]V {
	if _, ok := m[key]; !ok {
		return m
	}
	out := maps.Clone(m)
	delete(out, key)
	if len(out) == 0 {
		return nil
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
