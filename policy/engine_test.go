package policy_test

import (
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

var t0 = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func set(t testing.TB, entries ...string) role.Set {
	t.Helper()
	s, err := role.Parse("roles", entries)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// office is a small network: alice (#staff) may dial web through r1.
func office(t testing.TB) []policy.Change {
	return []policy.Change{
		policy.Put(&policy.ServicePolicy{ID: "sp", Name: "staff-web", Identities: set(t, "#staff"), Services: set(t, "@web")}),
		policy.Put(&policy.ServicePolicy{ID: "bp", Name: "host-web", Action: policy.Bind, Identities: set(t, "@host"), Services: set(t, "#all")}),
		policy.Put(&policy.EdgeRouterPolicy{ID: "erp", Name: "all", Identities: set(t, "#all"), Routers: set(t, "#public")}),
		policy.Put(&policy.ServiceEdgeRouterPolicy{ID: "serp", Name: "all", Services: set(t, "#all"), Routers: set(t, "@r1", "@r3")}),
		policy.Put(&policy.Identity{ID: "alice", Name: "Alice", Attributes: []string{"staff"}}),
		policy.Put(&policy.Identity{ID: "host", Name: "Host"}),
		policy.Put(&policy.Identity{ID: "off", Name: "Off", Disabled: true, Attributes: []string{"staff"}}),
		policy.Put(&policy.Service{ID: "web", Name: "Web"}),
		policy.Put(&policy.Service{ID: "db", Name: "DB", Attributes: []string{"sql"}}),
		policy.Put(&policy.Router{ID: "r1", Name: "R1", Attributes: []string{"public"}}),
		policy.Put(&policy.Router{ID: "r2", Name: "R2", Attributes: []string{"public"}}),
		policy.Put(&policy.Router{ID: "r3", Name: "R3"}),
		policy.Put(&policy.Router{ID: "r4", Name: "R4", Disabled: true, Attributes: []string{"public"}}),
	}
}

func TestCheck(t *testing.T) {
	e := policy.New()
	e.Apply(t0, office(t)...)
	v := e.View()
	for _, tt := range []struct {
		name                      string
		action                    policy.Action
		identity, service, router string
		code                      policy.Code
		rule                      string
		kind                      *fault.Kind
	}{
		{"dial", policy.Dial, "alice", "web", "r1", policy.Granted, "", nil},
		{"dial through any", policy.Dial, "alice", "web", "", policy.Granted, "", nil},
		{"bind", policy.Bind, "host", "db", "r1", policy.Granted, "", nil},
		{"unknown identity", policy.Dial, "x", "web", "r1", policy.IdentityUnknown, `identity "x" does not exist`, fault.Unauthorized},
		{"unknown service", policy.Dial, "alice", "x", "r1", policy.ServiceUnknown, `service "x" does not exist`, fault.NotFound},
		{"disabled", policy.Dial, "off", "web", "r1", policy.IdentityDisabled, `identity "Off" is disabled`, fault.Unauthorized},
		{"service in no policy", policy.Dial, "alice", "db", "r1", policy.NoDialPolicy,
			`no Dial service policy contains both identity "Alice" and service "DB"; none contains the service (attributes #sql)`, fault.NotFound},
		{"identity in no policy", policy.Dial, "host", "web", "r1", policy.NoDialPolicy,
			`no Dial service policy contains both identity "Host" and service "Web"; none contains the identity (attributes none)`, fault.NotFound},
		{"bind not granted", policy.Bind, "alice", "web", "r1", policy.NoBindPolicy,
			`no Bind service policy contains both identity "Alice" and service "Web"; none contains the identity (attributes #staff)`, fault.NotFound},
		{"unknown router", policy.Dial, "alice", "web", "x", policy.RouterUnknown, `router "x" does not exist`, fault.NoEdgeRoutersAvailable},
		{"disabled router", policy.Dial, "alice", "web", "r4", policy.RouterDisabled, `router "R4" is disabled`, fault.NoEdgeRoutersAvailable},
		{"service not through router", policy.Dial, "alice", "web", "r2", policy.ServiceNotRouted,
			`no service edge router policy lets service "Web" be used through router "R2"`, fault.NoEdgeRoutersAvailable},
		{"identity not through router", policy.Dial, "alice", "web", "r3", policy.IdentityNotRouted,
			`no edge router policy lets identity "Alice" use router "R3"`, fault.NoEdgeRoutersAvailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := v.Check(tt.action, tt.identity, tt.service, tt.router)
			if d.Code != tt.code || d.Rule != tt.rule {
				t.Fatalf("got %s, %q", d.Code, d.Rule)
			}
			if d.Allowed() {
				if d.Policy == nil || d.Fault() != nil {
					t.Error("granted without a policy or with a refusal")
				}
				return
			}
			if f := d.Fault(); f.Kind != tt.kind || f.Help() == "" || f.Data["policyCode"] != string(tt.code) {
				t.Errorf("got refusal %v, remedy %q, data %v", f, f.Help(), f.Data)
			}
		})
	}
	t.Run("no common router", func(t *testing.T) {
		e.Apply(t0, policy.Remove(policy.KindRouter, "r1"))
		if d := e.View().Check(policy.Dial, "alice", "web", ""); d.Code != policy.NoCommonRouter || d.Remedy == "" {
			t.Errorf("got %+v", d)
		}
		if d := v.Check(policy.Dial, "alice", "web", ""); !d.Allowed() {
			t.Error("the earlier view has changed")
		}
	})
	t.Run("neither side contains the other", func(t *testing.T) {
		e.Apply(t0, policy.Put(&policy.ServicePolicy{ID: "sp2", Name: "guests", Identities: set(t, "#guest"), Services: set(t, "#sql")}))
		want := `no Dial service policy contains both identity "Alice" and service "DB"; the identity is in "staff-web", the service in "guests"`
		if d := e.View().Check(policy.Dial, "alice", "db", ""); d.Rule != want {
			t.Errorf("got %s", d.Rule)
		}
	})
}

func TestEffects(t *testing.T) {
	for _, tt := range []struct {
		name      string
		change    policy.Change
		loss      bool
		pair      bool // alice and web
		other     bool // host and db
		touched   bool // the services of alice changed
		remaining bool // alice may still dial web
	}{
		{"same again", policy.Put(&policy.Identity{ID: "alice", Name: "Alice", Attributes: []string{"staff"}}), false, false, false, false, true},
		{"name of identity", policy.Put(&policy.Identity{ID: "alice", Name: "A", Attributes: []string{"staff"}}), false, false, false, false, true},
		{"attribute gone", policy.Put(&policy.Identity{ID: "alice", Name: "Alice"}), true, true, false, true, false},
		{"identity disabled", policy.Put(&policy.Identity{ID: "alice", Name: "Alice", Disabled: true, Attributes: []string{"staff"}}), true, true, false, true, false},
		{"identity removed", policy.Remove(policy.KindIdentity, "alice"), true, true, false, false, false},
		{"policy removed", policy.Remove(policy.KindServicePolicy, "sp"), true, true, false, true, false},
		{"policy renamed", policy.Put(&policy.ServicePolicy{ID: "sp", Name: "x", Identities: set(t, "#staff"), Services: set(t, "@web")}), false, false, false, false, true},
		{"policy becomes Bind", policy.Put(&policy.ServicePolicy{ID: "sp", Name: "x", Action: policy.Bind, Identities: set(t, "#staff"), Services: set(t, "@web")}), true, true, false, true, false},
		{"policy added", policy.Put(&policy.ServicePolicy{ID: "n", Name: "n", Identities: set(t, "#all"), Services: set(t, "@db")}), false, false, true, true, true},
		{"service renamed", policy.Put(&policy.Service{ID: "web", Name: "W"}), false, false, false, true, true},
		{"service touched", policy.Touch("web"), false, false, false, true, true},
		{"other service touched", policy.Touch("db"), false, false, false, false, true},
		{"service removed", policy.Remove(policy.KindService, "web"), true, true, false, true, false},
		{"router policy removed", policy.Remove(policy.KindEdgeRouterPolicy, "erp"), true, true, true, false, false},
		{"service router policy removed", policy.Remove(policy.KindServiceEdgeRouterPolicy, "serp"), true, true, true, false, false},
		{"router disabled", policy.Put(&policy.Router{ID: "r1", Name: "R1", Disabled: true, Attributes: []string{"public"}}), true, true, true, false, false},
		{"router added", policy.Put(&policy.Router{ID: "r9", Name: "R9"}), false, true, true, false, true},
		{"unknown removed", policy.Remove(policy.KindRouter, "nope"), false, false, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := policy.New()
			e.Apply(t0, office(t)...)
			f := e.Apply(t0.Add(time.Second), tt.change)
			if f.Loss() != tt.loss || f.Pair("alice", "web") != tt.pair || f.Pair("host", "db") != tt.other {
				t.Errorf("loss %v, pair %v, other %v", f.Loss(), f.Pair("alice", "web"), f.Pair("host", "db"))
			}
			if f.Empty() != (!tt.pair && !tt.other) || tt.pair && (!f.Identity("alice") || !f.Service("web")) {
				t.Errorf("empty %v, identity %v, service %v", f.Empty(), f.Identity("alice"), f.Service("web"))
			}
			if got := e.View().ChangedAt("alice").Equal(t0.Add(time.Second)); got != tt.touched {
				t.Errorf("changed at %v", e.View().ChangedAt("alice"))
			}
			if got := e.View().Check(policy.Dial, "alice", "web", "").Allowed(); got != tt.remaining {
				t.Errorf("allowed is %v", got)
			}
		})
	}
}

func TestWalks(t *testing.T) {
	e := policy.New()
	e.Apply(t0, office(t)...)
	v := e.View()
	ids := func(seq func(func(policy.Entity) bool)) map[string]bool {
		out := map[string]bool{}
		seq(func(e policy.Entity) bool { out[e.Key()] = true; return true })
		return out
	}
	check := func(name string, got map[string]bool, want ...string) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		for _, w := range want {
			if !got[w] {
				t.Errorf("%s: %s is missing", name, w)
			}
		}
	}
	check("services of alice", ids(v.Rights(policy.MayDial, "alice")), "web")
	check("hosted by host", ids(v.Rights(policy.MayBind, "host")), "web", "db")
	check("who dials web", ids(v.Lefts(policy.MayDial, "web")), "alice", "off")
	check("routers of alice", ids(v.Rights(policy.MayUse, "alice")), "r1", "r2", "r4")
	check("services of r3", ids(v.Lefts(policy.MayServeBy, "r3")), "web", "db")
	check("of nobody", ids(v.Rights(policy.MayDial, "nobody")))
	check("members", ids(v.Members(policy.KindServicePolicy, "sp", policy.KindIdentity)), "alice", "off")
	check("members of the wrong kind", ids(v.Members(policy.KindServicePolicy, "sp", policy.KindRouter)))
	if !v.Contains(policy.KindServicePolicy, "bp", policy.KindService, "db") || v.Contains(policy.KindServicePolicy, "sp", policy.KindService, "db") {
		t.Error("Contains is wrong")
	}
	common := map[string]bool{}
	for r := range v.CommonRouters("alice", "web") {
		common[r.ID] = true
	}
	check("common routers", common, "r1")
	if p := v.Granting(policy.MayBind, "host", "db"); len(p) != 1 || p[0].Key() != "bp" {
		t.Errorf("granting: %v", p)
	}
	if p := v.PoliciesOf(policy.MayUse, policy.KindRouter, "r1"); len(p) != 1 || p[0].Key() != "erp" {
		t.Errorf("policies of r1: %v", p)
	}
	if v.Policy(policy.KindEdgeRouterPolicy, "erp") == nil || v.Policy(policy.KindIdentity, "alice") != nil {
		t.Error("Policy is wrong")
	}
}

func TestChangedAtAdvancesWhenTheClockGoesBack(t *testing.T) {
	e := policy.New()
	e.Apply(t0, office(t)...)
	before := e.View().ChangedAt("alice")
	e.Apply(t0.Add(-time.Hour), policy.Touch("web"))
	if after := e.View().ChangedAt("alice"); after.Sub(before) < time.Millisecond {
		t.Errorf("changed at %v, then at %v", before, after)
	}
}
