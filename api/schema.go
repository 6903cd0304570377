package api

import (
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// Mode says for which kind of request a field is meant; the values are bits.
type Mode uint8

// Modes of request bodies.
const (
	Create Mode = 1 << iota
	Update      // PUT
	Patch
	Response
	AllModes = Create | Update | Patch | Response
)

// Field describes one JSON member of a struct type.
//
// The description comes from the tags of the Go field: json:"name" and
// api:"in=cup,req=cu,enum=A|B,min=0,max=65535,for=A|B,null", where c, u and p are create,
// update and patch; without in the member belongs to all, without req it is
// optional. min and max bound numbers, and the length of strings. null says that
// an empty value is emitted as null.
type Field struct {
	Name     string
	Type     reflect.Type
	Index    []int // for reflect.Value.FieldByIndex
	In       Mode
	Required Mode
	Enum     []string
	For      []string // values of the deciding member, see Variants
	Min, Max int64    // with HasMin, HasMax
	HasMin   bool
	HasMax   bool
	Null     bool
	OmitZero bool // left out of responses where empty
	Doc      string
}

// Fields returns the members of a struct type that belong to a mode, sorted by
// name. Members of embedded structs are included.
func Fields(t reflect.Type, m Mode) []Field {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []Field
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		d := FieldOf(f)
		d.Name, d.OmitZero = name, strings.Contains(opts, "omitempty")
		if d.In&m != 0 {
			out = append(out, d)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// FieldOf returns what the api tag of a Go field says.
func FieldOf(f reflect.StructField) Field {
	d := Field{Name: f.Name, Type: f.Type, Index: f.Index, In: AllModes, Doc: f.Tag.Get("doc")}
	d.readTag(f.Tag.Get("api"))
	return d
}

// Variants is implemented by types whose members depend on the value of one of
// them: it is named by, values are those that it may have. A field tagged
// api:"for=A|B" belongs to these values only, one without to all.
type Variants interface {
	Variants() (by string, values []string)
}

func (d *Field) readTag(tag string) {
	for o := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "in":
			d.In = modes(value)
		case "req":
			d.Required = modes(value)
		case "enum":
			d.Enum = strings.Split(value, "|")
		case "min":
			d.Min, d.HasMin = number(value), true
		case "max":
			d.Max, d.HasMax = number(value), true
		case "for":
			d.For = strings.Split(value, "|")
		case "null":
			d.Null = true
		}
	}
}

func modes(letters string) (m Mode) {
	for _, l := range letters {
		switch l {
		case 'c':
			m |= Create
		case 'u':
			m |= Update
		case 'p':
			m |= Patch
		}
	}
	return m
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // tags are checked by a test
	return n
}
