package http

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// reachable is a network in which alice reaches web through r1, hosted at r2 by
// host, and nothing is missing. The ids are the names.
func reachable(t testing.TB) *fixture {
	f := newFixture(t)
	f.apply(reachableCommand(f))
	f.routers = map[string]RouterStatus{"r1": {Online: true}, "r2": {Online: true}}
	f.mesh.path = &Path{Routers: []string{"r1", "r2"}, Links: []string{"l"}, Cost: 7}
	return f
}

func named[P model.Entity](e P, id string) P { e.Meta().ID = id; return e }

func reachableCommand(f *fixture) *state.Command {
	identity := func(name string, attributes ...string) *model.Identity {
		return named(&model.Identity{Name: name, Type: model.IdentityDefault, AuthPolicyID: model.DefaultAuthPolicyID, RoleAttributes: attributes}, name)
	}
	proof := func(identity string) *model.Authenticator {
		return named(&model.Authenticator{Method: model.MethodCert, IdentityID: identity, Fingerprint: fmt.Sprintf("%040x", identity)}, "proof-"+identity)
	}
	router := func(name string) *model.EdgeRouter {
		return named(&model.EdgeRouter{Name: name, RoleAttributes: []string{"public"}}, name)
	}
	dial := named(&model.ServicePolicy{Name: "web-dial", Type: model.Dial, Semantic: model.AllOf, IdentityRoles: []string{"#staff"}, ServiceRoles: []string{"@web"}}, "web-dial")
	bind := named(&model.ServicePolicy{Name: "web-bind", Type: model.Bind, Semantic: model.AllOf, IdentityRoles: []string{"@host"}, ServiceRoles: []string{"#all"}}, "web-bind")
	use := named(&model.EdgeRouterPolicy{Name: "use", Semantic: model.AllOf, IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#public"}}, "use")
	serve := named(&model.ServiceEdgeRouterPolicy{Name: "serve", Semantic: model.AllOf, ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}}, "serve")
	web := named(&model.Service{Name: "web", RoleAttributes: []string{"www"}, TerminatorStrategy: "smartrouting"}, "web")
	at := named(&model.Terminator{ServiceID: "web", RouterID: "r2", HostID: "host", Binding: "edge", Address: "x"}, "at-r2")
	return state.NewCommand(f.now, state.Author{}, state.Source{}).AsSystem().
		Create(identity("alice", "staff")).Create(identity("host")).Create(proof("alice")).Create(proof("host")).
		Create(router("r1")).Create(router("r2")).Create(web).Create(dial).Create(bind).Create(use).Create(serve).Create(at)
}

func (f *fixture) change(build func(cmd *state.Command)) {
	f.t.Helper()
	cmd := state.NewCommand(f.now, state.Author{}, state.Source{}).AsSystem()
	build(cmd)
	f.apply(cmd)
}

func (f *fixture) patch(kind model.Kind, id, field string, value any) {
	f.t.Helper()
	f.change(func(cmd *state.Command) { cmd.Patch(kind, id, obj{field: value}) })
}

func (f *fixture) explain(query string) *answer {
	f.t.Helper()
	return f.do("GET", m("/explain?identity=alice&service=web%s", query), nil).status(200)
}

// brokenRule is a network in which one rule fails.
type brokenRule struct {
	name    string
	spoil   func(f *fixture)
	query   string
	rule    string // that fails first
	code    string
	cause   string // a part of it
	remedy  string
	bindToo bool // fails with type=bind as well
}

func brokenRules() []brokenRule {
	later := time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)
	nothing := func(*fixture) {}
	drop := func(k model.Kind, id string) func(f *fixture) {
		return func(f *fixture) { f.change(func(cmd *state.Command) { cmd.Delete(k, id) }) }
	}
	set := func(k model.Kind, id, field string, value any) func(f *fixture) {
		return func(f *fixture) { f.patch(k, id, field, value) }
	}
	status := func(id string, st RouterStatus) func(f *fixture) { return func(f *fixture) { f.routers[id] = st } }
	return []brokenRule{
		{"identity unknown", nothing, "&identity=nobody", ruleLogin, "IDENTITY_UNKNOWN", `identity "nobody" does not exist`, "weft create identity nobody", true},
		{"disabled", func(f *fixture) { f.patch(model.KindIdentity, "alice", "disabledAt", f.now) }, "", ruleLogin, "IDENTITY_DISABLED", "is disabled", "--disabled=false", true},
		{"locked", func(f *fixture) {
			f.change(func(cmd *state.Command) {
				cmd.Patch(model.KindIdentity, "alice", obj{"disabledAt": f.now, "disabledUntil": later})
			})
		}, "", ruleLogin, "IDENTITY_LOCKED", "locked until 2026-11-20T13:00:00Z", "wait", true},
		{"method not allowed", func(f *fixture) {
			f.change(func(cmd *state.Command) {
				cmd.Create(named(&model.AuthPolicy{Name: "passwords", Primary: model.AuthPrimary{Updb: model.AuthUpdb{Allowed: true, MinPasswordLength: 5}}}, "passwords"))
				cmd.Patch(model.KindIdentity, "alice", obj{"authPolicyId": "passwords"})
			})
		}, "", ruleLogin, "AUTH_METHOD_NOT_ALLOWED", "allows none of the authenticators", "weft update auth-policy", true},
		{"not enrolled", func(f *fixture) {
			f.change(func(cmd *state.Command) {
				cmd.Delete(model.KindAuthenticator, "proof-alice").Create(named(&model.Enrollment{Method: model.MethodOtt, Token: "t", IdentityID: "alice", ExpiresAt: later}, "open"))
			})
		}, "", ruleLogin, "NOT_ENROLLED", "not enrolled yet", "weft enroll", true},
		{"no authenticator", drop(model.KindAuthenticator, "proof-alice"), "", ruleLogin, "NO_AUTHENTICATOR", "nothing to log in with", `weft create enrollment ott "alice"`, true},
		{"service unknown", nothing, "&service=nothing", ruleService, "SERVICE_UNKNOWN", `service "nothing" does not exist`, "weft create service nothing", true},
		{"no policy", set(model.KindIdentity, "alice", "roleAttributes", []string{"guests"}), "", rulePolicies, "NO_DIAL_POLICY",
			"no Dial service policy contains both", `weft update identity "alice" --role-attributes guests,staff`, false},
		{"no policy to bind", nothing, "&type=bind", rulePolicies, "NO_BIND_POLICY", "no Bind service policy contains both", "weft create service-policy NAME Bind", false},
		{"posture", func(f *fixture) {
			f.change(func(cmd *state.Command) {
				cmd.Create(named(&model.PostureCheck{Name: "managed", TypeID: model.PostureDomain, Domains: []string{"example.com"}, RoleAttributes: []string{"corp"}}, "managed"))
				cmd.Patch(model.KindServicePolicy, "web-dial", obj{"postureCheckRoles": []string{"#corp"}})
			})
		}, "", rulePosture, "POSTURE_NOT_EVALUATED", "posture is not evaluated", "--posture-check-roles ''", false},
		{"no edge router policy", drop(model.KindEdgeRouterPolicy, "use"), "", ruleIdentity, "NO_EDGE_ROUTER_POLICY", `lets identity "alice" use any router`, "weft create edge-router-policy", false},
		{"no service edge router policy", drop(model.KindServiceEdgeRouterPolicy, "serve"), "", ruleServedBy, "NO_SERVICE_EDGE_ROUTER_POLICY",
			`lets service "web" be used through any router`, "weft create service-edge-router-policy", false},
		{"no common router", func(f *fixture) {
			f.patch(model.KindEdgeRouterPolicy, "use", "edgeRouterRoles", []string{"@r1"})
			f.patch(model.KindServiceEdgeRouterPolicy, "serve", "edgeRouterRoles", []string{"@r2"})
		}, "", ruleRouters, "NO_EDGE_ROUTERS_AVAILABLE", "no router may be used by", "weft create edge-router-policy", false},
		{"router unknown", nothing, "&router=r9", ruleRouters, "ROUTER_UNKNOWN", `router "r9" does not exist`, "weft list edge-routers", false},
		{"this router not granted", set(model.KindEdgeRouter, "r1", "roleAttributes", []string{}), "&router=r1", ruleIdentity, "NO_EDGE_ROUTER_POLICY",
			`use router "r1"`, "--edge-router-roles '@r1'", false},
		{"this router offline", status("r1", RouterStatus{}), "&router=r1", ruleRouters, "ROUTER_OFFLINE", "router r1 is offline", "start it", false},
		{"this router quiesced", status("r1", RouterStatus{Online: true, Quiesced: true}), "&router=r1", ruleRouters, "ROUTER_QUIESCED", "r1 is quiesced", "dequiesce", false},
		{"this router disabled", set(model.KindEdgeRouter, "r1", "disabled", true), "&router=r1", ruleRouters, "ROUTER_DISABLED", "r1 is disabled", "--disabled=false", false},
		{"all routers offline", func(f *fixture) { clear(f.routers) }, "", ruleRouters, "NO_EDGE_ROUTERS_AVAILABLE", "none of the 2 routers", "start it", false},
		{"nobody hosts", drop(model.KindTerminator, "at-r2"), "", ruleTerminators, "NO_TERMINATORS", `nobody hosts service "web"`, "weft explain HOST web --bind", false},
		{"host offline", status("r2", RouterStatus{}), "", ruleTerminators, "NO_ONLINE_TERMINATORS", "none of 1 terminator", "start it", false},
		{"host may not bind", set(model.KindServicePolicy, "web-bind", "identityRoles", []string{}), "", ruleTerminators, "NO_ONLINE_TERMINATORS", "none of 1 terminator",
			"weft create service-policy NAME Bind", false},
		{"no key", set(model.KindService, "web", "encryptionRequired", true), "", ruleTerminators, "ENCRYPTION_DATA_MISSING", "none of 1 terminator", "restart the host", false},
		{"no path", func(f *fixture) {
			f.mesh.path = nil
			f.patch(model.KindTerminator, "at-r2", "hostId", "")
			f.patch(model.KindEdgeRouterPolicy, "use", "edgeRouterRoles", []string{"@r1"})
		}, "", rulePath, codeNoPath, "no router of the client reaches a host", "link listener", false},
	}
}

// Every rule fails once, and is the first that does.
func TestExplainEveryRule(t *testing.T) {
	for _, tt := range brokenRules() {
		t.Run(tt.name, func(t *testing.T) {
			f := reachable(t)
			tt.spoil(f)
			a := f.do("GET", m("/explain?")+fullQuery(tt.query), nil).status(200)
			a.is("data.allowed", false).is("data.failed", tt.rule).is("data.code", tt.code).contains("data.cause", tt.cause).contains("data.remedy", tt.remedy)
			if tt.bindToo {
				f.do("GET", m("/explain?")+fullQuery(tt.query+"&type=bind"), nil).status(200).is("data.code", tt.code)
			}
		})
	}
}

// fullQuery completes a query by the identity and service of most tests.
func fullQuery(text string) string {
	q, err := url.ParseQuery(strings.TrimPrefix(text, "&"))
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"identity": "alice", "service": "web"} {
		if q.Get(name) == "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

func TestExplainAllowed(t *testing.T) {
	f := reachable(t)
	a := f.explain("").is("data.allowed", true).is("data.code", nil).is("data.identity.name", "alice").is("data.type", "Dial")
	a.is("data.rules.2.details.0.sentence", `"web-dial" contains the identity by #staff and the service by @web`)
	a.is("data.rules.8.details.0.sentence", "r1 > r2, cost 7").is("data.rules.8.details.1.sentence", "r2, where both are")
	f.explain("&router=r1").is("data.allowed", true).is("data.router.id", "r1")
	b := f.do("GET", m("/explain?identity=host&service=web&type=bind"), nil).status(200).is("data.allowed", true)
	if got := len(b.at("data.rules").([]any)); got != 7 {
		t.Errorf("bind has %d rules", got)
	}
	f.do("GET", m("/explain?identity=alice"), nil).status(400).is("error.cause.field", "service")
	f.do("GET", m("/explain?identity=alice&service=web&type=fly"), nil).status(400).is("error.cause.field", "type")
}

// A caller sees an explanation only if it may read all that it shows.
func TestExplainAccess(t *testing.T) {
	f := reachable(t)
	f.callers["some"] = &Caller{IdentityID: "alice", Permissions: []string{"identity.read", "service.read"}, ExpiresAt: f.now}
	f.callers["all"] = &Caller{IdentityID: "alice", ExpiresAt: f.now, Permissions: []string{"identity.read", "service", "router.read", "terminator.read",
		"service-policy.read", "edge-router-policy.read", "service-edge-router-policy.read", "posture-check.read"}}
	f.callers["auditor"] = &Caller{IdentityID: "alice", Permissions: []string{adminReadonly}, ExpiresAt: f.now}
	change := obj{"changes": []obj{}}
	for caller, want := range map[string]int{"some": 401, "all": 200, "auditor": 200, "nobody": 401} {
		for _, path := range []string{"/explain?identity=alice&service=web", "/who-can?service=web", "/what-can?identity=alice"} {
			f.do("GET", m("%s", path), nil, "zt-session", caller).status(want)
		}
		f.do("POST", m("/what-if"), change, "zt-session", caller).status(want)
	}
}

func TestWhoCanWhatCan(t *testing.T) {
	f := reachable(t)
	f.do("GET", m("/who-can?service=web"), nil).status(200).is("meta.pagination.totalCount", 1).
		is("data.0.name", "alice").is("data.0.policies.0.name", "web-dial").is("data.0.type", "Dial")
	f.do("GET", m("/who-can?service=web&type=bind"), nil).status(200).is("data.0.entity.id", "host")
	f.do("GET", m("/who-can?service=web&filter=name%%3D%%22bob%%22"), nil).status(200).is("meta.pagination.totalCount", 0)
	f.do("GET", m("/what-can?identity=alice"), nil).status(200).is("meta.pagination.totalCount", 1).is("data.0.name", "web")
	f.do("GET", m("/what-can?identity=host&type=dial"), nil).status(200).is("meta.pagination.totalCount", 0)
	f.do("GET", m("/who-can?service=nothing"), nil).status(404)
	f.do("GET", m("/who-can"), nil).status(400).is("error.cause.field", "service")
	f.patch(model.KindIdentity, "alice", "disabledAt", f.now)
	f.do("GET", m("/who-can?service=web"), nil).status(200).is("meta.pagination.totalCount", 0)
}

// With everything else in order, the verdict is that of the policy engine.
func TestExplainAgreesWithPolicies(t *testing.T) {
	for seed := range uint64(2) {
		f, rnd := randomNetwork(t, seed)
		for round := range 6 {
			for n := range 50 {
				action := policy.Action(n % 2)
				identity, service := fmt.Sprint("i", n/2%5), fmt.Sprint("s", n/10)
				router := []string{"", fmt.Sprint("r", rnd.IntN(3))}[rnd.IntN(2)]
				d := f.engine.View().Check(action, identity, service, router)
				a := f.do("GET", m("/explain?identity=%s&service=%s&type=%s&router=%s", identity, service, strings.ToLower(action.String()), router), nil).status(200)
				if a.at("data.allowed") != d.Allowed() {
					t.Fatalf("seed %d, round %d: %s %s %s by %q: policies say %+v, the explanation %s", seed, round, action, identity, service, router, d, a.ResponseRecorder.Body)
				}
			}
			f.randomly(rnd)
		}
	}
}
