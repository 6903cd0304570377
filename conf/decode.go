package conf

import (
	"fmt"
	"iter"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds the size of a configuration file in bytes, maxNodes the
// values in it after aliases are followed.
const (
	maxFile  = 1 << 20
	maxNodes = 100_000
)

// Env looks up an environment variable. TMP, TEMP and TMPDIR always have a
// value: that of the operating system's temporary directory.
type Env func(name string) (value string, ok bool)

// decode reads data into the schema struct that out points to.
func decode(file string, data []byte, env Env, out any) (*Checker, error) {
	if env == nil {
		env = os.LookupEnv
	}
	d := &decoder{Checker: Checker{Lines: Lines{file: file, lines: make(map[string]int)}}, env: env, budget: maxNodes}
	root, err := d.parse(data)
	if err != nil {
		return nil, err
	}
	rv := reflect.ValueOf(out).Elem()
	d.places = make(map[string][]string)
	pathsOf(rv.Type(), "", func(name, path string) { d.places[name] = append(d.places[name], path) })
	d.defaults(rv)
	d.section(root, "", rv)
	return &d.Checker, nil
}

type decoder struct {
	Checker
	env    Env
	budget int
	places map[string][]string // key → paths at which the schema has it
}

func (d *decoder) parse(data []byte) (*yaml.Node, error) {
	if len(data) > maxFile {
		return nil, Errors{{File: d.file, Text: fmt.Sprintf("larger than %d bytes", maxFile)}}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, Errors{yamlProblem(d.file, err)}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || deref(doc.Content[0]).Kind != yaml.MappingNode {
		return nil, Errors{{File: d.file, Text: "expected a YAML map of keys and values"}}
	}
	return deref(doc.Content[0]), nil
}

// yamlProblem turns a syntax error of the YAML library, which names the line
// in its text, into a Problem.
func yamlProblem(file string, err error) Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return Problem{File: file, Line: line, Text: "not valid YAML: " + text, Remedy: "check indentation, colons and quotes near that line"}
}

func deref(n *yaml.Node) *yaml.Node {
	for hops := 0; n.Kind == yaml.AliasNode && n.Alias != nil && hops < 100; hops++ {
		n = n.Alias
	}
	return n
}

// defaults sets the default of every field below rv.
func (d *decoder) defaults(rv reflect.Value) {
	for _, f := range fieldsOf(rv.Type()) {
		if f.index == nil {
			continue
		}
		target := rv.FieldByIndex(f.index)
		switch {
		case f.hasDef && f.typ.Kind() == reflect.Slice:
			target.Set(reflect.ValueOf(split(f.def)).Convert(f.typ))
		case f.hasDef:
			d.set(target, &f, f.def)
		case isSection(f.typ):
			d.defaults(target)
		}
	}
}

// set gives target a value that the schema itself holds.
func (d *decoder) set(target reflect.Value, f *field, text string) {
	if err := setScalar(target, f, text); err != nil {
		d.Refuse(f.name, "the schema holds a wrong value "+text, "")
	}
}

// section reads a map of keys into the struct rv at path.
func (d *decoder) section(n *yaml.Node, path string, rv reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.refuseAt(n.Line, path, "expected a section of keys, found "+describe(n), "")
		return
	}
	fields := fieldsOf(rv.Type())
	seen := make(map[string]int)
	for key, value := range d.pairs(n, path) {
		if d.budget--; d.budget < 0 {
			return
		}
		f := find(fields, key.Value)
		if f == nil {
			d.unknown(key, path, fields)
			continue
		}
		if first, dup := seen[f.name]; dup {
			d.refuseAt(key.Line, join(path, key.Value), fmt.Sprintf("given twice, first on line %d", first), "remove one of the two")
			continue
		}
		seen[f.name] = key.Line
		d.value(key, value, join(path, f.name), f, rv)
	}
	for _, f := range fields {
		if _, there := seen[f.name]; f.required && !there {
			d.refuseAt(d.line(path), join(path, f.name), "is missing", "add "+f.name+": "+expected(&f))
		}
	}
	if c, ok := rv.Addr().Interface().(interface{ check(*Checker, string) }); ok {
		c.check(&d.Checker, path)
	}
}

// pairs yields the keys and values of a map; null values count as absent.
func (d *decoder) pairs(n *yaml.Node, path string) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], deref(n.Content[i+1])
			if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				d.refuseAt(key.Line, path, "expected a plain key", "write the keys out")
				continue
			}
			if value.ShortTag() == "!!null" {
				value = nil
			}
			if !yield(key, value) {
				return
			}
		}
	}
}

func find(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
		for _, a := range fields[i].aliases {
			if a == name {
				return &fields[i]
			}
		}
	}
	return nil
}

func (d *decoder) unknown(key *yaml.Node, path string, fields []field) {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
		names = append(names, f.aliases...)
	}
	remedy := "remove it"
	if places := d.places[key.Value]; len(places) > 0 {
		remedy = "it belongs at " + strings.Join(places, " or ")
	} else if n := nearest(key.Value, names); n != "" {
		remedy = "did you mean " + n + "?"
	}
	d.refuseAt(key.Line, join(path, key.Value), "unknown key", remedy)
}

// value reads one key of a section.
func (d *decoder) value(key, value *yaml.Node, path string, f *field, rv reflect.Value) {
	d.lines[path] = key.Line
	switch {
	case f.refused != "":
		remedy := "remove it"
		if f.doc != "" {
			remedy = f.doc
		}
		d.refuseAt(key.Line, path, f.refused, remedy)
		return
	case f.inert != "":
		d.warnAt(key.Line, path, "has no effect: "+f.inert, "remove it")
		if f.typ.Kind() == reflect.Interface {
			return
		}
	case f.later != "":
		d.notYetAt(key.Line, path, f.later)
	}
	if value == nil {
		if f.required {
			d.refuseAt(key.Line, path, "is empty", "expected "+expected(f))
		}
		delete(d.lines, path)
		return
	}
	target := reflect.New(f.typ).Elem() // where the value is only checked
	if f.index != nil {
		target = rv.FieldByIndex(f.index)
	} else if isSection(f.typ) {
		d.defaults(target)
	}
	d.into(value, path, f, target)
}

func (d *decoder) into(n *yaml.Node, path string, f *field, target reflect.Value) {
	if d.budget--; d.budget < 0 {
		d.refuseAt(n.Line, path, "the file has too many values", "")
		return
	}
	switch {
	case f.typ == stringsType && n.Kind == yaml.ScalarNode:
		d.list([]*yaml.Node{n}, path, f, target)
	case f.typ.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.refuseAt(n.Line, path, "expected a list, found "+describe(n), "begin each entry with a dash")
			return
		}
		d.list(n.Content, path, f, target)
	case f.typ.Kind() == reflect.Map:
		d.named(n, path, f, target)
	case f.typ.Kind() == reflect.Pointer:
		target.Set(reflect.New(f.typ.Elem()))
		d.defaults(target.Elem())
		d.section(n, path, target.Elem())
	case isSection(f.typ):
		d.section(n, path, target)
	default:
		d.scalar(n, path, f, target)
	}
}

func (d *decoder) list(entries []*yaml.Node, path string, f *field, target reflect.Value) {
	elem := *f
	elem.typ = f.typ.Elem()
	out := reflect.MakeSlice(f.typ, len(entries), len(entries))
	for i, n := range entries {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.lines[at] = n.Line
		if isSection(elem.typ) {
			d.defaults(out.Index(i))
		}
		d.into(deref(n), at, &elem, out.Index(i))
	}
	target.Set(out)
}

// named reads sections or values under names that the file chooses.
func (d *decoder) named(n *yaml.Node, path string, f *field, target reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.refuseAt(n.Line, path, "expected sections under names, found "+describe(n), "")
		return
	}
	elem := *f
	elem.typ = f.typ.Elem()
	out := reflect.MakeMap(f.typ)
	for key, value := range d.pairs(n, path) {
		at := join(path, key.Value)
		if out.MapIndex(reflect.ValueOf(key.Value)).IsValid() {
			d.refuseAt(key.Line, at, "given twice", "remove one of the two")
			continue
		}
		d.lines[at] = key.Line
		section := reflect.New(elem.typ).Elem()
		if isSection(elem.typ) {
			d.defaults(section)
		}
		if value == nil {
			value = &yaml.Node{Kind: yaml.MappingNode, Line: key.Line}
		}
		d.into(value, at, &elem, section)
		out.SetMapIndex(reflect.ValueOf(key.Value), section)
	}
	target.Set(out)
}

func (d *decoder) scalar(n *yaml.Node, path string, f *field, target reflect.Value) {
	found := describe(n)
	if n.Kind == yaml.ScalarNode && f.typ == secretType {
		found = "another kind of value" // which may be the secret
	}
	if n.Kind != yaml.ScalarNode {
		d.refuseAt(n.Line, path, "expected "+expected(f)+", found "+found, "")
		return
	}
	text, tag := d.expand(n, path)
	if reason := kindMismatch(f, tag, n); reason != "" {
		d.refuseAt(n.Line, path, "expected "+expected(f)+", found "+found, reason)
		return
	}
	if err := setScalar(target, f, text); err != nil {
		why := err.Error()
		if why != "" {
			why = ": " + why
		}
		d.refuseAt(n.Line, path, "expected "+expected(f)+", found "+found+why, "")
		return
	}
	if f.required && target.IsZero() {
		d.refuseAt(n.Line, path, "is empty", "expected "+expected(f))
		return
	}
	d.bounds(n.Line, path, f, target)
}

// describe says what stands at a node, long texts cut short. Values of type
// Secret do not come here.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a section of keys"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!str" {
		return fmt.Sprintf("%q", shorten(n.Value))
	}
	return shorten(n.Value)
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}
