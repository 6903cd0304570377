package field

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// doc is a place in a JSON document of which a client demands things: what the
// C SDK takes from a missing or null member kills its process, so here it fails
// the test.
type doc struct {
	t     testing.TB
	value any
	path  string
}

func parse(t testing.TB, text []byte, what string) doc {
	t.Helper()
	d := doc{t: t, path: what}
	if err := json.Unmarshal(text, &d.value); err != nil {
		t.Fatalf("%s is not JSON: %v\n%s", what, err, text)
	}
	return d
}

// at follows members, all of which must be there and not null.
func (d doc) at(members ...string) doc {
	d.t.Helper()
	for _, m := range members {
		v, ok := d.object()[m]
		if !ok || v == nil {
			d.t.Fatalf("%s has no %q: %v", d.path, m, d.value)
		}
		d = doc{d.t, v, d.path + "." + m}
	}
	return d
}

// maybe is like at for a member that may be missing or null.
func (d doc) maybe(member string) (doc, bool) {
	d.t.Helper()
	v := d.object()[member]
	return doc{d.t, v, d.path + "." + member}, v != nil
}

func (d doc) object() map[string]any { return typed[map[string]any](d) }
func (d doc) text() string           { d.t.Helper(); return typed[string](d) }
func (d doc) flag() bool             { d.t.Helper(); return typed[bool](d) }
func (d doc) number() int            { d.t.Helper(); return int(typed[float64](d)) }

// list are the elements of a list.
func (d doc) list() []doc {
	d.t.Helper()
	var out []doc
	for i, v := range typed[[]any](d) {
		out = append(out, doc{d.t, v, fmt.Sprintf("%s[%d]", d.path, i)})
	}
	return out
}

// texts are the elements of a list of texts.
func (d doc) texts() []string {
	d.t.Helper()
	out := []string{}
	for _, e := range d.list() {
		out = append(out, e.text())
	}
	return out
}

func typed[T any](d doc) T {
	d.t.Helper()
	v, ok := d.value.(T)
	if !ok {
		d.t.Fatalf("%s is %T (%v), want %T", d.path, d.value, d.value, v)
	}
	return v
}

// want fails the test unless the place holds this value.
func (d doc) want(v any) {
	d.t.Helper()
	if n, ok := v.(int); ok {
		v = float64(n)
	}
	if d.value != v {
		d.t.Errorf("%s is %v, want %v", d.path, d.value, v)
	}
}

// has fails the test unless all members are there; they may be null.
func (d doc) has(members ...string) {
	d.t.Helper()
	o := d.object()
	for _, m := range members {
		if _, ok := o[m]; !ok {
			d.t.Errorf("%s has no %q", d.path, m)
		}
	}
}

// page fails the test unless the document is a page with these numbers.
func (d doc) page(limit, offset, total int) []doc {
	d.t.Helper()
	p := d.at("meta", "pagination")
	if got := [3]int{p.at("limit").number(), p.at("offset").number(), p.at("totalCount").number()}; got != [3]int{limit, offset, total} {
		d.t.Errorf("%s: limit, offset, totalCount are %v, want %v", d.path, got, [3]int{limit, offset, total})
	}
	return d.at("data").list()
}

// refusal fails the test unless the document is an error with this code.
func (d doc) refusal(code string, cause ...string) {
	d.t.Helper()
	e := d.at("error")
	e.at("code").want(code)
	e.has("message", "requestId")
	d.at("meta", "apiVersion")
	text := fmt.Sprint(d.value)
	for _, c := range cause {
		if !strings.Contains(text, c) {
			d.t.Errorf("%s does not mention %q: %s", d.path, c, text)
		}
	}
}
