package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	oaerrors "github.com/go-openapi/errors"
	"github.com/go-openapi/runtime"
	"github.com/go-openapi/strfmt"
	"github.com/openziti/edge-api/rest_model"
)

// step is one call of an operation of a generated client. Texts in it may name
// what former steps kept: $ca.
type step struct {
	op string // method of the generated client
	// with sets parameters by the names of their fields. The text for a field
	// that is a structure is its JSON.
	with with
	// want are values of the answer: "data.name=ca-1", "data.*.id=$ca" for any
	// element, "data.jwt" for one that is neither missing, null nor empty.
	want []string
	keep string // "ca=data.id": a value of the answer under a name
	code int    // the status of the refusal that is wanted; 0 is success
	// loose takes an answer that is not as the description of the client has it,
	// where the controllers of the ecosystem do not keep to that either.
	loose bool
	// until repeats the call until it goes well: something has to end first.
	until bool
}

type with map[string]any

// coverage counts the calls of the operations of an API.
type coverage struct {
	name   string
	mu     sync.Mutex
	called map[string]int
}

// caller calls the operations of a generated client, with one login.
type caller struct {
	coverage *coverage
	ops      map[string]reflect.Value
	vars     map[string]string
	heard    *listener
}

// newCaller takes every operation of a generated client: the methods of the
// interfaces in its fields.
func newCaller(c *coverage, client any, vars map[string]string, heard *listener) *caller {
	made := &caller{coverage: c, ops: map[string]reflect.Value{}, vars: vars, heard: heard}
	v := reflect.ValueOf(client).Elem()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range v.NumField() {
		service := v.Field(i)
		if service.Kind() != reflect.Interface || v.Type().Field(i).Name == "Transport" {
			continue
		}
		for j := range service.Type().NumMethod() {
			name := service.Type().Method(j).Name
			if name == "SetTransport" {
				continue
			}
			if _, twice := made.ops[name]; twice {
				panic("two operations are called " + name)
			}
			made.ops[name] = service.Method(j)
			c.called[name] += 0
		}
	}
	return made
}

// run makes calls one after the other; the first that does not do what it
// should ends the test.
func (c *caller) run(t *testing.T, steps ...step) {
	t.Helper()
	for i, s := range steps {
		err := c.do(s)
		if err != nil && s.until {
			eventually(func() bool { err = c.do(s); return err == nil })
		}
		if err != nil {
			t.Fatalf("step %d, %s: %v", i+1, s.op, err)
		}
	}
}

func (c *caller) do(s step) error {
	payload, err := c.call(s.op, s.with)
	if s.code != 0 {
		return c.refusedWith(err, s.code, s.loose)
	}
	if err != nil {
		return fmt.Errorf("%w, %.600s", plain(err), c.heard.body)
	}
	if err := c.validate(payload); err != nil && !s.loose {
		return err
	}
	raw := c.heard.body
	var answer any
	if err := json.Unmarshal(raw, &answer); err != nil { // a certificate, a token, an image
		answer = string(raw)
	}
	for _, w := range s.want {
		path, value, _ := strings.Cut(c.expand(w), "=")
		if !slices.ContainsFunc(lookup(answer, path), func(got string) bool { return got == value || value == "" && got != "" }) {
			return fmt.Errorf("no %s in %.600s", c.expand(w), raw)
		}
	}
	if name, path, ok := strings.Cut(s.keep, "="); ok {
		found := lookup(answer, path)
		if len(found) == 0 || found[0] == "" {
			return fmt.Errorf("no %s in %.600s", path, raw)
		}
		c.vars[name] = found[0]
	}
	return nil
}

// call returns what the method of the generated client returns: the payload of
// the answer, nil where it has none.
func (c *caller) call(op string, parameters with) (any, error) {
	method, ok := c.ops[op]
	if !ok {
		return nil, fmt.Errorf("%s has no such operation", c.coverage.name)
	}
	c.coverage.mu.Lock()
	c.coverage.called[op]++
	c.coverage.mu.Unlock()
	in := []reflect.Value{reflect.New(method.Type().In(0).Elem())}
	for name, value := range parameters {
		field := in[0].Elem().FieldByName(name)
		if !field.IsValid() {
			return nil, fmt.Errorf("%s has no parameter %s", op, name)
		}
		if err := c.set(field, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for len(in) < method.Type().NumIn()-1 { // the credentials; the options are left out
		in = append(in, reflect.Zero(method.Type().In(len(in))))
	}
	out := method.Call(in)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		return nil, err
	}
	payload := out[0].Elem().FieldByName("Payload")
	if !payload.IsValid() {
		return nil, nil
	}
	return payload.Interface(), nil
}

func (c *caller) expand(s string) string {
	return os.Expand(s, func(name string) string {
		v, ok := c.vars[name]
		if !ok {
			panic("nothing is kept as " + name)
		}
		return v
	})
}

// set gives a parameter its value; text for what is no text is JSON.
func (c *caller) set(field reflect.Value, value any) error {
	text, isText := value.(string)
	if !isText {
		v := reflect.ValueOf(value)
		if field.Kind() == reflect.Pointer && v.Kind() != reflect.Pointer {
			p := reflect.New(field.Type().Elem())
			p.Elem().Set(v.Convert(field.Type().Elem()))
			v = p
		}
		field.Set(v)
		return nil
	}
	text = c.expand(text)
	kind := field.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() == reflect.String {
		p := reflect.New(kind)
		p.Elem().SetString(text)
		if field.Kind() != reflect.Pointer {
			p = p.Elem()
		}
		field.Set(p)
		return nil
	}
	if made, err := ofKind(kind, text); made != nil || err != nil {
		if err == nil {
			field.Set(reflect.ValueOf(made))
		}
		return err
	}
	return json.Unmarshal([]byte(text), field.Addr().Interface())
}

// ofKind reads the bodies that are of one of several kinds.
func ofKind(t reflect.Type, text string) (any, error) {
	r, consumer := strings.NewReader(text), runtime.JSONConsumer()
	switch t {
	case reflect.TypeFor[rest_model.PostureCheckCreate]():
		return rest_model.UnmarshalPostureCheckCreate(r, consumer)
	case reflect.TypeFor[rest_model.PostureCheckUpdate]():
		return rest_model.UnmarshalPostureCheckUpdate(r, consumer)
	case reflect.TypeFor[rest_model.PostureCheckPatch]():
		return rest_model.UnmarshalPostureCheckPatch(r, consumer)
	case reflect.TypeFor[rest_model.PostureResponseCreate]():
		return rest_model.UnmarshalPostureResponseCreate(r, consumer)
	case reflect.TypeFor[[]rest_model.PostureResponseCreate]():
		return rest_model.UnmarshalPostureResponseCreateSlice(r, consumer)
	}
	return nil, nil
}

// formats are those of the generated clients, except that a link may be relative.
var formats = sync.OnceValue(func() strfmt.Registry {
	all := strfmt.NewFormats()
	var link strfmt.URI
	all.Add("uri", &link, func(string) bool { return true })
	return all
})

// validate checks an answer against the client's description of it. A member
// that the description requires may be null: the client cannot tell that from
// a missing one, so what came over the wire decides.
func (c *caller) validate(payload any) error {
	v, ok := payload.(interface{ Validate(strfmt.Registry) error })
	if !ok || reflect.ValueOf(payload).IsNil() {
		return nil
	}
	var raw any
	if json.Unmarshal(c.heard.body, &raw) != nil { // a specification in YAML
		return nil
	}
	var wrong []error
	for _, err := range each(v.Validate(formats())) {
		var one *oaerrors.Validation
		if errors.As(err, &one) && one.Code() == oaerrors.RequiredFailCode && hasMember(raw, one.Name) {
			continue
		}
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w in %.900s", errors.Join(wrong...), c.heard.body)
	}
	return nil
}

// each takes the error of a validation apart.
func each(err error) []error {
	var many *oaerrors.CompositeError
	if !errors.As(err, &many) {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range many.Errors {
		all = append(all, each(e)...)
	}
	return all
}

// hasMember tells whether there is something at a path like data.0.config, be it null.
func hasMember(v any, path string) bool {
	name, rest, more := strings.Cut(path, ".")
	var member any
	switch v := v.(type) {
	case map[string]any:
		var ok bool
		if member, ok = v[name]; !ok {
			return false
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i >= len(v) {
			return false
		}
		member = v[i]
	default:
		return false
	}
	return !more || hasMember(member, rest)
}

// refusedWith checks that the error is one that the client knows for the
// operation, with the status and a code.
func (c *caller) refusedWith(err error, code int, loose bool) error {
	var unexpected *runtime.APIError
	if loose && errors.As(err, &unexpected) && unexpected.Code == code {
		return nil
	}
	known, ok := err.(interface{ IsCode(int) bool })
	if !ok || !known.IsCode(code) {
		return fmt.Errorf("want refusal with %d, got %v", code, plain(err))
	}
	payload := reflect.ValueOf(err).Elem().FieldByName("Payload")
	if !payload.IsValid() {
		return nil
	}
	if envelope, ok := payload.Interface().(*rest_model.APIErrorEnvelope); ok && (envelope == nil || envelope.Error == nil || envelope.Error.Code == "") {
		return fmt.Errorf("a refusal without code: %v", plain(err))
	}
	return c.validate(payload.Interface())
}

// plain shows what is behind the pointers of an error of a generated client.
func plain(err error) error {
	if err == nil || reflect.ValueOf(err).Kind() != reflect.Pointer || reflect.ValueOf(err).Elem().Kind() != reflect.Struct {
		return err
	}
	if payload := reflect.ValueOf(err).Elem().FieldByName("Payload"); payload.IsValid() {
		raw, _ := json.Marshal(payload.Interface())
		return fmt.Errorf("%T: %s", err, raw)
	}
	return err
}

// lookup finds the values at a path like data.*.id; text of what is no text is
// its JSON. What is null, empty or missing is not found.
func lookup(v any, path string) []string {
	if path == "" {
		switch v := v.(type) {
		case nil:
			return nil
		case string:
			return []string{v}
		}
		raw, _ := json.Marshal(v)
		return []string{string(raw)}
	}
	name, rest, _ := strings.Cut(path, ".")
	switch v := v.(type) {
	case map[string]any:
		if member, ok := v[name]; ok {
			return lookup(member, rest)
		}
	case []any:
		if name == "#" {
			return []string{strconv.Itoa(len(v))}
		}
		var all []string
		for i, member := range v {
			if name == "*" || name == strconv.Itoa(i) {
				all = append(all, lookup(member, rest)...)
			}
		}
		return all
	}
	return nil
}

// report says how many of the operations have been called and names the others.
func (c *coverage) report(t *testing.T) {
	t.Helper()
	var missing []string
	for op, n := range c.called {
		if n == 0 {
			missing = append(missing, op)
		}
	}
	slices.Sort(missing)
	t.Logf("%s: %d of %d operations called", c.name, len(c.called)-len(missing), len(c.called))
	if len(missing) > 0 {
		t.Errorf("%s: nothing calls %s", c.name, strings.Join(missing, ", "))
	}
}
