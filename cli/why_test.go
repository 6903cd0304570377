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

// Where a service that may be dialed is hosted, and whether there is a way.
func TestWhyShowsHosts(t *testing.T) {
	c := mesh(t)
	c.add("identities", "i1", "alice", nil)
	c.add("services", "s1", "web", nil)
	yes := obj{"allowed": true, "policies": []any{ref("service-policies", "p", "p")}}
	c.advice = obj{"identity": obj{"name": "alice"}, "service": obj{"name": "web"}, "dial": yes, "bind": obj{"code": "NO_BIND_POLICY"},
		"commonRouters": []obj{{"id": "r1", "name": "one", "isOnline": true}, {"id": "r9", "name": "nine", "isOnline": false}}}
	terminator := func(router, name string) obj {
		return obj{"routerId": router, "router": ref("routers", router, name)}
	}
	terminators := func(list ...obj) { c.fabric["/services/s1/terminators"] = obj{"data": list} }
	path := func(found bool) {
		c.fabric["/paths"] = obj{"data": obj{"found": found, "cost": 7, "reason": "router two is offline", "remedy": "start it",
			"hops": []obj{{"router": ref("routers", "r1", "one")}, {"router": ref("routers", "r2", "two")}}}}
	}
	for _, tt := range []struct {
		name    string
		prepare func()
		want    string
	}{
		{"nobody", func() { terminators() }, "hosts    none     nobody hosts the service at the moment\n         remedy   connect a host"},
		{"a way", func() { terminators(terminator("r2", "two"), terminator("r2", "two")); path(true) }, "\nhosts    two      by one > two, cost 7\n"},
		{"no way", func() { path(false) }, "hosts    two      no path: router two is offline\n         remedy   start it\n"},
		{"not known", func() { delete(c.fabric, "/paths") }, "online   one\n"},
	} {
		tt.prepare()
		stdout, stderr, code := c.run("why", "alice", "web")
		if code != 0 || !strings.Contains(stdout, tt.want) || strings.Contains(stdout, "hosts") != (tt.name != "not known") {
			t.Errorf("%s: exit %d %s\n%s", tt.name, code, stderr, stdout)
		}
	}
}
