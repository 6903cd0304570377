package state

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world is a store with the initial state and a log of its own.
type world struct {
	*Store
	t     testing.TB
	index uint64
}

func newWorld(t testing.TB) *world {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Store: s, t: t}
	c, err := Initial(noon)
	if err != nil {
		t.Fatal(err)
	}
	w.must(c)
	return w
}

// command returns an empty command, a second later for every call.
func (w *world) command() *Command {
	return NewCommand(noon.Add(time.Duration(w.index)*time.Second), Author{ID: "admin"}, Source{})
}

func (w *world) apply(c *Command) any {
	w.t.Helper()
	b, err := c.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	w.index++
	res, err := w.Apply([]uint64{w.index}, [][]byte{b})
	if err != nil {
		w.t.Fatal(err)
	}
	return res[0]
}

func (w *world) must(c *Command) {
	w.t.Helper()
	if res := w.apply(c); res != nil {
		w.t.Fatalf("refused: %v", res)
	}
}

// refused applies c, which must be refused and change nothing.
func (w *world) refused(c *Command) *fault.Error {
	w.t.Helper()
	before := w.dump()
	res := w.apply(c)
	err, ok := res.(*fault.Error)
	if !ok {
		w.t.Fatalf("result %v, want a refusal", res)
	}
	if !bytes.Equal(before, w.dump()) {
		w.t.Fatal("a refused command changed the state")
	}
	return err
}

// dump returns the state without its index.
func (w *world) dump() []byte {
	w.t.Helper()
	var b bytes.Buffer
	if _, err := w.View().WriteTo(&b); err != nil {
		w.t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(b.Bytes(), []byte("\n"))
	for _, k := range model.Kinds() {
		n := 0
		for range w.View().All(k) {
			n++
		}
		if n != w.View().Count(k) {
			w.t.Fatalf("%s: Count says %d, there are %d", k, w.View().Count(k), n)
		}
	}
	return rest
}

func fieldOf(t testing.TB, err error) (field, reason string) {
	t.Helper()
	var fe *fault.FieldError
	if !errors.As(err, &fe) {
		t.Fatalf("%v names no field", err)
	}
	return fe.Field, fe.Reason
}

func with[T any, P pointer[T]](id string, e P) P {
	e.Meta().ID = id
	return e
}

func identity(id string) *model.Identity {
	return with(id, &model.Identity{Name: "n-" + id, Type: "Device"})
}

func service(id string) *model.Service { return with(id, &model.Service{Name: "n-" + id}) }

func config(id, typ string) *model.Config {
	return with(id, &model.Config{Name: "n-" + id, ConfigTypeID: typ, Data: []byte(`{"a":1}`)})
}

func terminator(id, svc, rtr string) *model.Terminator {
	return with(id, &model.Terminator{ServiceID: svc, RouterID: rtr, Binding: "edge", Address: "a"})
}

func servicePolicy(id string, identities, services []string) *model.ServicePolicy {
	return with(id, &model.ServicePolicy{Name: "n-" + id, Type: model.Dial, Semantic: model.AnyOf, IdentityRoles: identities, ServiceRoles: services})
}

func ptr[T any](v T) *T { return &v }
