package conf

import (
	"cmp"
	"net/netip"
	"reflect"
	"strings"
	"time"
)

// A schema is a struct with one field per key. Tags say the rest:
//
//	conf:"name,alias,..."  the key and other spellings of it
//	default:"5s"           value when the key is absent
//	min, max               bounds
//	clamp:"bound|default"  outside the bounds: that value and a warning
//	unit:"ms|s"            a duration written as a whole number of that unit
//	oneof:"a|b"            allowed values
//	types:"tls|wss"        allowed address types; bare:"tls" is assumed if none
//	required:"true"        has to be there when its section is
//	later:"what"           read and checked, not active yet because it needs that; on
//	                       an embedded struct it only says so in the reference
//	inert:"why"            accepted without effect, one warning
//	refused:"why"          known and refused
//	doc:"..."              one line for the reference
//
// Keys that are only inert or refused stand on fields named _.
type field struct {
	name     string
	aliases  []string
	index    []int
	typ      reflect.Type
	required bool
	def      string
	hasDef   bool
	min, max string
	clamp    string
	unit     string
	oneof    []string
	types    []string
	bare     string
	later    string
	inactive string // what embedded keys need, as later
	inert    string
	refused  string
	doc      string
}

// Strings is a list of texts for which a single text may stand too.
type Strings []string

var (
	durationType = reflect.TypeFor[time.Duration]()
	addressType  = reflect.TypeFor[Address]()
	hostPortType = reflect.TypeFor[HostPort]()
	prefixType   = reflect.TypeFor[netip.Prefix]()
	stringsType  = reflect.TypeFor[Strings]()
	secretType   = reflect.TypeFor[Secret]()
)

// isSection reports whether values of t are maps of keys.
func isSection(t reflect.Type) bool {
	switch t {
	case addressType, hostPortType, prefixType:
		return false
	}
	return t.Kind() == reflect.Struct
}

// fieldsOf reads the tags of a schema struct; embedded structs count as
// written out.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			for _, f := range fieldsOf(sf.Type) {
				f.inactive = cmp.Or(f.inactive, sf.Tag.Get("later"))
				if f.index != nil {
					f.index = append([]int{i}, f.index...)
				}
				out = append(out, f)
			}
			continue
		}
		if f, ok := fieldOf(sf); ok {
			out = append(out, f)
		}
	}
	return out
}

func fieldOf(sf reflect.StructField) (field, bool) {
	names, ok := sf.Tag.Lookup("conf")
	if !ok {
		return field{}, false
	}
	tag := sf.Tag.Get
	all := strings.Split(names, ",")
	f := field{
		name: all[0], aliases: all[1:], typ: sf.Type, required: tag("required") == "true",
		min: tag("min"), max: tag("max"), clamp: tag("clamp"), unit: tag("unit"),
		oneof: split(tag("oneof")), types: split(tag("types")), bare: tag("bare"),
		later: tag("later"), inert: tag("inert"), refused: tag("refused"), doc: tag("doc"),
	}
	f.def, f.hasDef = sf.Tag.Lookup("default")
	if sf.Name != "_" {
		f.index = sf.Index
	}
	return f, true
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// pathsOf lists the dotted paths of every key below t, so that a key in the
// wrong place can be told its right one.
func pathsOf(t reflect.Type, prefix string, add func(name, path string)) {
	for _, f := range fieldsOf(t) {
		path := join(prefix, f.name)
		if f.inert == "" && f.refused == "" {
			add(f.name, path)
		}
		if elem, below := sectionBelow(f.typ); elem != nil {
			pathsOf(elem, path+below, add)
		}
	}
}

// sectionBelow returns the schema struct that t holds, if any, and how the paths
// of several are told apart: lists by "[]", sections under any names by ".NAME".
func sectionBelow(t reflect.Type) (elem reflect.Type, below string) {
	switch t.Kind() {
	case reflect.Slice:
		t, below = t.Elem(), "[]"
	case reflect.Map:
		t, below = t.Elem(), ".NAME"
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isSection(t) {
		return t, below
	}
	return nil, ""
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
