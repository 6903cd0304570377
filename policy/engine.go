package policy

import (
	"time"
)

// Change puts or removes one entity.
type Change struct {
	Kind   Kind
	ID     string
	Entity Entity // nil removes
	touch  bool
}

// Put returns the change that creates or replaces an entity.
func Put(e Entity) Change { return Change{Kind: e.Kind(), ID: e.Key(), Entity: e} }

// Remove returns the change that removes an entity; an unknown one is no error.
func Remove(kind Kind, id string) Change { return Change{Kind: kind, ID: id} }

// Touch returns the change of a service that clients see although nothing that
// policies know of has changed, such as one of its configs.
func Touch(serviceID string) Change { return Change{Kind: KindService, ID: serviceID, touch: true} }

// Engine evaluates policies incrementally. Apply is serialised inside; View
// never waits. Safe for concurrent use.
type Engine struct{}

// New returns an empty engine.
func New() *Engine { return &Engine{} }

// Apply makes a batch of changes visible at once and returns what they affect.
// at becomes the time of the last change of the identities concerned.
func (e *Engine) Apply(at time.Time, changes ...Change) *Effects { return nil }

// View returns the current immutable view.
func (e *Engine) View() *View { return nil }

// Effects says whom a batch of changes concerns, without listing pairs. It may
// name somebody whose access did not really change; it never misses one.
type Effects struct{}

// Empty reports whether nobody's access is concerned.
func (f *Effects) Empty() bool { return true }

// Loss reports whether somebody may have lost access.
func (f *Effects) Loss() bool { return false }

// Pair reports whether the access of an identity to a service, through any
// router, is concerned.
func (f *Effects) Pair(identityID, serviceID string) bool { return false }

// Identity reports whether any access of the identity is concerned.
func (f *Effects) Identity(id string) bool { return false }
