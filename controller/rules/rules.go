// Package rules turns entities of the model into those that the policy engine
// knows, for the policies that are in force and for those that somebody asks
// about.
package rules

import (
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

// Kind returns the kind that an entity has for policies, false if they do not
// know of it.
func Kind(k model.Kind) (policy.Kind, bool) {
	switch k {
	case model.KindIdentity:
		return policy.KindIdentity, true
	case model.KindService:
		return policy.KindService, true
	case model.KindEdgeRouter:
		return policy.KindRouter, true
	case model.KindServicePolicy:
		return policy.KindServicePolicy, true
	case model.KindEdgeRouterPolicy:
		return policy.KindEdgeRouterPolicy, true
	case model.KindServiceEdgeRouterPolicy:
		return policy.KindServiceEdgeRouterPolicy, true
	case model.KindPostureCheck:
		return policy.KindPostureCheck, true
	}
	return 0, false
}

// ModelKind is the reverse of Kind.
func ModelKind(k policy.Kind) (model.Kind, bool) {
	switch k {
	case policy.KindIdentity:
		return model.KindIdentity, true
	case policy.KindService:
		return model.KindService, true
	case policy.KindRouter:
		return model.KindEdgeRouter, true
	case policy.KindServicePolicy:
		return model.KindServicePolicy, true
	case policy.KindEdgeRouterPolicy:
		return model.KindEdgeRouterPolicy, true
	case policy.KindServiceEdgeRouterPolicy:
		return model.KindServiceEdgeRouterPolicy, true
	case policy.KindPostureCheck:
		return model.KindPostureCheck, true
	}
	return "", false
}

// Entity returns what policies know of an entity at a time, nil of one that
// they do not know. Role lists were checked when they were written; one that
// cannot be read selects nothing and is the error, beside the entity. A list of
// posture checks that cannot be read selects all: it must not grant.
func Entity(e model.Entity, now time.Time) (policy.Entity, error) {
	var r reader
	switch e := e.(type) {
	case *model.Identity:
		return &policy.Identity{ID: e.ID, Name: e.Name, Disabled: e.Disabled(now), Admin: e.IsAdmin, Attributes: e.RoleAttributes}, nil
	case *model.Service:
		return &policy.Service{
			ID: e.ID, Name: e.Name, EncryptionRequired: e.EncryptionRequired,
			MaxIdle: time.Duration(e.MaxIdleTimeMillis) * time.Millisecond, Attributes: e.RoleAttributes,
		}, nil
	case *model.EdgeRouter:
		return &policy.Router{
			ID: e.ID, Name: e.Name, Fingerprint: e.Fingerprint, Disabled: e.Disabled, NoTraversal: e.NoTraversal,
			Cost: uint16(min(max(e.Cost, 0), model.MaxCost)), Attributes: e.RoleAttributes,
		}, nil
	case *model.PostureCheck:
		return &policy.PostureCheck{ID: e.ID, Name: e.Name, Attributes: e.RoleAttributes}, nil
	case *model.ServicePolicy:
		p := &policy.ServicePolicy{
			ID: e.ID, Name: e.Name, Semantic: r.semantic(e.Semantic),
			Identities: r.roles(e.IdentityRoles), Services: r.roles(e.ServiceRoles), PostureChecks: r.posture(e.PostureCheckRoles),
		}
		if e.Type == model.Bind {
			p.Action = policy.Bind
		}
		return p, r.err
	case *model.EdgeRouterPolicy:
		return &policy.EdgeRouterPolicy{
			ID: e.ID, Name: e.Name, Semantic: r.semantic(e.Semantic),
			Identities: r.roles(e.IdentityRoles), Routers: r.roles(e.EdgeRouterRoles),
		}, r.err
	case *model.ServiceEdgeRouterPolicy:
		return &policy.ServiceEdgeRouterPolicy{
			ID: e.ID, Name: e.Name, Semantic: r.semantic(e.Semantic),
			Services: r.roles(e.ServiceRoles), Routers: r.roles(e.EdgeRouterRoles),
		}, r.err
	}
	return nil, nil
}

// reader reads the texts of a policy and keeps the first error.
type reader struct{ err error }

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) roles(entries []string) role.Set {
	s, err := role.Parse("roles", entries)
	r.keep(err)
	return s
}

func (r *reader) posture(entries []string) role.Set {
	s, err := role.Parse("postureCheckRoles", entries)
	if err != nil {
		r.keep(err)
		return role.Set{All: true}
	}
	return s
}

func (r *reader) semantic(text string) role.Semantic {
	s, err := role.ParseSemantic("semantic", text)
	r.keep(err)
	return s
}
