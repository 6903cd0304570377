package model

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

// contract holds, per kind, the members of the bodies of the REST API and the
// fields that its lists filter by.
type contract struct {
	Filter, Create, CreateRequired, Update, Patch []string
}

func readContract(t testing.TB) map[Kind]contract {
	t.Helper()
	b, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var c map[Kind]contract
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDescriptionsFollowTheContract(t *testing.T) {
	// Members that are no stored fields, or that the API computes.
	elsewhere := map[Kind][]string{
		KindIdentity:      {"enrollment"},
		KindAuthenticator: {"password", "updbPassword", "updbSalt"}, // hash and salt are not filterable here
		KindEdgeRouter:    {"connected", "online"},
		KindServicePolicy: {"identities", "services"},
		KindTerminator:    {"router.name", "service.name"},
		KindService:       {"encryptionRequired"}, // PATCH ignores it
		KindEnrollment:    {"tags"},
		KindRevocation:    {"id"},
	}
	for kind, c := range readContract(t) {
		d := Describe(kind)
		compare := func(what string, wanted []string, has func(*Field) string) {
			t.Helper()
			if wanted == nil {
				return
			}
			var got []string
			for i := range d.Fields {
				if s := has(&d.Fields[i]); s != "" && !slices.Contains(elsewhere[kind], s) {
					got = append(got, s)
				}
			}
			wanted = slices.DeleteFunc(slices.Clone(wanted), func(s string) bool { return slices.Contains(elsewhere[kind], s) })
			slices.Sort(got)
			if !slices.Equal(got, wanted) {
				t.Errorf("%s %s:\n got %v\nwant %v", kind, what, got, wanted)
			}
		}
		top := func(f *Field, ok bool) string {
			if !ok || slices.Contains([]rune(f.Name), '.') {
				return ""
			}
			return f.Name
		}
		compare("filter", c.Filter, func(f *Field) string { return f.Filter })
		compare("create", c.Create, func(f *Field) string { return top(f, f.Create) })
		compare("required", c.CreateRequired, func(f *Field) string {
			return top(f, f.Required && !(kind == KindService && f.Name == "encryptionRequired"))
		})
		compare("update", c.Update, func(f *Field) string { return top(f, f.Update) })
		compare("patch", c.Patch, func(f *Field) string { return top(f, f.Patch) })
	}
}

func TestEveryKindIsComplete(t *testing.T) {
	for _, k := range Kinds() {
		e := New(k)
		if e == nil || e.Kind() != k || e.Meta() == nil {
			t.Fatalf("%s: %v", k, e)
		}
		d := Describe(k)
		if d == nil || d.Plural == "" || d.Store == "" || d.Field("id") == nil || d.Field("nope") != nil {
			t.Errorf("%s: %+v", k, d)
		}
		for _, f := range d.Fields {
			if f.Secret && (f.Filter != "" || f.Patch) {
				t.Errorf("%s.%s is secret and filterable or patchable", k, f.Name)
			}
			if f.ReadOnly && (f.Create || f.Update || f.Patch) || f.Internal && (f.Create || f.Update || f.Patch) {
				t.Errorf("%s.%s contradicts itself", k, f.Name)
			}
		}
	}
	if New("nope") != nil || Describe("nope") != nil {
		t.Error("an unknown kind exists")
	}
}

func TestFieldGetAndSet(t *testing.T) {
	shared := &Identity{Name: "a", ServiceHostingCosts: map[string]int{"s": 1}, RoleAttributes: []string{"x"}}
	e := *shared
	d := Describe(KindIdentity)
	for name, raw := range map[string]string{
		"name": `"b"`, "serviceHostingCosts": `{"t":2}`, "externalId": `"ext"`, "disabledAt": `"2026-11-20T12:00:00Z"`, "roleAttributes": `["y"]`,
	} {
		if err := d.Field(name).Set(&e, json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	if e.Name != "b" || *e.ExternalID != "ext" || len(e.ServiceHostingCosts) != 1 || e.ServiceHostingCosts["t"] != 2 || !e.Disabled(time.Now().AddDate(100, 0, 0)) {
		t.Errorf("%+v", e)
	}
	if shared.Name != "a" || shared.ServiceHostingCosts["s"] != 1 || len(shared.ServiceHostingCosts) != 1 || shared.RoleAttributes[0] != "x" {
		t.Errorf("the shared entity changed: %+v", shared)
	}
	if err := d.Field("externalId").Set(&e, json.RawMessage("null")); err != nil || e.ExternalID != nil {
		t.Error(err, e.ExternalID)
	}
	if d.Field("name").Set(&e, json.RawMessage("1")) == nil || e.Name != "b" {
		t.Error("a number became a name")
	}
	if got := d.Field("name").Get(&e); got != "b" || d.Field("name").IsZero(&e) || !d.Field("externalId").IsZero(&e) {
		t.Error(got)
	}
	p := DefaultAuthPolicy()
	f := Describe(KindAuthPolicy).Field("primary.updb.maxAttempts")
	if err := f.Set(p, json.RawMessage("7")); err != nil || p.Primary.Updb.MaxAttempts != 7 || f.Type != TypeInt || !f.Patch {
		t.Errorf("%v %+v", err, f)
	}
}

func TestSettle(t *testing.T) {
	blank := "  "
	i := &Identity{Type: "Device", RoleAttributes: []string{"b", "a", "b"}, ExternalID: &blank}
	i.Tags = Tags{"a": 1.0, "b": []any{1}, "c": nil, "d": map[string]any{}}
	attributes, tags := i.RoleAttributes, i.Tags
	Settle(i)
	if i.Type != IdentityDefault || !slices.Equal(i.RoleAttributes, []string{"a", "b"}) || i.ExternalID != nil ||
		i.AuthPolicyID != "default" || i.DefaultHostingPrecedence != "default" || len(i.Tags) != 2 {
		t.Errorf("%+v", i)
	}
	if attributes[0] != "b" || len(tags) != 4 {
		t.Error("Settle changed what it was given")
	}
	p := &AuthPolicy{}
	p.Primary.Updb.MaxAttempts = -1
	empty := ""
	p.Secondary.RequireExtJwtSigner = &empty
	Settle(p)
	if p.Primary.Updb.MinPasswordLength != 5 || p.Primary.Updb.MaxAttempts != 0 || p.Secondary.RequireExtJwtSigner != nil {
		t.Errorf("%+v", p)
	}
	s, x := &Service{}, &Terminator{}
	Settle(s)
	Settle(x)
	if s.TerminatorStrategy != StrategySmartRouting || x.Precedence != PrecedenceDefault {
		t.Errorf("%+v %+v", s, x)
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		e    Entity
		want string
	}{
		{"identity", &Identity{Name: "a", DefaultHostingPrecedence: "default"}, ""},
		{"identity without name", &Identity{DefaultHostingPrecedence: "default"}, "name: name is required"},
		{"identity cost", &Identity{Name: "a", DefaultHostingPrecedence: "default", ServiceHostingCosts: map[string]int{"s": -1}},
			"serviceHostingCosts.s: serviceHostingCosts.s in body should be greater than or equal to 0"},
		{"config type called all", &ConfigType{Name: "all"}, "name: all is a keyword and may not be used as a config type name"},
		{"config without data", &Config{Name: "a"}, "data: data in body is required"},
		{"config with a list", &Config{Name: "a", Data: []byte("[]")}, "data: data in body must be of type object"},
		{"policy type", &ServicePolicy{Name: "a", Type: "Look", Semantic: AnyOf}, "type: type in body should be one of [Dial Bind]"},
		{"policy semantic", &EdgeRouterPolicy{Name: "a", Semantic: "x"}, "semantic: semantic in body should be one of [AllOf AnyOf]"},
		{"revocation", &Revocation{Type: "x"}, "type: type in body should be one of [JTI API_SESSION IDENTITY]"},
		{"enrollment", &Enrollment{Method: "ott"}, "token: token is required"},
		{"terminator", &Terminator{Binding: "b", Address: "a", Precedence: "urgent"}, "precedence: precedence in body should be one of [default required failed]"},
		{"controller", &Controller{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(tt.e)
			got := ""
			if err != nil {
				got = err.(interface{ Unwrap() []error }).Unwrap()[1].Error()
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
