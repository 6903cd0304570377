package state

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
)

func ids(v *View, k model.Kind) []string {
	out := []string{}
	for e := range v.All(k) {
		out = append(out, e.Meta().ID)
	}
	return out
}

func want[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestDeleteIdentity(t *testing.T) {
	w := populated(t)
	c := w.command()
	c.RevokeFor = time.Hour
	w.must(c.Delete(model.KindIdentity, "i1"))
	v := w.View()
	want(t, "authenticators", ids(v, model.KindAuthenticator), []string{})
	want(t, "enrollments", ids(v, model.KindEnrollment), []string{"n2"})
	want(t, "service policy", Get[model.ServicePolicy](v, "p1").IdentityRoles, []string{"#all-of-us"})
	want(t, "router policy", Get[model.EdgeRouterPolicy](v, "e1").IdentityRoles, nil)
	r := Get[model.Revocation](v, "i1")
	if r == nil || r.Type != model.RevokeIdentity || !r.IssuedBefore.Equal(c.Time) || !r.ExpiresAt.Equal(c.Time.Add(time.Hour)) {
		t.Errorf("revocation %+v", r)
	}
}

func TestDisableIdentityRevokes(t *testing.T) {
	w := populated(t)
	c := w.command()
	w.must(c.Patch(model.KindIdentity, "i1", map[string]any{"disabledAt": c.Time, "disabledUntil": c.Time.Add(time.Hour)}))
	i := Get[model.Identity](w.View(), "i1")
	if !i.Disabled(c.Time) || i.Disabled(c.Time.Add(time.Hour)) {
		t.Error("disabled for another time than an hour")
	}
	if Get[model.Revocation](w.View(), "i1") == nil {
		t.Error("no revocation")
	}
	w.must(w.command().Patch(model.KindIdentity, "i1", map[string]any{"disabledAt": nil, "disabledUntil": nil}))
	if Get[model.Identity](w.View(), "i1").Disabled(c.Time) {
		t.Error("still disabled")
	}
	if !i.Disabled(c.Time) {
		t.Error("the older version changed")
	}
}

func TestDeleteService(t *testing.T) {
	w := populated(t)
	w.must(w.command().Patch(model.KindIdentity, "i1", map[string]any{
		"serviceHostingCosts": map[string]int{"s1": 3}, "serviceHostingPrecedences": map[string]string{"s1": "failed"},
		"serviceConfigs": map[string]map[string]string{"s1": {hostV1: "c2"}},
	}))
	w.must(w.command().Delete(model.KindService, "s1"))
	v := w.View()
	want(t, "terminators", ids(v, model.KindTerminator), []string{})
	want(t, "service policy", Get[model.ServicePolicy](v, "p1").ServiceRoles, nil)
	want(t, "service router policy", Get[model.ServiceEdgeRouterPolicy](v, "v1").ServiceRoles, nil)
	i := Get[model.Identity](v, "i1")
	if i.ServiceConfigs != nil || i.ServiceHostingCosts != nil || i.ServiceHostingPrecedences != nil {
		t.Errorf("identity keeps %+v", i)
	}
	want(t, "configs", ids(v, model.KindConfig), []string{"c1", "c2", "c3"})
}

func TestDeleteConfig(t *testing.T) {
	w := populated(t)
	w.must(w.command().Create(service("s2")))
	w.must(w.command().Patch(model.KindIdentity, "i1", map[string]any{"serviceConfigs": map[string]map[string]string{
		"s1": {hostV1: "c1", "host.v2": "c3"}, "s2": {hostV1: "c1"},
	}}))
	w.must(w.command().Delete(model.KindConfig, "c1"))
	v := w.View()
	want(t, "service", Get[model.Service](v, "s1").Configs, nil)
	want(t, "overrides", Get[model.Identity](v, "i1").ServiceConfigs, map[string]map[string]string{"s1": {"host.v2": "c3"}})
	w.must(w.command().Delete(model.KindConfig, "c2"))
	w.must(w.command().Delete(model.KindConfigType, hostV1))
}

func TestRouterCompanions(t *testing.T) {
	w := populated(t)
	i := Get[model.Identity](w.View(), "r1")
	if i == nil || i.Type != model.IdentityRouter || i.Name != "n-r1" || i.AuthPolicyID != "default" {
		t.Fatalf("identity %+v", i)
	}
	p := Get[model.EdgeRouterPolicy](w.View(), "r1")
	if p == nil || !p.IsSystem || p.Name != "edge-router-r1-system" || p.Semantic != model.AnyOf ||
		!slices.Equal(p.IdentityRoles, []string{"@r1"}) || !slices.Equal(p.EdgeRouterRoles, []string{"@r1"}) {
		t.Fatalf("policy %+v", p)
	}
	w.must(w.command().Patch(model.KindEdgeRouter, "r1", map[string]any{"name": "renamed"}))
	want(t, "name", Get[model.Identity](w.View(), "r1").Name, "renamed")
	w.must(w.command().Patch(model.KindEdgeRouter, "r1", map[string]any{"isTunnelerEnabled": false}))
	if Get[model.Identity](w.View(), "r1") != nil || Get[model.EdgeRouterPolicy](w.View(), "r1") != nil {
		t.Error("companions outlive the tunneler")
	}
	w.must(w.command().Patch(model.KindEdgeRouter, "r1", map[string]any{"isTunnelerEnabled": true}))
	w.must(w.command().Delete(model.KindEdgeRouter, "r1"))
	v := w.View()
	if Get[model.Identity](v, "r1") != nil || Get[model.EdgeRouterPolicy](v, "r1") != nil {
		t.Error("companions outlive the router")
	}
	want(t, "terminators", ids(v, model.KindTerminator), []string{})
	want(t, "enrollments", ids(v, model.KindEnrollment), []string{"n1"})
	want(t, "router policy", Get[model.EdgeRouterPolicy](v, "e1").EdgeRouterRoles, nil)
	want(t, "service router policy", Get[model.ServiceEdgeRouterPolicy](v, "v1").EdgeRouterRoles, nil)
}
