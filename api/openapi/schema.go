package openapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
)

// Schema is a JSON schema of the dialect of OpenAPI 3.1.
type Schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"` // a name or several
	Description          string             `json:"description,omitempty"`
	Format               string             `json:"format,omitempty"`
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	Const                string             `json:"const,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Minimum              *int64             `json:"minimum,omitempty"`
	Maximum              *int64             `json:"maximum,omitempty"`
	MinLength            *int64             `json:"minLength,omitempty"`
	MaxLength            *int64             `json:"maxLength,omitempty"`
	MaxProperties        *int               `json:"maxProperties,omitempty"`
	Properties           map[string]*Schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // a bool or a schema
	Items                *Schema            `json:"items,omitempty"`
	OneOf                []*Schema          `json:"oneOf,omitempty"`
	AnyOf                []*Schema          `json:"anyOf,omitempty"`
	Discriminator        *Discriminator     `json:"discriminator,omitempty"`
}

// Discriminator names the member that decides between schemas.
type Discriminator struct {
	PropertyName string            `json:"propertyName"`
	Mapping      map[string]string `json:"mapping"`
}

type generator struct {
	schemas  map[string]*Schema
	refusals map[string]*Response
	strict   bool
}

const (
	refPrefix      = "#/components/schemas/"
	responsePrefix = "#/components/responses/"
)

func ref(name string) *Schema { return &Schema{Ref: refPrefix + name} }

var (
	timeType   = reflect.TypeFor[time.Time]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	objectType = reflect.TypeFor[api.Object]()
	bytesType  = reflect.TypeFor[[]byte]()
	linksType  = reflect.TypeFor[api.Links]()
	tagsType   = reflect.TypeFor[api.Tags]()
)

// closed says that an object has no other members, where that is wanted.
func (g *generator) closed(s *Schema) *Schema {
	if g.strict {
		s.AdditionalProperties = false
	}
	return s
}

// scalar returns the schemas of types that are the same in requests and
// answers, nil for others.
func (g *generator) scalar(t reflect.Type) *Schema {
	switch t {
	case timeType:
		return &Schema{Type: "string", Format: "date-time"}
	case rawType:
		return &Schema{} // any value
	case objectType:
		return &Schema{Type: "object"}
	case bytesType:
		return &Schema{Type: "string", ContentEncoding: "base64"}
	case linksType:
		return ref("Links")
	case tagsType:
		return ref("Tags")
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return &Schema{Type: "integer", Format: "int64"}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return &Schema{Type: "integer", Format: "int32"}
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Interface:
		return &Schema{}
	}
	return nil
}

// nullable lets a schema be null, too.
func nullable(s *Schema) *Schema {
	if s.Ref != "" || s.OneOf != nil {
		return &Schema{AnyOf: []*Schema{s, {Type: "null"}}}
	}
	if name, ok := s.Type.(string); ok {
		s.Type = []string{name, "null"}
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
	return s
}

// describe adds a text to a schema.
func describe(s *Schema, text string) *Schema {
	if text != "" {
		s.Description = text
	}
	return s
}

// response returns the schema of a type in answers, as api.Encoder writes it.
func (g *generator) response(t reflect.Type) *Schema {
	if s := g.scalar(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(g.response(t.Elem()))
	case reflect.Slice, reflect.Array:
		return &Schema{Type: "array", Items: g.response(t.Elem())}
	case reflect.Map:
		return &Schema{Type: "object", AdditionalProperties: g.response(t.Elem())}
	case reflect.Struct:
		return g.object(t)
	}
	return &Schema{}
}

// object puts the schema of a struct among the components and refers to it.
func (g *generator) object(t reflect.Type) *Schema {
	name := t.Name()
	if g.schemas[name] != nil {
		return ref(name)
	}
	s := &Schema{Type: "object", Description: typeDoc(t), Properties: map[string]*Schema{}}
	g.schemas[name] = s
	if by, values := variantsOf(t); values != nil {
		g.union(name, by, values, func(value string, s *Schema) { g.members(t, by, value, s) })
		return ref(name)
	}
	g.members(t, "", "", s)
	return ref(name)
}

// members adds the members of a struct to a schema; only those of one variant
// if it has some.
func (g *generator) members(t reflect.Type, by, variant string, s *Schema) {
	for _, f := range reflect.VisibleFields(t) {
		m, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && m == "" || !f.IsExported() || m == "-" {
			continue
		}
		if m == "" {
			m = f.Name
		}
		if d := api.FieldOf(f); d.For != nil && !slices.Contains(d.For, variant) {
			continue
		}
		if g.member(s, t, f, m, strings.Contains(opts, "omitempty")); variant != "" && m == by {
			s.Properties[m] = &Schema{Type: "string", Const: variant, Description: fieldDoc(t, f)}
		}
	}
	g.closed(s)
}

func (g *generator) member(s *Schema, t reflect.Type, f reflect.StructField, name string, omits bool) {
	ft := f.Type
	if omits && ft.Kind() == reflect.Pointer {
		ft = ft.Elem() // left out instead of null
	}
	x := g.response(ft)
	d := api.FieldOf(f)
	for _, e := range d.Enum {
		x.Enum = append(x.Enum, e)
	}
	if d.Null && !omits {
		x = nullable(x)
	}
	s.Properties[name] = describe(x, fieldDoc(t, f))
	if !omits {
		s.Required = append(s.Required, name)
	}
}

// request returns the schema of a type in request bodies of one mode, as
// api.Validator checks it.
func (g *generator) request(t reflect.Type, m api.Mode) *Schema {
	if s := g.scalar(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.request(t.Elem(), m)
	case reflect.Slice:
		return &Schema{Type: "array", Items: g.request(t.Elem(), m)}
	case reflect.Map:
		return &Schema{Type: "object", AdditionalProperties: g.request(t.Elem(), m)}
	case reflect.Struct:
		return g.input(t, m)
	}
	return &Schema{}
}

var modeNames = map[api.Mode]string{api.Create: "Create", api.Update: "Update", api.Patch: "Patch"}

func inputName(t reflect.Type, m api.Mode) string {
	name := strings.TrimSuffix(t.Name(), "Input")
	if strings.HasSuffix(name, modeNames[m]) {
		return name
	}
	return name + modeNames[m]
}

func (g *generator) input(t reflect.Type, m api.Mode) *Schema {
	name := inputName(t, m)
	if g.schemas[name] != nil {
		return ref(name)
	}
	s := &Schema{Type: "object", Description: typeDoc(t), Properties: map[string]*Schema{}}
	g.schemas[name] = s
	if by, values := variantsOf(t); values != nil {
		g.union(name, by, values, func(value string, s *Schema) { g.inputs(t, m, by, value, s) })
		return ref(name)
	}
	g.inputs(t, m, "", "", s)
	return ref(name)
}

// inputs adds the members of a struct that belong to a mode to a schema; only
// those of one variant if it has some.
func (g *generator) inputs(t reflect.Type, m api.Mode, by, variant string, s *Schema) {
	for _, f := range api.Fields(t, m) {
		if f.For != nil && !slices.Contains(f.For, variant) {
			continue
		}
		x := g.request(f.Type, m)
		bounds(x, f)
		field := t.FieldByIndex(f.Index)
		if f.Required&m != 0 {
			s.Required = append(s.Required, f.Name)
		} else if k := f.Type.Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Map {
			x = nullable(x) // the same as leaving it out
		}
		if variant != "" && f.Name == by {
			x = &Schema{Type: "string", Const: variant}
		}
		s.Properties[f.Name] = describe(x, fieldDoc(t, field))
	}
}

// bounds adds what a field's tag says; for lists and maps that is about their
// elements.
func bounds(s *Schema, f api.Field) {
	switch {
	case s.Items != nil:
		s = s.Items
	case s.Type == "object":
		if e, ok := s.AdditionalProperties.(*Schema); ok {
			s = e
		}
	}
	for _, e := range f.Enum {
		s.Enum = append(s.Enum, e)
	}
	lowest, highest := &s.Minimum, &s.Maximum
	if s.Type == "string" {
		lowest, highest = &s.MinLength, &s.MaxLength
	}
	if f.HasMin {
		*lowest = &f.Min
	}
	if f.HasMax {
		*highest = &f.Max
	}
}

// variantsOf returns the member that decides and its values.
func variantsOf(t reflect.Type) (by string, values []string) {
	if v, ok := reflect.New(t).Interface().(api.Variants); ok {
		return v.Variants()
	}
	return "", nil
}

// union makes the component name one of several variants.
func (g *generator) union(name, by string, values []string, fill func(value string, s *Schema)) {
	s := g.schemas[name]
	*s = Schema{Description: s.Description, Discriminator: &Discriminator{PropertyName: by, Mapping: map[string]string{}}}
	for _, value := range values {
		part := name + "." + value
		g.schemas[part] = &Schema{Type: "object", Properties: map[string]*Schema{}}
		fill(value, g.schemas[part])
		s.Discriminator.Mapping[value] = refPrefix + part
		s.OneOf = append(s.OneOf, ref(part))
	}
}
