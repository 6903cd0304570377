package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/model"
)

// Version is the newest version of the command encoding that this code reads
// and the one that it writes. It is the first byte of an encoded command.
const Version = 1

// Author is who wanted a change; Source is the way it came.
type (
	// Author names the identity or process on whose behalf a change is made.
	Author struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
		Type string `json:"type,omitempty"` // identity, controller, router
	}
	// Source names the interface and the addresses of a request.
	Source struct {
		Type          string `json:"type,omitempty"`   // rest, control, internal
		Method        string `json:"method,omitempty"` // e.g. an operation id
		LocalAddress  string `json:"localAddress,omitempty"`
		RemoteAddress string `json:"remoteAddress,omitempty"`
		Auth          string `json:"auth,omitempty"`      // how the author proved itself: edge for a login session
		SessionID     string `json:"sessionId,omitempty"` // API session of the author
	}
)

// Command is a list of changes that are applied together: all or, when one is
// refused, none. Ids and times in it are chosen by its proposer.
type Command struct {
	Time   time.Time `json:"time"` // the proposer's time: createdAt, updatedAt
	Author Author    `json:"author,omitzero"`
	Source Source    `json:"source,omitzero"`
	// System commands come from the controller itself and may change system
	// entities and companions of routers.
	System bool `json:"system,omitempty"`
	// Separate makes every op stand for itself: one that is refused leaves the
	// others alone. The result is then an Errors.
	Separate bool `json:"separate,omitempty"`
	// RevokeFor is how long a revocation lasts that follows from the command
	// (identity deleted or disabled): the longest life of a token. Zero: a day.
	RevokeFor time.Duration `json:"revokeFor,omitempty"`
	Ops       []Op          `json:"ops"`

	err error // first error of the builder
}

// Action is what an Op does.
type Action string

// The actions.
const (
	ActionCreate Action = "create" // refused when the id is taken
	ActionPut    Action = "put"    // create, or replace the whole entity
	ActionPatch  Action = "patch"  // set fields; refused when the entity is not there
	ActionDelete Action = "delete" // refused when the entity is not there
	ActionRemove Action = "remove" // delete if it is there
	ActionExpect Action = "expect" // change nothing; refused unless the fields are so
)

// Op is one change of one entity.
type Op struct {
	Action Action                     `json:"do"`
	Kind   model.Kind                 `json:"kind"`
	ID     string                     `json:"id"`
	Entity json.RawMessage            `json:"entity,omitempty"` // create, put
	Fields map[string]json.RawMessage `json:"fields,omitempty"` // patch, expect: value by JSON path

	entity model.Entity // decoded Entity
}

// NewCommand returns an empty command. now is the proposer's time; it is stored
// in UTC with a resolution of a millisecond.
func NewCommand(now time.Time, author Author, source Source) *Command {
	return &Command{Time: now.UTC().Truncate(time.Millisecond), Author: author, Source: source}
}

// Create adds a new entity, whose id must be set. CreatedAt and UpdatedAt are
// taken from the command.
func (c *Command) Create(e model.Entity) *Command { return c.whole(ActionCreate, e) }

// Put adds an entity or replaces the one with its id; CreatedAt of a replaced
// one is kept.
func (c *Command) Put(e model.Entity) *Command { return c.whole(ActionPut, e) }

// Update replaces every field of e that clients may set with PUT, and those
// named also, and leaves the others as they are.
func (c *Command) Update(e model.Entity, also ...string) *Command {
	names := slices.Clone(also)
	for _, f := range topFields(e.Kind()) {
		if f.Update {
			names = append(names, f.Name)
		}
	}
	return c.PatchFrom(e, names...)
}

// PatchFrom sets the fields with the given JSON paths to their values in e.
// A patch carries nothing else, so that concurrent patches of other fields are
// not lost.
func (c *Command) PatchFrom(e model.Entity, paths ...string) *Command {
	fields := make(map[string]any, len(paths))
	d := model.Describe(e.Kind())
	for _, p := range paths {
		f := d.Field(p)
		if f == nil {
			c.fail(fmt.Errorf("%s has no field %s", e.Kind(), p))
			return c
		}
		fields[p] = f.Get(e)
	}
	return c.Patch(e.Kind(), e.Meta().ID, fields)
}

// Patch sets fields of an entity by JSON path; nil sets the zero value. A patch
// without fields only changes UpdatedAt.
func (c *Command) Patch(k model.Kind, id string, fields map[string]any) *Command {
	return c.fields(ActionPatch, k, id, fields)
}

// Expect has the command refused, with fault.Unauthorized, unless fields of an
// entity have these values when it is applied: what the proposer has seen may
// have changed since.
func (c *Command) Expect(k model.Kind, id string, fields map[string]any) *Command {
	return c.fields(ActionExpect, k, id, fields)
}

func (c *Command) fields(a Action, k model.Kind, id string, fields map[string]any) *Command {
	op := Op{Action: a, Kind: k, ID: id, Fields: make(map[string]json.RawMessage, len(fields))}
	for name, v := range fields {
		raw, err := json.Marshal(v)
		if err != nil {
			c.fail(fmt.Errorf("%s.%s: %w", k, name, err))
		}
		op.Fields[name] = raw
	}
	c.Ops = append(c.Ops, op)
	return c
}

// Delete removes an entity and what belongs to it; an unknown id is refused.
func (c *Command) Delete(k model.Kind, id string) *Command {
	c.Ops = append(c.Ops, Op{Action: ActionDelete, Kind: k, ID: id})
	return c
}

// Remove is Delete that does nothing for an unknown id.
func (c *Command) Remove(k model.Kind, id string) *Command {
	c.Ops = append(c.Ops, Op{Action: ActionRemove, Kind: k, ID: id})
	return c
}

// AsSystem marks the command as the controller's own.
func (c *Command) AsSystem() *Command { c.System = true; return c }

// Each makes every op stand for itself, see Separate.
func (c *Command) Each() *Command { c.Separate = true; return c }

// Encode returns the bytes of the command, or the first mistake made while it
// was built.
func (c *Command) Encode() ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode command: %w", err)
	}
	b := append([]byte{Version}, body...)
	if _, err := Decode(b); err != nil { // what cannot be read must not reach the log
		return nil, err
	}
	return b, nil
}

func (c *Command) whole(a Action, e model.Entity) *Command {
	raw, err := json.Marshal(e)
	if err != nil {
		c.fail(fmt.Errorf("%s: %w", e.Kind(), err))
	}
	c.Ops = append(c.Ops, Op{Action: a, Kind: e.Kind(), ID: e.Meta().ID, Entity: raw})
	return c
}

func (c *Command) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Decode reads an encoded command. An error means that this process cannot
// know what the command does and must not go on applying.
func Decode(b []byte) (*Command, error) {
	if len(b) == 0 {
		return nil, errors.New("empty command")
	}
	if b[0] == 0 || b[0] > Version {
		return nil, fmt.Errorf("command version %d: this build knows versions 1 to %d", b[0], Version)
	}
	c := new(Command)
	if err := strict(b[1:], c); err != nil {
		return nil, fmt.Errorf("decode command: %w", err)
	}
	for i := range c.Ops {
		if err := c.Ops[i].check(); err != nil {
			return nil, fmt.Errorf("decode command: op %d: %w", i, err)
		}
	}
	return c, nil
}

func (o *Op) check() error {
	if model.Describe(o.Kind) == nil {
		return fmt.Errorf("unknown kind %q", o.Kind)
	}
	switch o.Action {
	case ActionCreate, ActionPut, ActionPatch, ActionDelete, ActionRemove, ActionExpect:
	default:
		return fmt.Errorf("unknown action %q", o.Action)
	}
	if o.ID == "" {
		return fmt.Errorf("%s without an id", o.Kind)
	}
	if o.Action == ActionCreate || o.Action == ActionPut {
		o.entity = model.New(o.Kind)
		if err := strict(o.Entity, o.entity); err != nil {
			return err
		}
		o.entity.Meta().ID = o.ID
		return nil
	}
	return o.set(model.New(o.Kind)) // a trial, so that apply cannot fail
}

// set puts the fields of a patch into e, those of parts after their whole.
func (o *Op) set(e model.Entity) error {
	d := model.Describe(o.Kind)
	for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
		f := d.Field(name)
		if f == nil {
			return fmt.Errorf("%s has no field %q", o.Kind, name)
		}
		if err := f.Set(e, o.Fields[name]); err != nil {
			return fmt.Errorf("%s: %w", o.Kind, err)
		}
	}
	return nil
}

// strict decodes b, which must hold known fields only and nothing after them.
func strict(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("bytes after the end")
	}
	return nil
}

// topFields returns the fields of a kind that are no parts of another.
func topFields(k model.Kind) []model.Field {
	var out []model.Field
	for _, f := range model.Describe(k).Fields {
		if !strings.Contains(f.Name, ".") {
			out = append(out, f)
		}
	}
	return out
}
