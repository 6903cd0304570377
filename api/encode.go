package api

import (
	"encoding/json"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Encoder writes values of one type as JSON. It is compiled once from the type
// and safe for concurrent use. Differences from encoding/json: times are UTC
// with milliseconds, a nil slice is [] and a nil map {} unless the field is
// tagged api:"null", and text is not escaped for HTML.
type Encoder struct {
	t      reflect.Type
	append appendFunc
}

type appendFunc func(b []byte, v reflect.Value) []byte

// Appender is implemented by types with a JSON form of their own.
type Appender interface{ AppendJSON(b []byte) []byte }

// NewEncoder compiles the encoder of a type.
func NewEncoder(t reflect.Type) *Encoder {
	return &Encoder{t, (&compiler{busy: map[reflect.Type]*appendFunc{}}).compile(t)}
}

// Append appends the JSON form of *ptr to b; ptr must point to the type that
// the encoder was made for.
func (e *Encoder) Append(b []byte, ptr any) []byte {
	return e.append(b, reflect.ValueOf(ptr).Elem())
}

type compiler struct{ busy map[reflect.Type]*appendFunc }

func (c *compiler) compile(t reflect.Type) appendFunc {
	switch t {
	case typeOf[time.Time]():
		return func(b []byte, v reflect.Value) []byte {
			if v.CanAddr() {
				return AppendTime(b, *v.Addr().Interface().(*time.Time))
			}
			return AppendTime(b, v.Interface().(time.Time))
		}
	case typeOf[json.RawMessage]():
		return appendRaw
	}
	if reflect.PointerTo(t).Implements(typeOf[Appender]()) {
		return appendAppender
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return AppendString(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendUint(b, v.Uint(), 10) }
	case reflect.Pointer:
		elem := c.compile(t.Elem())
		return func(b []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(b, "null"...)
			}
			return elem(b, v.Elem())
		}
	case reflect.Slice:
		return c.compileSlice(t)
	case reflect.Map:
		return c.compileMap(t)
	case reflect.Struct:
		return c.compileStruct(t)
	}
	return appendAny
}

func appendAppender(b []byte, v reflect.Value) []byte {
	if v.CanAddr() {
		return v.Addr().Interface().(Appender).AppendJSON(b)
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface().(Appender).AppendJSON(b)
}

func appendRaw(b []byte, v reflect.Value) []byte {
	if v.Len() == 0 {
		return append(b, "null"...)
	}
	return append(b, v.Bytes()...)
}

// appendAny writes a value of unknown type, as tags have them.
func appendAny(b []byte, v reflect.Value) []byte { return AppendAny(b, v.Interface()) }

// AppendAny appends the JSON form of any value; scalars are fast.
func AppendAny(b []byte, x any) []byte {
	switch x := x.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return AppendString(b, x)
	case bool:
		return strconv.AppendBool(b, x)
	case int64:
		return strconv.AppendInt(b, x, 10)
	}
	out, err := json.Marshal(x)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, out...)
}

func (c *compiler) compileSlice(t reflect.Type) appendFunc {
	elem := c.compile(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = elem(b, v.Index(i))
		}
		return append(b, ']')
	}
}

func (c *compiler) compileMap(t reflect.Type) appendFunc {
	elem := c.compile(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		if v.Len() == 0 {
			return append(b, "{}"...)
		}
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, k.String()), ':')
			b = elem(b, v.MapIndex(k))
		}
		return append(b, '}')
	}
}

// member is one compiled struct field.
type member struct {
	name      string // `"name":`
	index     []int
	omitEmpty bool
	null      bool // null where empty
	enc       appendFunc
}

func (c *compiler) compileStruct(t reflect.Type) appendFunc {
	if f := c.busy[t]; f != nil { // a type that contains itself
		return func(b []byte, v reflect.Value) []byte { return (*f)(b, v) }
	}
	self := new(appendFunc)
	c.busy[t] = self
	members := c.members(t)
	*self = func(b []byte, v reflect.Value) []byte {
		b = append(b, '{')
		first := true
		for i := range members {
			m := &members[i]
			f := v.FieldByIndex(m.index)
			if (m.omitEmpty || m.null) && isEmpty(f) {
				if m.omitEmpty {
					continue
				}
				b = append(appendName(b, m.name, &first), "null"...)
				continue
			}
			b = m.enc(appendName(b, m.name, &first), f)
		}
		return append(b, '}')
	}
	return *self
}

func appendName(b []byte, name string, first *bool) []byte {
	if !*first {
		b = append(b, ',')
	}
	*first = false
	return append(b, name...)
}

func (c *compiler) members(t reflect.Type) []member {
	var out []member
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, member{
			name:      strconv.Quote(name) + ":",
			index:     f.Index,
			omitEmpty: strings.Contains(opts, "omitempty"),
			null:      hasOption(f.Tag.Get("api"), "null"),
			enc:       c.compile(f.Type),
		})
	}
	return out
}

func hasOption(tag, option string) bool {
	for o := range strings.SplitSeq(tag, ",") {
		if o == option {
			return true
		}
	}
	return false
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Pointer, reflect.Interface:
		return v.IsNil()
	}
	return v.IsZero()
}

// AppendTime appends a time as JSON text: UTC with milliseconds.
func AppendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

// AppendString appends a JSON string; invalid UTF-8 becomes U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < 0x80 {
			continue
		}
		if c >= 0x80 {
			return appendUnicode(append(b, s[start:i]...), s[i:])
		}
		b = append(b, s[start:i]...)
		b = appendEscape(b, c)
		start = i + 1
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendUnicode goes on with the rest of a string that holds other than ASCII.
func appendUnicode(b []byte, s string) []byte {
	for _, r := range s {
		if r < 0x20 || r == '"' || r == '\\' {
			b = appendEscape(b, byte(r))
			continue
		}
		b = append(b, string(r)...)
	}
	return append(b, '"')
}

// AppendJSON writes the map of relations.
func (l *Links) AppendJSON(b []byte) []byte {
	if l.Set == nil {
		return append(b, "null"...)
	}
	s := l.Set
	b = append(b, `{"self":{"href":`...)
	b = appendHref(b, s.Plural, l.ID, "")
	for _, sub := range s.Subs {
		b = append(b, `},"`...)
		b = append(b, sub...)
		b = append(b, `":{"href":`...)
		b = appendHref(b, s.Plural, l.ID, sub)
	}
	for _, r := range s.Fixed {
		b = append(b, `},"`...)
		b = append(b, r.Name...)
		b = append(b, `":{"href":"`...)
		b = append(b, r.Href...)
		if r.WithOther {
			b = append(b, l.Other...)
		}
		b = append(b, '"')
	}
	return append(b, "}}"...)
}

func appendHref(b []byte, plural, id, sub string) []byte {
	b = append(b, `"./`...)
	b = append(b, plural...)
	if id != "" {
		b = append(b, '/')
		b = append(b, id...)
	}
	if sub != "" {
		b = append(b, '/')
		b = append(b, sub...)
	}
	return append(b, '"')
}

// AppendJSON writes the tags with sorted names; nil is {}.
func (t *Tags) AppendJSON(b []byte) []byte {
	if len(*t) == 0 {
		return append(b, "{}"...)
	}
	names := make([]string, 0, len(*t))
	for k := range *t {
		names = append(names, k)
	}
	sort.Strings(names)
	b = append(b, '{')
	for i, k := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, k), ':')
		b = AppendAny(b, (*t)[k])
	}
	return append(b, '}')
}
