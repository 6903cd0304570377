package http

import (
	"bytes"
	flags "flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/manage"
)

//go:generate go test . -run TestWhoMayCallWhat -update

var update = flags.Bool("update", false, "write docs/permissions.md anew")

const permissionsHead = `# Who may call what

Written by trying: ` + "`go generate ./controller/http`" + ` calls every operation of the APIs as nobody, with a login that lacks its second
factor, as an ordinary identity, as an admin, and with every permission that an identity can have, and notes who got through. The
tests fail when that changes. Everything that is not here is refused.

## Permissions

An identity has permissions beside being an admin (` + "`isAdmin`" + `) or not. Admins give them: ` + "`weft create identity NAME --permissions LIST`" + `.

| permission | allows |
|---|---|
| ` + "`admin_readonly`" + ` | to read everything, the audit, exports and explanations included, and to change nothing |
| ENTITY | every operation of a kind, such as ` + "`service`" + ` |
| ENTITY.ACTION | only read, create, update or delete, such as ` + "`service.read`" + ` |

Entities: ENTITIES.

A read-only auditor: ` + "`weft create identity auditor --permissions admin_readonly`" + `, enrolled like any other identity; one with a password:
` + "`weft create identity auditor --permissions admin_readonly --updb auditor`" + `, then ` + "`weft enroll`" + ` with the token.

## Rules beside the table

They hold for everybody who is not an admin, by whatever operation, declarations (` + "`apply`, `expose`" + `) included. The refusal is a 401 that says why.

- Nobody makes admins, gives permissions, or changes the permissions of an identity; of identities, PUT is for admins.
- Nobody touches an identity with a right that the caller lacks (an admin, or a permission): its settings, its service configs, its
  enrollments, its one-time codes, its trace; nor disables, enables or deletes it.
- Nobody changes the auth policy of such an identity, an enabled signer whose tokens log it in, or an authority whose certificates do.
- One-time tokens of enrollments are shown to those who could make them (` + "`identity.create`, `enrollment.create` or `enrollment.update`" + `; of
  routers, ` + "`router.create` or `router.update`" + `), never to those who only read, and never those of identities with more rights.
- Tokens of login sessions are shown to their owner and to admins.
- Events of the types ` + "`audit` and `entityChange`" + ` are for admins and ` + "`admin_readonly`" + `: they show every kind of entity.
- Lists and answers about several kinds need the permission to read each of them; where the table says "with", all are needed.
- A declaration needs for each entity the permission of the single operation; an export holds the kinds that the caller may read.
- Client operations show callers their own: their services, sessions, authenticators, one-time codes.

Changes of permissions count from the next request on, in sessions that are open, too.

`

// permissionStrings are all that an identity can have, as its create says.
func permissionStrings(t testing.TB) []string {
	t.Helper()
	f, _ := reflect.TypeFor[api.IdentityInput]().FieldByName("Permissions")
	all := strings.Split(strings.TrimPrefix(f.Tag.Get("api"), "enum="), "|")
	if len(all) < 60 {
		t.Fatal("no list of permissions:", all)
	}
	return all
}

// gates is a fixture whose operations do nothing but be reached.
func gates(t *testing.T) *fixture {
	f := newFixture(t)
	for _, tree := range f.server.trees {
		openGates(tree)
	}
	channel := manage.New(manage.Config{Log: f.server.log})
	t.Cleanup(func() { _ = channel.Close() })
	f.server.cfg.Observed.Channel = channel
	f.handler = Listener(f.server.Management(), f.server.Fabric(), f.server.Client())
	return f
}

func openGates(n *node) {
	for _, next := range n.fixed {
		openGates(next)
	}
	if n.param != nil {
		openGates(n.param)
	}
	for _, e := range n.methods {
		e.check = nil
		e.handle = func(c *call) error { return c.bare() }
	}
}

// reaches reports whether a caller gets through to an operation.
func (f *fixture) reaches(method, path string, who *Caller) bool {
	f.t.Helper()
	r := httptest.NewRequest(method, path, nil)
	if delete(f.callers, "who"); who != nil {
		f.callers["who"] = who
		r.Header.Set("zt-session", "who")
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	switch {
	case w.Code == http.StatusUnauthorized:
		if who != nil && strings.Contains(w.Body.String(), `"cause"`) {
			f.t.Errorf("%s %s: the refusal has a cause: %s", method, path, w.Body)
		}
		return false
	case w.Code == http.StatusOK, w.Code == 400 && strings.HasSuffix(path, "/ws-api"):
		return true
	}
	f.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	return false
}

// who returns the cell of an operation: everybody who gets through.
func (f *fixture) who(op api.Operation, path string, permissions []string) string {
	f.t.Helper()
	may := func(who *Caller) bool { return f.reaches(op.Method, path, who) }
	with := func(permissions ...string) *Caller { return &Caller{IdentityID: "x", Permissions: permissions} }
	switch {
	case may(nil):
		return "everybody"
	case may(&Caller{Partial: true, Admin: true, Permissions: permissions}):
		return "every login, partial ones too"
	case may(with()):
		return "every login"
	case !may(&Caller{Admin: true}):
		return "nobody"
	}
	out := []string{"admin"}
	var single []string
	for _, p := range permissions {
		if may(with(p)) {
			single = append(single, p)
		}
	}
	switch {
	case len(single) == len(permissions):
		return "admin, any permission"
	case may(with(permissions...)) && len(op.Reads) > 0:
		out = append(out, single...)
		together := []string{op.Access.Entity + "." + op.Access.Action}
		for _, entity := range op.Reads {
			together = append(together, entity+".read")
		}
		for i := range together {
			if may(with(slices.Delete(slices.Clone(together), i, i+1)...)) {
				f.t.Errorf("%s passes without %s", op.ID, together[i])
			}
		}
		if !may(with(together...)) {
			f.t.Errorf("%s does not pass with %v", op.ID, together)
		}
		out = append(out, "`"+together[0]+"` with `"+strings.Join(together[1:], "`, `")+"`")
		return strings.Join(quotedNames(out), ", ")
	}
	return strings.Join(quotedNames(append(out, single...)), ", ")
}

func quotedNames(in []string) []string {
	out := slices.Clone(in)
	for i, s := range out {
		if s != "admin" && !strings.Contains(s, "`") {
			out[i] = "`" + s + "`"
		}
	}
	return out
}

// TestWhoMayCallWhat tries every operation as everybody, and compares who gets
// through with the page that documents it.
func TestWhoMayCallWhat(t *testing.T) {
	f := gates(t)
	permissions := permissionStrings(t)
	rules := contractRules(t)
	var b bytes.Buffer
	b.WriteString(strings.Replace(permissionsHead, "ENTITIES.", "`"+strings.Join(entitiesOf(permissions), "`, `")+"`.", 1))
	for _, a := range []struct {
		api        api.API
		name, base string
	}{{api.Client, "Edge Client API", api.ClientBase}, {api.Management, "Edge Management API", api.ManagementBase}, {api.Fabric, "Fabric API", api.FabricBase}} {
		fmt.Fprintf(&b, "## %s\n\nBase path `%s`.\n\n| method | path | operation | who |\n|---|---|---|---|\n", a.name, a.base)
		ops := api.Of(a.api)
		if a.api == api.Fabric {
			ops = append(ops, api.Operation{Method: "GET", Path: "/ws-api", ID: "websocket"})
		}
		for _, op := range ops {
			who := "nobody: not available"
			if op.Access.Rule != api.NotImplemented {
				who = f.who(op, a.base+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, "x"), permissions)
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", op.Method, op.Path, op.ID, who)
			if want := rules[a.base+" "+op.ID]; want != "" && want != who && len(op.Reads) == 0 {
				t.Errorf("%s: %s may call it, and the contract says: %s", op.ID, who, want)
			} else if want == "" && !op.Own && op.ID != "websocket" && !strings.Contains(op.Path, "openapi") {
				t.Logf("%s %s is not in the contract", a.base, op.ID)
			}
		}
		b.WriteString("\n")
	}
	const page = "../../docs/permissions.md"
	text := append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
	if *update {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%s does not say who may call what: look at what has changed, then run go generate ./controller/http", page)
	}
}

func entitiesOf(permissions []string) []string {
	var out []string
	for _, p := range permissions {
		if p != adminReadonly && !strings.Contains(p, ".") {
			out = append(out, p)
		}
	}
	return out
}

// contractRules returns who may call the operations of the ecosystem, worked
// out from the rules of its contracts and not from our table.
func contractRules(t *testing.T) map[string]string {
	t.Helper()
	permissions := permissionStrings(t)
	out := map[string]string{}
	for name, base := range map[string]string{"client": api.ClientBase, "management": api.ManagementBase, "fabric": api.FabricBase} {
		raw, err := os.ReadFile("../../api/testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			row := strings.Fields(line)
			id, rule, entity, action := row[2], row[3], row[4], row[5]
			who := []string{"admin"}
			if action == "read" && rule == "entityAccess" || rule == "adminOrReadonly" {
				who = append(who, adminReadonly)
			}
			for _, p := range permissions {
				if entity != "-" && (p == entity || p == entity+"."+action) {
					who = append(who, p)
				}
			}
			switch rule {
			case "public":
				who = []string{"everybody"}
			case "authenticated":
				who = []string{"every login"}
			case "authenticatedOrPartial":
				who = []string{"every login, partial ones too"}
			case "notImplemented":
				continue
			}
			if text := strings.Join(who, ", "); strings.HasPrefix(text, "ever") {
				out[base+" "+id] = text
				continue
			}
			out[base+" "+id] = strings.Join(quotedNames(who), ", ")
		}
	}
	return out
}
