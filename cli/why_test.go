package cli_test

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

func TestWhy(t *testing.T) {
	ref := func(name string) map[string]any { return map[string]any{"name": name} }
	router := func(online bool) []any { return []any{map[string]any{"name": "r1", "isOnline": online}} }
	for _, tt := range []struct {
		name               string
		identity, service  []string // Dial policies
		byIdentity, common int
		online, disabled   bool
		want               string // contained
	}{
		{"allowed", []string{"p", "q"}, []string{"q"}, 1, 1, true, false, "Dial     allowed  by q\n"},
		{"no policy", []string{"p"}, nil, 1, 1, true, false, "Dial     refused  no Dial service policy contains both; the identity is in p, the service in none\n         remedy   weft create service-policy NAME Dial --identity-roles '@alice' --service-roles '@web'\n"},
		{"disabled", []string{"p"}, []string{"p"}, 1, 1, true, true, "Dial     refused  identity \"alice\" is disabled\n"},
		{"no router policy", []string{"p"}, []string{"p"}, 0, 0, true, false, "no edge router policy contains the identity"},
		{"no common router", []string{"p"}, []string{"p"}, 1, 0, true, false, "no router is granted to both"},
		{"router offline", []string{"p"}, []string{"p"}, 1, 1, false, false, "none of the routers granted to both is online: r1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newController(t)
			c.login()
			c.add("identities", "i1", "alice", map[string]any{"disabled": tt.disabled})
			c.add("services", "s1", "web", nil)
			for _, p := range tt.identity {
				c.add("policies of identities", p, p, map[string]any{"type": "Dial"})
			}
			for _, p := range tt.service {
				c.add("policies of services", p, p, map[string]any{"type": "Dial"})
			}
			c.advice = map[string]any{"identity": ref("alice"), "service": ref("web"), "identityRouterCount": tt.byIdentity,
				"serviceRouterCount": 1, "commonRouters": router(tt.online)[:tt.common]}
			stdout, stderr, code := c.run("why", "alice", "web")
			if code != 0 || !strings.Contains(stdout, tt.want) {
				t.Errorf("exit %d: %s\n%s", code, stderr, stdout)
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
