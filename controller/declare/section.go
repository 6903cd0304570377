package declare

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Section is one kind of entity in a declaration. Sections are applied in the
// order of Sections and pruned in the reverse one.
type Section struct {
	Name string // in documents, such as configTypes
	Kind model.Kind
	Op   string // in operation ids, such as ConfigType

	refs     []reference
	rename   map[string]string // name in documents by field
	always   []string          // fields that are exported even with their default
	extra    []string          // fields that documents have though the API sets them elsewhere
	optional []string          // fields that the API demands and that have a default here
	actions  []string          // members that count at creation only
	fresh    func(model.Entity)
	owns     func(model.Entity) bool // nil: every entity of the kind
	key      func(v *state.View, e model.Entity) string
	members  []member
	byName   map[string]*member
}

// form is how a field mentions other entities.
type form int

const (
	formID    form = iota // one id
	formList              // a list of ids
	formRoles             // a list of roles, of which @id is a mention
	formKeys              // a map by id
)

// reference is a field, or part of one, that mentions entities of a kind.
type reference struct {
	path  string // JSON path of the field
	kind  model.Kind
	form  form
	later bool // the kind comes after this one: set in a second step where needed
}

// member is a field as documents have it.
type member struct {
	name      string // in documents
	field     *model.Field
	index     []int
	required  bool
	immutable bool // may be given at creation only
}

// Sections returns what declarations may hold, in the order in which it is
// applied. The result is shared.
func Sections() []*Section { return sections() }

// SectionOf returns the section with the given name; the spelling of paths, such
// as config-types, is accepted too. It is nil if there is none.
func SectionOf(name string) *Section {
	for _, s := range sections() {
		if s.Name == name || kebab(s.Name) == name {
			return s
		}
	}
	return nil
}

var sections = sync.OnceValue(func() []*Section {
	anyOf := func(semantic func(model.Entity) *string) func(model.Entity) {
		return func(e model.Entity) { *semantic(e) = model.AnyOf }
	}
	identities := func(f string) reference { return reference{path: f, kind: model.KindIdentity, form: formRoles} }
	services := func(f string) reference { return reference{path: f, kind: model.KindService, form: formRoles} }
	routers := func(f string) reference { return reference{path: f, kind: model.KindEdgeRouter, form: formRoles} }
	transit := func(e model.Entity) bool { return e.(*model.EdgeRouter).IsTransit }
	all := []*Section{
		{Name: "configTypes", Kind: model.KindConfigType, Op: "ConfigType"},
		{Name: "configs", Kind: model.KindConfig, Op: "Config", rename: map[string]string{"configTypeId": "configType"},
			refs: []reference{{path: "configTypeId", kind: model.KindConfigType}}},
		{Name: "services", Kind: model.KindService, Op: "Service", always: []string{"encryptionRequired"},
			fresh: func(e model.Entity) { e.(*model.Service).EncryptionRequired = true },
			refs:  []reference{{path: "configs", kind: model.KindConfig, form: formList}}},
		{Name: "cas", Kind: model.KindCA, Op: "Ca"},
		{Name: "externalJwtSigners", Kind: model.KindExternalJwtSigner, Op: "ExternalJwtSigner", rename: map[string]string{"enrollAuthPolicyId": "enrollAuthPolicy"},
			refs: []reference{{path: "enrollAuthPolicyId", kind: model.KindAuthPolicy, later: true}}},
		{Name: "authPolicies", Kind: model.KindAuthPolicy, Op: "AuthPolicy", always: []string{"primary", "secondary"}, refs: []reference{
			{path: "primary.extJwt.allowedSigners", kind: model.KindExternalJwtSigner, form: formList},
			{path: "secondary.requireExtJwtSigner", kind: model.KindExternalJwtSigner}}},
		{Name: "postureChecks", Kind: model.KindPostureCheck, Op: "PostureCheck", rename: map[string]string{"typeId": "type"}},
		{Name: "edgeRouters", Kind: model.KindEdgeRouter, Op: "EdgeRouter",
			refs: []reference{{path: "configs", kind: model.KindConfig, form: formList}},
			owns: func(e model.Entity) bool { return !transit(e) }},
		{Name: "transitRouters", Kind: model.KindEdgeRouter, Op: "TransitRouter", owns: transit,
			refs:  []reference{{path: "configs", kind: model.KindConfig, form: formList}},
			fresh: func(e model.Entity) { e.(*model.EdgeRouter).IsTransit = true }},
		{Name: "identities", Kind: model.KindIdentity, Op: "Identity", rename: map[string]string{"authPolicyId": "authPolicy"},
			extra: []string{"serviceConfigs"}, optional: []string{"type"}, actions: []string{"enrollment"}, refs: []reference{
				{path: "authPolicyId", kind: model.KindAuthPolicy},
				{path: "serviceHostingCosts", kind: model.KindService, form: formKeys},
				{path: "serviceHostingPrecedences", kind: model.KindService, form: formKeys}}},
		{Name: "servicePolicies", Kind: model.KindServicePolicy, Op: "ServicePolicy", always: []string{"type", "semantic"},
			fresh: anyOf(func(e model.Entity) *string { return &e.(*model.ServicePolicy).Semantic }),
			refs: []reference{identities("identityRoles"), services("serviceRoles"),
				{path: "postureCheckRoles", kind: model.KindPostureCheck, form: formRoles}}},
		{Name: "edgeRouterPolicies", Kind: model.KindEdgeRouterPolicy, Op: "EdgeRouterPolicy", always: []string{"semantic"},
			fresh: anyOf(func(e model.Entity) *string { return &e.(*model.EdgeRouterPolicy).Semantic }),
			refs:  []reference{identities("identityRoles"), routers("edgeRouterRoles")}},
		{Name: "serviceEdgeRouterPolicies", Kind: model.KindServiceEdgeRouterPolicy, Op: "ServiceEdgeRouterPolicy", always: []string{"semantic"},
			fresh: anyOf(func(e model.Entity) *string { return &e.(*model.ServiceEdgeRouterPolicy).Semantic }),
			refs:  []reference{services("serviceRoles"), routers("edgeRouterRoles")}},
		{Name: "terminators", Kind: model.KindTerminator, Op: "Terminator", key: terminatorKey,
			owns: func(e model.Entity) bool { return e.(*model.Terminator).HostID == "" },
			refs: []reference{{path: "service", kind: model.KindService}, {path: "router", kind: model.KindEdgeRouter}}},
	}
	for _, s := range all {
		s.describe()
	}
	return all
})

// describe lists the members of the section: what clients may set and what is
// no secret.
func (s *Section) describe() {
	t := reflect.TypeOf(model.New(s.Kind)).Elem()
	s.byName = map[string]*member{}
	for _, sf := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := model.Describe(s.Kind).Field(name)
		if sf.Anonymous || f == nil {
			continue
		}
		settable := (f.Create || f.Update || f.Patch) && !f.ReadOnly && !f.Internal && !f.Secret
		if !settable && !slices.Contains(s.extra, name) {
			continue
		}
		m := member{name: name, field: f, index: sf.Index, immutable: settable && !f.Update && !f.Patch,
			required: f.Required && f.Type != model.TypeBool && len(s.refsOf(name)) == 0 && !slices.Contains(s.optional, name)}
		if other := s.rename[name]; other != "" {
			m.name = other
		}
		s.members = append(s.members, m)
	}
	// The name comes first and tags come last, the rest is in the order of the struct.
	slices.SortStableFunc(s.members, func(a, b member) int { return rank(a.name) - rank(b.name) })
	for i := range s.members {
		s.byName[s.members[i].name] = &s.members[i]
	}
}

func rank(name string) int {
	switch name {
	case "name":
		return 0
	case "tags":
		return 2
	}
	return 1
}

// refsOf returns the references within a field.
func (s *Section) refsOf(field string) []reference {
	var out []reference
	for _, r := range s.refs {
		if r.path == field || strings.HasPrefix(r.path, field+".") {
			out = append(out, r)
		}
	}
	return out
}

// new returns an entity of the section with the defaults of every member.
func (s *Section) new() model.Entity {
	e := model.New(s.Kind)
	if s.fresh != nil {
		s.fresh(e)
	}
	return e
}

func (m *member) of(e model.Entity) reflect.Value {
	return reflect.ValueOf(e).Elem().FieldByIndex(m.index)
}

// has reports whether the section holds the entity.
func (s *Section) has(e model.Entity) bool { return s.owns == nil || s.owns(e) }

// nameOf returns the name of an entity of any kind, what identifies it in a
// declaration for kinds without.
func (s *Section) nameOf(v *state.View, e model.Entity) string {
	if s.key != nil {
		return s.key(v, e)
	}
	return nameOf(e)
}

// nameOf returns the name of an entity, empty for kinds without.
func nameOf(e model.Entity) string {
	f := model.Describe(e.Kind()).Field("name")
	if f == nil {
		return ""
	}
	name, _ := f.Get(e).(string)
	return name
}

// terminatorKey identifies a terminator: nothing else of it may differ between
// two that are both needed.
func terminatorKey(v *state.View, e model.Entity) string {
	t := e.(*model.Terminator)
	key := nameIn(v, model.KindService, t.ServiceID) + " at " + nameIn(v, model.KindEdgeRouter, t.RouterID) + " by " + t.Binding + " " + t.Address
	if t.InstanceID != "" {
		key += " as " + t.InstanceID
	}
	return key
}

// nameIn returns the name of the entity with the id, the id if it is gone.
func nameIn(v *state.View, k model.Kind, id string) string {
	if e := v.Get(k, id); e != nil {
		return nameOf(e)
	}
	return id
}

func kebab(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
