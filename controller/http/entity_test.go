package http

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

func TestFilterableFields(t *testing.T) {
	f := newFixture(t)
	var want map[string][]string
	raw, err := os.ReadFile("testdata/filterable.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for list, fields := range want {
		t.Run(list, func(t *testing.T) {
			f.in(t)
			a := f.do("GET", m("/%s", list), nil)
			var got []string
			for _, v := range a.status(200).at("meta.filterableFields").([]any) {
				got = append(got, v.(string))
			}
			if !slices.Equal(got, fields) {
				t.Errorf("got %v\nwant %v", got, fields)
			}
			for _, name := range fields { // every name can be sorted by or used in a set function
				if name == "tags" {
					continue
				}
				q := "sort by " + name
				if a := f.do("GET", m("/%s?filter=%s", list, url.QueryEscape(q)), nil); a.Code != 200 {
					q = "isEmpty(" + name + ")"
					f.do("GET", m("/%s?filter=%s", list, url.QueryEscape(q)), nil).status(200)
				}
			}
		})
	}
}

func TestPatchSemantics(t *testing.T) {
	f := newFixture(t)
	id := f.create("identities", obj{"name": "one", "type": "User", "isAdmin": false, "roleAttributes": []string{"a"}, "externalId": "e1",
		"defaultHostingCost": 7, "tags": obj{"k": "v"}, "permissions": []string{"service"}})
	other := f.create("identities", obj{"name": "two", "type": "User", "isAdmin": false})
	path := m("/identities/%s", id)
	for _, tt := range []struct {
		name   string
		body   any
		status int
		at     string
		want   any
	}{
		{"nothing", obj{}, 200, "data.name", "one"},
		{"null leaves", obj{"externalId": nil, "roleAttributes": nil}, 200, "data.externalId", "e1"},
		{"unknown members", obj{"nope": 1}, 200, "data.name", "one"},
		{"case of names", `{"NAME":"uno"}`, 200, "data.name", "uno"},
		{"empty list clears", obj{"roleAttributes": []string{}}, 200, "data.roleAttributes", []any{}},
		{"tags are replaced", obj{"tags": obj{"x": 1}}, 200, "data.tags", map[string]any{"x": 1.0}},
		{"type is kept", obj{"type": "Router"}, 200, "data.typeId", "Default"},
		{"other members stay", obj{"isAdmin": true}, 200, "data.defaultHostingCost", 7},
		{"zero is a value", obj{"defaultHostingCost": 0}, 200, "data.defaultHostingCost", 0},
		{"cost too high", obj{"defaultHostingCost": 65536}, 400, "", nil},
		{"map value too high", obj{"serviceHostingCosts": obj{"x": 70000}}, 400, "", nil},
		{"taken name", obj{"name": "two", "isAdmin": false}, 400, "", nil},
		{"and nothing of it is done", obj{}, 200, "data.isAdmin", true},
		{"empty name", obj{"name": ""}, 400, "", nil},
		{"attribute with prefix", obj{"roleAttributes": []string{"#x"}}, 400, "", nil},
		{"unknown auth policy", obj{"authPolicyId": "nope"}, 404, "", nil},
		{"malformed", `{"name"`, 400, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			f.do("PATCH", path, tt.body).status(tt.status)
			if tt.at != "" {
				f.do("GET", path, nil).is(tt.at, tt.want)
			}
		})
	}
	f.do("PATCH", m("/identities/%s", other), obj{"externalId": "e1"}).status(400).is("error.cause.field", "externalId")
	f.do("PATCH", m("/identities/nope"), obj{"name": "x"}).status(404)
}

func TestPutResets(t *testing.T) {
	f := newFixture(t)
	id := f.create("identities", obj{"name": "one", "type": "User", "isAdmin": false, "roleAttributes": []string{"a"}, "externalId": "e1",
		"defaultHostingCost": 7, "defaultHostingPrecedence": "required", "permissions": []string{"service"}, "appData": obj{"a": 1}, "tags": obj{"k": 1}})
	f.do("PUT", m("/identities/%s", id), obj{"name": "one", "type": "User", "isAdmin": false}).status(200)
	f.do("GET", m("/identities/%s", id), nil).is("data.externalId", nil).is("data.roleAttributes", "[]").is("data.defaultHostingCost", 0).
		is("data.defaultHostingPrecedence", "default").is("data.permissions", nil).is("data.authPolicyId", "default").is("data.tags", "map[]").is("data.appData", "map[]")
	s := f.create("services", obj{"name": "s", "encryptionRequired": true})
	f.do("PATCH", m("/services/%s", s), obj{"encryptionRequired": false}).status(200)
	f.do("GET", m("/services/%s", s), nil).is("data.encryptionRequired", true)
	f.do("PUT", m("/services/%s", s), obj{"name": "s"}).status(200)
	f.do("GET", m("/services/%s", s), nil).is("data.encryptionRequired", false).is("data.terminatorStrategy", "smartrouting")
	f.do("PUT", m("/services/nope"), obj{"name": "s"}).status(404)
	f.do("PUT", m("/services/%s", s), obj{}).status(400).is("error.cause.field", "name")
}

func TestRefusals(t *testing.T) {
	f := newFixture(t)
	ct := f.create("config-types", obj{"name": "ct", "schema": obj{"type": "object", "properties": obj{"port": obj{"type": "integer"}}}})
	config := func(name string) obj { return obj{"name": name, "configTypeId": ct, "data": obj{"port": 1}} }
	a, b := f.create("configs", config("a")), f.create("configs", config("b"))
	user := f.create("identities", obj{"name": "user", "type": "User", "isAdmin": false})
	f.create("services", obj{"name": "web", "encryptionRequired": true, "configs": []string{a}})
	er := f.create("edge-routers", obj{"name": "er", "isTunnelerEnabled": true})
	f.create("transit-routers", obj{"name": "tr"})
	f.create("service-policies", obj{"name": "sp", "type": "Dial", "semantic": "AnyOf"})
	f.create("authenticators", obj{"identityId": user, "method": "updb", "username": "user", "password": "secret"})
	sp := func(roles ...string) obj {
		return obj{"name": "x", "type": "Dial", "semantic": "AnyOf", "identityRoles": roles}
	}
	for _, tt := range []struct {
		name, method, path string
		body               any
		status             int
		code, at, want     string
	}{
		{"identity name", "POST", "/identities", obj{"name": "user", "type": "User", "isAdmin": false}, 400, "COULD_NOT_VALIDATE", "reason", "duplicate value 'user' in unique index on identities store"},
		{"service name", "POST", "/services", obj{"name": "web", "encryptionRequired": false}, 400, "COULD_NOT_VALIDATE", "reason", "name must be unique"},
		{"transit and edge routers share names", "POST", "/transit-routers", obj{"name": "er"}, 400, "COULD_NOT_VALIDATE", "field", "name"},
		{"missing reference", "POST", "/services", obj{"name": "x", "encryptionRequired": true, "configs": []string{"nope"}}, 404, "NOT_FOUND", "message", "config with id nope not found"},
		{"strategy", "POST", "/services", obj{"name": "x", "encryptionRequired": true, "terminatorStrategy": "nope"}, 404, "NOT_FOUND", "message", "terminatorStrategy with name nope not found"},
		{"two configs of a type", "POST", "/services", obj{"name": "x", "encryptionRequired": true, "configs": []string{a, b}}, 400, "COULD_NOT_VALIDATE", "field", "configs"},
		{"role without prefix", "POST", "/service-policies", sp("nope"), 400, "COULD_NOT_VALIDATE", "reason", "role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)"},
		{"role with unknown id", "POST", "/service-policies", sp("@nope"), 400, "COULD_NOT_VALIDATE", "reason", "no identities found with the given ids"},
		{"value is a text", "POST", "/service-policies", sp("@nope"), 400, "COULD_NOT_VALIDATE", "value", "[nope]"},
		{"#all with another", "POST", "/service-policies", sp("#all", "#x"), 400, "COULD_NOT_VALIDATE", "reason", "if using #all, it should be the only role specified"},
		{"config schema", "POST", "/configs", obj{"name": "x", "configTypeId": ct, "data": obj{"port": "x"}}, 400, "COULD_NOT_VALIDATE", "field", "port"},
		{"config data is no object", "POST", "/configs", obj{"name": "x", "configTypeId": ct, "data": 5}, 400, "COULD_NOT_PARSE_BODY", "", ""},
		{"unknown config type", "POST", "/configs", obj{"name": "x", "configTypeId": "nope", "data": obj{}}, 400, "COULD_NOT_VALIDATE", "reason", "invalid config type"},
		{"config type in use", "DELETE", "/config-types/" + ct, nil, 409, "CAN_NOT_DELETE_REFERENCED_ENTITY", "", ""},
		{"default auth policy", "DELETE", "/auth-policies/default", nil, 409, "CAN_NOT_DELETE_REFERENCED_ENTITY", "field", "authPolicyId"},
		{"default admin", "DELETE", "/identities/theAdmin00", nil, 400, "ENTITY_CAN_NOT_BE_DELETED", "", ""},
		{"router identity", "DELETE", "/identities/" + er, nil, 400, "ENTITY_CAN_NOT_BE_DELETED", "message", "cannot delete router identity er until associated router is deleted"},
		{"system policy", "DELETE", "/edge-router-policies/" + er, nil, 400, "ENTITY_CAN_NOT_BE_DELETED", "", ""},
		{"update of a system policy", "PATCH", "/edge-router-policies/" + er, obj{"name": "x"}, 400, "ENTITY_CAN_NOT_BE_UPDATED", "", ""},
		{"edge router as a transit router", "PATCH", "/transit-routers/" + er, obj{"cost": 1}, 409, "CAN_NOT_UPDATE_ROUTER", "", ""},
		{"second password", "POST", "/authenticators", obj{"identityId": user, "method": "updb", "username": "user2", "password": "secret"}, 409, "MAX_AUTHENTICATOR_METHODS_REACHED", "", ""},
		{"authenticator method", "POST", "/authenticators", obj{"identityId": user, "method": "x"}, 400, "COULD_NOT_VALIDATE", "reason", "method must be updb or cert"},
		{"enrollment in the past", "POST", "/enrollments", obj{"identityId": user, "method": "ott", "expiresAt": "2020-01-01T00:00:00Z"}, 400, "COULD_NOT_VALIDATE", "field", "expiresAt"},
		{"enrollment of nobody", "POST", "/enrollments", obj{"identityId": "nope", "method": "ott", "expiresAt": "2030-01-01T00:00:00Z"}, 400, "COULD_NOT_VALIDATE", "field", "identityId"},
		{"permission", "POST", "/identities", obj{"name": "x", "type": "User", "isAdmin": false, "permissions": []string{"nope"}}, 400, "COULD_NOT_VALIDATE", "field", "permissions.0"},
		{"revocation id", "POST", "/revocations", obj{"id": "x", "type": "JTI"}, 400, "COULD_NOT_VALIDATE", "field", "id"},
		{"terminator of nothing", "POST", "/terminators", obj{"service": "nope", "router": er, "binding": "transport", "address": "tcp:a:1"}, 404, "NOT_FOUND", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			r := f.do(tt.method, m("%s", tt.path), tt.body).status(tt.status).is("error.code", tt.code)
			if tt.at != "" {
				r.is("error.cause."+tt.at, tt.want)
			}
		})
	}
}

func TestNonAdminsAndIdentities(t *testing.T) {
	f := newFixture(t)
	f.callers["helper"] = &Caller{IdentityID: "helper", SessionID: "c", Permissions: []string{"identity", "enrollment"}}
	as := []string{"zt-session", "helper"}
	user := f.do("POST", m("/identities"), obj{"name": "u", "type": "User", "isAdmin": false}, as...).status(201).id()
	for _, tt := range []struct {
		name, method, path string
		body               any
	}{
		{"create an admin", "POST", "/identities", obj{"name": "x", "type": "User", "isAdmin": true}},
		{"create with permissions", "POST", "/identities", obj{"name": "x", "type": "User", "isAdmin": false, "permissions": []string{"ops"}}},
		{"PUT", "PUT", "/identities/" + user, obj{"name": "x", "type": "User", "isAdmin": false}},
		{"grant", "PATCH", "/identities/" + user, obj{"permissions": []string{"ops"}}},
		{"promote", "PATCH", "/identities/" + user, obj{"isAdmin": true}},
		{"patch an admin", "PATCH", "/identities/" + f.admin, obj{"name": "x"}},
		{"delete an admin", "DELETE", "/identities/" + f.admin, nil},
		{"disable an admin", "POST", "/identities/" + f.admin + "/disable", obj{"durationMinutes": 0}},
		{"enroll an admin", "POST", "/enrollments", obj{"identityId": f.admin, "method": "ott", "expiresAt": "2030-01-01T00:00:00Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			f.do(tt.method, m("%s", tt.path), tt.body, as...).status(401).is("error.code", "UNAUTHORIZED")
		})
	}
	f.do("PATCH", m("/identities/%s", user), obj{"roleAttributes": []string{"a"}}, as...).status(200)
}

func TestPagingAndFilters(t *testing.T) {
	f := newFixture(t)
	fill(f, 60)
	q := func(s string) string { return m("/identities") + "?" + s }
	filter := func(s string) string { return "filter=" + url.QueryEscape(s) }
	for _, tt := range []struct {
		name, query          string
		rows, total          int
		limit, offset, first string
	}{
		{"default", "", 10, 61, "10", "0", "id00"},
		{"offset", "limit=5&offset=7", 5, 61, "5", "7", "id07"},
		{"above the end", "offset=100", 0, 61, "10", "100", ""},
		{"negative offset", "offset=-1", 10, 61, "10", "0", "id00"},
		{"zero limit", "limit=0", 10, 61, "10", "0", ""},
		{"all", "limit=-1", 61, 61, "9.223372036854776e+18", "0", ""},
		{"too many", "limit=1000", 61, 61, "500", "0", ""},
		{"limit of the filter wins", filter("true limit 3") + "&limit=7", 3, 61, "3", "0", ""},
		{"none", filter("limit none"), 61, 61, "9.223372036854776e+18", "0", ""},
		{"skip", filter("true skip 2 limit 2"), 2, 61, "2", "2", "id02"},
		{"by name", filter(`name = "n05"`), 1, 1, "10", "0", "id05"},
		{"by id", filter(`id = "id09"`), 1, 1, "10", "0", "id09"},
		{"by one of two ids", filter(`id in ["id09","id03","nope"]`), 2, 2, "10", "0", "id03"},
		{"id or name", filter(`id = "n07" or name = "n07"`), 1, 1, "10", "0", "id07"},
		{"by attribute", filter(`anyOf(roleAttributes) = "even"`), 10, 30, "10", "0", "id00"},
		{"indexed and more", filter(`anyOf(roleAttributes) = "even" and name > "n50"`), 4, 4, "10", "0", "id52"},
		{"sorted", "sort=name+desc&limit=2", 2, 61, "2", "0", "id59"},
		{"sorted page", "sort=name+desc&limit=2&offset=58", 2, 61, "2", "58", "id01"},
		{"sorted and filtered", filter(`name contains "n1" sort by name desc limit 1`), 1, 10, "1", "0", "id19"},
		{"tags", filter(`tags.n = 3.0`), 1, 1, "10", "0", "id03"},
		{"roles", "roleFilter=%23even&roleFilter=%23third", 10, 10, "10", "0", "id00"},
		{"any role", "roleFilter=%23even&roleFilter=%23third&roleSemantic=AnyOf", 10, 40, "10", "0", "id00"},
		{"role and id", "roleFilter=%23none&roleFilter=%40id07&roleFilter=%40nope", 1, 1, "10", "0", "id07"},
		{"role and filter", "roleFilter=%23even&" + filter(`name = "n05"`), 0, 0, "10", "0", ""},
		{"bool", filter("isAdmin"), 1, 1, "10", "0", ""},
		{"null", filter("externalId = null and not isAdmin"), 10, 60, "10", "0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do("GET", q(tt.query), nil).status(200)
			rows := a.at("data").([]any)
			if len(rows) != tt.rows {
				t.Errorf("%d rows, want %d", len(rows), tt.rows)
			}
			a.is("meta.pagination.totalCount", tt.total).is("meta.pagination.limit", tt.limit).is("meta.pagination.offset", tt.offset)
			if tt.first != "" {
				a.is("data.0.id", tt.first)
			}
		})
	}
}

// fill makes n identities id00, id01, ... with names and attributes.
func fill(f *fixture, n int) {
	cmd := state.NewCommand(f.now, state.Author{}, state.Source{})
	for i := range n {
		e := &model.Identity{Name: fmt.Sprintf("n%02d", i), Type: model.IdentityDefault}
		e.ID = fmt.Sprintf("id%02d", i)
		e.Tags = model.Tags{"n": float64(i)}
		if i%2 == 0 {
			e.RoleAttributes = append(e.RoleAttributes, "even")
		}
		if i%3 == 0 {
			e.RoleAttributes = append(e.RoleAttributes, "third")
		}
		cmd.Create(e)
	}
	f.apply(cmd)
}

func TestAsIdentity(t *testing.T) {
	f := newFixture(t)
	u := f.create("identities", obj{"name": "u", "type": "User", "isAdmin": false})
	s := f.create("services", obj{"name": "s", "encryptionRequired": true})
	f.create("services", obj{"name": "hidden", "encryptionRequired": true})
	f.create("service-policies", obj{"name": "p", "type": "Bind", "semantic": "AnyOf", "identityRoles": []string{"@" + u}, "serviceRoles": []string{"@" + s}})
	for _, who := range []string{u, "u"} {
		f.do("GET", m("/services?asIdentity=%s", who), nil).status(200).is("meta.pagination.totalCount", 1).is("data.0.permissions", "[Bind]")
	}
	f.do("GET", m("/services?asIdentity=nope"), nil).status(404)
	f.do("GET", m("/identities/%s/services?policyType=dial", u), nil).is("meta.pagination.totalCount", 0)
	f.do("GET", m("/identities/%s/services?policyType=bind", u), nil).is("meta.pagination.totalCount", 1)
	f.do("GET", m("/services/%s/identities?policyType=bind", s), nil).is("data.0.id", u)
}

func TestPasswords(t *testing.T) {
	f := newFixture(t)
	user := f.create("identities", obj{"name": "user", "type": "User", "isAdmin": false})
	a := f.create("authenticators", obj{"identityId": user, "method": "updb", "username": "user", "password": "first"})
	hash := func() string { return state.Get[model.Authenticator](f.store.View(), a).PasswordHash }
	f.do("PATCH", m("/authenticators/%s", a), obj{"password": "second"}).status(200)
	if hash() != "hash:second" {
		t.Error("PATCH:", hash())
	}
	f.do("PUT", m("/authenticators/%s", a), obj{"password": "third", "username": "name"}).status(200)
	if hash() != "hash:third" || state.Get[model.Authenticator](f.store.View(), a).Username != "name" {
		t.Error("PUT:", hash())
	}
	short := f.do("PATCH", m("/authenticators/%s", a), obj{"password": "abc"}).status(400)
	if strings.Contains(short.ResponseRecorder.Body.String(), "abc") {
		t.Error("the password is echoed")
	}
	f.callers["user"] = &Caller{IdentityID: user, SessionID: "c"}
	own := c("/current-identity/authenticators/%s", a)
	f.do("PATCH", own, obj{"currentPassword": "wrong", "password": "fourth"}, "zt-session", "user").status(401).is("error.cause.field", "currentPassword")
	f.do("PATCH", own, obj{"currentPassword": "third", "password": "fourth"}, "zt-session", "user").status(200)
	if hash() != "hash:fourth" {
		t.Error("own PATCH:", hash())
	}
	f.do("PATCH", c("/current-identity/authenticators/adminUpdb"), obj{"currentPassword": "secret", "password": "stolen"}, "zt-session", "user").status(404)
	if text := f.do("GET", m("/authenticators?limit=-1"), nil).ResponseRecorder.Body.String(); strings.Contains(text, "hash:") {
		t.Error("a hash is shown")
	}
	f.do("GET", m("/authenticators?filter=updbPassword%%3D%%22x%%22"), nil).status(400)
	id := f.do("POST", m("/authenticators/%s/re-enroll", a), obj{"expiresAt": "2030-01-01T00:00:00Z"}).status(201).id()
	f.do("GET", m("/enrollments/%s", id), nil).is("data.method", "updb")
	f.do("GET", m("/authenticators/%s", a), nil).status(404)
}

// TestTokensStaySecret: who may read sessions or enrollments must not gain the
// rights of admins by them, neither by looking nor by guessing with filters.
func TestTokensStaySecret(t *testing.T) {
	f := newFixture(t)
	f.callers["reader"] = &Caller{IdentityID: "reader", SessionID: "c", Permissions: []string{"admin_readonly", "ops"}}
	f.create("enrollments", obj{"identityId": f.admin, "method": "ott", "expiresAt": "2030-01-01T00:00:00Z"})
	user := f.create("identities", obj{"name": "u", "type": "User", "isAdmin": false, "enrollment": obj{"ott": true}})
	as := []string{"zt-session", "reader"}
	f.do("GET", m("/api-sessions"), nil, as...).is("data.0.token", "")
	f.do("GET", m("/api-sessions/cAdmin"), nil, as...).is("data.token", "")
	f.do("GET", m("/api-sessions/cAdmin"), nil).is("data.token", "admin")
	f.do("GET", m("/api-sessions?filter=token%%20contains%%20%%22a%%22"), nil, as...).is("meta.pagination.totalCount", 0)
	f.do("GET", m("/identities/%s", f.admin), nil, as...).is("data.enrollment.ott.token", "").is("data.enrollment.ott.jwt", "")
	f.do("GET", m("/identities/%s/enrollments", f.admin), nil, as...).is("data.0.token", "").is("data.0.jwt", "")
	f.do("GET", m("/identities/%s", f.admin), nil).is("data.enrollment.ott.jwt", "jwt-of-ott")
	// Who only reads must not become anybody else; who may enrol others sees what it has made.
	f.do("GET", m("/identities/%s", user), nil, as...).is("data.enrollment.ott.jwt", "")
	f.do("GET", m("/enrollments?filter=token%%20contains%%20%%22-%%22"), nil, as...).is("meta.pagination.totalCount", 0)
	f.callers["reader"].Permissions = []string{"identity.read", "enrollment"}
	f.do("GET", m("/identities/%s", user), nil, as...).is("data.enrollment.ott.jwt", "jwt-of-ott")
	f.do("GET", m("/enrollments?filter=token%%20contains%%20%%22-%%22"), nil, as...).is("meta.pagination.totalCount", 1)
}
