package http

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

const declaration = `
configTypes:
  - name: own.v1
    schema: {type: object, properties: {port: {type: integer}}, required: [port]}
configs:
  - name: own
    configType: own.v1
    data: {port: 80}
services:
  - name: web
    configs: [own]
identities:
  - name: alice
    roleAttributes: [staff]
    enrollment: {ott: true}
edgeRouters:
  - name: r1
servicePolicies:
  - name: dial
    type: Dial
    identityRoles: ["#staff", "@alice"]
    serviceRoles: ["@web"]
terminators:
  - {service: web, router: r1, binding: transport, address: "tcp:localhost:80"}
`

var asYAML = []string{"Content-Type", "application/yaml"}

// writes returns how many commands the log has.
func (f *fixture) writes() uint64 { return f.store.View().Index() }

// TestDeclarations applies a declaration by one command, finds nothing to do
// again, shows what a changed one would do, and exports what applies again.
func TestDeclarations(t *testing.T) {
	f := newFixture(t)
	before := f.writes()
	f.do("POST", m("/apply?dryRun=true"), declaration, asYAML...).status(200).is("data.applied", false).is("data.created", 7)
	f.do("POST", m("/diff"), declaration, asYAML...).status(200).is("data.created", 7)
	if f.writes() != before {
		t.Fatal("a dry run or a diff has written")
	}
	a := f.do("POST", m("/apply"), obj{"files": []obj{{"name": "net.yml", "text": declaration}}}).status(200)
	a.is("data.applied", true).is("data.created", 7).is("data.entities.0.file", "net.yml").is("data.entities.0.line", 3)
	if f.writes() != before+1 {
		t.Errorf("%d commands, want one", f.writes()-before)
	}
	f.do("POST", m("/apply?prune=true"), declaration, asYAML...).status(200).is("data.applied", false).is("data.unchanged", 7)
	if f.writes() != before+1 {
		t.Error("the second time something was written")
	}
	alice := state.FirstBy[model.Identity](f.store.View(), state.ByName, "alice")
	if state.FirstBy[model.Enrollment](f.store.View(), state.ByIdentity, alice.ID) == nil || len(alice.ID) > 12 {
		t.Error("alice has no enrollment, or an id that others do not have")
	}
	d := f.do("POST", m("/diff"), strings.Replace(declaration, "port: 80}", "port: 81}", 1), asYAML...).status(200).is("data.updated", 1)
	d.is("data.entities.1.members.0.member", "data").is("data.entities.1.members.0.before.port", 80).is("data.entities.1.members.0.after.port", 81)
	for _, format := range []string{"yaml", "json"} {
		text := f.do("GET", m("/export?format=%s", format), nil).status(200).ResponseRecorder.Body.String()
		if strings.Contains(text, "admin") || strings.Contains(text, alice.ID) || !strings.Contains(text, "@alice") {
			t.Errorf("exported\n%s", text)
		}
		headers := asYAML
		if format == "json" {
			headers = []string{"Content-Type", "application/json"}
		}
		f.do("POST", m("/apply"), text, headers...).status(200).is("data.applied", false)
	}
	text := f.do("GET", m("/export?kind=services,configs&filter=%s", `name+%3D+"web"`), nil).status(200).ResponseRecorder.Body.String()
	if !strings.HasPrefix(text, "services:") || strings.Contains(text, "configType") {
		t.Errorf("exported by filter\n%s", text)
	}
	f.do("GET", m("/export?kind=server"), nil).status(400).is("error.cause.field", "kind")
	f.do("GET", m("/export?filter=nix"), nil).status(400)
}

// TestDeclarationRefusals declares what single operations refuse: with the same
// refusal, the place, and nothing written.
func TestDeclarationRefusals(t *testing.T) {
	f := newFixture(t)
	f.do("POST", m("/apply"), declaration, asYAML...).status(200)
	before := f.writes()
	for _, c := range []struct{ text, field, cause string }{
		{"configs:\n  - name: c\n    configType: own.v1\n    data: {port: x}", "configs.c.data.port", ":4:12: configs c: member data.port"},
		{"services: [{name: a}]\nconfigs: [{name: own, configType: own.v1, data: {}}]", "configs.own.data", "port is required"},
		{"servicePolicies: [{name: p, type: Dial, identityRoles: [staff]}]", "servicePolicies.p.identityRoles", "prefixed"},
		{"identities: [{name: a, defaultHostingCost: 70000}]", "identities.a.defaultHostingCost", "65535"},
		{"identities: [{name: a, externalId: x}, {name: b, externalId: x}]", "identities.b.externalId", "duplicate"},
		{"edgeRouters: [{name: r2, cost: -1}]", "edgeRouters.r2.cost", "greater"},
		{"cas: [{name: c, certPem: nonsense}]", "cas.c.certPem", ""},
		{"postureChecks: [{name: c, type: OS}]", "postureChecks.c.operatingSystems", "required"},
		{"transitRouters: [{name: r1}]", "transitRouters.r1", "another kind of router"},
	} {
		f.do("POST", m("/apply"), c.text, asYAML...).status(400).is("error.cause.field", c.field).contains("error.cause.reason", c.cause)
	}
	f.do("POST", m("/apply?prune=maybe"), "", asYAML...).status(400)
	f.do("POST", m("/apply"), obj{"files": []obj{{"name": "x"}}}).status(400)
	f.do("POST", m("/apply"), "{", "Content-Type", "application/json").status(400)
	if f.writes() != before {
		t.Error("a refused declaration has written")
	}
}

// TestDeclarationRights tries declarations with the rights of others.
func TestDeclarationRights(t *testing.T) {
	f := newFixture(t)
	f.do("POST", m("/apply"), declaration, asYAML...).status(200)
	as := func(permissions ...string) []string {
		f.callers["other"] = &Caller{IdentityID: "other", SessionID: "s", Permissions: permissions, ExpiresAt: f.now.Add(time.Hour), Timeout: time.Hour}
		return append([]string{"zt-session", "other"}, asYAML...)
	}
	before := f.writes()
	service := "services: [{name: new}]"
	f.do("POST", m("/apply"), service, "zt-session", "").status(401)
	f.do("POST", m("/apply"), service, as()...).status(401)
	f.do("GET", m("/export"), nil, as()...).status(401)
	f.do("POST", m("/apply"), service, as("admin_readonly")...).status(401)
	f.do("POST", m("/apply"), service, as("config", "service.update")...).status(401).contains("error.cause.reason", "service.create")
	f.do("POST", m("/apply"), "services: [{name: web}]", as("service.update")...).status(401).contains("error.cause.reason", "service.read")
	f.do("POST", m("/apply?prune=true"), "services: []", as("service.update", "service.read")...).status(401).contains("error.cause.reason", "service.delete")
	f.do("POST", m("/apply"), "identities: [{name: boss, isAdmin: true}]", as("identity")...).status(401).contains("error.cause.reason", "non-admins")
	f.do("POST", m("/apply"), "identities: [{name: alice, permissions: [ops]}]", as("identity")...).status(401).contains("error.cause.reason", "non-admins")
	f.do("POST", m("/apply"), "identities: [{name: admin}]", as("identity")...).status(401).contains("error.cause.reason", "non-admins")
	if f.writes() != before {
		t.Error("something was written")
	}
	f.do("POST", m("/diff?prune=true"), "services: []", as("admin_readonly")...).status(200).is("data.deleted", 1)
	text := f.do("GET", m("/export"), nil, as("service.read")...).status(200).ResponseRecorder.Body.String()
	if !strings.HasPrefix(text, "services:") || strings.Contains(text, "alice") {
		t.Errorf("somebody who may read services only gets\n%s", text)
	}
	f.do("GET", m("/export?kind=identities"), nil, as("service.read")...).status(401)
	f.do("POST", m("/apply"), service, as("service.create")...).status(200).is("data.applied", true)
	f.do("POST", m("/apply"), "identities: [{name: alice, roleAttributes: [x]}]", as("identity.update", "identity.read")...).status(200).is("data.updated", 1)
}

// TestDeclarationBounds sends bodies of all sizes: refused before they are read
// and before login, or before they are read without the right.
func TestDeclarationBounds(t *testing.T) {
	f := newFixture(t)
	post := func(path string, size int64, session string) int {
		r := httptest.NewRequest("POST", m("%s", path), io.LimitReader(neverRead{t}, size))
		r.ContentLength = size
		r.Header.Set("Content-Type", "application/yaml")
		r.Header.Set("zt-session", session)
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		return w.Code
	}
	f.callers["nobody"] = &Caller{IdentityID: "nobody", SessionID: "s"}
	for _, c := range []struct {
		path    string
		size    int64
		session string
		want    int
	}{
		{"/apply", 33 << 20, "", 413}, {"/diff", 33 << 20, "admin", 413}, {"/apply", 2 << 20, "", 401}, {"/apply", 2 << 20, "nobody", 401},
		{"/services", 2 << 20, "", 413}, {"/services", 2 << 20, "admin", 413}, {"/expose", 2 << 20, "admin", 413}, {"/nowhere", 2 << 20, "", 413},
	} {
		if got := post(c.path, c.size, c.session); got != c.want {
			t.Errorf("%d bytes to %s by %q: %d, want %d", c.size, c.path, c.session, got, c.want)
		}
	}
	comment := "#" + strings.Repeat(" much\n#", 1<<18) + "\nservices: [{name: a}]"
	f.do("POST", m("/apply"), comment, asYAML...).status(200).is("data.created", 1)
}

// neverRead is a body that must not be read.
type neverRead struct{ t *testing.T }

func (n neverRead) Read([]byte) (int, error) {
	n.t.Error("the body was read")
	return 0, io.EOF
}

// meddler changes the state before it lets the first commands through.
type meddler struct {
	*fixture
	times int
}

func (w *meddler) Propose(ctx context.Context, text []byte) (uint64, any, error) {
	if w.times > 0 {
		w.times--
		web := state.FirstBy[model.Service](w.store.View(), state.ByName, "web")
		w.apply(state.NewCommand(w.now, state.Author{}, state.Source{}).Patch(model.KindService, web.ID,
			map[string]any{"roleAttributes": []string{fmt.Sprint("meanwhile", w.times)}}))
	}
	return w.fixture.Propose(ctx, text)
}

// TestDeclarationAgainstOthers has somebody else change the same member at the
// same time: the plan is made anew, and given up when that does not end.
func TestDeclarationAgainstOthers(t *testing.T) {
	f := newFixture(t)
	f.do("POST", m("/apply"), declaration, asYAML...).status(200)
	w := &meddler{fixture: f, times: 2}
	f.server.cfg.Writer = w
	text := "services: [{name: web, configs: [own], roleAttributes: [mine]}]"
	f.do("POST", m("/apply"), text, asYAML...).status(200).is("data.entities.0.members.0.before.0", "meanwhile0")
	w.times = 1000
	before := state.FirstBy[model.Service](f.store.View(), state.ByName, "web").Name
	f.do("POST", m("/apply"), strings.Replace(text, "mine", "other", 1), asYAML...).status(409).is("error.code", "CHANGED_MEANWHILE")
	if web := state.FirstBy[model.Service](f.store.View(), state.ByName, before); strings.Join(web.RoleAttributes, "") == "other" {
		t.Error("it was written all the same")
	}
	f.server.cfg.Writer, f.noLeader = f, true
	f.do("POST", m("/apply"), strings.Replace(text, "mine", "third", 1), asYAML...).status(503)
}

// TestExposeOperation exposes a service and takes it away.
func TestExposeOperation(t *testing.T) {
	f := newFixture(t)
	f.create("identities", obj{"name": "server", "type": "Default", "isAdmin": false})
	before := f.writes()
	body := obj{"name": "web", "to": []string{"tcp:localhost:80"}, "host": []string{"server"}}
	f.do("POST", m("/expose?dryRun=true"), body).status(200).is("data.created", 5).is("data.applied", false)
	f.do("POST", m("/expose"), body).status(200).is("data.created", 5).is("data.applied", true)
	f.do("POST", m("/expose"), body).status(200).is("data.unchanged", 5).is("data.applied", false)
	if f.writes() != before+1 {
		t.Errorf("%d commands, want one", f.writes()-before)
	}
	f.do("POST", m("/expose"), obj{"name": "web"}).status(400).is("error.cause.field", "to")
	f.do("POST", m("/expose"), obj{"name": "web", "remove": true}).status(200).is("data.deleted", 5)
	f.do("POST", m("/expose"), obj{"name": "web", "remove": true}).status(404)
	f.create("services", obj{"name": "web", "encryptionRequired": true})
	f.do("POST", m("/expose"), body).status(400).contains("error.cause.reason", "somebody else")
}

// TestLargeDeclaration applies 1,000 identities in one file.
func TestLargeDeclaration(t *testing.T) {
	f := newFixture(t)
	var b strings.Builder
	b.WriteString("identities:\n")
	for i := range 1_000 {
		fmt.Fprintf(&b, "  - name: identity %d\n    roleAttributes: [a%d, b%d]\n    tags: {team: x}\n", i, i%7, i%31)
	}
	begin := time.Now()
	f.do("POST", m("/apply"), b.String(), asYAML...).status(200).is("data.created", 1_000)
	first := time.Since(begin)
	begin = time.Now()
	f.do("POST", m("/apply?prune=true"), b.String(), asYAML...).status(200).is("data.unchanged", 1_000).is("data.applied", false)
	t.Logf("1,000 identities: %d KiB, created in %v, compared in %v", b.Len()>>10, first, time.Since(begin))
}

// TestEmptySelector: a selector or a kind that is given and says nothing is
// refused; to a prune it would mean what belongs to others.
func TestEmptySelector(t *testing.T) {
	f := newFixture(t)
	f.do("POST", m("/apply"), "services: [{name: web, tags: {team: b}}]", asYAML...).status(200)
	before := f.writes()
	for _, query := range []string{"selector=", "selector", "kind=", "kind=,"} {
		field, _, _ := strings.Cut(query, "=")
		f.do("POST", m("/apply?prune=true&%s", query), "services: []", asYAML...).status(400).is("error.cause.field", field)
		f.do("GET", m("/export?%s", query), nil).status(400).is("error.cause.field", field)
	}
	if f.writes() != before {
		t.Error("refused prunes have written")
	}
}
