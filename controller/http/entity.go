package http

import (
	"iter"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// pointer is implemented by pointers to entity structs.
type pointer[T any] interface {
	*T
	model.Entity
}

// entity declares how one kind of entity is served: E is the stored struct, D
// the detail. Everything that is not declared follows from the description of
// the kind.
type entity[E, D any, P pointer[E]] struct {
	listing[E, D]
	kind  model.Kind
	links *api.LinkSet
	// visible restricts the entities to some of the table, nil for all.
	visible func(e *E) bool
	// byAttribute says that lists take roleFilter.
	byAttribute bool
	// indexes are the state's indexes by the filterable field they serve.
	indexes map[string]string
	// newID chooses ids; nil for id.New.
	newID func() string
	// before checks and completes an entity that is about to be written; see change.
	before func(w *change[E]) error
	// permit refuses changes that the caller's permissions do not cover.
	permit func(c *call, old *E, in any) error
}

// change is one write of an entity.
type change[E any] struct {
	c      *call
	mode   api.Mode
	old    *E             // nil on create
	e      *E             // as it will be
	in     any            // pointer to the decoded body
	fields map[string]any // that a patch sets, by path; may be extended
	// derived are members that clients cannot set and that a PUT sets, too.
	derived []string
	cmd     *state.Command // for further operations after the write
}

// derive writes members that clients cannot set, with the values that they have
// in w.e.
func (w *change[E]) derive(names ...string) {
	w.derived = append(w.derived, names...)
	if w.fields == nil {
		return
	}
	e := any(w.e).(model.Entity)
	d := model.Describe(e.Kind())
	for _, n := range names {
		w.fields[n] = d.Field(n).Get(e)
	}
}

// newEntity declares a kind; more are filterable fields beside the described
// ones.
func newEntity[E, D any, P pointer[E]](links *api.LinkSet, shape func(c *call, d *D, e *E), more ...column[E]) *entity[E, D, P] {
	kind := P(nil).Kind()
	columns := modelColumns[E](kind)
	for _, m := range more { // a declared column replaces a described one
		columns = append(without(columns, m.Name), m)
	}
	x := &entity[E, D, P]{kind: kind, links: links, indexes: map[string]string{}}
	x.table = newTable(func(e *E) map[string]any { return P(e).Meta().Tags }, columns...)
	x.shape = shape
	for _, col := range columns {
		if col.Name == "name" {
			x.indexes["name"] = state.ByName
		}
	}
	return x
}

func without[E any](columns []column[E], names ...string) []column[E] {
	var out []column[E]
	for _, c := range columns {
		keep := true
		for _, n := range names {
			keep = keep && c.Name != n
		}
		if keep {
			out = append(out, c)
		}
	}
	return out
}

// get returns the entity with the id or the refusal.
func (x *entity[E, D, P]) get(c *call, id string) (*E, error) {
	e := state.Get[E, P](c.state, id)
	if e == nil || x.visible != nil && !x.visible(e) {
		return nil, fault.NotFound.Errorf("%s with id %s not found", x.noun(), id)
	}
	return e, nil
}

func (x *entity[E, D, P]) noun() string {
	if x.kind == model.KindEdgeRouter {
		return "router"
	}
	return string(x.kind)
}

func (x *entity[E, D, P]) detail(c *call) error {
	e, err := x.get(c, c.id())
	if err != nil {
		return err
	}
	return x.show(c, e)
}

func (x *entity[E, D, P]) show(c *call, e *E) error {
	var d D
	x.shape(c, &d, e)
	return c.detail(&d)
}

func (x *entity[E, D, P]) list(c *call) error {
	p, err := x.page(c)
	if err != nil {
		return err
	}
	if x.byAttribute && c.r.URL.RawQuery != "" {
		if roles := c.r.URL.Query()["roleFilter"]; len(roles) > 0 {
			each, err := x.byRoles(c, roles)
			if err != nil {
				return err
			}
			return x.answer(c, p, source[E]{each, -1})
		}
	}
	return x.answer(c, p, x.candidates(c, p))
}

// candidates returns the entities that may match: those that an index gives
// for an equality of the filter, else all of the table.
func (x *entity[E, D, P]) candidates(c *call, p page) source[E] {
	if hinted := x.hinted(c, p); hinted != nil {
		return source[E]{hinted, -1}
	}
	all := state.All[E, P](c.state)
	if x.visible != nil {
		return source[E]{x.only(all), -1}
	}
	return source[E]{all, c.state.Count(x.kind)}
}

func (x *entity[E, D, P]) only(seq iter.Seq[*E]) iter.Seq[*E] {
	if x.visible == nil {
		return seq
	}
	return func(yield func(*E) bool) {
		for e := range seq {
			if x.visible(e) && !yield(e) {
				return
			}
		}
	}
}

func (x *entity[E, D, P]) hinted(c *call, p page) iter.Seq[*E] {
	for _, h := range p.prog.Hints() {
		name := x.table.columns[h.Field].Name
		index := x.indexes[name]
		if name != "id" && index == "" {
			continue
		}
		if len(h.Values) == 1 && index != "" {
			return x.only(state.ByIndex[E, P](c.state, index, h.Values[0]))
		}
		var ids []string
		for _, v := range h.Values {
			if name == "id" {
				ids = append(ids, v)
				continue
			}
			for e := range state.ByIndex[E, P](c.state, index, v) {
				ids = append(ids, P(e).Meta().ID)
			}
		}
		return x.byIDs(c, ids)
	}
	return nil
}

// byIDs yields the entities with these ids that exist, once each, in the order
// of their ids. ids is sorted in place.
func (x *entity[E, D, P]) byIDs(c *call, ids []string) iter.Seq[*E] {
	ids = sortedUnique(ids)
	return x.only(func(yield func(*E) bool) {
		for _, id := range ids {
			if e := state.Get[E, P](c.state, id); e != nil && !yield(e) {
				return
			}
		}
	})
}

// some answers an association list that holds the entities with these ids.
func (x *entity[E, D, P]) some(ids func(c *call) []string) handler {
	return func(c *call) error {
		p, err := x.page(c)
		if err != nil {
			return err
		}
		return x.answer(c, p, source[E]{x.byIDs(c, ids(c)), -1})
	}
}

// indexed answers an association list that an index of the state knows, the
// path parameter being the indexed value.
func (x *entity[E, D, P]) indexed(index string) handler {
	return func(c *call) error {
		p, err := x.page(c)
		if err != nil {
			return err
		}
		return x.answer(c, p, source[E]{x.only(state.ByIndex[E, P](c.state, index, c.id())), -1})
	}
}

// base fills the members that all details share.
func base(d *api.Base, m *model.Base, links *api.LinkSet) {
	d.Links = api.Links{Set: links, ID: m.ID}
	d.ID, d.CreatedAt, d.UpdatedAt, d.Tags = m.ID, m.CreatedAt, m.UpdatedAt, api.Tags(m.Tags)
}

func (x *entity[E, D, P]) chooseID() string {
	if x.newID != nil {
		return x.newID()
	}
	return id.New()
}
