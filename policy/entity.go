// Package policy decides who may dial or bind what through which router, and
// says why. It knows its own slices of the entities, evaluates policies
// incrementally, and hands out immutable views. Controllers and routers run
// the same code over the same slices.
package policy

import (
	"time"

	"github.com/weftnet/weft/model/role"
)

// Kind is the kind of a slice item; values are part of the control protocol.
type Kind uint8

// The kinds.
const (
	KindIdentity                Kind = 1
	KindService                 Kind = 2
	KindRouter                  Kind = 3
	KindServicePolicy           Kind = 4
	KindEdgeRouterPolicy        Kind = 5
	KindServiceEdgeRouterPolicy Kind = 6
	KindPostureCheck            Kind = 7
)

// Action is what a service policy grants.
type Action uint8

// The actions.
const (
	Dial Action = iota
	Bind
	actions
)

// String returns the name used in the API, `Dial` or `Bind`.
func (a Action) String() string {
	if a == Bind {
		return "Bind"
	}
	return "Dial"
}

// Entity is one of the slice types of this package, as a pointer. Entities are
// immutable once they are handed to an Engine.
type Entity interface {
	Kind() Kind
	Key() string
	// AppendBinary appends the compact form that Decode reads. It never fails.
	AppendBinary(b []byte) ([]byte, error)
}

// Identity is the slice of an identity.
type Identity struct {
	ID, Name   string
	Disabled   bool
	Admin      bool
	Attributes []string // a sorted set, see role.Attributes
}

// Service is the slice of a service.
type Service struct {
	ID, Name           string
	EncryptionRequired bool
	MaxIdle            time.Duration // of its circuits, whole milliseconds, 0 for none
	Attributes         []string      // a sorted set
}

// Router is the slice of an edge router.
type Router struct {
	ID, Name    string
	Fingerprint string // of its verified leaf, lower-case hex SHA-1
	Disabled    bool
	NoTraversal bool
	Cost        uint16
	Attributes  []string // a sorted set
}

// PostureCheck is the slice of a posture check.
type PostureCheck struct {
	ID, Name   string
	Attributes []string // a sorted set
}

// ServicePolicy lets identities dial or bind services. One that selects a
// posture check which exists grants nothing as long as nobody evaluates posture.
type ServicePolicy struct {
	ID, Name      string
	Action        Action
	Semantic      role.Semantic
	Identities    role.Set
	Services      role.Set
	PostureChecks role.Set
}

// EdgeRouterPolicy lets identities use routers.
type EdgeRouterPolicy struct {
	ID, Name   string
	Semantic   role.Semantic
	Identities role.Set
	Routers    role.Set
}

// ServiceEdgeRouterPolicy lets services be used through routers.
type ServiceEdgeRouterPolicy struct {
	ID, Name string
	Semantic role.Semantic
	Services role.Set
	Routers  role.Set
}
