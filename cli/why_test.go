package cli_test

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

func TestWhy(t *testing.T) {
	ref := func(name string) map[string]any { return map[string]any{"name": name} }
	decision := func(allowed bool, code, rule, remedy string, policies ...any) map[string]any {
		return map[string]any{"allowed": allowed, "code": code, "rule": rule, "remedy": remedy, "policies": policies}
	}
	for _, tt := range []struct {
		name string
		dial map[string]any
		want string // contained
	}{
		{"allowed", decision(true, "", "", "", ref("p"), ref("q")), "Dial     allowed  by p, q\n"},
		{"refused", decision(false, "NO_DIAL_POLICY", "no Dial service policy contains both", "weft create service-policy"),
			"Dial     refused  no Dial service policy contains both\n         remedy   weft create service-policy\n"},
		{"router offline", decision(false, "NO_EDGE_ROUTERS_AVAILABLE", "none is online", "start one of them", ref("p")),
			"Dial     refused  none is online\n         remedy   start one of them\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newController(t)
			c.login()
			c.add("identities", "i1", "alice", nil)
			c.add("services", "s1", "web", nil)
			c.advice = map[string]any{"identity": ref("alice"), "service": ref("web"), "dial": tt.dial,
				"bind": decision(false, "NO_BIND_POLICY", "no Bind service policy", "none"), "commonRouters": []any{}}
			stdout, stderr, code := c.run("why", "alice", "web")
			if code != 0 || !strings.Contains(stdout, tt.want) {
				t.Errorf("exit %d: %s\n%s", code, stderr, stdout)
			}
			if stdout, _, _ := c.run("why", "alice", "web", "-o", "json"); !strings.Contains(stdout, `"code": "NO_BIND_POLICY"`) {
				t.Errorf("-o json: %s", stdout)
			}
			if stdout, _, _ := c.run("why", "alice", "web", "-o", "name"); (stdout == "Dial\n") != (tt.name == "allowed") {
				t.Errorf("-o name: %q", stdout)
			}
			if _, _, code := c.run("why", "alice", "nope"); code != cli.ExitNotFound {
				t.Errorf("unknown service: exit %d", code)
			}
		})
	}
}
