package api

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruleNames are the rules as the recorded contract names them.
var ruleNames = map[Rule]string{Public: "public", Authenticated: "authenticated", AuthenticatedOrPartial: "authenticatedOrPartial",
	EntityAccess: "entityAccess", EntityAccessNoReadonly: "entityAccessNoReadonly", AdminOrReadonly: "adminOrReadonly", Admin: "admin", AnyPermission: "anyPermission", NotImplemented: "notImplemented"}

// unlisted are operations of the ecosystem that its own descriptions leave out,
// or have only since lately.
var unlisted = map[string]bool{"GET /enumerated-router-capabilities": true, "GET /swagger.json": true, "GET /docs": true}

// sizes are the numbers of operations that the ecosystem knows.
var sizes = map[string]int{"client": 59, "management": 203, "fabric": 37}

// contract reads the operations that clients know: method, path, operation id,
// rule, entity and action, one per line.
func contract(t *testing.T, name string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(line)
		out[f[0]+" "+f[1]] = f[2:]
	}
	return out
}

// building are operations of the contract that are not in the table yet. An
// entry that is there fails the test: the list can only become shorter.
var building = map[string]bool{}

// TestContract walks the operations that the ecosystem knows.
func TestContract(t *testing.T) {
	for a, name := range map[API]string{Client: "client", Management: "management", Fabric: "fabric"} {
		want := contract(t, name)
		if len(want) != sizes[name] {
			t.Errorf("%s: the list has %d operations, want %d", name, len(want), sizes[name])
		}
		for _, op := range Of(a) {
			key := op.Method + " " + op.Path
			w, ok := want[key]
			if !ok && (op.Own || unlisted[key]) {
				continue
			}
			if !ok {
				t.Errorf("%s: %s is not in the contract", name, key)
				continue
			}
			delete(want, key)
			if w[0] != "-" && w[0] != op.ID {
				t.Errorf("%s %s: operation id %s, want %s", name, key, op.ID, w[0])
			}
			if got := ruleNames[op.Access.Rule]; got != w[1] {
				t.Errorf("%s %s: rule %s, want %s", name, key, got, w[1])
			}
			if op.Access.Entity != "" && (op.Access.Entity != w[2] || op.Access.Action != w[3]) {
				t.Errorf("%s %s: access %s.%s, want %s.%s", name, key, op.Access.Entity, op.Access.Action, w[2], w[3])
			}
		}
		for key := range want {
			if !building[name+" "+key] {
				t.Errorf("%s: %s is missing", name, key)
			}
			delete(building, name+" "+key)
		}
	}
	for key := range building {
		t.Errorf("%s is in the table: take it out of the list of those that are being built", key)
	}
}

func TestTable(t *testing.T) {
	for _, a := range []API{Client, Management, Fabric} {
		ids := map[string]bool{}
		for _, op := range Of(a) {
			switch {
			case ids[op.ID]:
				t.Errorf("operation id %s occurs twice", op.ID)
			case op.Doc == "" || op.Tag == "" || !strings.HasSuffix(op.Doc, "."):
				t.Errorf("%s has no sentence or tag", op.ID)
			case op.Result.Shape != Nothing && op.Result.Shape != Bare && op.Result.Shape != Text && op.Result.Type == nil:
				t.Errorf("%s answers with nothing", op.ID)
			case op.Body != nil && op.Body.Type.Kind() != reflect.String && len(Fields(elementOf(op.Body.Type), op.Body.Mode)) == 0:
				t.Errorf("%s has an empty body", op.ID)
			}
			ids[op.ID] = true
		}
	}
}

func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// TestTags checks that every option of an api tag is one that is understood.
func TestTags(t *testing.T) {
	known := regexp.MustCompile(`^(null|in=[cup]+|req=[cup]+|enum=.+|for=.+|min=-?\d+|max=-?\d+)$`)
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		switch x.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(x.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[x] || x.PkgPath() != reflect.TypeFor[Field]().PkgPath() {
			return
		}
		seen[x] = true
		for _, f := range reflect.VisibleFields(x) {
			if tag := f.Tag.Get("api"); tag != "" {
				for o := range strings.SplitSeq(tag, ",") {
					if !known.MatchString(o) {
						t.Errorf("%s.%s: unknown option %q", x, f.Name, o)
					}
				}
			}
			walk(f.Type)
		}
	}
	for _, op := range Operations() {
		if op.Body != nil {
			walk(op.Body.Type)
		}
		if op.Result.Type != nil {
			walk(op.Result.Type)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d types seen", len(seen))
	}
}

func TestFieldsOfModes(t *testing.T) {
	names := func(m Mode) (out []string) {
		for _, f := range Fields(typeOf[ConfigInput](), m) {
			out = append(out, f.Name)
		}
		return out
	}
	if got := names(Create); !slices.Equal(got, []string{"configTypeId", "data", "name", "tags"}) {
		t.Error(got)
	}
	if got := names(Patch); !slices.Equal(got, []string{"data", "name", "tags"}) {
		t.Error(got)
	}
	if f := Fields(typeOf[EdgeRouterInput](), Create)[2]; f.Name != "cost" || !f.HasMin || f.Max != 65535 || f.Required != 0 {
		t.Errorf("%+v", f)
	}
}
