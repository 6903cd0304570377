package conf

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Values are what a generated file says: YAML values in flow style by the path of
// their key, lists of sections with the index, such as
// web[0].bindPoints[0].interface.
type Values map[string]string

// SampleController returns a commented configuration of a controller: the given
// values, and every other key as a comment with its default.
func SampleController(head string, v Values) string {
	return sample(reflect.TypeFor[Controller](), head, v)
}

// SampleRouter returns a commented configuration of a router, as SampleController.
func SampleRouter(head string, v Values) string { return sample(reflect.TypeFor[Router](), head, v) }

func sample(t reflect.Type, head string, v Values) string {
	s := &sampler{values: v}
	for line := range strings.Lines(head) {
		s.out.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	s.section(t, "", 0, true)
	return s.out.String()
}

type sampler struct {
	out    strings.Builder
	values Values
	bare   bool // in an entry of a list after the first: what its keys mean is said already
	terse  bool // in an entry before the last: keys that it does not have are left to the last
}

// has reports whether a value is given at a path or below.
func (s *sampler) has(path string) bool {
	for k := range s.values {
		if rest, ok := strings.CutPrefix(k, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// section writes the keys of a section; those that the file has come as they
// are, the others as comments.
func (s *sampler) section(t reflect.Type, path string, depth int, live bool) {
	for _, f := range fieldsOf(t) {
		if f.index == nil {
			continue // without effect
		}
		at := join(path, f.name)
		has := live && s.has(at)
		if s.terse && !has {
			continue
		}
		s.key(&f, at, depth, has)
	}
}

func (s *sampler) key(f *field, path string, depth int, live bool) {
	elem, below := sectionBelow(f.typ)
	if depth == 0 {
		s.out.WriteString("\n")
	}
	if !s.bare || !live {
		s.comment(f, depth)
	}
	switch {
	case elem == nil && live:
		s.line(depth, live, f.name+": "+s.values[path])
	case elem == nil:
		s.line(depth, live, strings.TrimRight(f.name+": "+sampleValue(f), " "))
	case below == "[]":
		s.list(f, elem, path, depth, live)
	case below == ".NAME":
		s.line(depth, live, f.name+":")
		s.line(depth+1, live, "name-of-yours:")
		s.section(elem, path+".*", depth+2, live)
	default:
		s.line(depth, live, f.name+":")
		s.section(elem, path, depth+1, live)
	}
}

// list writes the entries that the file has, else one as a comment.
func (s *sampler) list(f *field, elem reflect.Type, path string, depth int, live bool) {
	s.line(depth, live, f.name+":")
	count := 0
	for live && s.has(fmt.Sprintf("%s[%d]", path, count)) {
		count++
	}
	count = max(count, 1)
	for i := range count {
		at := fmt.Sprintf("%s[%d]", path, i)
		entry := &sampler{values: s.values, bare: s.bare || i > 0, terse: s.terse || i < count-1}
		entry.section(elem, at, depth+2, live)
		s.out.WriteString(dashed(entry.out.String(), depth+1, live))
	}
}

// dashed begins the first key of an entry with a dash.
func dashed(text string, depth int, live bool) string {
	indent := strings.Repeat("  ", depth)
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		key := strings.TrimPrefix(l, indent+"  ")
		if live && !strings.HasPrefix(strings.TrimSpace(l), "#") && key != l {
			lines[i] = indent + "- " + key
			break
		}
		if commented := "#" + indent + "  "; !live && strings.HasPrefix(l, commented) && !strings.HasPrefix(l[1:], "# ") && len(l) > len(commented) && l[len(commented)] != ' ' {
			lines[i] = "#" + indent + "- " + strings.TrimPrefix(l, commented)
			break
		}
	}
	return strings.Join(lines, "")
}

// comment writes what a key means, what it wants and its default.
func (s *sampler) comment(f *field, depth int) {
	text := f.doc
	if elem, _ := sectionBelow(f.typ); elem == nil {
		want := brief(f)
		if f.required {
			want = append(want, "required")
		}
		if len(want) > 0 {
			text += " (" + strings.Join(want, ", ") + ")"
		}
	}
	if needs := cmp.Or(f.later, f.inactive); needs != "" {
		text += "; not active yet: needs " + needs
	}
	s.out.WriteString(strings.Repeat("  ", depth) + "# " + text + "\n")
}

// brief says in a few words what a key wants; nothing of plain texts.
func brief(f *field) []string {
	what := noun(f)
	switch {
	case f.oneof != nil:
		return []string{strings.Join(f.oneof, ", ")}
	case f.typ == durationType && f.unit == "":
		what = "duration"
	case what == "text":
		return nil
	}
	for _, article := range []string{"a ", "an "} {
		what = strings.TrimPrefix(what, article)
	}
	return []string{what + boundsText(f)}
}

// line writes a key; one that the file does not have gets its mark at the
// beginning, so that taking it away leaves a valid line.
func (s *sampler) line(depth int, live bool, text string) {
	mark := ""
	if !live {
		mark = "#"
	}
	s.out.WriteString(mark + strings.Repeat("  ", depth) + text + "\n")
}

// sampleValue is the value of a key in a comment: its default.
func sampleValue(f *field) string {
	switch {
	case f.typ == stringsType:
		return "[" + strings.Join(split(f.def), ", ") + "]"
	case f.hasDef:
		return f.def
	}
	return ""
}
