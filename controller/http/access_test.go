package http

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// climb is an attempt to get more rights than one has.
type climb struct {
	name, method, path string
	body               any
	permissions        []string // of who tries
}

// climbs are attempts; OPS is an identity with the permission ops, whose
// enrollment is ENROLLMENT, and NETS an auth policy that OPS and the admin do
// not have.
func climbs(ca string) []climb {
	people := []string{"identity", "enrollment"}
	open := obj{"primary": obj{"cert": obj{"allowed": true, "allowExpiredCerts": true}, "updb": obj{"allowed": true, "minPasswordLength": 1,
		"maxAttempts": 0, "lockoutDurationMinutes": 0, "requireMixedCase": false, "requireNumberChar": false, "requireSpecialChar": false},
		"extJwt": obj{"allowed": true, "allowedSigners": []string{}}}, "secondary": obj{"requireTotp": false}}
	claim := obj{"isAuthEnabled": true, "externalIdClaim": obj{"location": "COMMON_NAME", "matcher": "ALL", "matcherCriteria": "", "parser": "NONE", "parserCriteria": "", "index": 0}}
	takeover := caBody("mine", ca)
	for k, v := range claim {
		takeover[k] = v
	}
	declared := func(text string) obj {
		return obj{"files": []obj{{"name": "f.yml", "text": text}}}
	}
	var out []climb
	for _, who := range []string{"theAdmin00", "OPS"} {
		id := "/identities/" + who
		out = append(out,
			climb{"rename", "PATCH", id, obj{"name": "mine"}, people},
			climb{"weaker login", "PATCH", id, obj{"authPolicyId": "NETS"}, people},
			climb{"name of an external directory", "PATCH", id, obj{"externalId": "me"}, people},
			climb{"replacement", "PUT", id, obj{"name": "mine", "type": "Default", "isAdmin": true}, people},
			climb{"deletion", "DELETE", id, nil, people},
			climb{"to disable", "POST", id + "/disable", obj{"durationMinutes": 0}, people},
			climb{"to enable", "POST", id + "/enable", nil, people},
			climb{"second factor", "DELETE", id + "/mfa", nil, people},
			climb{"trace", "PUT", id + "/trace", obj{"enabled": true}, people},
			climb{"service configs", "POST", id + "/service-configs", []obj{}, people},
			climb{"service configs", "DELETE", id + "/service-configs", []obj{}, people},
			climb{"enrollment", "POST", "/enrollments", obj{"identityId": who, "method": "ott", "expiresAt": "2030-01-01T00:00:00Z"}, people})
	}
	return append(out,
		climb{"new admin", "POST", "/identities", obj{"name": "boss", "type": "Default", "isAdmin": true}, people},
		climb{"new permissions", "POST", "/identities", obj{"name": "boss", "type": "Default", "isAdmin": false, "permissions": []string{"identity"}}, people},
		climb{"own permissions", "PATCH", "/identities/SELF", obj{"permissions": []string{"ops"}}, people},
		climb{"own rank", "PATCH", "/identities/SELF", obj{"isAdmin": true}, people},
		climb{"own replacement", "PUT", "/identities/SELF", obj{"name": "self", "type": "Default", "isAdmin": true}, people},
		climb{"declared permissions", "POST", "/apply", declared("identities: [{name: self, permissions: [ops]}]"), people},
		climb{"declared admin", "POST", "/apply", declared("identities: [{name: self, isAdmin: true}]"), people},
		climb{"declared new admin", "POST", "/apply", declared("identities: [{name: boss, isAdmin: true}]"), people},
		climb{"declared change of an admin", "POST", "/apply", declared("identities: [{name: admin, roleAttributes: [mine]}]"), people},
		climb{"declared enrollment of another", "POST", "/apply", declared("identities: [{name: ops, roleAttributes: [mine], enrollment: {ott: true}}]"), people},
		climb{"declared trial", "POST", "/apply?dryRun=true", declared("identities: [{name: self, isAdmin: true}]"), people},
		climb{"declared service", "POST", "/apply", declared("services: [{name: s}]"), people},
		climb{"declared auth policy", "POST", "/apply", declared("authPolicies: [{name: Default, primary: {updb: {allowed: true, minPasswordLength: 1}}}]"), []string{"auth-policy"}},
		climb{"to expose without rights", "POST", "/expose", obj{"name": "s", "host": []string{"x"}, "to": []string{"tcp:localhost:80"}}, people},
		climb{"pruned identities", "POST", "/apply?prune=true&kind=identities", declared("identities: []"), []string{"identity.update"}},
		climb{"enrollment renewed", "POST", "/enrollments/ENROLLMENT/refresh", obj{"expiresAt": "2030-01-01T00:00:00Z"}, people},
		climb{"enrollment taken away", "DELETE", "/enrollments/ENROLLMENT", nil, people},
		climb{"auth policy of admins", "PATCH", "/auth-policies/default", open, []string{"auth-policy"}},
		climb{"auth policy of admins", "PUT", "/auth-policies/default", merge(open, obj{"name": "Default"}), []string{"auth-policy"}},
		climb{"signer of admins", "POST", "/external-jwt-signers", signer("mine", nil), []string{"external-jwt-signer"}},
		climb{"keys of a signer of admins", "PATCH", "/external-jwt-signers/SIGNER", obj{"jwksEndpoint": "https://mine.example/jwks"}, []string{"external-jwt-signer"}},
		climb{"a signer comes back", "PATCH", "/external-jwt-signers/OFF", obj{"enabled": true}, []string{"external-jwt-signer"}},
		climb{"authority of admins", "POST", "/cas", takeover, []string{"ca"}},
		climb{"claims of an authority", "PATCH", "/cas/CA", claim, []string{"ca"}},
		climb{"password of another", "PATCH", "/authenticators/adminUpdb", obj{"password": "mine-now"}, people},
		climb{"new authenticator", "POST", "/authenticators", obj{"identityId": "theAdmin00", "method": "updb", "username": "x", "password": "yyyyyy"}, people},
		climb{"re-enroll", "POST", "/authenticators/adminUpdb/re-enroll", obj{"expiresAt": "2030-01-01T00:00:00Z"}, people},
		climb{"revocation", "POST", "/revocations", obj{"id": "theAdmin00", "type": "IDENTITY"}, people},
	)
}

func merge(all ...obj) obj {
	out := obj{}
	for _, o := range all {
		for k, v := range o {
			out[k] = v
		}
	}
	return out
}

// ranks is a fixture with people of several rights.
func ranks(t *testing.T, permissions ...string) (*fixture, *strings.Replacer) {
	f := newFixture(t)
	self := f.create("identities", obj{"name": "self", "type": "Default", "isAdmin": false, "permissions": permissions})
	ops := f.create("identities", obj{"name": "ops", "type": "Default", "isAdmin": false, "permissions": []string{"ops"}, "enrollment": obj{"ott": true}})
	f.do("PATCH", m("/identities/%s", f.admin), obj{"externalId": "boss"}).status(200)
	enrollment := f.do("GET", m("/identities/%s", ops), nil).at("data.enrollment.ott.id").(string)
	nets := f.create("auth-policies", obj{"name": "nets", "primary": obj{"cert": obj{"allowed": true, "allowExpiredCerts": true},
		"updb":   obj{"allowed": true, "minPasswordLength": 5, "maxAttempts": 5, "lockoutDurationMinutes": 0, "requireMixedCase": false, "requireNumberChar": false, "requireSpecialChar": false},
		"extJwt": obj{"allowed": true, "allowedSigners": []string{}}}, "secondary": obj{"requireTotp": false}})
	ca := f.create("cas", caBody("ca", newTestCA(t, "ca").pem))
	on := f.create("external-jwt-signers", signer("on", nil))
	off := f.create("external-jwt-signers", signer("off", obj{"enabled": false}))
	f.callers["self"] = &Caller{IdentityID: self, SessionID: "c", Permissions: permissions, ExpiresAt: f.now}
	return f, strings.NewReplacer("OPS", ops, "SELF", self, "ENROLLMENT", enrollment, "NETS", nets, "CA", ca, "SIGNER", on, "OFF", off)
}

// TestNobodyClimbs tries to get more rights than one has in many ways: all are
// refused, and nothing changes.
func TestNobodyClimbs(t *testing.T) {
	f, ids := ranks(t)
	for _, c := range climbs(newTestCA(t, "mine").pem) {
		t.Run(c.name+" "+c.method+c.path, func(t *testing.T) {
			f.in(t)
			text, err := json.Marshal(c.body)
			if err != nil {
				t.Fatal(err)
			}
			f.callers["self"].Permissions = c.permissions
			before := f.store.View().Index()
			body := any(strings.ReplaceAll(string(text), `"NETS"`, ids.Replace(`"NETS"`)))
			if c.body == nil {
				body = nil
			} else if bytes.Contains(text, []byte("OPS")) {
				body = ids.Replace(string(text))
			}
			a := f.do(c.method, m("%s", strings.ReplaceAll(ids.Replace(c.path), "%", "%%")), body, "zt-session", "self")
			if a.status(401); a.at("error.code") != "UNAUTHORIZED" {
				t.Error(a.ResponseRecorder.Body)
			}
			if f.store.View().Index() != before {
				t.Error("something was written")
			}
		})
	}
}

// TestDelegates: what is refused to climbers is open to those who stay below.
func TestDelegates(t *testing.T) {
	f, _ := ranks(t)
	as := func(permissions ...string) []string {
		f.callers["self"].Permissions = permissions
		return []string{"zt-session", "self"}
	}
	people := as("identity", "enrollment")
	id := f.do("POST", m("/identities"), obj{"name": "alice", "type": "Default", "isAdmin": false}, people...).status(201).id()
	f.do("PATCH", m("/identities/%s", id), obj{"roleAttributes": []string{"a"}}, people...).status(200)
	f.do("POST", m("/identities/%s/disable", id), obj{"durationMinutes": 5}, people...).status(200)
	f.do("DELETE", m("/identities/%s/mfa", id), nil, people...).status(200)
	n := f.do("POST", m("/enrollments"), obj{"identityId": id, "method": "ott", "expiresAt": "2030-01-01T00:00:00Z"}, people...).status(201).id()
	f.do("GET", m("/enrollments/%s", n), nil, people...).is("data.jwt", "jwt-of-ott")
	f.do("PATCH", m("/identities/%s", f.callers["self"].IdentityID), obj{"appData": obj{"a": 1}}, people...).status(200)
	f.do("POST", m("/external-jwt-signers"), signer("later", obj{"enabled": false}), as("external-jwt-signer")...).status(201)
	ca := f.do("POST", m("/cas"), caBody("plain", newTestCA(t, "plain").pem), as("ca")...).status(201).id()
	f.do("PATCH", m("/cas/%s", ca), obj{"name": "plainer"}, as("ca")...).status(200)
	ops := state.FirstBy[model.Identity](f.store.View(), state.ByName, "ops")
	f.do("PATCH", m("/identities/%s", ops.ID), obj{"roleAttributes": []string{"a"}}, as("identity", "ops")...).status(200)
	f.do("PATCH", m("/identities/%s", ops.ID), obj{"roleAttributes": []string{"b"}}, as("identity", "ops.read")...).status(401).
		is("error.cause.message", "the identity ops has the permission ops, which the caller lacks")
}

// TestAuditors: admin_readonly reads everything and changes nothing.
func TestAuditors(t *testing.T) {
	f, _ := ranks(t, adminReadonly)
	as := []string{"zt-session", "self"}
	for _, op := range api.Of(api.Management) {
		if op.Access.Rule == api.NotImplemented || op.Access.Rule == api.Public || slices.Contains([]string{"streamEvents", "listAudit"}, op.ID) {
			continue
		}
		reads := op.Access.Action == "read" || op.Access.Rule == api.AdminOrReadonly
		path := m("%s", strings.NewReplacer("{id}", "x", "{sessionId}", "x").Replace(op.Path))
		before := f.store.View().Index()
		switch {
		case reads && op.Method == "GET":
			if a := f.do("GET", path, nil, as...); a.Code == 401 {
				t.Errorf("%s is refused", op.ID)
			}
		case op.Method != "GET" && op.Access.Rule != api.Authenticated && op.Access.Rule != api.AuthenticatedOrPartial:
			f.do(op.Method, path, obj{}, as...)
		}
		if f.store.View().Index() != before {
			t.Errorf("%s has written something", op.ID)
		}
	}
	f.do("GET", m("/export"), nil, as...).status(200)
	f.do("GET", m("/explain?identity=self&service=x"), nil, as...).status(200)
	f.do("POST", m("/diff"), obj{"files": []obj{{"name": "f", "text": "services: [{name: s}]"}}}, as...).status(200).is("data.created", 1)
	f.do("POST", m("/apply"), obj{"files": []obj{{"name": "f", "text": "services: [{name: s}]"}}}, as...).status(401)
}

// TestEventsOfChanges: events that show entities of every kind are not for who
// may see the network only.
func TestEventsOfChanges(t *testing.T) {
	f := observing(t)
	f.callers["ops"] = &Caller{IdentityID: f.admin, SessionID: "c", Permissions: []string{"ops"}, ExpiresAt: f.now}
	for _, kind := range []string{"audit", "entityChange"} {
		f.do("GET", m("/events?type=circuit&type=%s", kind), nil, "zt-session", "ops").status(401).contains("error.cause.message", kind)
	}
}

// TestExportKeepsToPermissions: an export holds the kinds that the caller may
// read, and no secrets.
func TestExportKeepsToPermissions(t *testing.T) {
	f, _ := ranks(t, "service.read")
	f.create("services", obj{"name": "web", "encryptionRequired": true})
	text := f.do("GET", m("/export"), nil, "zt-session", "self").status(200).ResponseRecorder.Body.String()
	if !strings.Contains(text, "web") || strings.Contains(text, "identities") || strings.Contains(text, "self") {
		t.Error(text)
	}
	f.do("GET", m("/export?kind=identities"), nil, "zt-session", "self").status(401)
	f.do("GET", m("/export?filter=%s", url.QueryEscape(`permissions = "ops"`)), nil, "zt-session", "self").status(400)
	if all := f.do("GET", m("/export"), nil).ResponseRecorder.Body.String(); strings.Contains(all, "jwt-of") || strings.Contains(all, "hash:") {
		t.Error("an export has secrets")
	}
}

// TestFiltersDoNotTell: nothing that is secret can be filtered or sorted by, in
// any list, however it is spelt.
func TestFiltersDoNotTell(t *testing.T) {
	f, _ := ranks(t)
	hidden := []string{"passwordHash", "password", "updbPassword", "updbSalt", "salt", "secret", "identitySecret", "recoveryCodes", "jwt",
		"authenticators.password", "identity.passwordHash", "enrollments.token", "certPemKey"}
	for _, op := range api.Operations() {
		if op.Result.Shape != api.List || op.Method != "GET" || strings.Contains(op.Path, "{") || op.API&(api.Management|api.Fabric) == 0 {
			continue
		}
		base := api.ManagementBase
		if op.API == api.Fabric {
			base = api.FabricBase
		}
		for _, name := range hidden {
			for _, q := range []string{"filter=" + url.QueryEscape(name+` contains "a"`), "filter=" + url.QueryEscape(`anyOf(`+name+`) = "a"`),
				"sort=" + name, "filter=" + url.QueryEscape("true sort by "+name), "filter=" + url.QueryEscape("not isEmpty("+name+")")} {
				if a := f.do("GET", base+op.Path+"?"+q, nil); a.Code == 200 {
					t.Errorf("%s?%s: status %d", op.Path, q, a.Code)
				}
			}
		}
	}
}
