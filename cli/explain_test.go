package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

func explained(allowed bool) obj {
	rules := []obj{
		{"rule": "login", "state": "ok", "sentence": "identity exists", "details": []obj{{"state": "ok", "sentence": "authenticator cert"}}},
		{"rule": "service-policies", "state": "ok", "sentence": "1 policy", "details": []obj{}, "omitted": 3},
	}
	x := obj{"allowed": allowed, "type": "Dial", "identity": obj{"name": "alice"}, "service": obj{"name": "web"}}
	if !allowed {
		rules[1]["state"], rules[1]["sentence"] = "failed", "no policy"
		x["failed"], x["code"], x["cause"], x["remedy"] = "service-policies", "NO_DIAL_POLICY", "no policy", "weft create service-policy"
	}
	x["rules"] = rules
	return x
}

func TestExplain(t *testing.T) {
	c := mesh(t)
	c.fabric["/explain"] = obj{"data": explained(true)}
	stdout, stderr, code := c.run("explain", "alice", "web", "--router", "r1")
	want := "alice may dial web\n├─ ✓ login: identity exists\n│     ✓ authenticator cert\n└─ ✓ service policies: 1 policy\n      … and 3 more\n"
	if code != 0 || stdout != want {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	if c.asked != "identity=alice&router=r1&service=web&type=dial" {
		t.Errorf("asked %s", c.asked)
	}
	c.fabric["/explain"] = obj{"data": explained(false)}
	stdout, stderr, code = c.run("explain", "alice", "web", "--bind")
	if code != cli.ExitRefused || !strings.Contains(stdout, "alice cannot dial web\n") || !strings.Contains(stdout, "└─ ✗ service policies: no policy\n") ||
		stderr != "error: NO_DIAL_POLICY\ncause: no policy\nremedy: weft create service-policy\n" || !strings.Contains(c.asked, "type=bind") {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	for format, want := range map[string]string{"json": `"failed": "service-policies"`, "yaml": "failed: service-policies", "csv": "service-policies,failed,no policy", "name": "login\n"} {
		if stdout, _, code := c.run("explain", "alice", "web", "-o", format); code != cli.ExitRefused || !strings.Contains(stdout, want) {
			t.Errorf("-o %s: exit %d, %s", format, code, stdout)
		}
	}
}

func TestWhoCanWhatCan(t *testing.T) {
	c := mesh(t)
	grants := obj{"data": []obj{{"id": "i1", "name": "alice", "type": "Dial", "policies": []obj{{"name": "p"}, {"name": "q"}}}}, "meta": obj{"pagination": obj{"limit": 10, "totalCount": 1}}}
	c.fabric["/who-can"], c.fabric["/what-can"] = grants, grants
	stdout, stderr, code := c.run("who-can", "web", "--bind", "--sort", "name")
	if code != 0 || !strings.Contains(stdout, "i1  alice  Dial  p q") || c.asked != "service=web&sort=name&type=bind" {
		t.Errorf("exit %d %s\n%s%s", code, stderr, stdout, c.asked)
	}
	if stdout, stderr, code := c.run("what-can", "alice", "-o", "name"); code != 0 || stdout != "alice\n" || c.asked != "identity=alice" {
		t.Errorf("exit %d %s\n%s%s", code, stderr, stdout, c.asked)
	}
	if _, _, code := c.run("what-can", "alice", "--dial", "--bind"); code != cli.ExitUsage {
		t.Errorf("both: exit %d", code)
	}
}

func TestWhatIf(t *testing.T) {
	c := mesh(t)
	pair := obj{"from": obj{"name": "alice"}, "to": obj{"name": "web"}, "policy": obj{"name": "p"}, "reason": "no policy"}
	nothing := obj{"kind": "bind", "gained": 0, "lost": 0, "gains": []obj{}, "losses": []obj{}}
	c.fabric["/what-if"] = obj{"data": obj{"kinds": []obj{{"kind": "dial", "gained": 0, "lost": 5, "gains": []obj{}, "losses": []obj{pair}}, nothing}}}
	stdout, stderr, code := c.run("what-if", "update", "identity", "alice", "-a", "staff,it", "--limit", "1")
	if code != 0 || stdout != "dial: 0 gained, 5 lost\n  - alice > web  by p  (then: no policy)\n  - … and 4 more; --limit shows up to 500\n" {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	if c.asked != `{"changes":[{"action":"update","entity":"alice","kind":"identity","roleAttributes":["staff","it"]}],"limit":1}` {
		t.Errorf("asked %s", c.asked)
	}
	if stdout, _, _ := c.run("what-if", "delete", "service-policy", "p", "-o", "csv"); !strings.Contains(stdout, "loses,dial,alice,web,p\n") ||
		!strings.Contains(c.asked, `{"action":"delete","entity":"p","kind":"service-policy"}`) {
		t.Errorf("%s\n%s", stdout, c.asked)
	}
	c.fabric["/what-if"] = obj{"data": obj{"kinds": []obj{nothing}}}
	if stdout, _, _ := c.run("what-if", "create", "service-policy", "p", "dial", "--identity-roles", "@alice"); stdout != "nobody gains or loses access\n" ||
		!strings.Contains(c.asked, `"identityRoles":["@alice"],"kind":"service-policy","name":"p","semantic":"AnyOf","type":"Dial"`) {
		t.Errorf("%s\n%s", stdout, c.asked)
	}
	file := filepath.Join(t.TempDir(), "net.yaml")
	if err := os.WriteFile(file, []byte("services: []"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := c.run("what-if", "-f", file); code != 0 || !strings.Contains(c.asked, `"text":"services: []"`) {
		t.Errorf("exit %d %s\n%s", code, stderr, c.asked)
	}
	if _, _, code := c.run("what-if", "-f", file+".gone"); code == 0 {
		t.Error("a file that is missing")
	}
}
