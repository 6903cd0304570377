package routers

import (
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/rules"
	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
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
	case *model.PostureCheck:
		return one(policy.KindPostureCheck)
	case *model.Key:
		return []control.ItemKey{{Kind: ctrl.KindKey, ID: id}}
	case *model.Revocation:
		return []control.ItemKey{{Kind: ctrl.KindRevocation, ID: id}}
	case *model.CA:
		return []control.ItemKey{{Kind: ctrl.KindTrust, ID: id}}
	}
	return nil
}

// everything returns the keys of all items of a view.
func everything(v *state.View) []control.ItemKey {
	out := []control.ItemKey{trustKey}
	for _, k := range []model.Kind{
		model.KindIdentity, model.KindService, model.KindEdgeRouter, model.KindServicePolicy, model.KindEdgeRouterPolicy,
		model.KindServiceEdgeRouterPolicy, model.KindPostureCheck, model.KindKey, model.KindRevocation, model.KindCA,
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
	if f.ignorePosture && key.Kind == uint32(policy.KindPostureCheck) {
		return nil, nil
	}
	switch key.Kind {
	case ctrl.KindTrust:
		if key.ID != ctrl.TrustOwn {
			return authority(state.Get[model.CA](v, key.ID)), nil
		}
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

// authority returns the certificate of a third-party CA whose certificates may
// log in.
func authority(c *model.CA) []byte {
	if c == nil || !thirdparty.ForLogin(c) {
		return nil
	}
	certs, err := pki.ParseCertificates([]byte(c.CertPem))
	if err != nil {
		return nil
	}
	return []byte(pki.EncodeCertificates(certs[0]))
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
	kind, ok := rules.ModelKind(policy.Kind(key.Kind))
	if !ok {
		return nil
	}
	stored := v.Get(kind, key.ID)
	if stored == nil {
		return nil
	}
	e, err := rules.Entity(stored, now)
	if err != nil {
		f.log.Error("role lists of a policy not understood, they select nothing", "policy", key.ID, "error", err)
	}
	return e
}
