// Package model holds the entities of the network as plain structs, one file
// each. A struct is what the state stores and what the API shows; what a field
// may be used for stands beside it in its tags and is read by Describe.
//
// Stored entities are immutable: whoever reads one from a state view shares it
// with everybody else and must copy it before changing anything.
package model

import (
	"slices"
	"time"
)

// Kind names an entity type, in the form used in error texts.
type Kind string

// The kinds of entity.
const (
	KindIdentity                Kind = "identity"
	KindAuthenticator           Kind = "authenticator"
	KindEnrollment              Kind = "enrollment"
	KindService                 Kind = "service"
	KindConfig                  Kind = "config"
	KindConfigType              Kind = "configType"
	KindEdgeRouter              Kind = "edgeRouter" // transit routers too
	KindServicePolicy           Kind = "servicePolicy"
	KindEdgeRouterPolicy        Kind = "edgeRouterPolicy"
	KindServiceEdgeRouterPolicy Kind = "serviceEdgeRouterPolicy"
	KindTerminator              Kind = "terminator"
	KindAuthPolicy              Kind = "authPolicy"
	KindRevocation              Kind = "revocation"
	KindController              Kind = "controller"
	KindKey                     Kind = "key"
	KindMFA                     Kind = "mfa"
	KindCA                      Kind = "ca"
	KindPostureCheck            Kind = "postureCheck"
	KindExternalJwtSigner       Kind = "externalJwtSigner"
)

// Kinds returns every kind, in a fixed order.
func Kinds() []Kind {
	return []Kind{
		KindIdentity, KindAuthenticator, KindEnrollment, KindService, KindConfig, KindConfigType, KindEdgeRouter,
		KindServicePolicy, KindEdgeRouterPolicy, KindServiceEdgeRouterPolicy, KindTerminator, KindAuthPolicy,
		KindRevocation, KindController, KindKey, KindMFA, KindCA, KindPostureCheck, KindExternalJwtSigner,
	}
}

// Entity is one stored record: a pointer to one of the structs of this package.
type Entity interface {
	// Kind may be called on a nil pointer.
	Kind() Kind
	// Meta returns the fields that every entity has, for reading and writing.
	Meta() *Base
}

// Base holds the fields of every entity.
type Base struct {
	ID        string    `json:"id" weft:"filter,readonly"`
	CreatedAt time.Time `json:"createdAt" weft:"filter,readonly"`
	UpdatedAt time.Time `json:"updatedAt" weft:"filter,readonly"`
	Tags      Tags      `json:"tags,omitempty" weft:"create,update,patch,filter"`
	IsSystem  bool      `json:"isSystem,omitempty" weft:"filter,readonly"`
}

// Meta returns b itself.
func (b *Base) Meta() *Base { return b }

// Tags are free values of an entity: string, number, bool or nil by key.
type Tags map[string]any

// New returns an empty entity of kind k, nil for an unknown kind.
func New(k Kind) Entity {
	switch k {
	case KindIdentity:
		return new(Identity)
	case KindAuthenticator:
		return new(Authenticator)
	case KindEnrollment:
		return new(Enrollment)
	case KindService:
		return new(Service)
	case KindConfig:
		return new(Config)
	case KindConfigType:
		return new(ConfigType)
	case KindEdgeRouter:
		return new(EdgeRouter)
	case KindServicePolicy:
		return new(ServicePolicy)
	case KindEdgeRouterPolicy:
		return new(EdgeRouterPolicy)
	case KindServiceEdgeRouterPolicy:
		return new(ServiceEdgeRouterPolicy)
	case KindTerminator:
		return new(Terminator)
	case KindAuthPolicy:
		return new(AuthPolicy)
	case KindRevocation:
		return new(Revocation)
	case KindController:
		return new(Controller)
	case KindKey:
		return new(Key)
	case KindCA:
		return new(CA)
	case KindPostureCheck:
		return new(PostureCheck)
	case KindExternalJwtSigner:
		return new(ExternalJwtSigner)
	case KindMFA:
		return new(MFA)
	}
	return nil
}

// set returns values sorted and without duplicates, nil when empty. The
// argument is not changed.
func set(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	out := slices.Clone(values)
	slices.Sort(out)
	return slices.Compact(out)
}
