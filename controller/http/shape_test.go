package http

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

var timeText = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$`)

// shape replaces the values of a JSON value by the names of their types: what
// is left are the keys, and which values are null or empty.
func shape(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = shape(x, k)
		}
		return out
	case []any:
		if name == "filterableFields" {
			slices.SortFunc(v, func(a, b any) int { return compareText(a, b) })
			return v
		}
		if len(v) == 0 {
			return []any{}
		}
		return []any{shape(v[0], "")}
	case bool:
		return "bool"
	case float64:
		return "number"
	case string:
		if timeText.MatchString(v) {
			return "time"
		}
		return "string"
	}
	return nil
}

func compareText(a, b any) int {
	x, y := fmt.Sprint(a), fmt.Sprint(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// golden checks answers against the recorded shapes.
type golden struct {
	f    *fixture
	want map[string]struct {
		Status int
		Body   any
	}
	seen map[string]bool
	more []string // members that we send and the recordings lack, beside extra
}

func newGolden(t *testing.T, path string) *golden {
	g := &golden{f: newFixture(t), seen: map[string]bool{}}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g.want); err != nil {
		t.Fatal(err)
	}
	return g
}

// complete checks that no recorded shape was left out.
func (g *golden) complete() {
	for key := range g.want {
		if !g.seen[key] {
			g.f.t.Errorf("shape %q was not compared", key)
		}
	}
}

func (g *golden) step(key, method, path string, body any, headers ...string) *answer {
	g.f.t.Helper()
	want, ok := g.want[key]
	if !ok {
		g.f.t.Fatalf("no shape %q", key)
	}
	g.seen[key] = true
	a := g.f.do(method, path, body, headers...)
	if a.Code != want.Status {
		g.f.t.Errorf("%s: status %d, want %d: %s", key, a.Code, want.Status, a.ResponseRecorder.Body)
	}
	if want.Body == "string" { // an empty body
		if a.Body != nil {
			g.f.t.Errorf("%s: body %v, want none", key, a.Body)
		}
		return a
	}
	if e, ok := a.Body["error"].(map[string]any); ok {
		delete(e, "remedy") // ours alone
	}
	if diffs := difference("", shape(any(a.Body), ""), want.Body, g.more); len(diffs) > 0 {
		for _, d := range diffs {
			g.f.t.Errorf("%s: %s", key, d)
		}
	}
	return a
}

// extra are members that we send and the recordings lack: what is false or has
// a use of its own.
var extra = []string{"isBindAllowed", "username", "dial", "bind"}

// difference lists where two shapes differ.
func difference(path string, got, want any, more []string) []string {
	g, isMap := got.(map[string]any)
	w, wantMap := want.(map[string]any)
	if isMap && wantMap {
		var out []string
		for k, x := range w {
			y, ok := g[k]
			if !ok {
				out = append(out, fmt.Sprintf("%s.%s is missing", path, k))
				continue
			}
			out = append(out, difference(path+"."+k, y, x, more)...)
		}
		for k := range g {
			if _, ok := w[k]; !ok && !slices.Contains(extra, k) && !slices.Contains(more, k) {
				out = append(out, fmt.Sprintf("%s.%s is too much", path, k))
			}
		}
		return out
	}
	gl, isList := got.([]any)
	wl, wantList := want.([]any)
	if isList && wantList && len(gl) == 1 && len(wl) == 1 {
		return difference(path+"[0]", gl[0], wl[0], more)
	}
	if !reflect.DeepEqual(got, want) {
		return []string{fmt.Sprintf("%s is %v, want %v", path, got, want)}
	}
	return nil
}

func only(id string) string { return "?filter=" + url.QueryEscape(`id="`+id+`"`) }

// TestShapes walks through the life of every kind of entity and compares the
// keys, nulls and empty values of each answer with those that clients know.
func TestShapes(t *testing.T) {
	g := newGolden(t, "testdata/shapes.json")
	defer g.complete()
	var ids shapeIDs
	g.configs(&ids)
	g.identities(&ids)
	g.routers(&ids)
	g.policies(&ids)
	g.terminators(&ids)
	g.associations(&ids)
	g.authPolicies(&ids)
	g.sessions(&ids)
	g.rest(&ids)
}

type shapeIDs struct {
	configType, config, service, identity, user, edgeRouter, online, dial, erp, serp, terminator string
}

func (g *golden) configs(x *shapeIDs) {
	schema := obj{"$id": "http://example/sample", "type": "object", "properties": obj{"port": obj{"type": "integer"}}, "required": []string{"port"}}
	x.configType = g.step("config-types create", "POST", m("/config-types"), obj{"name": "sample-type", "schema": schema}).id()
	g.step("config-types detail", "GET", m("/config-types/%s", x.configType), nil)
	g.step("config-types patch", "PATCH", m("/config-types/%s", x.configType), obj{"name": "sample-type-2"})
	g.step("config-types list", "GET", m("/config-types%s", only(x.configType)), nil)
	tags := obj{"a": "b", "n": 1, "t": true, "z": nil, "nested": obj{"x": 1}}
	x.config = g.step("configs create", "POST", m("/configs"), obj{"configTypeId": x.configType, "data": obj{"port": 80}, "name": "sample-config", "tags": tags}).id()
	g.step("configs detail", "GET", m("/configs/%s", x.config), nil)
	g.step("configs patch", "PATCH", m("/configs/%s", x.config), obj{"data": obj{"port": 81}})
	g.step("configs put", "PUT", m("/configs/%s", x.config), obj{"data": obj{"port": 82}, "name": "sample-config"})
	g.step("configs list", "GET", m("/configs%s", only(x.config)), nil)
	x.service = g.step("services create", "POST", m("/services"), obj{"configs": []string{x.config}, "encryptionRequired": true, "name": "sample-service", "roleAttributes": []string{"web", "db"}}).id()
	g.step("services detail", "GET", m("/services/%s", x.service), nil)
	g.step("services patch", "PATCH", m("/services/%s", x.service), obj{"roleAttributes": []string{"web"}})
	g.step("services put", "PUT", m("/services/%s", x.service), obj{"configs": []string{x.config}, "encryptionRequired": true, "maxIdleTimeMillis": 0, "name": "sample-service", "roleAttributes": []string{"web"}, "terminatorStrategy": "smartrouting"})
	g.step("services list", "GET", m("/services"), nil)
	g.step("services configs", "GET", m("/services/%s/configs", x.service), nil)
	g.step("services terminators", "GET", m("/services/%s/terminators", x.service), nil)
	g.step("configs services", "GET", m("/configs/%s/services", x.config), nil)
	g.step("config-types configs", "GET", m("/config-types/%s/configs", x.configType), nil)
}

func (g *golden) identities(x *shapeIDs) {
	x.identity = g.step("identities create", "POST", m("/identities"), obj{"name": "sample-identity", "type": "Device", "isAdmin": false,
		"appData": obj{"k": "v"}, "enrollment": obj{"ott": true}, "roleAttributes": []string{"users"}}).id()
	one := "/identities/" + x.identity
	g.step("identities detail", "GET", m("%s", one), nil)
	g.step("identities patch", "PATCH", m("%s", one), obj{"roleAttributes": []string{"users", "devs"}})
	g.step("identities put", "PUT", m("%s", one), obj{"name": "sample-identity", "type": "Device", "isAdmin": false, "roleAttributes": []string{"users"}})
	g.step("identities list", "GET", m("/identities%s", only(x.identity)), nil)
	for _, sub := range []string{"authenticators", "enrollments", "service-policies", "services", "service-configs", "failed-service-requests"} {
		g.step("identities "+sub, "GET", m("%s/%s", one, sub), nil)
	}
	pair := []obj{{"configId": x.config, "serviceId": x.service}, {"configId": x.config, "serviceId": "gone"}}
	g.step("identities assign service config", "POST", m("%s/service-configs", one), pair)
	g.step("identities list service configs", "GET", m("%s/service-configs", one), nil)
	g.step("identities remove service config", "DELETE", m("%s/service-configs", one), pair)
	g.f.do("GET", m("%s/service-configs", one), nil).is("meta.pagination.totalCount", 0)
	if a := g.f.do("POST", m("%s/disable", one), obj{"durationMinutes": 10}).status(200); a.ResponseRecorder.Body.Len() != 0 || g.f.ended[0] != x.identity {
		g.f.t.Error("disable answers with a body, or did not end the sessions")
	}
	g.f.do("POST", m("%s/disable", one), obj{"durationMinutes": int64(1) << 50}).status(400)
	g.step("identities detail disabled", "GET", m("%s", one), nil)
	g.step("identities enable", "POST", m("%s/enable", one), nil)
	g.step("identities mfa remove when none", "DELETE", m("%s/mfa", one), nil)
	x.user = g.f.create("identities", obj{"name": "sample-user", "type": "User", "isAdmin": false, "enrollment": obj{"updb": "sample-user"}})
	g.step("identity-types list", "GET", m("/identity-types"), nil)
	g.step("identity-types detail", "GET", m("/identity-types/Default"), nil)
	g.step("role-attributes identity", "GET", m("/identity-role-attributes"), nil)
	g.step("role-attributes service", "GET", m("/service-role-attributes"), nil)

	g.step("enrollments list", "GET", m("/enrollments?filter=%s", url.QueryEscape(`identity="`+x.user+`"`)), nil)
	n := g.f.do("GET", m("/identities/%s/enrollments", x.user), nil).at("data.0.id").(string)
	g.step("enrollments detail", "GET", m("/enrollments/%s", n), nil)
	g.step("enrollments refresh", "POST", m("/enrollments/%s/refresh", n), obj{"expiresAt": "2027-01-01T00:00:00Z"})
	g.step("enrollments delete", "DELETE", m("/enrollments/%s", n), nil)
	g.step("enrollments create", "POST", m("/enrollments"), obj{"identityId": x.user, "method": "ott", "expiresAt": "2027-01-01T00:00:00Z"})
	a := g.step("authenticators create updb", "POST", m("/authenticators"), obj{"identityId": x.user, "method": "updb", "username": "sample-user", "password": "sample-pass"}).id()
	g.step("authenticators detail", "GET", m("/authenticators/%s", a), nil)
	g.step("authenticators list", "GET", m("/authenticators"), nil)
	g.step("authenticators patch", "PATCH", m("/authenticators/%s", a), obj{"password": "sample-pass"})
}

func (g *golden) routers(x *shapeIDs) {
	x.edgeRouter = g.step("edge-routers create", "POST", m("/edge-routers"), obj{"name": "sample-er", "isTunnelerEnabled": true, "roleAttributes": []string{"public"}}).id()
	g.step("edge-routers detail", "GET", m("/edge-routers/%s", x.edgeRouter), nil)
	g.step("edge-routers patch", "PATCH", m("/edge-routers/%s", x.edgeRouter), obj{"cost": 5})
	g.step("edge-routers put", "PUT", m("/edge-routers/%s", x.edgeRouter), obj{"name": "sample-er", "isTunnelerEnabled": true, "roleAttributes": []string{"public"}, "cost": 7, "noTraversal": true, "disabled": false})
	g.step("edge-routers list", "GET", m("/edge-routers%s", only(x.edgeRouter)), nil)
	g.step("edge-routers re-enroll", "POST", m("/edge-routers/%s/re-enroll", x.edgeRouter), nil)
	g.step("role-attributes edge-router", "GET", m("/edge-router-role-attributes"), nil)

	er := &model.EdgeRouter{Name: "router-instance-1", IsVerified: true, Fingerprint: "ab", CertPem: "PEM", RoleAttributes: []string{"public"}, IsTunnelerEnabled: true,
		Interfaces: []model.Interface{{Name: "lo", Addresses: []string{"127.0.0.1/8"}}}}
	er.ID = "0000000001"
	x.online = er.ID
	g.f.apply(state.NewCommand(g.f.now, state.Author{}, state.Source{}).AsSystem().Create(er))
	g.f.routers[er.ID] = RouterStatus{Online: true, Hostname: "127.0.0.1", Protocols: map[string]string{"tls": "tls://127.0.0.1:3022"}}

	tr := g.step("transit-routers create", "POST", m("/transit-routers"), obj{"name": "sample-tr", "cost": 1, "noTraversal": false}).id()
	g.step("transit-routers detail", "GET", m("/transit-routers/%s", tr), nil)
	g.step("transit-routers patch", "PATCH", m("/transit-routers/%s", tr), obj{"cost": 2})
	g.step("transit-routers put", "PUT", m("/transit-routers/%s", tr), obj{"name": "sample-tr", "cost": 3, "noTraversal": true})
	g.step("transit-routers list", "GET", m("/transit-routers%s", only(tr)), nil)
	g.step("routers list", "GET", m("/routers%s", only(tr)), nil)
	g.step("routers detail", "GET", m("/routers/%s", tr), nil)
	g.step("transit-routers delete", "DELETE", m("/transit-routers/%s", tr), nil)
}

func (g *golden) policies(x *shapeIDs) {
	users := []string{"#users", "@" + x.identity, "@" + x.user}
	x.dial = g.step("service-policies create", "POST", m("/service-policies"), obj{"name": "sample-dial", "type": "Dial", "semantic": "AnyOf", "identityRoles": users,
		"serviceRoles": []string{"#web"}, "postureCheckRoles": []string{"#pc"}}).id()
	g.step("service-policies detail", "GET", m("/service-policies/%s", x.dial), nil)
	g.step("service-policies patch", "PATCH", m("/service-policies/%s", x.dial), obj{"semantic": "AllOf"})
	g.step("service-policies put", "PUT", m("/service-policies/%s", x.dial), obj{"name": "sample-dial", "type": "Dial", "semantic": "AnyOf", "identityRoles": users, "serviceRoles": []string{"@" + x.service}})
	g.step("service-policies list", "GET", m("/service-policies"), nil)
	x.erp = g.step("edge-router-policies create", "POST", m("/edge-router-policies"), obj{"name": "sample-erp", "semantic": "AnyOf", "edgeRouterRoles": []string{"#public"}, "identityRoles": []string{"#users"}}).id()
	g.step("edge-router-policies detail", "GET", m("/edge-router-policies/%s", x.erp), nil)
	g.step("edge-router-policies patch", "PATCH", m("/edge-router-policies/%s", x.erp), obj{"semantic": "AllOf"})
	g.step("edge-router-policies put", "PUT", m("/edge-router-policies/%s", x.erp), obj{"name": "sample-erp", "semantic": "AnyOf", "edgeRouterRoles": []string{"#all"}, "identityRoles": []string{"#all"}})
	g.step("edge-router-policies list", "GET", m("/edge-router-policies?sort=createdAt%%20desc"), nil)
	x.serp = g.step("service-edge-router-policies create", "POST", m("/service-edge-router-policies"), obj{"name": "sample-serp", "semantic": "AnyOf", "edgeRouterRoles": []string{"#all"}, "serviceRoles": []string{"#web"}}).id()
	g.step("service-edge-router-policies detail", "GET", m("/service-edge-router-policies/%s", x.serp), nil)
	g.step("service-edge-router-policies patch", "PATCH", m("/service-edge-router-policies/%s", x.serp), obj{"semantic": "AllOf"})
	g.step("service-edge-router-policies put", "PUT", m("/service-edge-router-policies/%s", x.serp), obj{"name": "sample-serp", "semantic": "AnyOf", "edgeRouterRoles": []string{"#all"}, "serviceRoles": []string{"#all"}})
	g.step("service-edge-router-policies list", "GET", m("/service-edge-router-policies"), nil)
}

func (g *golden) terminators(x *shapeIDs) {
	x.terminator = g.step("terminators create", "POST", m("/terminators"), obj{"address": "tcp:127.0.0.1:9", "binding": "transport", "cost": 3, "identity": "inst-1", "precedence": "required", "router": x.online, "service": x.service}).id()
	g.step("terminators detail", "GET", m("/terminators/%s", x.terminator), nil)
	g.step("terminators patch", "PATCH", m("/terminators/%s", x.terminator), obj{"cost": 4})
	g.step("terminators put", "PUT", m("/terminators/%s", x.terminator), obj{"address": "tcp:127.0.0.1:10", "binding": "transport", "router": x.online, "service": x.service})
	g.step("terminators list", "GET", m("/terminators"), nil).is("data.0.precedence", "default")
}

func (g *golden) associations(x *shapeIDs) {
	for key, id := range map[string]string{
		"identities edge-router-policies": x.erp, "identities edge-routers": x.online,
		"services edge-routers": x.edgeRouter, "services identities": x.identity, "services service-edge-router-policies": x.serp, "services service-policies": x.dial,
		"service-policies identities": x.identity, "service-policies services": x.service,
		"edge-router-policies identities": x.identity, "edge-router-policies edge-routers": x.edgeRouter,
		"service-edge-router-policies services": x.service, "service-edge-router-policies edge-routers": x.edgeRouter,
		"edge-routers edge-router-policies": x.erp, "edge-routers service-edge-router-policies": x.serp, "edge-routers services": x.service,
	} {
		var plural, sub string
		fmt.Sscan(key, &plural, &sub)
		parent := map[string]string{"identities": x.identity, "services": x.service, "service-policies": x.dial, "edge-router-policies": x.erp,
			"service-edge-router-policies": x.serp, "edge-routers": x.edgeRouter}[plural]
		g.step(key, "GET", m("/%s/%s/%s%s", plural, parent, sub, only(id)), nil).is("data.0.id", id)
		g.f.do("GET", m("/%s/unknown/%s", plural, sub), nil).status(200).is("meta.pagination.totalCount", 0)
	}
	g.step("service-policies posture-checks", "GET", m("/service-policies/%s/posture-checks", x.dial), nil)
}

func (g *golden) authPolicies(x *shapeIDs) {
	cert, jwt := obj{"allowed": true, "allowExpiredCerts": false}, obj{"allowed": false, "allowedSigners": []string{}}
	updb := obj{"allowed": true, "lockoutDurationMinutes": 5, "maxAttempts": 3, "minPasswordLength": 8, "requireMixedCase": false, "requireNumberChar": false, "requireSpecialChar": false}
	body := obj{"name": "sample-ap", "primary": obj{"cert": cert, "extJwt": jwt, "updb": updb}, "secondary": obj{"requireTotp": false, "requireExtJwtSigner": nil}}
	id := g.step("auth-policies create", "POST", m("/auth-policies"), body).id()
	g.step("auth-policies detail", "GET", m("/auth-policies/%s", id), nil)
	g.step("auth-policies patch", "PATCH", m("/auth-policies/%s", id), obj{"secondary": obj{"requireTotp": true}})
	g.f.do("GET", m("/auth-policies/%s", id), nil).is("data.secondary.requireTotp", true).is("data.primary.updb.maxAttempts", 3)
	g.step("auth-policies put", "PUT", m("/auth-policies/%s", id), body)
	g.step("auth-policies list", "GET", m("/auth-policies"), nil)
	g.step("auth-policies delete", "DELETE", m("/auth-policies/%s", id), nil)
	g.step("revocations create", "POST", m("/revocations"), obj{"id": "b319e076-1e8c-4fe8-a59e-87570338a9eb", "type": "JTI"})
	g.step("revocations list", "GET", m("/revocations?filter=type%%3D%%22JTI%%22"), nil)
}

func (g *golden) sessions(x *shapeIDs) {
	g.f.callers["user"] = &Caller{IdentityID: x.user, SessionID: "cUser", ConfigTypes: []string{x.configType}, CreatedAt: g.f.now}
	g.f.sessions["cUser"] = &APISession{ID: "cUser", IdentityID: x.user, ConfigTypes: []string{x.configType}}
	as := []string{"zt-session", "user"}
	g.step("authenticate password", "POST", m("/authenticate?method=password"), obj{"username": "admin", "password": "secret"}, "zt-session", "")
	g.step("authenticate current-identity", "GET", m("/current-identity"), nil)
	g.step("authenticate current-identity authenticators", "GET", m("/current-identity/authenticators"), nil, as...)
	g.step("authenticate api-session detail", "GET", m("/api-sessions/cAdmin"), nil)
	g.step("client-user current-api-session", "GET", c("/current-api-session"), nil, as...)
	g.step("client-user service-updates", "GET", c("/current-api-session/service-updates"), nil, as...)
	g.step("client-user current-identity edge-routers", "GET", c("/current-identity/edge-routers%s", only(x.online)), nil, as...)
	g.step("client-user services", "GET", c("/services"), nil, as...).is("data.0.permissions", "[Dial]").is("data.0.config.sample-type-2.port", 82)
	g.step("client-user service detail", "GET", c("/services/%s", x.service), nil, as...)
	g.step("client-user service terminators", "GET", c("/services/%s/terminators", x.service), nil, as...)
	g.step("client-user service edge-routers", "GET", c("/services/%s/edge-routers", x.service), nil, as...)
	id := g.step("client-user create session", "POST", c("/sessions"), obj{"serviceId": x.service, "type": "Dial"}, as...).id()
	g.f.service[id].PolicyIDs = []string{x.dial}
	g.step("client-user sessions", "GET", c("/sessions"), nil, as...)
	g.step("client-user session detail", "GET", c("/sessions/%s", id), nil, as...)
	g.step("sessions list with one", "GET", m("/sessions"), nil)
	g.step("sessions detail", "GET", m("/sessions/%s", id), nil)
	g.step("sessions route-path", "GET", m("/sessions/%s/route-path", id), nil)
	g.step("client-user session delete", "DELETE", c("/sessions/%s", id), nil, as...)
	g.f.do("DELETE", c("/sessions/%s", id), nil, as...).status(404)
	g.step("client-user current-api-session certificates", "GET", c("/current-api-session/certificates"), nil, as...)
	g.step("client-user create api-session certificate", "POST", c("/current-api-session/certificates"), obj{"csr": "CSR"}, as...)
	g.step("client-user posture-response OS", "POST", c("/posture-response"), obj{"id": "0", "typeId": "OS", "type": "linux", "version": "6.1.0", "build": "1"}, as...)
	g.step("client-user mfa when none", "GET", c("/current-identity/mfa"), nil, as...)
	g.step("policy-advice identity/service", "GET", m("/identities/%s/policy-advice/%s", x.identity, x.service), nil)
}

func (g *golden) rest(x *shapeIDs) {
	g.step("version protocols", "GET", c("/protocols"), nil)
	g.step("version network-jwts", "GET", c("/network-jwts"), nil)
	g.step("version specs", "GET", m("/specs"), nil)
	g.step("version client external-jwt-signers", "GET", c("/external-jwt-signers"), nil, "zt-session", "")
	g.f.do("GET", m("/enumerated-capabilities"), nil).status(200)
	g.seen["version enumerated-capabilities"] = true // an array of plain texts
	g.step("controllers list", "GET", m("/controllers"), nil)
	g.step("summary summary", "GET", m("/summary"), nil)
	for _, d := range [][2]string{{"terminators", x.terminator}, {"service-policies", x.dial}, {"edge-router-policies", x.erp}, {"service-edge-router-policies", x.serp},
		{"services", x.service}, {"edge-routers", x.edgeRouter}, {"configs", x.config}, {"config-types", x.configType}, {"identities", x.identity}} {
		g.step(d[0]+" delete", "DELETE", m("/%s/%s", d[0], d[1]), nil)
		g.f.do("DELETE", m("/%s/%s", d[0], d[1]), nil).status(404)
	}
	g.step("authenticate logout", "DELETE", m("/current-api-session"), nil)
}
