package http

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
)

func TestFailedServiceRequests(t *testing.T) {
	f := newFixture(t)
	user := f.create("identities", obj{"name": "u", "type": "User", "isAdmin": false})
	service := f.create("services", obj{"name": "web", "encryptionRequired": true})
	f.callers["u"] = &Caller{IdentityID: user, SessionID: "cU"}
	as := []string{"zt-session", "u"}
	failed := func() *answer { return f.do("GET", m("/identities/%s/failed-service-requests", user), nil).status(200) }
	failed().is("data", "[]")
	f.do("POST", c("/sessions"), obj{"serviceId": service, "type": "Dial"}, as...).status(404)
	failed().is("data.0.serviceId", service).is("data.0.serviceName", "web").is("data.0.sessionType", "Dial").is("data.0.apiSessionId", "cU").
		is("data.0.code", "NOT_FOUND").is("data.0.policyFailures", "[]")
	check := f.create("posture-checks", postureBody("MFA", "mfa", nil))
	p := f.create("service-policies", obj{"name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"@" + user}, "serviceRoles": []string{"@" + service},
		"postureCheckRoles": []string{"@" + check}})
	f.do("POST", c("/sessions"), obj{"serviceId": service, "type": "Dial"}, as...).status(409)
	failed().is("data.0.policyFailures.0.policyId", p).is("data.0.policyFailures.0.policyName", "p").
		is("data.0.policyFailures.0.checks.0.postureCheckId", check).is("data.0.policyFailures.0.checks.0.postureCheckType", "MFA").is("data.1.code", "NOT_FOUND")
	f.do("POST", c("/sessions"), obj{"serviceId": "unknown", "type": "Dial"}, as...).status(404)
	if n := len(failed().at("data").([]any)); n != 2 {
		t.Errorf("%d requests, want 2: one for a service that does not exist is not remembered", n)
	}
	f.do("GET", m("/identities/nope/failed-service-requests"), nil).status(404)
	f.do("GET", m("/identities/nope/posture-data"), nil).status(404)
}

func TestWatcherIsBounded(t *testing.T) {
	w := NewWatcher(slog.New(slog.DiscardHandler), time.Now)
	for i := range identitiesKept + 10 {
		w.Refused(Refusal{IdentityID: fmt.Sprint(i)})
	}
	if w.recent.Len() != identitiesKept || len(w.refused) != identitiesKept || w.refusalsOf("3") != nil {
		t.Errorf("%d identities", w.recent.Len())
	}
	for i := range refusalsKept + 5 {
		w.Refused(Refusal{IdentityID: "x", Code: fmt.Sprint(i)})
	}
	if got := w.refusalsOf("x"); len(got) != refusalsKept || got[0].Code != "54" || got[refusalsKept-1].Code != "5" {
		t.Errorf("%d refusals: %+v", len(got), got)
	}
	until := time.Now().Add(time.Hour)
	for i := range tracesKept {
		if !w.trace(fmt.Sprint(i), "t", until) {
			t.Fatal(i)
		}
	}
	if w.trace("one more", "t", until) {
		t.Error("more traces than there is room for")
	}
	if !w.trace("1", "", time.Time{}) || !w.trace("one more", "t", until) {
		t.Error("the end of a trace makes no room")
	}
}

func TestTrace(t *testing.T) {
	f := newFixture(t)
	var log bytes.Buffer
	w := NewWatcher(slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return f.now })
	f.server.cfg.Watcher = w
	user := f.create("identities", obj{"name": "u", "type": "User", "isAdmin": false})
	f.callers["u"] = &Caller{IdentityID: user, SessionID: "cU"}
	path := m("/identities/%s/trace", user)
	logged := func() string {
		log.Reset()
		f.do("GET", c("/services"), nil, "zt-session", "u").status(200)
		w.Saw(user, "circuit created")
		return log.String()
	}
	if s := logged(); s != "" {
		t.Error(s)
	}
	f.do("PUT", path, obj{"enabled": true, "traceId": "t1"}).status(200).is("data.enabled", true).is("data.until", "2026-11-20T12:10:00.000Z").is("meta", nil)
	if s := logged(); !strings.Contains(s, "traceId=t1") || !strings.Contains(s, "operation=listServices") || !strings.Contains(s, "circuit created") {
		t.Error(s)
	}
	f.now = f.now.Add(11 * time.Minute)
	if s := logged(); s != "" {
		t.Error("after its end:", s)
	}
	f.do("PUT", path, obj{"enabled": true}).status(200)
	f.do("PUT", path, obj{"enabled": false}).status(200).is("data.enabled", false).is("data.until", nil)
	if s := logged(); s != "" {
		t.Error("switched off:", s)
	}
	for _, d := range []string{"x", "-1m", "0s", "25h"} {
		f.do("PUT", path, obj{"enabled": true, "duration": d}).status(400).is("error.cause.field", "duration")
	}
	f.do("PUT", m("/identities/nope/trace"), obj{"enabled": true}).status(404)
	f.callers["helper"] = &Caller{IdentityID: "h", SessionID: "cH", Permissions: []string{"identity"}}
	f.do("PUT", m("/identities/%s/trace", f.admin), obj{"enabled": true}, "zt-session", "helper").status(401)
}

func TestRoleAttributeUsage(t *testing.T) {
	f := newFixture(t)
	one := f.create("identities", obj{"name": "one", "type": "User", "isAdmin": false, "roleAttributes": []string{"a", "b"}})
	f.create("identities", obj{"name": "two", "type": "User", "isAdmin": false, "roleAttributes": []string{"a"}})
	p := f.create("service-policies", obj{"name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"#b", "#c", "@" + one}, "serviceRoles": []string{"#all"}})
	f.create("edge-router-policies", obj{"name": "p", "semantic": "AnyOf", "identityRoles": []string{"#b"}, "edgeRouterRoles": []string{"#r"}})
	usage := func(list, query string) *answer {
		return f.do("GET", m("/%s-role-attribute-usage%s", list, query), nil).status(200)
	}
	usage("identity", "").is("meta.pagination.totalCount", 3).is("data.0.roleAttribute", "a").is("data.0.usage.identities.count", 2).is("data.0.usage.servicePolicies.count", 0).
		is("data.1.usage.edgeRouterPolicies.count", 1).is("data.1.usage.identities.ids", nil).is("data.2.roleAttribute", "c").is("data.2.usage.identities.count", 0)
	usage("identity", "?withIds=true&filter=id%3D%22b%22").is("meta.pagination.totalCount", 1).is("data.0.usage.identities.ids", "["+one+"]").is("data.0.usage.servicePolicies.ids", "["+p+"]")
	usage("edge-router", "").is("data.0.roleAttribute", "r").is("data.0.usage.edgeRouters.count", 0).is("data.0.usage.edgeRouterPolicies.count", 1).is("data.0.usage.serviceEdgeRouterPolicies.count", 0)
	usage("service", "").is("data", "[]")
	usage("posture-check", "?limit=1").is("meta.pagination.limit", 1)
	f.do("GET", m("/identity-role-attribute-usage?withIds=x"), nil).status(400).is("error.cause.field", "withIds")
	f.do("GET", m("/identity-role-attribute-usage?filter=nope%%3D1"), nil).status(400).is("error.code", "INVALID_FILTER")
	f.do("GET", m("/identity-role-attribute-usage"), nil, "zt-session", "").status(401)
	if model.Describe(model.KindServicePolicy).Store != "servicePolicies" {
		t.Error("the names of the uses are those of the stores")
	}
}
