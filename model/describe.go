package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Type is the type of a field as the API and the filter language see it.
type Type int

// The types of fields.
const (
	TypeString  Type = iota // also pointers to strings
	TypeBool                //
	TypeInt                 //
	TypeTime                // also pointers to times
	TypeStrings             // a list of strings
	TypeObject              // anything else: maps, structs, JSON, bytes
)

// Field describes one field of an entity. Parts of nested structs are fields of
// their own with a dotted name, beside the field of the struct itself.
type Field struct {
	Name     string // JSON path, e.g. primary.cert.allowed
	Filter   string // name in filters and sorts, empty where it has none
	Type     Type
	Nullable bool // a pointer: may be absent
	Create   bool // may be given on create
	Update   bool // is replaced by PUT
	Patch    bool // may be given to PATCH
	Required bool // must be given on create
	Secret   bool // never leaves the controller
	ReadOnly bool // shown, set by the system only
	Internal bool // neither shown nor set through the API
	Go       reflect.Type
	index    []int
}

// Get returns the value of the field in e.
func (f *Field) Get(e Entity) any { return f.value(e).Interface() }

// IsZero reports whether the field of e has its zero value.
func (f *Field) IsZero(e Entity) bool { return f.value(e).IsZero() }

// Set decodes raw into the field of e, replacing what was there; null sets the
// zero value. Unlike json.Unmarshal it never merges into old maps or slices, so
// that e may be a shallow copy of a shared entity.
func (f *Field) Set(e Entity, raw json.RawMessage) error {
	v := reflect.New(f.Go)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	f.value(e).Set(v.Elem())
	return nil
}

func (f *Field) value(e Entity) reflect.Value {
	return reflect.ValueOf(e).Elem().FieldByIndex(f.index)
}

// Description tells what an entity kind consists of.
type Description struct {
	Kind   Kind
	Plural string // last part of its path in the API, e.g. edge-routers
	Store  string // name of its table in error texts, e.g. identities
	Fields []Field
	byName map[string]*Field
}

// Field returns the field with the given JSON path, nil if there is none.
func (d *Description) Field(name string) *Field { return d.byName[name] }

// Describe returns the description of a kind, nil for an unknown one. The
// result is shared and must not be changed.
func Describe(k Kind) *Description { return descriptions()[k] }

var descriptions = sync.OnceValue(func() map[Kind]*Description {
	names := map[Kind][2]string{
		KindIdentity:                {"identities", "identities"},
		KindAuthenticator:           {"authenticators", "authenticators"},
		KindEnrollment:              {"enrollments", "enrollments"},
		KindService:                 {"services", "services"},
		KindConfig:                  {"configs", "configs"},
		KindConfigType:              {"config-types", "configTypes"},
		KindEdgeRouter:              {"edge-routers", "routers"},
		KindServicePolicy:           {"service-policies", "servicePolicies"},
		KindEdgeRouterPolicy:        {"edge-router-policies", "edgeRouterPolicies"},
		KindServiceEdgeRouterPolicy: {"service-edge-router-policies", "serviceEdgeRouterPolicies"},
		KindTerminator:              {"terminators", "terminators"},
		KindAuthPolicy:              {"auth-policies", "authPolicies"},
		KindRevocation:              {"revocations", "revocations"},
		KindController:              {"controllers", "controllers"},
		KindKey:                     {"keys", "keys"},
		KindMFA:                     {"mfa", "mfas"},
		KindCA:                      {"cas", "cas"},
		KindPostureCheck:            {"posture-checks", "postureChecks"},
		KindExternalJwtSigner:       {"external-jwt-signers", "externalJwtSigners"},
	}
	out := make(map[Kind]*Description, len(names))
	for _, k := range Kinds() {
		d := &Description{Kind: k, Plural: names[k][0], Store: names[k][1]}
		d.Fields = describe(reflect.TypeOf(New(k)).Elem(), Field{}, nil)
		d.byName = make(map[string]*Field, len(d.Fields))
		for i := range d.Fields {
			d.byName[d.Fields[i].Name] = &d.Fields[i]
		}
		out[k] = d
	}
	return out
})

// describe lists the fields of a struct; those of nested structs inherit the
// permissions of their parent.
func describe(t reflect.Type, parent Field, out []Field) []Field {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(append([]int(nil), parent.index...), i)
		if sf.Anonymous {
			p := parent
			p.index = index
			out = describe(sf.Type, p, out)
			continue
		}
		f := parseField(sf, parent)
		f.index = index
		nested := sf.Type.Kind() == reflect.Struct && f.Type == TypeObject
		filter := f.Filter
		if nested {
			f.Filter = "" // only its parts are filterable
		}
		out = append(out, f)
		if nested {
			f.Filter = filter
			out = describe(sf.Type, f, out)
		}
	}
	return out
}

func parseField(sf reflect.StructField, parent Field) Field {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f := Field{Name: name, Go: sf.Type}
	if parent.Name != "" {
		f.Name = parent.Name + "." + name
		f.Create, f.Update, f.Patch = parent.Create, parent.Update, parent.Patch
		if parent.Filter != "" {
			f.Filter = parent.Filter + "." + name
		}
	}
	f.Type, f.Nullable = typeOf(sf.Type)
	for flag := range strings.SplitSeq(sf.Tag.Get("weft"), ",") {
		key, value, _ := strings.Cut(flag, "=")
		switch key {
		case "create":
			f.Create = true
		case "update":
			f.Update = true
		case "patch":
			f.Patch = true
		case "required":
			f.Required = true
		case "secret":
			f.Secret = true
		case "readonly":
			f.ReadOnly = true
		case "internal":
			f.Internal = true
		case "nofilter":
			f.Filter = ""
		case "filter":
			if f.Filter = value; value == "" {
				f.Filter = f.Name
			}
		}
	}
	return f
}

func typeOf(t reflect.Type) (Type, bool) {
	nullable := false
	if t.Kind() == reflect.Pointer {
		nullable, t = true, t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return TypeTime, nullable
	case t.Kind() == reflect.String:
		return TypeString, nullable
	case t.Kind() == reflect.Bool:
		return TypeBool, nullable
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return TypeInt, nullable
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return TypeStrings, nullable
	}
	return TypeObject, nullable
}
