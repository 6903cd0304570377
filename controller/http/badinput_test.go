package http

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
)

// bodies calls fn for every operation that takes a body, with the path of
// something that is not there.
func bodies(fn func(op api.Operation, path string)) {
	for _, op := range api.Operations() {
		if op.Body == nil {
			continue
		}
		base := api.ManagementBase
		switch {
		case op.API&api.Client != 0:
			base = api.ClientBase
		case op.API == api.Fabric:
			base = api.FabricBase
		}
		fn(op, base+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, "x"))
	}
}

// sample returns a value that a member may have, as far as its description
// tells.
func sample(f api.Field, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case len(f.Enum) > 0 && t.Kind() == reflect.String:
		return f.Enum[0]
	case t.String() == "time.Time":
		return "2030-01-01T00:00:00.000Z"
	}
	switch t.Kind() {
	case reflect.String:
		return "sample"
	case reflect.Bool:
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return max(f.Min, 1)
	case reflect.Slice:
		if t == reflect.TypeFor[[]byte]() {
			return "c2FtcGxl"
		}
		if t.Elem().Kind() == reflect.Uint8 { // any JSON object
			return map[string]any{}
		}
		return []any{sample(f, t.Elem())}
	case reflect.Struct:
		return memberSamples(t, api.Create)
	}
	return map[string]any{}
}

// memberSamples returns an object with every member of a body.
func memberSamples(t reflect.Type, m api.Mode) map[string]any {
	out := map[string]any{}
	for _, f := range api.Fields(t, m) {
		out[f.Name] = sample(f, f.Type)
	}
	return out
}

// sampleBody returns a body of an operation: one object, and whether it stands
// in a list.
func sampleBody(op api.Operation) (object map[string]any, list bool) {
	t := op.Body.Type
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		list = list || t.Kind() == reflect.Slice
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, list
	}
	return memberSamples(t, op.Body.Mode), list
}

// misfits are values by the Go kinds that they do not fit.
func misfits(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	const huge = "1e400"
	switch t.Kind() {
	case reflect.String:
		return []string{"5", "true", "[]", "{}", huge}
	case reflect.Bool:
		return []string{"5", `"true"`, "[]", "{}"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint16, reflect.Uint32:
		return []string{`"5"`, "true", "[]", "{}", huge, "-1e400", "99999999999999999999", "1.5"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []string{"5"}
		}
		return []string{`"x"`, "5", "{}", "[[]]", "[{}, 5]"}
	case reflect.Map:
		return []string{`"x"`, "5", "[]"}
	case reflect.Struct:
		if t.String() == "time.Time" {
			return []string{`"tomorrow"`, "5", "{}", `"99999-01-01T00:00:00Z"`}
		}
		return []string{`"x"`, "5", "[]"}
	}
	return nil // anything goes
}

// hostile sends a body as an admin: it has to be refused by a 4xx and to leave
// the state as it is.
func (f *fixture) hostile(op api.Operation, path, body string) *answer {
	f.t.Helper()
	before := f.store.View().Index()
	a := f.do(op.Method, path, body, "Content-Type", "application/json")
	if a.Code < 400 || a.Code >= 500 {
		f.t.Errorf("%s: %.100s: %d %.300s", op.ID, body, a.Code, a.ResponseRecorder.Body)
	}
	if f.store.View().Index() != before {
		f.t.Errorf("%s: %.100s: something was written", op.ID, body)
	}
	return a
}

// TestBodiesOfWrongForm sends what is no body to every operation that takes one.
func TestBodiesOfWrongForm(t *testing.T) {
	f := newFixture(t)
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	deepObject := strings.Repeat(`{"tags":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	bodies(func(op api.Operation, path string) {
		object, list := sampleBody(op)
		wrong := []string{"{", `{"name":`, "\xff", "{\"name\":\"\xff\"}", "\x00", `"\u0000"`, deep, deepObject, `{"a":"\ud800"} x`[:9], "tru", "01", "{]", `{"a" 1}`}
		if len(op.Consumes) > 0 {
			wrong = nil
		}
		if object != nil {
			wrong = append(wrong, "5", "true", `"x"`, deep, deepObject)
			if list {
				wrong = append(wrong, `{}`, `[5]`, `[[]]`)
			} else {
				wrong = append(wrong, "[]", "[{}]")
			}
		}
		if op.Body.Required {
			wrong = append(wrong, "", " ", "null")
		}
		for _, body := range wrong {
			f.hostile(op, path, body)
		}
	})
}

// TestMembersOfWrongType gives every member of every body values of other types:
// the refusal names the member.
func TestMembersOfWrongType(t *testing.T) {
	f := newFixture(t)
	checked := 0
	bodies(func(op api.Operation, path string) {
		object, list := sampleBody(op)
		if object == nil {
			return
		}
		wrap := func(object map[string]any) string {
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			if list {
				return "[" + string(text) + "]"
			}
			return string(text)
		}
		var walk func(typ reflect.Type, m api.Mode, set func(member string, v any) map[string]any)
		walk = func(typ reflect.Type, m api.Mode, set func(member string, v any) map[string]any) {
			for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
				typ = typ.Elem()
			}
			for _, field := range api.Fields(typ, m) {
				for _, v := range misfits(field.Type) {
					checked++
					a := f.hostile(op, path, wrap(set(field.Name, json.RawMessage(v))))
					if text := a.ResponseRecorder.Body.String(); a.Code == 400 && !strings.Contains(text, field.Name) {
						t.Errorf("%s: %s of %s: the refusal names no member: %s", op.ID, v, field.Name, text)
					}
				}
				text := func(s string) string { return wrap(set(field.Name, json.RawMessage(s))) }
				if kind := field.Type; kind.Kind() == reflect.String || kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.String {
					f.hostile(op, path, text(`"a\u0000b"`)).contains("error.cause.field", field.Name)
					f.hostile(op, path, strings.ReplaceAll(text(`"REPLACED"`), "REPLACED", "\xff")).contains("error.cause.field", field.Name)
				}
				inner := field.Type
				for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
					inner = inner.Elem()
				}
				if inner.Kind() == reflect.Struct && inner.PkgPath() == reflect.TypeFor[api.Field]().PkgPath() {
					walk(inner, m, func(member string, v any) map[string]any {
						part := memberSamples(inner, m)
						part[member] = v
						if field.Type.Kind() == reflect.Slice {
							return set(field.Name, []any{part})
						}
						return set(field.Name, part)
					})
				}
			}
		}
		typ := op.Body.Type
		walk(typ, op.Body.Mode, func(member string, v any) map[string]any {
			out := maps.Clone(object)
			out[member] = v
			return out
		})
	})
	if checked < 2000 {
		t.Errorf("only %d bodies were tried", checked)
	}
}

// TestUnknownMembers: members that nobody knows change nothing of how a body is
// judged.
func TestUnknownMembers(t *testing.T) {
	for _, op := range api.Operations() {
		if op.Body == nil {
			continue
		}
		object, list := sampleBody(op)
		if object == nil || list {
			continue
		}
		e := &endpoint{op: &op, check: api.NewValidator(op.Body)}
		judge := func() string {
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.parse(text)
			return fmt.Sprint(err)
		}
		before := judge()
		object["zzUnknown"] = map[string]any{"isAdmin": true, "list": []any{1, "x", nil}}
		if after := judge(); after != before {
			t.Errorf("%s: %s, without the unknown member %s", op.ID, after, before)
		}
	}
}

// TestBodiesOverTheLimit: every operation refuses a body over its limit before
// it looks at who calls, and before it reads when the size is stated.
func TestBodiesOverTheLimit(t *testing.T) {
	f := newFixture(t)
	for _, op := range api.Operations() {
		base := api.ManagementBase
		switch {
		case op.API&api.Client != 0:
			base = api.ClientBase
		case op.API == api.Fabric:
			base = api.FabricBase
		}
		path := base + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, "x")
		limit := int64(maxBody)
		if op.MaxBody > 0 {
			limit = op.MaxBody
		}
		for _, token := range []string{"", "admin"} {
			r := httptest.NewRequest(op.Method, path, unreadable{})
			r.ContentLength = limit + 1
			r.Header.Set("zt-session", token)
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			if w.Code != 413 || !strings.Contains(w.Body.String(), `"error":{"code":"REQUEST_ENTITY_TOO_LARGE"`) {
				t.Errorf("%s as %q: %d %.200s", op.ID, token, w.Code, w.Body)
			}
		}
		if op.MaxBody > 0 { // more than others may send is for those who may call it
			r := httptest.NewRequest(op.Method, path, unreadable{})
			r.ContentLength = -1
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			if w.Code != 401 {
				t.Errorf("%s as nobody: %d %.200s", op.ID, w.Code, w.Body)
			}
		}
	}
}

// unreadable is a body that nobody may read.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { panic("the body is read") }

// TestOddQueries asks every list in odd ways.
func TestOddQueries(t *testing.T) {
	f := newFixture(t)
	odd := []string{"limit=0", "limit=-1", "limit=-2", "limit=501", "limit=9223372036854775807", "limit=9223372036854775808", "limit=1e3", "limit=1&limit=x", "limit=%00",
		"offset=-1", "offset=9223372036854775807", "limit=9223372036854775807&offset=9223372036854775807", "offset=x", "sort=%00", "sort=name,name,name", "sort=name%20sideways",
		"filter=%00", "filter=%ff", "filter=true&filter=false", "filter=true%20limit%20-5", "filter=true%20skip%20-5%20limit%2099999999999", "filter=" + strings.Repeat("a", 20_000), "%zz=%zz",
		"filter=name%20in%20[]", "filter=name%20=%20null", "roleFilter=&roleSemantic=Some", "type=%00", "&&;;=&"}
	for _, op := range api.Operations() {
		if op.Method != "GET" || op.Result.Shape != api.List && op.Result.Shape != api.Array {
			continue
		}
		base := api.ManagementBase
		switch {
		case op.API&api.Client != 0:
			base = api.ClientBase
		case op.API == api.Fabric:
			base = api.FabricBase
		}
		path := base + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, "x")
		for _, q := range odd {
			a := f.do("GET", path+"?"+q, nil)
			if a.Code >= 500 && op.Access.Rule != api.NotImplemented {
				t.Errorf("%s?%.60s: %d %.300s", path, q, a.Code, a.ResponseRecorder.Body)
			}
			if bad := slices.Contains([]string{"limit=9223372036854775808", "limit=1e3", "limit=%00", "offset=x"}, q); bad && a.Code == 200 && op.Result.Shape == api.List {
				t.Errorf("%s?%s is accepted", path, q)
			}
		}
	}
}

// TestOddIDs asks every operation for things with odd ids.
func TestOddIDs(t *testing.T) {
	f := newFixture(t)
	before := f.store.View().Index()
	for _, op := range api.Operations() {
		if !strings.Contains(op.Path, "{") || op.Access.Rule == api.NotImplemented {
			continue
		}
		base := api.ManagementBase
		switch {
		case op.API&api.Client != 0:
			base = api.ClientBase
		case op.API == api.Fabric:
			base = api.FabricBase
		}
		for _, id := range []string{"%00", "..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%ff%fe", "a%00b", "%20", "%22%27%3b--", strings.Repeat("x", 8000), "{id}", "*", "%0d%0aSet-Cookie:x"} {
			path := base + strings.ReplaceAll(regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, "{id}"), "{id}", id)
			r := httptest.NewRequest("GET", "/", strings.NewReader("{}"))
			r.Method, r.URL.Path, r.URL.RawPath = op.Method, unescaped(path), path
			r.Header.Set("zt-session", "admin")
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			if w.Code >= 500 || len(w.Header()["Set-Cookie"]) > 0 {
				t.Errorf("%s %.80s: %d %.200s", op.Method, path, w.Code, w.Body)
			}
		}
	}
	if f.store.View().Index() != before {
		t.Error("something was written")
	}
}

func unescaped(path string) string {
	u, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return u
}
