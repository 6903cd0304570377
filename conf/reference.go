package conf

import (
	"fmt"
	"reflect"
	"strings"
)

// ReferenceController returns the reference of the controller's keys as a
// Markdown table.
func ReferenceController() string { return reference(reflect.TypeFor[Controller]()) }

// ReferenceRouter returns the reference of the router's keys as a Markdown
// table.
func ReferenceRouter() string { return reference(reflect.TypeFor[Router]()) }

func reference(t reflect.Type) string {
	var b strings.Builder
	b.WriteString("| key | expected | default | state | meaning |\n|---|---|---|---|---|\n")
	referenceRows(&b, t, "", "")
	return b.String()
}

func referenceRows(b *strings.Builder, t reflect.Type, prefix, outer string) {
	for _, f := range fieldsOf(t) {
		path := join(prefix, f.name)
		state, doc := stateOf(&f, outer)
		elem, below := sectionBelow(f.typ)
		if f.index == nil {
			elem = nil
		}
		want, def := expected(&f), strings.ReplaceAll(f.def, "|", ", ")
		if f.index == nil {
			want, def = "", ""
		}
		if f.required {
			want += ", required"
		}
		for _, a := range f.aliases {
			doc += "; also spelled `" + a + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", path, want, def, state, doc)
		if elem != nil {
			referenceRows(b, elem, path+below, state)
		}
	}
}

// stateOf says whether a key is active; one inside an inactive section is
// not active either.
func stateOf(f *field, outer string) (state, doc string) {
	switch {
	case f.refused != "":
		return "refused", f.refused
	case f.inert != "":
		return "no effect", f.inert
	case f.later != "":
		return "not active yet", f.doc + "; needs " + f.later
	case f.inactive != "":
		return "not active yet", f.doc + "; needs " + f.inactive
	case outer == "not active yet":
		return "not active yet", f.doc
	}
	return "active", f.doc
}
