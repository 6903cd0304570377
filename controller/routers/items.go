package routers

import (
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

var trustKey = control.ItemKey{Kind: ctrl.KindTrust, ID: ctrl.TrustOwn}

// keysOf returns the items that an entity has a part in.
func keysOf(e model.Entity) []control.ItemKey {
	id := e.Meta().ID
	one := func(kind policy.Kind) []control.ItemKey { return []control.ItemKey{{Kind: uint32(kind), ID: id}} }
	switch e := e.(type) {
	case *model.Identity:
		return append(one(policy.KindIdentity), control.ItemKey{Kind: ctrl.KindFingerprints, ID: id})
	case *model.Authenticator:
		return []control.ItemKey{{Kind: ctrl.KindFingerprints, ID: e.IdentityID}}
	case *model.Service:
		return one(policy.KindService)
	case *model.EdgeRouter:
		return one(policy.KindRouter)
	case *model.ServicePolicy:
		return one(policy.KindServicePolicy)
	case *model.EdgeRouterPolicy:
		return one(policy.KindEdgeRouterPolicy)
	case *model.ServiceEdgeRouterPolicy:
		return one(policy.KindServiceEdgeRouterPolicy)
	case *model.Key:
		return []control.ItemKey{{Kind: ctrl.KindKey, ID: id}}
	case *model.Revocation:
		return []control.ItemKey{{Kind: ctrl.KindRevocation, ID: id}}
	}
	return nil
}

// everything returns the keys of all items of a view.
func everything(v *state.View) []control.ItemKey {
	out := []control.ItemKey{trustKey}
	for _, k := range []model.Kind{
		model.KindIdentity, model.KindService, model.KindEdgeRouter, model.KindServicePolicy, model.KindEdgeRouterPolicy,
		model.KindServiceEdgeRouterPolicy, model.KindKey, model.KindRevocation,
	} {
		for e := range v.All(k) {
			out = append(out, keysOf(e)...)
		}
	}
	return out
}

func identities(v *state.View) []control.ItemKey {
	var out []control.ItemKey
	for e := range v.All(model.KindIdentity) {
		out = append(out, control.ItemKey{Kind: uint32(policy.KindIdentity), ID: e.Meta().ID})
	}
	return out
}

// touched returns the keys of the items that changes may concern, each once.
func touched(changes []state.Change, v *state.View) []control.ItemKey {
	var out []control.ItemKey
	seen := make(map[control.ItemKey]bool)
	for i := range changes {
		for _, e := range []model.Entity{changes[i].Old, changes[i].New} {
			if e == nil {
				continue
			}
			for _, key := range keysOf(e) {
				if !seen[key] {
					seen[key] = true
					out = append(out, key)
				}
			}
		}
	}
	return out
}

// touches returns changes of services that only clients see: their configs and
// what identities override of them.
func touches(changes []state.Change, v *state.View) []policy.Change {
	services := make(map[string]bool)
	for i := range changes {
		for _, e := range []model.Entity{changes[i].Old, changes[i].New} {
			switch e := e.(type) {
			case *model.Service:
				services[e.ID] = true
			case *model.Config:
				for s := range state.ByIndex[model.Service](v, state.ByConfig, e.ID) {
					services[s.ID] = true
				}
			case *model.Identity:
				for id := range e.ServiceConfigs {
					services[id] = true
				}
			}
		}
	}
	var out []policy.Change
	for id := range services {
		if state.Get[model.Service](v, id) != nil {
			out = append(out, policy.Touch(id))
		}
	}
	return out
}

// appendChange adds the change of an item that policies know of.
func appendChange(batch []policy.Change, key control.ItemKey, e policy.Entity, changed bool) []policy.Change {
	switch {
	case key.Kind >= ctrl.KindKey || !changed:
		return batch
	case e == nil:
		return append(batch, policy.Remove(policy.Kind(key.Kind), key.ID))
	}
	return append(batch, policy.Put(e))
}

// item returns the data of an item as the view has it, nil if there is none,
// and its policy entity if it has one.
func (f *Feed) item(v *state.View, key control.ItemKey, now time.Time) ([]byte, policy.Entity) {
	switch key.Kind {
	case ctrl.KindTrust:
		return []byte(f.trust), nil
	case ctrl.KindKey:
		if k := state.Get[model.Key](v, key.ID); k != nil {
			return k.Public, nil
		}
		return nil, nil
	case ctrl.KindRevocation:
		return revocation(state.Get[model.Revocation](v, key.ID)), nil
	case ctrl.KindFingerprints:
		return fingerprints(v, key.ID), nil
	}
	e := f.entity(v, key, now)
	if e == nil {
		return nil, nil
	}
	data, err := e.AppendBinary([]byte{})
	if err != nil {
		f.log.Error("entity not given to routers", "kind", key.Kind, "id", key.ID, "error", err)
		return nil, nil
	}
	return data, e
}

func revocation(r *model.Revocation) []byte {
	if r == nil {
		return nil
	}
	out := &ctrl.Revocation{Type: r.Type, ExpiresMillis: r.ExpiresAt.UnixMilli()}
	if r.IssuedBefore != nil {
		out.IssuedBeforeMillis = r.IssuedBefore.UnixMilli()
	}
	return control.EncodeRevocation(out)
}

func fingerprints(v *state.View, identityID string) []byte {
	var prints []string
	for a := range state.ByIndex[model.Authenticator](v, state.ByIdentity, identityID) {
		if a.Method == model.MethodCert {
			prints = append(prints, a.Fingerprint)
		}
	}
	return control.AppendFingerprints(nil, prints...)
}

// entity returns the policy entity of an item, nil if there is none.
func (f *Feed) entity(v *state.View, key control.ItemKey, now time.Time) policy.Entity {
	switch policy.Kind(key.Kind) {
	case policy.KindIdentity:
		if e := state.Get[model.Identity](v, key.ID); e != nil {
			return &policy.Identity{ID: e.ID, Name: e.Name, Disabled: e.Disabled(now), Admin: e.IsAdmin, Attributes: e.RoleAttributes}
		}
	case policy.KindService:
		if e := state.Get[model.Service](v, key.ID); e != nil {
			return &policy.Service{
				ID: e.ID, Name: e.Name, EncryptionRequired: e.EncryptionRequired,
				MaxIdle: time.Duration(e.MaxIdleTimeMillis) * time.Millisecond, Attributes: e.RoleAttributes,
			}
		}
	case policy.KindRouter:
		if e := state.Get[model.EdgeRouter](v, key.ID); e != nil {
			return &policy.Router{
				ID: e.ID, Name: e.Name, Fingerprint: e.Fingerprint, Disabled: e.Disabled, NoTraversal: e.NoTraversal,
				Cost: uint16(min(max(e.Cost, 0), model.MaxCost)), Attributes: e.RoleAttributes,
			}
		}
	case policy.KindServicePolicy:
		if e := state.Get[model.ServicePolicy](v, key.ID); e != nil {
			p := &policy.ServicePolicy{
				ID: e.ID, Name: e.Name, Semantic: f.semantic(e.ID, e.Semantic),
				Identities: f.roles(e.ID, e.IdentityRoles), Services: f.roles(e.ID, e.ServiceRoles),
			}
			if e.Type == model.Bind {
				p.Action = policy.Bind
			}
			return p
		}
	case policy.KindEdgeRouterPolicy:
		if e := state.Get[model.EdgeRouterPolicy](v, key.ID); e != nil {
			return &policy.EdgeRouterPolicy{
				ID: e.ID, Name: e.Name, Semantic: f.semantic(e.ID, e.Semantic),
				Identities: f.roles(e.ID, e.IdentityRoles), Routers: f.roles(e.ID, e.EdgeRouterRoles),
			}
		}
	case policy.KindServiceEdgeRouterPolicy:
		if e := state.Get[model.ServiceEdgeRouterPolicy](v, key.ID); e != nil {
			return &policy.ServiceEdgeRouterPolicy{
				ID: e.ID, Name: e.Name, Semantic: f.semantic(e.ID, e.Semantic),
				Services: f.roles(e.ID, e.ServiceRoles), Routers: f.roles(e.ID, e.EdgeRouterRoles),
			}
		}
	}
	return nil
}

// roles reads a role list that was checked when it was written. One that cannot
// be read selects nothing.
func (f *Feed) roles(policyID string, entries []string) role.Set {
	s, err := role.Parse("roles", entries)
	if err != nil {
		f.log.Error("role list of a policy not understood, it selects nothing", "policy", policyID, "error", err)
		return role.Set{}
	}
	return s
}

func (f *Feed) semantic(policyID, text string) role.Semantic {
	s, err := role.ParseSemantic("semantic", text)
	if err != nil {
		f.log.Error("semantic of a policy not understood, taken as AllOf", "policy", policyID, "error", err)
	}
	return s
}
