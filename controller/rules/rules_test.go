package rules_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/weftnet/weft/controller/rules"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

func TestEntity(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	base := model.Base{ID: "x"}
	all := role.Set{All: true}
	for _, tt := range []struct {
		in   model.Entity
		want policy.Entity
	}{
		{&model.Identity{Base: base, Name: "n", IsAdmin: true, DisabledAt: &now, DisabledUntil: &later, RoleAttributes: []string{"a"}},
			&policy.Identity{ID: "x", Name: "n", Admin: true, Disabled: true, Attributes: []string{"a"}}},
		{&model.Service{Base: base, Name: "n", EncryptionRequired: true, MaxIdleTimeMillis: 5, RoleAttributes: []string{"a"}},
			&policy.Service{ID: "x", Name: "n", EncryptionRequired: true, MaxIdle: 5 * time.Millisecond, Attributes: []string{"a"}}},
		{&model.EdgeRouter{Base: base, Name: "n", Fingerprint: "f", Disabled: true, NoTraversal: true, Cost: 7},
			&policy.Router{ID: "x", Name: "n", Fingerprint: "f", Disabled: true, NoTraversal: true, Cost: 7}},
		{&model.PostureCheck{Base: base, Name: "n", TypeID: model.PostureMFA, RoleAttributes: []string{"a"}},
			&policy.PostureCheck{ID: "x", Name: "n", Attributes: []string{"a"}}},
		{&model.ServicePolicy{Base: base, Name: "n", Type: model.Bind, Semantic: model.AnyOf, IdentityRoles: []string{"#all"}, ServiceRoles: []string{"@s"}, PostureCheckRoles: []string{"#p"}},
			&policy.ServicePolicy{ID: "x", Name: "n", Action: policy.Bind, Semantic: role.AnyOf, Identities: all,
				Services: role.Set{IDs: []string{"s"}}, PostureChecks: role.Set{Attributes: []string{"p"}}}},
		{&model.EdgeRouterPolicy{Base: base, Name: "n", Semantic: model.AllOf, IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}},
			&policy.EdgeRouterPolicy{ID: "x", Name: "n", Identities: all, Routers: all}},
		{&model.ServiceEdgeRouterPolicy{Base: base, Name: "n", Semantic: model.AllOf, ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}},
			&policy.ServiceEdgeRouterPolicy{ID: "x", Name: "n", Services: all, Routers: all}},
	} {
		got, err := rules.Entity(tt.in, now)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
		}
		kind, ok := rules.Kind(tt.in.Kind())
		if back, okBack := rules.ModelKind(kind); !ok || !okBack || kind != tt.want.Kind() || back != tt.in.Kind() {
			t.Errorf("%s: kind %d, back %s", tt.in.Kind(), kind, back)
		}
	}
	if e, err := rules.Entity(&model.Key{}, now); e != nil || err != nil {
		t.Errorf("a key became %v, %v", e, err)
	}
	if _, ok := rules.Kind(model.KindKey); ok {
		t.Error("policies know keys")
	}
}

// What cannot be read never grants more.
func TestUnreadableRoles(t *testing.T) {
	e, err := rules.Entity(&model.ServicePolicy{IdentityRoles: []string{"bare"}, ServiceRoles: []string{"#all"}, PostureCheckRoles: []string{"bare"}}, time.Time{})
	p := e.(*policy.ServicePolicy)
	if err == nil || !p.Identities.Empty() || !p.PostureChecks.All {
		t.Errorf("got %+v, %v", p, err)
	}
}
