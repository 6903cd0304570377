package field

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// cliUser is the command line of the ecosystem, logged in as it does where there
// is no OIDC.
type cliUser struct {
	*manager
	t testing.TB
}

// newCLI learns the authorities, checks that the server leads to them, and logs
// in.
func newCLI(t testing.TB, n *network) *cliUser {
	t.Helper()
	for range 2 {
		b := openBurst(t, n.url(""), nil, trusting(n.CA))
		readBundle(t, b.send("GET", "/.well-known/est/cacerts", "*/*", "", nil))
		b.end()
	}
	c := &cliUser{&manager{base: n.url("/edge/management/v1"), http: plainClient(n.CA)}, t}
	d := c.call(t, "GET", "/version", nil, 200).at("data")
	for _, ability := range d.at("capabilities").texts() {
		if ability == "OIDC_AUTH" {
			t.Fatal("the controller announces OIDC: this is the legacy login")
		}
	}
	c.call(t, "GET", "/version", nil, 200).at("data", "apiVersions", "edge-management", "v1", "path").want("/edge/management/v1")
	if err := c.login(adminUser, adminPassword); err != nil {
		t.Fatal(err)
	}
	c.call(t, "GET", "/controllers", nil, 200).page(10, 0, 1)
	return c
}

// on is the same for a part of the test.
func (c *cliUser) on(t testing.TB) *cliUser { return &cliUser{c.manager, t} }

// lookup finds the id of a name or id by two filters.
func (c *cliUser) lookup(plural, x string) string {
	c.t.Helper()
	list := c.find(c.t, plural, `id="`+x+`"`)
	if len(list) == 0 {
		list = c.find(c.t, plural, `name="`+x+`"`)
	}
	if len(list) != 1 {
		c.t.Fatalf("%d %s are called %q, want one", len(list), plural, x)
	}
	return list[0].at("id").text()
}

// lookup1 finds the id with one filter.
func (c *cliUser) lookup1(plural, x string) string {
	c.t.Helper()
	list := c.find(c.t, plural, fmt.Sprintf(`id = "%s" or name="%s"`, x, x))
	if len(list) != 1 {
		c.t.Fatalf("%d %s are called %q, want one", len(list), plural, x)
	}
	return list[0].at("id").text()
}

// cliWorld is what the commands of TestCLI have made.
type cliWorld struct {
	kind, config, service, identity, router string
	servicePolicy, erp, serp, terminator    string
	name                                    string // of all of them
}

// TestCLI runs the commands for every entity of this network.
func TestCLI(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newCLI(t, n)
	w := c.createAll(unique("cli"))
	t.Run("lists", func(t *testing.T) { c.on(t).lists(w) })
	t.Run("updates", func(t *testing.T) { c.on(t).updates(w) })
	t.Run("policy advice", func(t *testing.T) { c.on(t).advise(n, w) })
	t.Run("authenticators", func(t *testing.T) { c.on(t).authenticators(n, w) })
	t.Run("enrollments", func(t *testing.T) { c.on(t).enrollments(w) })
	t.Run("routers", func(t *testing.T) { c.on(t).reEnroll(w) })
	t.Run("refusals", func(t *testing.T) { c.on(t).refusals(w) })
	t.Run("deletes", func(t *testing.T) { c.on(t).deletes(w) })
}

// createAll is every create command.
func (c *cliUser) createAll(name string) *cliWorld {
	c.t.Helper()
	w := &cliWorld{name: name}
	type m = map[string]any
	none := m{}
	w.kind = c.create(c.t, "config-types", m{"name": name, "tags": none, "schema": m{"type": "object"}})
	w.config = c.create(c.t, "configs", m{"configTypeId": c.lookup("config-types", name), "data": m{"port": 80}, "name": name, "tags": none})
	w.service = c.create(c.t, "services", m{"configs": []string{c.lookup1("configs", name)}, "encryptionRequired": true,
		"maxIdleTimeMillis": 0, "name": name, "roleAttributes": []string{name}, "tags": none})
	if list := c.find(c.t, "auth-policies", `id="default"`); len(list) != 1 {
		c.t.Fatalf("%d auth policies are called default", len(list))
	}
	w.identity = c.create(c.t, "identities", m{"authPolicyId": "default", "defaultHostingCost": 0, "enrollment": m{"ott": true}, "isAdmin": false,
		"name": name, "permissions": nil, "roleAttributes": []string{name}, "serviceHostingCosts": none, "serviceHostingPrecedences": none,
		"tags": none, "type": "Default"})
	c.call(c.t, "GET", "/identities/"+w.identity, nil, 200).at("data", "enrollment", "ott", "jwt")
	w.servicePolicy = c.create(c.t, "service-policies", m{"identityRoles": []string{"@" + c.lookup("identities", name)}, "name": name,
		"postureCheckRoles": []string{}, "semantic": "AnyOf", "serviceRoles": []string{"@" + c.lookup("services", name)}, "tags": none, "type": "Dial"})
	w.router = c.create(c.t, "edge-routers", m{"appData": nil, "cost": 0, "disabled": false, "isTunnelerEnabled": false, "name": name,
		"noTraversal": false, "roleAttributes": []string{name}, "tags": none})
	d := c.call(c.t, "GET", "/edge-routers/"+w.router, nil, 200).at("data")
	if k := readTicket(c.t, d.at("enrollmentJwt").text()); k.claims.EM != "erott" || k.claims.SUB != w.router {
		c.t.Errorf("the router's token is for %+v", k.claims)
	}
	w.erp = c.create(c.t, "edge-router-policies", m{"edgeRouterRoles": []string{"@" + c.lookup("edge-routers", name)},
		"identityRoles": []string{"@" + c.lookup("identities", name)}, "name": name, "semantic": "AnyOf", "tags": none})
	w.serp = c.create(c.t, "service-edge-router-policies", m{"edgeRouterRoles": []string{"#all"}, "name": name, "semantic": "AnyOf",
		"serviceRoles": []string{"@" + c.lookup("services", name)}, "tags": none})
	w.terminator = c.create(c.t, "terminators", m{"address": "tcp:localhost:80", "binding": "edge_transport", "identity": "",
		"router": c.lookup("edge-routers", name), "service": c.lookup("services", name), "tags": none, "cost": 10, "precedence": "required"})
	return w
}

// lists is every list command.
func (c *cliUser) lists(w *cliWorld) {
	for _, plural := range []string{"api-sessions", "auth-policies", "authenticators", "config-types", "configs", "edge-router-policies",
		"edge-routers", "enrollments", "identities", "service-edge-router-policies", "service-policies", "services", "sessions", "terminators",
		"edge-router-role-attributes", "identity-role-attributes", "service-role-attributes", "posture-check-role-attributes",
		"identity-types", "external-jwt-signers"} {
		d := c.call(c.t, "GET", "/"+plural, nil, 200)
		d.at("data").list()
		d.at("meta", "filterableFields").list()
		p := d.at("meta", "pagination")
		p.at("totalCount").number()
		p.at("offset").want(0)
		if !strings.HasSuffix(plural, "role-attributes") {
			p.at("limit").want(10)
		}
	}
	network := c.call(c.t, "GET", "/network-jwts", nil, 200).at("data").list()
	if len(network) != 1 || network[0].at("token").text() == "" {
		c.t.Errorf("network JWTs: %v", network)
	}
	d := c.call(c.t, "GET", "/summary", nil, 200)
	d.has("meta")
	for _, store := range []string{"apiSessions", "authenticators", "configs", "edgeRouterPolicies", "enrollments", "identities", "routers",
		"routers.edge", "servicePolicies", "services", "services.edge", "sessions", "terminators", "cas", "mfas", "controllers"} {
		d.at("data", store).number()
	}
	byFilter := c.find(c.t, "services", `name contains "`+w.name+`" sort by name limit none`)
	if len(byFilter) != 1 || byFilter[0].at("name").text() != w.name {
		c.t.Errorf("services by filter: %v", byFilter)
	}
	for _, of := range [][3]string{
		{"configs", "services", w.service}, {"config-types", "configs", w.config}, {"edge-routers", "edge-router-policies", w.erp},
		{"identities", "services", w.service}, {"identities", "service-policies", w.servicePolicy}, {"identities", "edge-router-policies", w.erp},
		{"identities", "edge-routers", w.router}, {"services", "terminators", w.terminator}, {"services", "configs", w.config},
		{"services", "identities", w.identity}, {"services", "service-policies", w.servicePolicy}, {"services", "service-edge-router-policies", w.serp},
		{"services", "edge-routers", w.router}, {"service-policies", "identities", w.identity}, {"service-policies", "services", w.service},
		{"edge-router-policies", "edge-routers", w.router}, {"edge-router-policies", "identities", w.identity},
		{"service-edge-router-policies", "services", w.service}, {"service-edge-router-policies", "edge-routers", w.router},
	} {
		id := c.lookup(of[0], w.name)
		list := c.find(c.t, of[0]+"/"+id+"/"+of[1], `id="`+of[2]+`"`)
		if len(list) != 1 || list[0].at("id").text() != of[2] {
			c.t.Errorf("%s of %s: %v, want %s", of[1], of[0], list, of[2])
		}
	}
}

// updates is every update command: only the changed members are sent.
func (c *cliUser) updates(w *cliWorld) {
	type m = map[string]any
	for _, u := range []struct {
		plural string
		body   m
		check  func(d doc)
	}{
		{"config-types", m{"schema": m{"type": "object", "required": []string{"port"}}}, func(d doc) { d.at("schema", "type").want("object") }},
		{"configs", m{"data": m{"port": 81}}, func(d doc) { d.at("data", "port").want(81) }},
		{"services", m{"terminatorStrategy": "random"}, func(d doc) { d.at("terminatorStrategy").want("random") }},
		{"services", m{"roleAttributes": []string{}}, func(d doc) { d.has("roleAttributes") }},
		{"services", m{"tags": m{"a": "b"}}, func(d doc) { d.at("tags", "a").want("b") }},
		{"identities", m{"roleAttributes": []string{w.name, "more"}}, func(d doc) { d.at("roleAttributes").list()[1].want("more") }},
		{"identities", m{"externalId": w.name}, func(d doc) { d.at("externalId").want(w.name) }},
		{"edge-routers", m{"noTraversal": true}, func(d doc) { d.at("noTraversal").want(true) }},
		{"edge-routers", m{"cost": 3, "appData": m{"a": "b"}}, func(d doc) { d.at("cost").want(3); d.at("appData", "a").want("b") }},
		{"service-policies", m{"semantic": "AllOf"}, func(d doc) { d.at("semantic").want("AllOf") }},
		{"edge-router-policies", m{"edgeRouterRoles": []string{"#all"}}, func(d doc) { d.at("edgeRouterRoles").list()[0].want("#all") }},
		{"service-edge-router-policies", m{"semantic": "AllOf"}, func(d doc) { d.at("semantic").want("AllOf") }},
	} {
		id := c.lookup(u.plural, w.name)
		c.done(c.t, "PATCH", "/"+u.plural+"/"+id, u.body)
		d := c.call(c.t, "GET", "/"+u.plural+"/"+id, nil, 200).at("data")
		d.at("name").want(w.name)
		u.check(d)
	}
	c.done(c.t, "PATCH", "/terminators/"+w.terminator, m{"cost": 20})
	d := c.call(c.t, "GET", "/terminators/"+w.terminator, nil, 200).at("data")
	d.at("cost").want(20)
	d.at("precedence").want("required")
	d.at("service", "name").want(w.name)
}

// advise is the policy advisor: pages of two until one beyond the end is empty.
func (c *cliUser) advise(n *network, w *cliWorld) {
	role := unique("advised")
	for range 3 {
		n.admin.service(c.t, unique("advised"), false, role)
	}
	identity := c.lookup("identities", w.name)
	c.done(c.t, "PATCH", "/identities/"+identity, map[string]any{"roleAttributes": []string{role}})
	seen := 0
	for skip := 0; ; skip += 2 {
		path := "/identities/" + identity + "/services?filter=" + url.QueryEscape(fmt.Sprintf("filter=true skip %d limit 2", skip)[len("filter="):])
		list := c.call(c.t, "GET", path, nil, 200).page(2, skip, 4)
		if len(list) == 0 {
			break
		}
		for _, s := range list {
			seen++
			d := c.call(c.t, "GET", "/identities/"+identity+"/policy-advice/"+s.at("id").text(), nil, 200)
			d.has("meta")
			a := d.at("data")
			a.at("identity", "name").want(w.name)
			a.at("service", "name").want(s.at("name").text())
			a.at("isDialAllowed").want(true)
			a.at("isBindAllowed").want(s.at("id").text() != w.service)
			a.at("identityRouterCount").number()
			a.at("serviceRouterCount").number()
			for _, r := range a.at("commonRouters").list() {
				r.at("isOnline").flag()
				r.at("name")
			}
		}
	}
	if seen != 4 {
		c.t.Errorf("%d services in pages of two, want 4", seen)
	}
	mirror := "/services/" + w.service + "/identities?filter=" + url.QueryEscape("true skip 0 limit 2")
	if list := c.call(c.t, "GET", mirror, nil, 200).page(2, 0, 1); list[0].at("id").text() != identity {
		c.t.Errorf("identities of the service: %v", list)
	}
	hosts := "/services/" + w.service + "/identities?filter=" + url.QueryEscape("limit none") + "&policyType=bind"
	if list := c.call(c.t, "GET", hosts, nil, 200).at("data").list(); len(list) != 0 {
		c.t.Errorf("identities that may host the service: %v", list)
	}
}

// authenticators creates one with a password, logs in with it and changes it.
func (c *cliUser) authenticators(n *network, w *cliWorld) {
	identity := c.lookup("identities", w.name)
	mine := fmt.Sprintf(`identity="%s" and method="updb"`, identity)
	if list := c.find(c.t, "authenticators", mine); len(list) != 0 {
		c.t.Errorf("%d authenticators already", len(list))
	}
	body := map[string]any{"identityId": identity, "method": "updb", "password": "secret-1", "username": w.name}
	id := c.create(c.t, "authenticators", body)
	body["username"] = unique("other")
	c.call(c.t, "POST", "/authenticators", body, 409).refusal("MAX_AUTHENTICATOR_METHODS_REACHED")
	if list := c.find(c.t, "authenticators", mine); len(list) != 1 || list[0].at("id").text() != id || list[0].at("username").text() != w.name {
		c.t.Errorf("authenticators: %v", list)
	}
	self := &cliUser{&manager{base: n.url("/edge/management/v1"), http: plainClient(n.CA)}, c.t}
	if err := self.login(w.name, "secret-1"); err != nil {
		c.t.Fatal(err)
	}
	own := self.find(c.t, "current-identity/authenticators", `method="updb"`)
	if len(own) != 1 {
		c.t.Fatalf("%d own authenticators", len(own))
	}
	path := "/current-identity/authenticators/" + own[0].at("id").text()
	self.done(c.t, "PATCH", path, map[string]any{"currentPassword": "secret-1", "password": "secret-2"})
	a, err := self.send("PATCH", path, map[string]any{"currentPassword": "wrong-pw", "password": "secret-3"})
	if err != nil || a.status != 401 || strings.Contains(string(a.raw), "wrong-pw") {
		c.t.Errorf("a wrong current password: %+v, %v", a, err)
	}
	self.token = ""
	if err := self.login(w.name, "secret-1"); err == nil {
		c.t.Error("the old password still works")
	}
	if err := self.login(w.name, "secret-2"); err != nil {
		c.t.Error(err)
	}
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	made := c.call(c.t, "POST", "/authenticators/"+id+"/re-enroll", map[string]any{"expiresAt": until}, 201).at("data", "id").text()
	e := c.call(c.t, "GET", "/enrollments/"+made, nil, 200).at("data")
	e.at("method").want("updb")
	c.enrollUpdb(n, e.at("jwt").text(), w.name)
}

// enrollUpdb sets a password with an enrolment token.
func (c *cliUser) enrollUpdb(n *network, token, username string) {
	k := readTicket(c.t, token)
	root := &manager{base: n.url(""), http: plainClient(n.CA)}
	root.call(c.t, "GET", "/", nil, 200).at("data", "version")
	d := root.call(c.t, "POST", "/edge/client/v1/enroll?method=updb&token="+k.claims.JTI, map[string]any{"password": "secret-4", "username": username}, 200)
	d.at("data", "username").want(username)
	again := &manager{base: n.url("/edge/management/v1"), http: plainClient(n.CA)}
	if err := again.login(username, "secret-4"); err != nil {
		c.t.Error(err)
	}
}

// enrollments creates, refuses a second one of the method, refreshes, deletes.
func (c *cliUser) enrollments(w *cliWorld) {
	identity := c.lookup("identities", w.name)
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	body := map[string]any{"expiresAt": until, "identityId": identity, "method": "ott"}
	c.call(c.t, "POST", "/enrollments", body, 409).refusal("ENROLLMENT_EXISTS", "method")
	for _, e := range c.call(c.t, "GET", "/identities/"+identity+"/enrollments", nil, 200).at("data").list() {
		c.done(c.t, "DELETE", "/enrollments/"+e.at("id").text(), nil)
	}
	id := c.create(c.t, "enrollments", body)
	first := c.call(c.t, "GET", "/enrollments/"+id, nil, 200).at("data", "token").text()
	c.call(c.t, "POST", "/enrollments/"+id+"/refresh", map[string]any{"expiresAt": until}, 200)
	if c.call(c.t, "GET", "/enrollments/"+id, nil, 200).at("data", "token").text() == first {
		c.t.Error("refresh keeps the token")
	}
	body["expiresAt"] = time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	body["method"], body["username"] = "updb", unique("user")
	if a, err := c.send("POST", "/enrollments", body); err != nil || a.status != 400 {
		c.t.Errorf("an enrolment in the past: %+v, %v", a, err)
	}
}

func (c *cliUser) reEnroll(w *cliWorld) {
	id := c.lookup("edge-routers", w.name)
	before := c.call(c.t, "GET", "/edge-routers/"+id, nil, 200).at("data", "enrollmentToken").text()
	c.call(c.t, "POST", "/edge-routers/"+id+"/re-enroll", nil, 200)
	if c.call(c.t, "GET", "/edge-routers/"+id, nil, 200).at("data", "enrollmentToken").text() == before {
		c.t.Error("re-enroll keeps the token")
	}
}

// refusals are errors that users of the command line meet.
func (c *cliUser) refusals(w *cliWorld) {
	type m = map[string]any
	for _, r := range []struct {
		method, path string
		body         any
		status       int
		code, cause  string
	}{
		{"POST", "/services", m{"name": w.name, "encryptionRequired": true}, 400, "COULD_NOT_VALIDATE", "name must be unique"},
		{"POST", "/services", m{"encryptionRequired": true}, 400, "COULD_NOT_VALIDATE", "name"},
		{"POST", "/services", m{"name": unique("x"), "encryptionRequired": true, "configs": []string{"nope"}}, 404, "NOT_FOUND", "config with id nope"},
		{"POST", "/identities", m{"name": w.name, "type": "Default", "isAdmin": false}, 400, "COULD_NOT_VALIDATE", "duplicate value '" + w.name + "' in unique index on identities store"},
		{"POST", "/configs", m{"name": unique("x"), "configTypeId": "nope", "data": m{}}, 400, "COULD_NOT_VALIDATE", "invalid config type"},
		{"POST", "/service-policies", m{"name": unique("x"), "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"@nope"}}, 400, "COULD_NOT_VALIDATE", "no identities found with the given ids"},
		{"POST", "/service-policies", m{"name": unique("x"), "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"#all", "#x"}}, 400, "COULD_NOT_VALIDATE", "if using #all, it should be the only role specified"},
		{"GET", "/services?filter=" + url.QueryEscape("name ~ 3"), nil, 400, "INVALID_FILTER", "Unexpected symbol"},
		{"GET", "/services?filter=" + url.QueryEscape("colour = 3"), nil, 400, "INVALID_FILTER", "unknown symbol 'colour'"},
		{"GET", "/services/nope", nil, 404, "NOT_FOUND", "service with id nope not found"},
		{"PATCH", "/identities/nope", m{"name": "x"}, 404, "NOT_FOUND", "nope"},
		{"DELETE", "/edge-routers/nope", nil, 404, "NOT_FOUND", "nope"},
		{"DELETE", "/identities/nope", nil, 404, "NOT_FOUND", "nope"},
		{"GET", "/nope", nil, 404, "NOT_FOUND", "path /edge/management/v1/nope was not found"},
		{"PUT", "/services", m{}, 405, "METHOD_NOT_ALLOWED", "method PUT is not allowed"},
	} {
		c.call(c.t, r.method, r.path, r.body, r.status).refusal(r.code, r.cause)
	}
	stranger := &manager{base: c.base, http: c.http}
	a, err := stranger.send("GET", "/services", nil)
	if err != nil || a.status != http.StatusUnauthorized || !strings.Contains(a.header.Get("WWW-Authenticate"), `zt-session realm="zt-session" error="missing"`) {
		c.t.Errorf("without a session: %+v, %v", a, err)
	}
	parse(c.t, a.raw, "without a session").refusal("UNAUTHORIZED")
	stranger.token = "0b0e8a6e-7ab0-4a55-8a3b-5c7f2d3c7a10"
	a, err = stranger.send("GET", "/services", nil)
	if err != nil || a.status != http.StatusUnauthorized || !strings.Contains(a.header.Get("WWW-Authenticate"), `error="invalid"`) {
		c.t.Errorf("with an unknown session: %+v, %v", a, err)
	}
}

// deletes is every delete command, and the way back to nothing.
func (c *cliUser) deletes(w *cliWorld) {
	for _, plural := range []string{"service-edge-router-policies", "edge-router-policies", "service-policies", "services", "configs",
		"config-types", "edge-routers", "identities"} {
		id := c.lookup1(plural, w.name)
		c.done(c.t, "DELETE", "/"+plural+"/"+id, nil)
		c.call(c.t, "DELETE", "/"+plural+"/"+id, nil, 404).refusal("NOT_FOUND", id)
		if list := c.find(c.t, plural, fmt.Sprintf(`id = "%s" or name="%s"`, w.name, w.name)); len(list) != 0 {
			c.t.Errorf("%s: %v", plural, list)
		}
	}
	if list := c.find(c.t, "terminators", `id="`+w.terminator+`"`); len(list) != 0 {
		c.t.Error("the terminator of the deleted service is left")
	}
	for _, e := range c.find(c.t, "services", `name contains "advised"`) {
		c.done(c.t, "DELETE", "/services/"+e.at("id").text(), nil)
	}
	c.call(c.t, "DELETE", "/identities/"+c.lookup1("identities", "Default Admin"), nil, 400).refusal("ENTITY_CAN_NOT_BE_DELETED")
}
