package http

import (
	"encoding/json"
	"net"
	"net/http"
	"reflect"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// command begins a command of the caller.
func (c *call) command() *state.Command {
	author := state.Author{Type: "identity"}
	if c.caller != nil {
		author.ID = c.caller.IdentityID
		if i := state.Get[model.Identity](c.state, author.ID); i != nil {
			author.Name = i.Name
		}
	}
	return state.NewCommand(c.s.cfg.Now(), author, c.source())
}

// source tells where the request comes from.
func (c *call) source() state.Source {
	out := state.Source{Type: "rest", Method: c.ep.op.ID, RemoteAddress: c.r.RemoteAddr}
	if local, ok := c.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		out.LocalAddress = local.String()
	}
	if c.caller != nil {
		out.Auth, out.SessionID = "edge", c.caller.SessionID
	}
	return out
}

// propose brings the command into the log and returns its refusal, if any. The
// state of the call is then the one after the command.
func (c *call) propose(cmd *state.Command) error {
	if len(cmd.Ops) == 0 {
		return nil
	}
	cmd.RevokeFor = c.s.cfg.RevokeFor
	text, err := cmd.Encode()
	if err != nil {
		return err
	}
	_, result, err := c.s.cfg.Writer.Propose(c.ctx, text)
	if err != nil {
		return err
	}
	if refusal, ok := result.(error); ok && refusal != nil {
		return refusal
	}
	c.state = c.s.cfg.State()
	return nil
}

// create handles the creation of an entity.
func (x *entity[E, D, P]) create(c *call) error {
	e := P(new(E))
	if err := fillFrom(e, c.body); err != nil {
		return err
	}
	e.Meta().ID = x.chooseID()
	w := &change[E]{c: c, mode: api.Create, e: (*E)(e), in: c.body, cmd: c.command()}
	if x.permit != nil {
		if err := x.permit(c, nil, c.body); err != nil {
			return err
		}
	}
	w.cmd.Create(e)
	if x.before != nil {
		if err := x.before(w); err != nil {
			return err
		}
		w.cmd.Ops[0] = firstOp(w.c.command().Create(e)) // before may have completed e
	}
	if err := c.propose(w.cmd); err != nil {
		return err
	}
	return c.created(x.links, e.Meta().ID)
}

func firstOp(cmd *state.Command) state.Op { return cmd.Ops[0] }

// update handles PUT: members left out of the body get their defaults.
func (x *entity[E, D, P]) update(c *call) error {
	old, err := x.get(c, c.id())
	if err != nil {
		return err
	}
	if x.permit != nil {
		if err := x.permit(c, old, c.body); err != nil {
			return err
		}
	}
	e := P(new(E))
	*e.Meta() = *P(old).Meta()
	e.Meta().Tags = nil
	if err := fillFrom(e, c.body); err != nil {
		return err
	}
	w := &change[E]{c: c, mode: api.Update, old: old, e: (*E)(e), in: c.body, cmd: c.command()}
	w.cmd.Update(e)
	if x.before != nil {
		if err := x.before(w); err != nil {
			return err
		}
		w.cmd.Ops[0] = firstOp(c.command().Update(e, w.derived...))
	}
	if err := c.propose(w.cmd); err != nil {
		return err
	}
	return c.done()
}

// patch handles PATCH: members that are given and not null are set.
func (x *entity[E, D, P]) patch(c *call) error {
	fields := map[string]any{}
	if c.body != nil {
		given("", reflect.ValueOf(c.body).Elem(), fields)
	}
	return x.change(c, api.Patch, fields)
}

// replace handles PUT of an API that shows only some members of the entity:
// those of the body that are left out get their defaults, all others stay.
func (x *entity[E, D, P]) replace(c *call) error {
	fields := map[string]any{}
	body := reflect.ValueOf(c.body).Elem()
	for _, f := range api.Fields(body.Type(), api.Update) {
		fields[f.Name] = nil
	}
	given("", body, fields)
	return x.change(c, api.Update, fields)
}

// change sets the fields of an entity that clients may change.
func (x *entity[E, D, P]) change(c *call, mode api.Mode, fields map[string]any) error {
	old, err := x.get(c, c.id())
	if err != nil {
		return err
	}
	if x.permit != nil {
		if err := x.permit(c, old, c.body); err != nil {
			return err
		}
	}
	if err := nest(P(old), fields); err != nil {
		return err
	}
	settable(x.kind, fields)
	e, err := merged[E, P](old, fields)
	if err != nil {
		return err
	}
	w := &change[E]{c: c, mode: mode, old: old, e: e, in: c.body, fields: fields, cmd: c.command()}
	if x.before != nil {
		if err := x.before(w); err != nil {
			return err
		}
	}
	if len(fields) > 0 {
		w.cmd.Patch(x.kind, P(old).Meta().ID, fields)
	}
	if err := c.propose(w.cmd); err != nil {
		return err
	}
	return c.done()
}

func (x *entity[E, D, P]) delete(c *call) error {
	old, err := x.get(c, c.id())
	if err != nil {
		return err
	}
	if x.permit != nil {
		if err := x.permit(c, old, nil); err != nil {
			return err
		}
	}
	if err := c.propose(c.command().Delete(x.kind, P(old).Meta().ID)); err != nil {
		return err
	}
	return c.done()
}

// fillFrom copies the members of a decoded body to the entity's members of the
// same name.
func fillFrom(e model.Entity, body any) error {
	if body == nil {
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, e); err != nil {
		return fault.CouldNotParseBody.New(err)
	}
	return nil
}

// given collects the members of a decoded body that are present, by their path.
func given(prefix string, v reflect.Value, out map[string]any) {
	for _, f := range api.Fields(v.Type(), api.AllModes) {
		x := v.FieldByIndex(f.Index)
		switch x.Kind() {
		case reflect.Pointer:
			if x.IsNil() {
				continue
			}
			if x.Elem().Kind() == reflect.Struct && x.Elem().Type().PkgPath() == v.Type().PkgPath() {
				given(prefix+f.Name+".", x.Elem(), out)
				continue
			}
		case reflect.Slice, reflect.Map:
			if x.IsNil() {
				continue
			}
		}
		out[prefix+f.Name] = x.Interface()
	}
}

// nest merges members of an optional object, such as externalIdClaim.index, into
// the object as it is, and sets it as a whole.
func nest(old model.Entity, fields map[string]any) error {
	d := model.Describe(old.Kind())
	parts := map[string]map[string]any{}
	for name, v := range fields {
		whole, part, nested := strings.Cut(name, ".")
		if !nested || d.Field(name) != nil || d.Field(whole) == nil || !d.Field(whole).Patch {
			continue
		}
		if parts[whole] == nil {
			text, err := json.Marshal(d.Field(whole).Get(old))
			if err != nil {
				return err
			}
			now := map[string]any{}
			if err := json.Unmarshal(text, &now); err != nil {
				return err
			}
			if now == nil { // it was null
				now = map[string]any{}
			}
			parts[whole] = now
		}
		parts[whole][part] = v
		delete(fields, name)
	}
	for whole, v := range parts {
		fields[whole] = v
	}
	return nil
}

// settable drops the paths that a patch may not set.
func settable(k model.Kind, fields map[string]any) {
	d := model.Describe(k)
	for name := range fields {
		if f := d.Field(name); f == nil || !f.Patch {
			delete(fields, name)
		}
	}
}

// merged returns a copy of e with the fields set, to look at before the patch
// is proposed.
func merged[E any, P pointer[E]](e *E, fields map[string]any) (*E, error) {
	out := new(E)
	*out = *e
	d := model.Describe(P(nil).Kind())
	for name, v := range fields {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if err := d.Field(name).Set(P(out), raw); err != nil {
			return nil, fault.CouldNotParseBody.New(err)
		}
	}
	return out, nil
}
