package state

import (
	"fmt"
	"reflect"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// Errors is the result of a command whose ops stand for themselves: one entry
// per op, nil where it was applied.
type Errors []error

// tx applies commands to one transaction. Errors that it returns are refusals
// (*fault.Error), which undo their command.
type tx struct {
	data    *data
	by      *edit
	cmd     *Command
	index   uint64
	counts  map[model.Kind]int
	changes []Change // of the whole batch
}

// run applies t.cmd and returns its result.
func (t *tx) run() any {
	if t.cmd.Separate {
		out := make(Errors, len(t.cmd.Ops))
		for i := range t.cmd.Ops {
			out[i] = t.atomically(t.cmd.Ops[i : i+1])
		}
		return out
	}
	if err := t.atomically(t.cmd.Ops); err != nil {
		return err
	}
	return nil
}

// atomically applies ops; when one is refused, it undoes them all.
func (t *tx) atomically(ops []Op) error {
	mark := len(t.changes)
	for i := range ops {
		if err := t.op(&ops[i]); err != nil {
			t.undo(mark)
			return fault.From(err)
		}
	}
	return nil
}

func (t *tx) op(o *Op) error {
	old := t.get(o.Kind, o.ID)
	switch o.Action {
	case ActionCreate:
		if old != nil {
			return fault.CouldNotValidate.Field("id", fmt.Sprintf("an entity of type %s already exists with id %s", o.Kind, o.ID), o.ID)
		}
		return t.write(nil, o.entity)
	case ActionPut:
		if old != nil {
			o.entity.Meta().CreatedAt = old.Meta().CreatedAt
		}
		return t.write(old, o.entity)
	case ActionPatch:
		if old == nil {
			return notFound(o.Kind, o.ID)
		}
		e := clone(old)
		if err := o.set(e); err != nil {
			return err
		}
		return t.write(old, e)
	case ActionExpect:
		if old == nil {
			return notFound(o.Kind, o.ID)
		}
		return o.expect(old)
	case ActionDelete, ActionRemove:
		if old == nil {
			if o.Action == ActionRemove {
				return nil
			}
			return notFound(o.Kind, o.ID)
		}
		return t.delete(old)
	}
	return nil // Decode lets no other action through
}

// expect refuses unless the fields of the op have their values in e.
func (o *Op) expect(e model.Entity) error {
	want := clone(e)
	if err := o.set(want); err != nil {
		return err
	}
	d := model.Describe(o.Kind)
	for name := range o.Fields {
		if f := d.Field(name); !reflect.DeepEqual(f.Get(e), f.Get(want)) {
			return fault.Unauthorized.Errorf("%s of %s %s has changed meanwhile", name, o.Kind, o.ID)
		}
	}
	return nil
}

// write stores e in place of old, which is nil for a new entity. e must not be
// shared yet.
func (t *tx) write(old, e model.Entity) error {
	m := e.Meta()
	if old != nil && old.Meta().IsSystem && !t.cmd.System {
		return fault.EntityCanNotBeUpdated.Errorf("cannot update system %s in a non-system context (id=%s)", e.Kind(), m.ID)
	}
	if old == nil || m.CreatedAt.IsZero() {
		m.CreatedAt = t.cmd.Time
	}
	m.UpdatedAt = t.cmd.Time
	if err := t.settle(old, e); err != nil {
		return err
	}
	if err := model.Check(e); err != nil {
		return err
	}
	if err := t.unique(e); err != nil {
		return err
	}
	if err := t.references(old, e); err != nil {
		return err
	}
	t.put(old, e)
	return t.follow(old, e)
}

// delete removes e after its dependants.
func (t *tx) delete(e model.Entity) error {
	if e.Meta().IsSystem && !t.cmd.System {
		return fault.EntityCanNotBeDeleted.Errorf("cannot delete system %s in a non-system context (id=%s)", e.Kind(), e.Meta().ID)
	}
	if err := t.refuseDelete(e); err != nil {
		return err
	}
	t.drop(e)
	return t.cascade(e)
}

// unique refuses e when another entity has one of its unique keys.
func (t *tx) unique(e model.Entity) error {
	id := e.Meta().ID
	for _, ix := range schema()[e.Kind()] {
		if !ix.unique {
			continue
		}
		for _, value := range ix.keys(e) {
			if value == "" {
				continue
			}
			if other := t.data.first(e.Kind(), ix.name, value); other != nil && other.Meta().ID != id {
				return t.duplicate(e, ix, value)
			}
		}
	}
	return nil
}

// duplicate is the refusal of a taken value.
func (t *tx) duplicate(e model.Entity, ix index, value string) error {
	named := ix.name == ByName
	switch e := e.(type) {
	case *model.Identity:
		named = false
	case *model.CA:
		if ix.name == ByFingerprint {
			other := t.data.first(e.Kind(), ix.name, value)
			return fault.CouldNotValidate.Field(ix.field, "certificate already used as CA "+other.Meta().ID, e.CertPem)
		}
	case *model.EdgeRouter:
		named = named && !e.IsTransit
	}
	reason := fmt.Sprintf("duplicate value '%s' in unique index on %s store", value, model.Describe(e.Kind()).Store)
	if named {
		reason = "name must be unique"
	}
	return fault.CouldNotValidate.Field(ix.field, reason, value)
}

func (t *tx) get(k model.Kind, id string) model.Entity { return t.data.get(k, id) }

// list returns the entities of an index as they are now; they may be changed
// while the caller goes through them.
func (t *tx) list(k model.Kind, index, value string) []model.Entity {
	var out []model.Entity
	for e := range t.data.by(k, index, value) {
		out = append(out, e)
	}
	return out
}

func (t *tx) put(old, e model.Entity) {
	t.data.put(t.by, e)
	if old == nil {
		t.counts[e.Kind()]++
	}
	t.note(old, e)
}

func (t *tx) drop(e model.Entity) {
	t.data.drop(t.by, e)
	t.counts[e.Kind()]--
	t.note(e, nil)
}

func (t *tx) note(old, e model.Entity) {
	some := e
	if some == nil {
		some = old
	}
	t.changes = append(t.changes, Change{
		Index: t.index, Time: t.cmd.Time, Author: t.cmd.Author, Source: t.cmd.Source,
		Kind: some.Kind(), ID: some.Meta().ID, Old: old, New: e,
	})
}

// undo takes back the changes after mark, the latest first.
func (t *tx) undo(mark int) {
	for i := len(t.changes) - 1; i >= mark; i-- {
		c := &t.changes[i]
		if c.Old == nil {
			t.data.drop(t.by, c.New)
			t.counts[c.Kind]--
			continue
		}
		t.data.put(t.by, c.Old)
		if c.New == nil {
			t.counts[c.Kind]++
		}
	}
	t.changes = t.changes[:mark]
}

// clone returns a shallow copy of e: top-level fields may be replaced, what
// they point to is still shared.
func clone(e model.Entity) model.Entity {
	v := reflect.New(reflect.TypeOf(e).Elem())
	v.Elem().Set(reflect.ValueOf(e).Elem())
	return v.Interface().(model.Entity)
}

// notFound is the refusal of an unknown id.
func notFound(k model.Kind, id string) error {
	return fault.NotFound.Errorf("%s with id %s not found", k, id)
}
