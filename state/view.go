// Package state is the replicated state: typed tables in memory, changed by
// commands that are applied in log order, read through immutable views.
package state

import (
	"iter"

	"github.com/weftnet/weft/model"
)

// View is one version of the state. It never changes, takes no locks and may be
// used by any number of goroutines for any time; what it returns is shared and
// must not be changed.
type View struct {
	data    *data
	index   uint64
	counts  map[model.Kind]int
	touched map[model.Kind]uint64
	changed chan struct{}
}

// Index returns the log index of the last command in this view.
func (v *View) Index() uint64 { return v.index }

// Changed is closed as soon as the store has a newer view.
func (v *View) Changed() <-chan struct{} { return v.changed }

// Count returns the number of entities of a kind.
func (v *View) Count(k model.Kind) int { return v.counts[k] }

// Touched returns the index of the last command that changed an entity of the
// kind, for caches.
func (v *View) Touched(k model.Kind) uint64 { return v.touched[k] }

// Get returns the entity with the id, nil if there is none.
func (v *View) Get(k model.Kind, id string) model.Entity { return v.data.get(k, id) }

// FirstBy returns the first entity whose index has the value, nil if there is
// none or the kind has no such index.
func (v *View) FirstBy(k model.Kind, index, value string) model.Entity {
	return v.data.first(k, index, value)
}

// All returns the entities of a kind in the order of their ids.
func (v *View) All(k model.Kind) iter.Seq[model.Entity] { return v.data.all(k) }

// ByIndex returns the entities whose index has the value, in the order of their
// ids. An unknown index has no entities.
func (v *View) ByIndex(k model.Kind, index, value string) iter.Seq[model.Entity] {
	return v.data.by(k, index, value)
}

// pointer is implemented by pointers to entity structs.
type pointer[T any] interface {
	*T
	model.Entity
}

// Get returns the entity of type T with the id, nil if there is none:
// state.Get[model.Service](view, id).
func Get[T any, P pointer[T]](v *View, id string) *T {
	return typed[T, P](v.Get(P(nil).Kind(), id))
}

// FirstBy returns the first entity of type T whose index has the value, nil if
// there is none.
func FirstBy[T any, P pointer[T]](v *View, index, value string) *T {
	return typed[T, P](v.FirstBy(P(nil).Kind(), index, value))
}

// All returns the entities of type T in the order of their ids.
func All[T any, P pointer[T]](v *View) iter.Seq[*T] {
	return typedSeq[T, P](v.All(P(nil).Kind()))
}

// ByIndex returns the entities of type T whose index has the value, in the
// order of their ids.
func ByIndex[T any, P pointer[T]](v *View, index, value string) iter.Seq[*T] {
	return typedSeq[T, P](v.ByIndex(P(nil).Kind(), index, value))
}

func typed[T any, P pointer[T]](e model.Entity) *T {
	p, _ := e.(P)
	return (*T)(p)
}

func typedSeq[T any, P pointer[T]](seq iter.Seq[model.Entity]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for e := range seq {
			if !yield((*T)(e.(P))) {
				return
			}
		}
	}
}
