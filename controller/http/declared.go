package http

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/state"
)

// declared is how entities of a kind are written when they are declared: as the
// single operations write them, but as part of a larger command. c.state is the
// state as the operations before have left it.
type declared interface {
	// createOps chooses the id of e. actions are members of the body that are no
	// members of the entity.
	createOps(c *call, e model.Entity, actions map[string]any, body *endpoint) ([]state.Op, error)
	changeOps(c *call, old model.Entity, fields map[string]any, body *endpoint) ([]state.Op, error)
	deleteOps(c *call, old model.Entity) ([]state.Op, error)
	// filter returns what a text of the filter language selects.
	filter(c *call, text string) (func(model.Entity) bool, error)
}

func (x *entity[E, D, P]) createOps(c *call, e model.Entity, actions map[string]any, body *endpoint) ([]state.Op, error) {
	e.Meta().ID = x.chooseID()
	members := settings(e, requiredBy(body, api.Create), func(f *model.Field) bool { return f.Create })
	for name, v := range actions {
		members[name] = v
	}
	in, err := bodyOf(members, body)
	if err != nil {
		return nil, err
	}
	if x.permit != nil {
		if err := x.permit(c, nil, in); err != nil {
			return nil, err
		}
	}
	typed := (*E)(e.(P))
	w := &change[E]{c: c, mode: api.Create, e: typed, in: in, cmd: c.command()}
	w.cmd.Create(e)
	if x.before != nil {
		if err := x.before(w); err != nil {
			return nil, err
		}
		w.cmd.Ops[0] = firstOp(c.command().Create(e))
	}
	return w.cmd.Ops, nil
}

func (x *entity[E, D, P]) changeOps(c *call, old model.Entity, fields map[string]any, body *endpoint) ([]state.Op, error) {
	required := requiredBy(body, api.Patch)
	members := settings(old, required, func(f *model.Field) bool { return required[f.Name] })
	for name, v := range fields {
		members[name] = v
	}
	in, err := bodyOf(members, body)
	if err != nil {
		return nil, err
	}
	typed := (*E)(old.(P))
	if x.permit != nil {
		if err := x.permit(c, typed, in); err != nil {
			return nil, err
		}
	}
	e, err := merged[E, P](typed, fields)
	if err != nil {
		return nil, err
	}
	w := &change[E]{c: c, mode: api.Patch, old: typed, e: e, in: in, fields: fields, cmd: c.command()}
	if x.before != nil {
		if err := x.before(w); err != nil {
			return nil, err
		}
	}
	w.cmd.Patch(x.kind, old.Meta().ID, fields)
	return w.cmd.Ops, nil
}

func (x *entity[E, D, P]) deleteOps(c *call, old model.Entity) ([]state.Op, error) {
	if x.permit != nil {
		if err := x.permit(c, (*E)(old.(P)), nil); err != nil {
			return nil, err
		}
	}
	return c.command().Delete(x.kind, old.Meta().ID).Ops, nil
}

func (x *entity[E, D, P]) filter(c *call, text string) (func(model.Entity) bool, error) {
	prog, err := query.Compile(x.table.schema, text, "")
	if err != nil {
		return nil, err
	}
	r := row[E]{t: x.table, c: c}
	return func(e model.Entity) bool {
		r.e = (*E)(e.(P))
		return c.tooMuch() == nil && prog.Match(&r)
	}, nil
}

// requiredBy returns the members that a body must have.
func requiredBy(ep *endpoint, m api.Mode) map[string]bool {
	out := map[string]bool{}
	for _, f := range api.Fields(ep.op.Body.Type, m) {
		out[f.Name] = f.Required&m != 0
	}
	return out
}

// settings returns the members of an entity that are wanted, as a body has them.
// Those that say nothing are left out unless they are required.
func settings(e model.Entity, required map[string]bool, wanted func(f *model.Field) bool) map[string]any {
	out := map[string]any{}
	d := model.Describe(e.Kind())
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Secret || f.Internal || strings.Contains(f.Name, ".") || !wanted(f) {
			continue
		}
		v := reflect.ValueOf(f.Get(e))
		switch {
		case v.Kind() == reflect.Slice && v.IsNil() && required[f.Name] && f.Type == model.TypeStrings:
			v = reflect.MakeSlice(v.Type(), 0, 0)
		case v.IsZero() && !required[f.Name]:
			continue
		}
		out[f.Name] = v.Interface()
	}
	return out
}

// bodyOf makes the decoded body of a single operation from its members and checks
// it against the contract.
func bodyOf(members map[string]any, ep *endpoint) (any, error) {
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return ep.parse(text)
}
