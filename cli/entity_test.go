package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

func populated(t *testing.T) *controller {
	c := newController(t)
	c.add("identities", "i1", "alice", map[string]any{"roleAttributes": []string{"staff"}, "type": map[string]any{"entity": "identity-types", "id": "Default", "name": "Default"}})
	c.add("services", "s1", "web", nil)
	c.add("edge-routers", "r1", "R one", nil)
	c.add("configs", "c1", "web.host", nil)
	c.add("config-types", "t1", "host.v1", nil)
	c.add("auth-policies", "p1", "strict", nil)
	c.add("service-policies", "sp1", "dial", nil)
	c.add("edge-router-policies", "erp1", "all", nil)
	c.add("service-edge-router-policies", "serp1", "all", nil)
	for _, plural := range []string{"terminators", "authenticators", "enrollments", "sessions", "api-sessions"} {
		c.add(plural, "x1", "", nil)
	}
	c.login()
	return c
}

// What the commands send.
func TestWrites(t *testing.T) {
	c := populated(t)
	file := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(file, []byte(`{"port":80}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"create identity bob -a x,y --admin --auth-policy strict --tags n=1 --tags s=a",
			`POST identities {"authPolicyId":"p1","enrollment":{"ott":true},"isAdmin":true,"name":"bob","roleAttributes":["x","y"],"tags":{"n":1,"s":"a"},"type":"Default"}`},
		{"create identity bob --updb bobby", `POST identities {"enrollment":{"updb":"bobby"},"isAdmin":false,"name":"bob","type":"Default"}`},
		{"update identity alice --name al -a ,", `PATCH identities/i1 {"name":"al","roleAttributes":[]}`},
		{"update identity i1 --disabled", `POST identities/i1/disable {"durationMinutes":0}`},
		{"update identity i1 --disabled=false", `POST identities/i1/enable`},
		{"delete identity alice", `DELETE identities/i1`},
		{"create service db --configs web.host -e OFF --max-idle-time 90s", `POST services {"configs":["c1"],"encryptionRequired":false,"maxIdleTimeMillis":90000,"name":"db"}`},
		{"create service db2", `POST services {"encryptionRequired":true,"name":"db2"}`},
		{"update service web -e off -a x", `PUT services/s1 {"encryptionRequired":false,"maxIdleTimeMillis":0,"name":"web","roleAttributes":["x"],"terminatorStrategy":""}`},
		{"update service web --terminator-strategy random", `PATCH services/s1 {"terminatorStrategy":"random"}`},
		{"create config c host.v1 {\"port\":1}", `POST configs {"configTypeId":"t1","data":{"port":1},"name":"c"}`},
		{"create config c t1 --json-file " + file, `POST configs {"configTypeId":"t1","data":{"port":80},"name":"c"}`},
		{"update config web.host --data {\"port\":2}", `PATCH configs/c1 {"data":{"port":2}}`},
		{"create config-type ct {\"type\":\"object\"}", `POST config-types {"name":"ct","schema":{"type":"object"}}`},
		{"update config-type host.v1 -f " + file, `PATCH config-types/t1 {"schema":{"port":80}}`},
		{"create edge-router r2 -t -a public --cost 5", `POST edge-routers {"cost":5,"isTunnelerEnabled":true,"name":"r2","roleAttributes":["public"]}`},
		{"update edge-router r1 --no-traversal", `PATCH edge-routers/r1 {"noTraversal":true}`},
		{"create service-policy p dial --identity-roles @alice,#staff --service-roles @s1", `POST service-policies {"identityRoles":["@i1","#staff"],"name":"p","semantic":"AnyOf","serviceRoles":["@s1"],"type":"Dial"}`},
		{"update service-policy dial --service-roles #all --semantic AllOf", `PATCH service-policies/sp1 {"semantic":"AllOf","serviceRoles":["#all"]}`},
		{"create edge-router-policy p --identity-roles #all --edge-router-roles @r1", `POST edge-router-policies {"edgeRouterRoles":["@r1"],"identityRoles":["#all"],"name":"p","semantic":"AnyOf"}`},
		{"update erp all --identity-roles ,", `PATCH edge-router-policies/erp1 {"identityRoles":[]}`},
		{"create service-edge-router-policy p --service-roles @web --edge-router-roles #all", `POST service-edge-router-policies {"edgeRouterRoles":["#all"],"name":"p","semantic":"AnyOf","serviceRoles":["@s1"]}`},
		{"delete serp all", `DELETE service-edge-router-policies/serp1`},
		{"create terminator web r1 tcp:localhost:80 --instance one", `POST terminators {"address":"tcp:localhost:80","binding":"transport","identity":"one","router":"r1","service":"s1"}`},
		{"update terminator x1 --cost 7 --precedence required", `PATCH terminators/x1 {"cost":7,"precedence":"required"}`},
		{"create authenticator updb i2 bob pass-word", `POST authenticators {"identityId":"i2","method":"updb","password":"pass-word","username":"bob"}`},
		{"update authenticator x1 --password -", `PATCH authenticators/x1 {"password":"typed"}`},
		{"create auth-policy strict2 --primary-updb-allowed=false", `POST auth-policies {"name":"strict2","primary":{"cert":{"allowExpiredCerts":false,"allowed":true},"extJwt":{"allowed":false,"allowedSigners":[]},"updb":{"allowed":false,"lockoutDurationMinutes":0,"maxAttempts":0,"minPasswordLength":5,"requireMixedCase":false,"requireNumberChar":false,"requireSpecialChar":false}},"secondary":{"requireTotp":false}}`},
		{"update auth-policy strict --primary-cert-allowed=false", `PATCH auth-policies/p1 {"primary":{"cert":{"allowed":false}}}`},
		{"update auth-policy strict -n other", `PATCH auth-policies/p1 {"name":"other"}`},
		{"delete enrollment x1", `DELETE enrollments/x1`},
		{"delete session x1", `DELETE sessions/x1`},
		{"delete api-session x1", `DELETE api-sessions/x1`},
		{"edge delete services web", `DELETE services/s1`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c.t, c.last = t, ""
			c.entities["identities"] = append(c.entities["identities"][:0:0], c.entities["identities"]...)
			if strings.Contains(tt.args, "i2") {
				c.add("identities", "i2", "bob2", nil)
			}
			if strings.HasPrefix(tt.args, "update identity i1") || strings.Contains(tt.args, "@alice") {
				restore(c, "identities", "i1", "alice")
			}
			_, stderr, code := c.runWith("typed\n", strings.Split(tt.args, " ")...)
			if code != 0 || c.last != tt.want {
				t.Errorf("exit %d: %s\ngot  %s\nwant %s", code, stderr, c.last, tt.want)
			}
		})
	}
}

func restore(c *controller, plural, id, name string) {
	for _, e := range c.entities[plural] {
		if e["id"] == id {
			return
		}
	}
	c.add(plural, id, name, nil)
}

func TestCreateOutput(t *testing.T) {
	c := populated(t)
	token := filepath.Join(t.TempDir(), "t.jwt")
	for _, tt := range []struct {
		args, want string
		token      string
	}{
		{"create service db", "new2\n", ""},
		{"create service db3 -o name", "db3\n", ""},
		{"create identity b1 --jwt " + token, "new2\n", "a.b.c"},
		{"create identity b2 -o " + token, "new3\n", "a.b.c"},
		{"create edge-router r2 --jwt-output-file " + token, "new2\n", "r.b.c"},
		{"create enrollment ott i1 --jwt " + token, "new2\n", "e.b.c"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c.t = t
			os.Remove(token)
			stdout, stderr, code := c.run(strings.Split(tt.args, " ")...)
			b, _ := os.ReadFile(token)
			if code != 0 || stdout != tt.want || string(b) != tt.token {
				t.Errorf("exit %d: %s; got %q, token %q", code, stderr, stdout, b)
			}
		})
	}
	stdout, _, _ := c.run("create", "service", "db4", "-o", "json")
	var d struct{ ID, Name string }
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || d.Name != "db4" || d.ID == "" {
		t.Errorf("got %s, %v", stdout, err)
	}
}

func TestReads(t *testing.T) {
	c := populated(t)
	for i := range 1100 {
		c.add("configs", fmt.Sprint("k", i), fmt.Sprint("config", i), nil)
	}
	c.add("services", "s2", "tab\tand\x1b[31m", nil)
	for _, tt := range []struct {
		args, stdout, stderr string
	}{
		{"list identities", "ID  NAME   TYPE  ADMIN  ATTRIBUTES  ENROLLED  CONNECTED  DISABLED\ni1  alice  -     no     staff       no        no         no\n", ""},
		{"list identity -o name", "alice\n", ""},
		{"list edge-routers -o name --filter id=\"r1\"", "R one\n", ""},
		{"list edge-routers id=\"nope\" -o json", "[]\n", ""},
		{"list services -o name", "web\ntab\tand\x1b[31m\n", ""},
		{"list services", "ID  NAME          ENCRYPTION  STRATEGY  ATTRIBUTES  CONFIGS\ns1  web           no          -         -           0\ns2  tab and [31m  no          -         -           0\n", ""},
		{"list terminators -o name", "x1\n", ""},
		{"list configs --limit 2 -o name", "web.host\nconfig0\n", "2 of 1101 shown; --all shows all\n"},
		{"show service web -o name", "web\n", ""},
		{"show api-session x1 -o name", "x1\n", ""},
		{"edge list er -o name", "R one\n", ""},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c.t = t
			stdout, stderr, code := c.run(strings.Split(tt.args, " ")...)
			if code != 0 || stdout != tt.stdout || stderr != tt.stderr {
				t.Errorf("exit %d\ngot  %q, %q\nwant %q, %q", code, stdout, stderr, tt.stdout, tt.stderr)
			}
		})
	}
	c.t = t
	if stdout, stderr, _ := c.run("list", "configs", "--all", "-o", "name"); strings.Count(stdout, "\n") != 1101 || stderr != "" {
		t.Errorf("--all: %d lines, %s", strings.Count(stdout, "\n"), stderr)
	}
	if stdout, _, _ := c.run("show", "identity", "alice"); !strings.Contains(stdout, "name                        alice\n") || !strings.Contains(stdout, "type                        Default\n") || strings.Contains(stdout, "_links") {
		t.Errorf("show: %s", stdout)
	}
	for _, plural := range []string{"identities", "services", "configs", "config-types", "edge-routers", "service-policies", "edge-router-policies", "service-edge-router-policies",
		"terminators", "authenticators", "enrollments", "auth-policies", "api-sessions", "sessions"} {
		if stdout, stderr, code := c.run("list", plural); code != 0 || !strings.HasPrefix(stdout, "ID ") {
			t.Errorf("list %s: exit %d, %s%s", plural, code, stdout, stderr)
		}
	}
}

func TestRefusals(t *testing.T) {
	c := populated(t)
	c.add("services", "d1", "double", nil)
	c.add("services", "d2", "double", nil)
	for _, tt := range []struct {
		args   string
		code   int
		stderr string // contained
	}{
		{"create service taken", cli.ExitRefused, "error: COULD_NOT_VALIDATE\ncause: The supplied request contains an invalid document\nremedy: choose another name\n"},
		{"show service nope", cli.ExitNotFound, "error: NOT_FOUND\ncause: there is no service with the id or name \"nope\"\n"},
		{"show service double", cli.ExitNotFound, "error: AMBIGUOUS\n"},
		{"create service-policy p Dial --identity-roles @nobody", cli.ExitNotFound, "there is no identity with the id or name \"nobody\""},
		{"create service-policy p Dial --identity-roles staff", cli.ExitUsage, "remedy: write '#staff' for a role attribute, '@staff' for a name or id"},
		{"create service-policy p Both", cli.ExitUsage, "remedy: write Dial or Bind"},
		{"list services --filter name==1", cli.ExitRefused, "error: INVALID_FILTER\n"},
		{"list services a --filter b", cli.ExitUsage, "give the filter once"},
		{"list services --all --limit 3", cli.ExitUsage, "all"},
		{"list services -o xml", cli.ExitUsage, "unknown output format \"xml\""},
		{"list services --bogus", cli.ExitUsage, "unknown flag: --bogus"},
		{"list bogus", cli.ExitUsage, "there is no command"},
		{"bogus", cli.ExitUsage, "there is no command"},
		{"update service web", cli.ExitUsage, "nothing to change was given"},
		{"update service web --max-idle-time soon", cli.ExitUsage, "invalid"},
		{"create config c host.v1", cli.ExitUsage, "remedy: give the JSON as argument"},
		{"create config c host.v1 [1]", cli.ExitUsage, "the data is not a JSON object"},
		{"create service", cli.ExitUsage, "0 arguments do not fit: weft create service NAME"},
		{"create authenticator magic alice x", cli.ExitUsage, "remedy: write updb or cert"},
		{"delete service web nope", cli.ExitNotFound, "deleted service web\nerror: NOT_FOUND\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c.t = t
			stdout, stderr, code := c.run(strings.Split(tt.args, " ")...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) || stdout != "" {
				t.Errorf("exit %d, %q, %s", code, stdout, stderr)
			}
		})
	}
}
