package http

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/weftnet/weft/token"
)

// world makes a user that may dial the service "web" through the router "er".
func world(f *fixture) (user, service, router string) {
	user = f.create("identities", obj{"name": "user", "type": "User", "isAdmin": false})
	service = f.create("services", obj{"name": "web", "encryptionRequired": true})
	router = f.create("edge-routers", obj{"name": "er"})
	f.create("service-policies", obj{"name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"@" + user}, "serviceRoles": []string{"@" + service}})
	f.create("edge-router-policies", obj{"name": "p", "semantic": "AnyOf", "identityRoles": []string{"#all"}, "edgeRouterRoles": []string{"#all"}})
	f.create("service-edge-router-policies", obj{"name": "p", "semantic": "AnyOf", "serviceRoles": []string{"#all"}, "edgeRouterRoles": []string{"#all"}})
	f.callers["user"] = &Caller{IdentityID: user, SessionID: "cUser", CreatedAt: f.now}
	return user, service, router
}

func TestCreateSession(t *testing.T) {
	f := newFixture(t)
	_, service, router := world(f)
	hidden := f.create("services", obj{"name": "hidden", "encryptionRequired": true})
	as := []string{"zt-session", "user"}
	f.do("POST", c("/sessions"), obj{"serviceId": service}, as...).status(400).is("error.code", "NO_EDGE_ROUTERS_AVAILABLE")
	f.routers[router] = RouterStatus{Online: true, Protocols: map[string]string{"tls": "tls://h:1"}}
	a := f.do("POST", c("/sessions"), obj{"serviceId": service}, as...).status(201)
	a.is("data.type", "Dial").is("data.token", "jwt").is("data.edgeRouters.0.urls.tls", "tls://h:1").is("data._links", nil)
	f.do("POST", c("/sessions"), obj{"serviceId": service, "type": "Bind"}, as...).status(400).is("error.cause.field", "ServiceId").is("error.cause.reason", "service not found")
	f.do("POST", c("/sessions"), obj{"serviceId": service, "type": "Fly"}, as...).status(400).is("error.cause.field", "type")
	f.do("POST", c("/sessions"), obj{"serviceId": hidden}, as...).status(404).is("error.cause.message", "service with id "+hidden+" not found")
	f.do("POST", c("/sessions"), obj{"serviceId": "nope"}, as...).status(404)
	f.do("GET", c("/sessions"), nil, as...).is("meta.pagination.totalCount", 1)
	f.do("GET", c("/sessions"), nil).is("meta.pagination.totalCount", 0)
	// With the token of a session, the routers are refused once it has ended.
	routers := func(token string) *answer {
		return f.do("GET", c("/services/%s/edge-routers", service), nil, append([]string{"session-token", token}, as...)...)
	}
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"jti":"` + a.id() + `"}`))
	routers("e30." + claims + ".x").status(200)
	routers(a.id()).status(200)
	for _, bad := range []string{"e30.e30.x", "e30.?.x", "nope"} {
		routers(bad).status(404).is("error.code", "NOT_FOUND")
	}
	f.do("DELETE", c("/sessions/%s", a.id()), nil, as...).status(200)
	routers("e30."+claims+".x").status(404).contains("error.cause.message", a.id())
	f.do("GET", c("/sessions/%s", a.id()), nil).status(404)
}

// TestRemedies says what to do about each reason why an identity does not reach
// a service, in the advice for administrators and in the refusal of a session.
func TestRemedies(t *testing.T) {
	f := newFixture(t)
	user, service, router := world(f)
	advice := m("/identities/%s/policy-advice/%s", user, service)
	refused := func(kind string) *answer {
		return f.do("POST", c("/sessions"), obj{"serviceId": service, "type": kind}, "zt-session", "user")
	}
	want := func(action, code, remedy string) {
		t.Helper()
		a := f.do("GET", advice, nil).status(200).is("data."+action+".allowed", code == "")
		if code == "" {
			return
		}
		a.is("data."+action+".code", code).contains("data."+action+".remedy", remedy)
		if a.at("data."+action+".rule") == nil {
			t.Error("no rule")
		}
	}
	want("dial", "NO_EDGE_ROUTERS_AVAILABLE", "start one of them")
	refused("Dial").status(400).is("error.remedy", "start one of them")
	f.routers[router] = RouterStatus{Online: true}
	want("dial", "", "")
	f.do("GET", advice, nil).is("data.dial.policies.0.name", "p").is("data.bind.policies", "[]")
	want("bind", "NO_BIND_POLICY", "weft create service-policy NAME Bind --identity-roles '@user' --service-roles '@web'")
	refused("Bind").status(400).is("error.cause.field", "ServiceId").contains("error.remedy", "weft create service-policy NAME Bind --identity-roles '@user'")
	hidden := f.create("services", obj{"name": "hidden", "encryptionRequired": true})
	for _, id := range []string{hidden, "nope"} {
		a := f.do("POST", c("/sessions"), obj{"serviceId": id}, "zt-session", "user").status(404).is("error.code", "NOT_FOUND")
		a.contains("error.remedy", "weft create service-policy NAME Dial --identity-roles '@user' --service-roles '@"+id+"'")
	}
}

// TestRevocationsOutliveTokens disables an identity and revokes another by hand:
// no token that was out by then may become good again.
func TestRevocationsOutliveTokens(t *testing.T) {
	f := newFixture(t)
	disabled := f.create("identities", obj{"name": "disabled", "type": "User", "isAdmin": false})
	f.do("POST", m("/identities/%s/disable", disabled), obj{"durationMinutes": 5}).status(200)
	revoked := f.create("identities", obj{"name": "revoked", "type": "User", "isAdmin": false})
	f.do("POST", m("/revocations"), obj{"id": revoked, "type": "IDENTITY"}).status(201)
	for _, id := range []string{disabled, revoked} {
		text, _ := f.do("GET", m("/revocations/%s", id), nil).status(200).at("data.expiresAt").(string)
		if end, err := time.Parse(time.RFC3339, text); err != nil || end.Sub(f.now) < token.RevocationLife {
			t.Errorf("the revocation ends %v after now, %v", end.Sub(f.now), err)
		}
	}
}

func TestOwnServices(t *testing.T) {
	f := newFixture(t)
	_, service, _ := world(f)
	hidden := f.create("services", obj{"name": "hidden", "encryptionRequired": true})
	as := []string{"zt-session", "user"}
	f.do("GET", c("/services"), nil, as...).is("meta.pagination.totalCount", 1).is("data.0.id", service).is("data.0.config", "map[]")
	f.do("GET", c("/services?filter=name%%3D%%22web%%22"), nil, as...).is("data.0.id", service)
	f.do("GET", c("/services?filter=name%%3D%%22hidden%%22"), nil, as...).is("meta.pagination.totalCount", 0)
	f.do("GET", c("/services?roleFilter=%%40%s", hidden), nil, as...).is("meta.pagination.totalCount", 0)
	f.do("GET", c("/services/%s", hidden), nil, as...).status(404)
	f.do("GET", c("/services/%s/edge-routers", hidden), nil, as...).status(404)
	f.do("GET", c("/services/%s/edge-routers", service), nil, as...).status(200).is("data.edgeRouters.0.supportedProtocols", "map[]")
	f.do("DELETE", c("/services/%s", service), nil, as...).status(501)
}

func TestConfigOverride(t *testing.T) {
	f := newFixture(t)
	user, service, _ := world(f)
	intercept := obj{"protocols": []string{"tcp"}, "addresses": []string{"a.b"}, "portRanges": []obj{{"low": 1, "high": 2}}}
	own := f.create("configs", obj{"name": "own", "configTypeId": "g7cIWbcGg", "data": intercept})
	intercept["addresses"] = []string{"c.d"}
	over := f.create("configs", obj{"name": "over", "configTypeId": "g7cIWbcGg", "data": intercept})
	f.do("PATCH", m("/services/%s", service), obj{"configs": []string{own}}).status(200)
	address := func() string {
		d := f.do("GET", c("/services?configTypes=all"), nil, "zt-session", "user").at("data.0.config").(map[string]any)
		return d["intercept.v1"].(map[string]any)["addresses"].([]any)[0].(string)
	}
	if got := address(); got != "a.b" {
		t.Error(got)
	}
	f.do("POST", m("/identities/%s/service-configs", user), []obj{{"serviceId": service, "configId": over}}).status(200)
	if got := address(); got != "c.d" {
		t.Error("overridden:", got)
	}
	f.do("POST", m("/identities/%s/service-configs", user), []obj{{"serviceId": service}}).status(400).is("error.cause.field", "0.configId")
	f.do("DELETE", m("/identities/%s/service-configs", user), []obj{}).status(200)
	f.do("DELETE", m("/identities/%s/service-configs", user), nil).status(200)
	f.do("DELETE", m("/configs/%s", over), nil).status(200)
	if got := address(); got != "a.b" {
		t.Error("after the config went:", got)
	}
}

func TestLogin(t *testing.T) {
	f := newFixture(t)
	none := []string{"zt-session", ""}
	for _, tt := range []struct {
		name, query string
		body        any
		status      int
		at, want    string
	}{
		{"no method", "", obj{}, 400, "error.cause.field", "method"},
		{"unknown method", "?method=bogus", obj{}, 400, "error.cause.reason", "method in query should be one of [password cert ext-jwt]"},
		{"wrong password", "?method=password", obj{"username": "admin", "password": "wrong"}, 401, "error.code", "INVALID_AUTH"},
		{"short name", "?method=password", obj{"username": "ad", "password": "secret"}, 400, "error.cause.field", "username"},
		{"no body", "?method=cert", nil, 401, "error.code", "INVALID_AUTH"},
		{"right", "?method=password", obj{"username": "admin", "password": "secret"}, 200, "data.token", "admin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do("POST", c("/authenticate%s", tt.query), tt.body, none...).status(tt.status).is(tt.at, tt.want)
			if tt.status == 200 && (a.Header().Get("zt-session") != "admin" || a.Header().Get("expiration-seconds") != "3600") {
				t.Error("headers:", a.Header())
			}
		})
	}
}

func TestEnroll(t *testing.T) {
	f := newFixture(t)
	for _, tt := range []struct {
		name, path, contentType string
		body                    any
		status                  int
		at, want                string
	}{
		{"PEM", "/enroll?method=ott&token=t", "application/x-pem-file", "CSR", 200, "data.cert", "ott:CSR"},
		{"text", "/enroll?method=ott&token=t", "text/plain; charset=utf-8", "CSR", 200, "data.cert", "ott:CSR"},
		{"PKCS#10", "/enroll?token=t", "application/pkcs10", "CSR", 200, "data.cert", ":CSR"},
		{"JSON", "/enroll?method=erott&token=t", "application/json", obj{"clientCsr": "CSR"}, 200, "data.cert", "erott:CSR"},
		{"another type", "/enroll?method=ott&token=t", "text/html", "CSR", 415, "error.cause.field", "Content-Type"},
		{"body without a type", "/enroll?method=ott&token=t", "", "CSR", 415, "error.cause.field", "Content-Type"},
		{"bad token", "/enroll?method=ott&token=bad", "application/x-pem-file", "CSR", 400, "error.code", "INVALID_ENROLLMENT_TOKEN"},
		{"bad JSON", "/enroll?method=updb&token=t", "application/json", "{", 400, "error.code", "COULD_NOT_PARSE_BODY"},
		{"method path", "/enroll/ott", "application/json", obj{"token": "t", "clientCsr": "CSR"}, 200, "data.cert", "ott:CSR"},
		{"updb path", "/enroll/updb?token=t", "application/json", obj{"password": "secret"}, 200, "data.cert", "updb:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			f.do("POST", c("%s", tt.path), tt.body, "zt-session", "", "Content-Type", tt.contentType).status(tt.status).is(tt.at, tt.want)
		})
	}
}

func TestServiceUpdates(t *testing.T) {
	f := newFixture(t)
	_, service, _ := world(f)
	as := []string{"zt-session", "user"}
	before := f.do("GET", c("/current-api-session/service-updates"), nil, as...).at("data.lastChangeAt")
	f.now = f.now.Add(5e9)
	f.do("PATCH", m("/services/%s", service), obj{"tags": obj{"a": 1}}).status(200)
	f.do("PATCH", m("/services/%s", service), obj{"roleAttributes": []string{"x"}}).status(200)
	if after := f.do("GET", c("/current-api-session/service-updates"), nil, as...).at("data.lastChangeAt"); after == before {
		t.Error("no change seen:", after)
	}
}
