package state

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/weftnet/weft/model"
)

// Damage is one entity that no sequence of commands could have left as it is.
type Damage struct {
	Kind         model.Kind
	ID           string
	Descriptions []string

	drop   bool           // the entity belongs to nothing
	fields map[string]any // that mend it when they are set
	touch  bool           // writing it again mends it
}

// Mend adds what mends the damage to a command of the system, the first of the
// operations being the one that matters; false if that takes a person.
func (d *Damage) Mend(c *Command) bool {
	switch {
	case d.drop:
		c.Remove(d.Kind, d.ID)
	case len(d.fields) > 0, d.touch:
		c.Patch(d.Kind, d.ID, d.fields)
	default:
		return false
	}
	return true
}

// Damages goes through the whole view and yields the entities that refer to
// what does not exist, belong to nothing, lack what belongs to them, or share
// what should be theirs alone.
func (v *View) Damages() iter.Seq[*Damage] {
	return func(yield func(*Damage) bool) {
		for _, k := range model.Kinds() {
			for e := range v.All(k) {
				c := &examined{v: v, e: e, d: &Damage{Kind: k, ID: e.Meta().ID, fields: map[string]any{}}}
				c.duplicates(schema()[k])
				c.references()
				c.companions()
				if len(c.d.Descriptions) > 0 && !yield(c.d) {
					return
				}
			}
		}
	}
}

// examined is one entity that is looked at.
type examined struct {
	v *View
	e model.Entity
	d *Damage
}

func (c *examined) name() string { return fmt.Sprintf("%s %s", c.e.Kind(), c.e.Meta().ID) }

func (c *examined) missing(k model.Kind, id string) bool { return c.v.Get(k, id) == nil }

func (c *examined) report(format string, args ...any) {
	c.d.Descriptions = append(c.d.Descriptions, fmt.Sprintf(format, args...))
}

// dangling notes a reference that leads nowhere.
func (c *examined) dangling(field string, k model.Kind, id string) {
	c.report("%s.%s has invalid value for %s, which references invalid %s %s", model.Describe(c.e.Kind()).Store, field, c.name(), k, id)
}

// belongs checks a reference without which the entity has no meaning.
func (c *examined) belongs(field string, k model.Kind, id string) {
	if c.missing(k, id) {
		c.dangling(field, k, id)
		c.d.drop = true
	}
}

// refers checks a reference; value takes its place if it is wrong.
func (c *examined) refers(field string, k model.Kind, id string, value any) {
	if id != "" && c.missing(k, id) {
		c.dangling(field, k, id)
		c.d.fields[field] = value
	}
}

// list checks ids that stand in a list behind a prefix.
func (c *examined) list(field, prefix string, k model.Kind, values []string) {
	kept := slices.Clone(values)
	for _, s := range values {
		if id, ok := strings.CutPrefix(s, prefix); ok && c.missing(k, id) {
			c.dangling(field, k, id)
			kept = without(kept, s)
		}
	}
	if len(kept) != len(values) {
		if kept == nil {
			kept = []string{}
		}
		c.d.fields[field] = kept
	}
}

// keys checks a map whose keys are ids.
func keysOf[V any](c *examined, field string, k model.Kind, m map[string]V) {
	kept := m
	for _, id := range sortedKeys(m) {
		if c.missing(k, id) {
			c.dangling(field, k, id)
			kept = withoutKey(kept, id)
		}
	}
	if len(kept) != len(m) {
		c.d.fields[field] = kept
	}
}

// duplicates finds values that another entity has, too: only one of the two is
// found by them.
func (c *examined) duplicates(indexes []index) {
	for _, ix := range indexes {
		if !ix.unique {
			continue
		}
		for _, value := range ix.keys(c.e) {
			if value == "" {
				continue
			}
			other := c.v.FirstBy(c.e.Kind(), ix.name, value)
			if other != nil && other.Meta().ID == c.e.Meta().ID {
				continue
			}
			shown := value
			if ix.name == ByToken {
				shown = "(secret)"
			}
			if other == nil {
				c.report("%s.%s of %s leads to nothing: %s", model.Describe(c.e.Kind()).Store, ix.field, c.name(), shown)
				c.d.touch = true
				continue
			}
			c.report("%s.%s of %s is not unique: %s belongs to %s", model.Describe(c.e.Kind()).Store, ix.field, c.name(), shown, other.Meta().ID)
			if ix.name == ByName {
				c.d.fields["name"] = value + "-" + c.e.Meta().ID
			}
		}
	}
}

// references checks what the entity refers to, by its kind.
func (c *examined) references() {
	switch e := c.e.(type) {
	case *model.Identity:
		c.identity(e)
	case *model.Authenticator:
		c.belongs("identity", model.KindIdentity, e.IdentityID)
	case *model.MFA:
		c.belongs("identity", model.KindIdentity, e.IdentityID)
	case *model.Enrollment:
		c.enrollment(e)
	case *model.Service:
		c.list("configs", "", model.KindConfig, e.Configs)
	case *model.Config:
		c.belongs("type", model.KindConfigType, e.ConfigTypeID)
	case *model.Terminator:
		c.belongs("service", model.KindService, e.ServiceID)
		c.belongs("router", model.KindEdgeRouter, e.RouterID)
	case *model.ServicePolicy:
		c.list("identityRoles", "@", model.KindIdentity, e.IdentityRoles)
		c.list("serviceRoles", "@", model.KindService, e.ServiceRoles)
		c.list("postureCheckRoles", "@", model.KindPostureCheck, e.PostureCheckRoles)
	case *model.EdgeRouterPolicy:
		c.edgeRouterPolicy(e)
	case *model.ServiceEdgeRouterPolicy:
		c.list("serviceRoles", "@", model.KindService, e.ServiceRoles)
		c.list("edgeRouterRoles", "@", model.KindEdgeRouter, e.EdgeRouterRoles)
	case *model.AuthPolicy:
		c.list("primary.extJwt.allowedSigners", "", model.KindExternalJwtSigner, e.Primary.ExtJwt.AllowedSigners)
		if s := e.Secondary.RequireExtJwtSigner; s != nil && *s != "" && c.missing(model.KindExternalJwtSigner, *s) {
			// Without it nobody would need the second factor: that is for a person.
			c.dangling("secondary.requireExtJwtSigner", model.KindExternalJwtSigner, *s)
		}
	}
}

func (c *examined) identity(e *model.Identity) {
	c.refers("authPolicyId", model.KindAuthPolicy, e.AuthPolicyID, model.DefaultAuthPolicyID)
	keysOf(c, "serviceHostingCosts", model.KindService, e.ServiceHostingCosts)
	keysOf(c, "serviceHostingPrecedences", model.KindService, e.ServiceHostingPrecedences)
	kept, changed := map[string]map[string]string{}, false
	for _, service := range sortedKeys(e.ServiceConfigs) {
		if c.missing(model.KindService, service) {
			c.dangling("serviceConfigs", model.KindService, service)
			changed = true
			continue
		}
		byType := e.ServiceConfigs[service]
		for _, typ := range sortedKeys(byType) {
			if id := byType[typ]; c.missing(model.KindConfig, id) {
				c.dangling("serviceConfigs", model.KindConfig, id)
				byType, changed = withoutKey(byType, typ), true
			}
		}
		if len(byType) > 0 {
			kept[service] = byType
		}
	}
	if changed {
		c.d.fields["serviceConfigs"] = kept
	}
	if e.Type == model.IdentityRouter && c.missing(model.KindEdgeRouter, e.ID) {
		c.dangling("id", model.KindEdgeRouter, e.ID)
		c.d.drop = true
	}
}

func (c *examined) enrollment(e *model.Enrollment) {
	if e.IdentityID+e.EdgeRouterID+e.TransitRouterID == "" {
		c.report("%s belongs to no identity and to no router", c.name())
		c.d.drop = true
	}
	for _, r := range []struct {
		field string
		kind  model.Kind
		id    string
	}{{"identity", model.KindIdentity, e.IdentityID}, {"edgeRouter", model.KindEdgeRouter, e.EdgeRouterID},
		{"transitRouter", model.KindEdgeRouter, e.TransitRouterID}, {"ca", model.KindCA, e.CaID}} {
		if r.id != "" {
			c.belongs(r.field, r.kind, r.id)
		}
	}
}

func (c *examined) edgeRouterPolicy(e *model.EdgeRouterPolicy) {
	if e.IsSystem && c.missing(model.KindEdgeRouter, e.ID) {
		c.report("%s belongs to router %s, which does not exist", c.name(), e.ID)
		c.d.drop = true
		return
	}
	c.list("identityRoles", "@", model.KindIdentity, e.IdentityRoles)
	c.list("edgeRouterRoles", "@", model.KindEdgeRouter, e.EdgeRouterRoles)
}

// companions checks that a router which hosts and dials by itself has its
// identity and its policy.
func (c *examined) companions() {
	r, ok := c.e.(*model.EdgeRouter)
	if !ok || !r.IsTunnelerEnabled || r.IsTransit {
		return
	}
	for _, k := range []model.Kind{model.KindIdentity, model.KindEdgeRouterPolicy} {
		if c.missing(k, r.ID) {
			c.report("%s has no %s of its own", c.name(), k)
			c.d.touch = true
		}
	}
}
