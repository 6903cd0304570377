package http

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// fb is a path of the fabric API.
func fb(path string, args ...any) string { return api.FabricBase + fmt.Sprintf(path, args...) }

const (
	router1 = "r1.a-0001" // an edge router, online
	router2 = "r2.a-0002" // a transit router, online
	link1   = "link1"
)

// newMesh is a fixture with two routers, a link between them, a service with a
// terminator and a circuit.
func newMesh(t testing.TB, f *fixture) (service, terminator string) {
	t.Helper()
	cmd := state.NewCommand(f.now, state.Author{}, state.Source{}).AsSystem()
	for id, e := range map[string]*model.EdgeRouter{
		router1: {Name: "r1", RoleAttributes: []string{"public"}, AppData: model.Tags{"k": "v"}, Fingerprint: strings.Repeat("a1", 20), IsVerified: true, CertPem: "PEM"},
		router2: {Name: "r2", IsTransit: true, Cost: 7, Fingerprint: strings.Repeat("b2", 20), IsVerified: true},
	} {
		e.ID = id
		cmd.Create(e)
		f.routers[id] = RouterStatus{Online: true, LinkListeners: []api.RouterListener{{Address: "tls:10.0.0.1:6000", Protocol: "tls"}},
			Interfaces: []model.Interface{{Name: "eth0", Addresses: []string{"10.0.0.1/24"}}}, Version: api.VersionInfo{Version: "v1"}}
	}
	f.apply(cmd)
	service = f.do("POST", fb("/services"), obj{"name": "sample-fs", "terminatorStrategy": "smartrouting"}).status(201).id()
	terminator = f.do("POST", fb("/terminators"), obj{"address": "tcp:127.0.0.1:9", "binding": "transport", "cost": 1, "precedence": "default", "router": router2, "service": service}).status(201).id()
	f.mesh.links = []*Link{{ID: link1, DialerID: router1, AcceptorID: router2, Protocol: "tls", Address: "tls:10.0.0.2:6000", State: "Connected", Iteration: 1, StaticCost: 1, Cost: 8,
		DialerLatency: 3 * time.Millisecond, AcceptorLatency: 4 * time.Millisecond, Since: f.now,
		Connections: []api.LinkConnection{{Type: "link.default", Source: "tcp:10.0.0.1:4000", Dest: "tcp:10.0.0.2:6000"}}}}
	f.mesh.circuits = []*Circuit{{ID: "circuit1", SessionID: "cAdmin", IdentityID: f.admin, ServiceID: service, TerminatorID: terminator, State: "active",
		Path: Path{Routers: []string{router1, router2}, Links: []string{link1}}, CreatedAt: f.now, UpdatedAt: f.now}}
	return service, terminator
}

// TestFabricShapes walks through every operation of the fabric API and compares
// the answers with those that clients know.
func TestFabricShapes(t *testing.T) {
	g := newGolden(t, "testdata/fabric.json")
	defer g.complete()
	g.more = []string{"identity", "hostIdentity", "state", "address", "since"}
	service, terminator := newMesh(t, g.f)

	g.step("fabric-routers create", "POST", fb("/routers"), obj{"cost": 0, "disabled": false, "id": "sample-fr", "name": "sample-fr", "noTraversal": false})
	g.step("fabric-routers list", "GET", fb("/routers%s", only("sample-fr")), nil)
	g.step("fabric-routers list page", "GET", fb("/routers?limit=2&sort=connected"), nil).is("data.0.id", "sample-fr").is("meta.pagination.totalCount", 3)
	g.step("fabric-routers detail", "GET", fb("/routers/%s", router1), nil).is("data.listenerAddresses.0.protocol", "tls")
	g.step("fabric-routers detail offline", "GET", fb("/routers/sample-fr"), nil)
	g.step("fabric-routers patch", "PATCH", fb("/routers/sample-fr"), obj{"cost": 9})
	g.f.do("GET", fb("/routers/sample-fr"), nil).is("data.cost", 9)
	g.step("fabric-routers terminators", "GET", fb("/routers/%s/terminators", router2), nil).is("data.0.id", terminator)

	g.step("fabric-services create", "POST", fb("/services"), obj{"name": "sample-fs1", "terminatorStrategy": "weighted"})
	g.step("fabric-services list", "GET", fb("/services%s", only(service)), nil)
	g.step("fabric-services list page", "GET", fb("/services?limit=2&sort=createdAt%%20desc"), nil)
	g.step("fabric-services detail", "GET", fb("/services/%s", service), nil)
	g.step("fabric-services patch", "PATCH", fb("/services/%s", service), obj{"name": "sample-fs2"})
	g.step("fabric-services terminators", "GET", fb("/services/%s/terminators", service), nil).is("data.0.service.name", "sample-fs2")

	g.step("fabric-terminators create", "POST", fb("/terminators"), obj{"address": "tcp:127.0.0.1:9", "binding": "transport", "cost": 1, "router": router1, "service": service})
	g.step("fabric-terminators detail", "GET", fb("/terminators/%s", terminator), nil)
	g.step("fabric-terminators patch", "PATCH", fb("/terminators/%s", terminator), obj{"cost": 2})
	g.step("fabric-terminators list", "GET", fb("/terminators?limit=2&sort=createdAt%%20desc"), nil)

	g.step("fabric-links list", "GET", fb("/links"), nil).is("data.0.cost", 8).is("data.0.sourceRouter.name", "r1")
	g.step("fabric-links detail", "GET", fb("/links/%s", link1), nil).is("data.destLatency", float64(4000000))
	g.step("fabric-links patch", "PATCH", fb("/links/%s", link1), obj{"staticCost": 10})
	g.step("fabric-circuits list", "GET", fb("/circuits"), nil).is("data.0.identity.name", "admin").is("data.0.path.nodes.1.name", "r2")
	g.step("fabric-circuits detail", "GET", fb("/circuits/circuit1"), nil).is("data.tags.clientId", g.f.admin)
	g.step("fabric-circuits delete", "DELETE", fb("/circuits/circuit1"), obj{"immediate": true})
	g.step("fabric-links delete", "DELETE", fb("/links/%s", link1), nil)
	g.step("fabric-deletes terminators", "DELETE", fb("/terminators/%s", terminator), nil)
	g.step("fabric-deletes services", "DELETE", fb("/services/%s", service), nil)
	g.step("fabric-deletes routers", "DELETE", fb("/routers/sample-fr"), nil)
	for _, list := range []string{"links", "circuits"} {
		if got := g.f.do("GET", fb("/%s", list), nil).status(200).at("data"); fmt.Sprint(got) != "[]" {
			t.Errorf("%s: %v", list, got)
		}
	}
}

func TestFabricRouterWrites(t *testing.T) {
	f := newFixture(t)
	newMesh(t, f)
	print := strings.Repeat("Cd:", 19) + "Cd"
	create := func(more obj) obj {
		b := obj{"id": "new.1", "name": "new", "cost": 1, "noTraversal": true, "tags": obj{"a": 1}}
		for k, v := range more {
			b[k] = v
		}
		return b
	}
	f.do("POST", fb("/routers"), create(obj{"fingerprint": print})).status(201)
	f.do("GET", fb("/routers/new.1"), nil).is("data.fingerprint", strings.Repeat("cd", 20)).is("data.noTraversal", true)
	f.do("GET", m("/transit-routers/new.1"), nil).status(200).is("data.isVerified", true).is("data.enrollmentJwt", nil)
	f.do("POST", fb("/routers"), create(obj{"id": "new.2", "name": "new2"})).status(201)
	f.do("GET", m("/transit-routers/new.2"), nil).is("data.enrollmentJwt", "jwt-of-trott") // no certificate: it may enrol
	for _, tt := range []struct {
		body  obj
		field string
	}{
		{create(nil), "id"},
		{create(obj{"id": "new.3"}), "name"},
		{create(obj{"id": "a/b", "name": "x"}), "id"},
		{create(obj{"id": "..", "name": "x"}), "id"},
		{create(obj{"id": "", "name": "x"}), "id"},
		{create(obj{"id": "x", "name": "x", "fingerprint": "zz"}), "fingerprint"},
		{create(obj{"id": "x", "name": "x", "fingerprint": print}), "fingerprint"},
		{create(obj{"id": "x", "name": "x", "cost": 65536}), "cost"},
		{obj{"id": "x", "name": "x", "noTraversal": false}, "cost"},
	} {
		f.do("POST", fb("/routers"), tt.body).status(400).is("error.cause.field", tt.field)
	}

	// A PUT replaces what the fabric knows of a router and leaves its edge parts.
	f.do("PUT", fb("/routers/%s", router1), obj{"name": "r1", "cost": 3, "noTraversal": true}).status(400).is("error.cause.field", "fingerprint")
	f.do("PUT", fb("/routers/%s", router1), obj{"name": "r1b", "cost": 3, "noTraversal": true, "fingerprint": strings.Repeat("a1", 20)}).status(200)
	f.do("GET", m("/edge-routers/%s", router1), nil).is("data.name", "r1b").is("data.cost", 3).is("data.roleAttributes", "[public]").
		is("data.appData.k", "v").is("data.certPem", "PEM").is("data.isVerified", true)
	f.do("PATCH", fb("/routers/%s", router1), obj{"disabled": true, "noTraversal": nil}).status(200)
	f.do("GET", fb("/routers/%s", router1), nil).is("data.disabled", true).is("data.noTraversal", true).is("data.name", "r1b")
	f.do("PUT", fb("/routers/%s", router2), obj{"name": "r2", "cost": 0, "noTraversal": false, "fingerprint": ""}).status(200)
	f.do("GET", m("/transit-routers/%s", router2), nil).is("data.isVerified", false).is("data.fingerprint", nil)
	f.do("DELETE", fb("/routers/%s", router1), nil).status(200)
	for _, method := range []string{"GET", "DELETE", "PATCH"} {
		f.do(method, fb("/routers/%s", router1), obj{}).status(404)
	}
}

func TestFabricTerminatorWrites(t *testing.T) {
	f := newFixture(t)
	service, terminator := newMesh(t, f)
	host := f.create("identities", obj{"name": "host", "type": "Default", "isAdmin": false})
	body := obj{"address": "a", "binding": "edge", "router": router1, "service": service, "hostId": host, "instanceId": "i1", "instanceSecret": "c2VjcmV0"}
	id := f.do("POST", fb("/terminators"), body).status(201).id()
	f.do("GET", fb("/terminators/%s", id), nil).is("data.hostId", host).is("data.instanceId", "i1").is("data.routerId", router1)
	f.do("PATCH", fb("/terminators/%s", terminator), obj{"hostId": host, "router": router1}).status(200)
	f.do("GET", fb("/terminators?filter=%s", url.QueryEscape(`hostId = "`+host+`" and router.name = "r1"`)), nil).is("meta.pagination.totalCount", 2)
	f.do("PUT", fb("/terminators/%s", id), obj{"address": "b", "binding": "edge", "router": router1, "service": service}).status(200)
	f.do("GET", fb("/terminators/%s", id), nil).is("data.address", "b").is("data.instanceId", "i1").is("data.hostId", host)
	for _, tt := range []struct {
		change obj
		status int
	}{
		{obj{"hostId": "gone"}, 404}, {obj{"router": "gone"}, 404}, {obj{"service": "gone"}, 404}, {obj{"cost": -1}, 400}, {obj{"precedence": "best"}, 400}, {obj{"address": ""}, 400},
	} {
		f.do("PATCH", fb("/terminators/%s", id), tt.change).status(tt.status)
		for k, v := range body {
			if tt.change[k] == nil {
				tt.change[k] = v
			}
		}
		f.do("POST", fb("/terminators"), tt.change).status(tt.status)
	}
	f.do("POST", fb("/terminators"), nil).status(400)
	f.do("PATCH", fb("/terminators/%s", id), obj{}).status(200)
	f.do("PATCH", fb("/terminators/unknown"), obj{}).status(404)

	f.do("PUT", fb("/services/%s", service), obj{"name": "web"}).status(200)
	f.do("GET", fb("/services/%s", service), nil).is("data.name", "web").is("data.terminatorStrategy", "smartrouting")
	f.do("PATCH", m("/services/%s", service), obj{"roleAttributes": []string{"x"}}).status(200)
	f.do("PUT", fb("/services/%s", service), obj{"name": "web", "maxIdleTimeMillis": 5}).status(200)
	f.do("GET", m("/services/%s", service), nil).is("data.roleAttributes", "[x]").is("data.maxIdleTimeMillis", 5)
}

func TestLinksAndCircuits(t *testing.T) {
	f := newFixture(t)
	service, _ := newMesh(t, f)
	f.mesh.links = append(f.mesh.links, &Link{ID: "a", DialerID: router2, AcceptorID: "gone", State: "Failed", Protocol: "tls"})
	f.mesh.circuits = append(f.mesh.circuits, &Circuit{ID: "a", ServiceID: "gone", HostID: f.admin, Path: Path{Routers: []string{router1}}})
	for _, tt := range []struct{ list, filter, want string }{
		{"links", `true`, "[a link1]"}, {"links", `cost > 5 and sourceRouter = "` + router1 + `"`, "[link1]"}, {"links", `destRouter = "gone"`, "[a]"},
		{"links", `dialAddress contains "10.0" and protocol = "tls" and state = "Connected"`, "[link1]"}, {"links", `sourceLatency < 1 and staticCost = 0 and iteration = 0 and not down`, "[a]"},
		{"links", `true sort by destLatency desc limit 1`, "[link1]"}, {"links", `id = "a"`, "[a]"},
		{"circuits", `true`, "[a circuit1]"}, {"circuits", `clientId = "cAdmin" and service = "` + service + `"`, "[circuit1]"}, {"circuits", `anyOf(links) = "link1"`, "[circuit1]"},
		{"circuits", `createdAt > datetime(2026-01-01T00:00:00Z)`, "[circuit1]"}, {"circuits", `hostIdentity = "` + f.admin + `"`, "[a]"}, {"circuits", `skip 1 limit none`, "[circuit1]"},
	} {
		var ids []string
		for _, e := range f.do("GET", fb("/%s?filter=%s", tt.list, url.QueryEscape(tt.filter)), nil).status(200).at("data").([]any) {
			ids = append(ids, e.(obj)["id"].(string))
		}
		if got := fmt.Sprint(ids); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.list, tt.filter, got, tt.want)
		}
	}
	for _, bad := range []string{`tags.a = 1`, `name = "x"`, `cost = `} {
		f.do("GET", fb("/links?filter=%s", url.QueryEscape(bad)), nil).status(400).is("error.code", "INVALID_FILTER")
	}
	f.do("GET", fb("/circuits/a"), nil).is("data.service.name", "<deleted>").is("data.identity", nil).is("data.path.links", "[]").is("data.hostIdentity.name", "admin")

	f.do("PATCH", fb("/links/link1"), obj{"down": true}).status(200)
	f.do("GET", fb("/links/link1"), nil).is("data.down", true).is("data.staticCost", 1)
	f.do("PATCH", fb("/links/link1"), obj{"down": false, "staticCost": 0}).status(200)
	f.do("GET", fb("/links/link1"), nil).is("data.down", false).is("data.staticCost", 0).is("data.cost", 7)
	f.do("PATCH", fb("/links/link1"), obj{"staticCost": -1}).status(400)
	f.do("PATCH", fb("/links/link1"), obj{"staticCost": "x"}).status(400)
	f.do("PATCH", fb("/links/unknown"), obj{"down": true}).status(404)
	f.do("GET", fb("/links/unknown"), nil).status(404)
	f.do("DELETE", fb("/links/unknown"), nil).status(200)
	f.do("GET", fb("/circuits/unknown"), nil).status(404)
	f.do("DELETE", fb("/circuits/unknown"), nil).status(404)
	f.do("DELETE", fb("/circuits/a"), nil).status(200)
}

func TestFabricAccess(t *testing.T) {
	f := newFixture(t)
	newMesh(t, f)
	for _, p := range []string{"", "admin_readonly", "ops", "ops.read", "router", "terminator"} {
		f.callers["u:"+p] = &Caller{IdentityID: "u", Permissions: []string{p}}
	}
	inspect := obj{"appRegex": ".*", "requestedValues": []string{"x"}}
	for _, tt := range []struct {
		method, path string
		body         any
		may          string
	}{
		{"GET", "/links", nil, "admin_readonly ops ops.read"}, {"GET", "/circuits", nil, "admin_readonly ops ops.read"}, {"GET", "/paths?from=r1&to=r2", nil, "admin_readonly ops ops.read"},
		{"PATCH", "/links/unknown", obj{}, "ops"}, {"DELETE", "/circuits/unknown", nil, "ops"},
		{"POST", "/inspections", inspect, "ops ops.read"},
		{"GET", "/routers", nil, ""}, {"GET", "/terminators", nil, ""}, {"GET", "/services", nil, ""}, {"DELETE", "/routers/" + router1, nil, ""},
	} {
		for token := range f.callers {
			if token == "admin" {
				continue
			}
			p := strings.TrimPrefix(token, "u:")
			allowed := p != "" && strings.Contains(" "+tt.may+" ", " "+p+" ")
			if got := f.do(tt.method, fb("%s", tt.path), tt.body, "zt-session", token).Code; (got != 401) != allowed {
				t.Errorf("%s %s with %q: %d", tt.method, tt.path, p, got)
			}
		}
		f.do(tt.method, fb("%s", tt.path), tt.body, "zt-session", "").status(401)
	}
	f.do("GET", fb("/nope"), nil).status(404)
	f.do("PUT", fb("/links/link1"), obj{}).status(405)
}
