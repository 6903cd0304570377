package cli_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/cli"
)

type obj = map[string]any

func ref(plural, id, name string) obj { return obj{"entity": plural, "id": id, "name": name} }

// mesh is a controller with a fabric API: two routers, a link and a circuit.
func mesh(t *testing.T) *controller {
	c := newController(t)
	c.fabric = obj{}
	c.add("routers", "r1", "one", obj{"connected": true, "cost": 3, "listenerAddresses": []obj{{"address": "tls:a:1", "protocol": "tls"}}, "versionInfo": obj{"version": "v1"}})
	c.add("routers", "r2", "two", obj{"connected": true, "quiesced": true, "noTraversal": true})
	c.add("links", "l1", "", obj{"sourceRouter": ref("routers", "r1", "one"), "destRouter": ref("routers", "r2", "two"), "protocol": "tls", "cost": 9, "state": "Connected",
		"sourceLatency": 310000, "destLatency": 65000000000, "connections": []obj{{}, {}}, "down": true})
	c.add("circuits", "c1", "", obj{"identity": ref("identities", "i1", "alice"), "service": ref("services", "s1", "web"), "terminator": ref("terminators", "t1", "t1"), "state": "active",
		"createdAt": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "path": obj{"nodes": []obj{ref("routers", "r1", "one"), ref("routers", "r2", "")}, "links": []obj{ref("links", "l1", "l1")}}})
	c.add("circuits", "c2", "", obj{"path": obj{"nodes": []obj{ref("routers", "r2", "two")}}})
	c.login()
	return c
}

func TestFabricLists(t *testing.T) {
	c := mesh(t)
	for _, tt := range []struct{ args, want string }{
		{"list links", "ID  FROM  TO   PROTOCOL  COST  LATENCY     STATE            CONNECTIONS\nl1  one   two  tls       9     0.31ms / ?  Connected, down  2\n"},
		{"fabric list links", "l1  one   two"},
		{"edge list links", "l1  one   two"},
		{"list routers", "ID  NAME  STATE     COST  TRAVERSAL  LINK-LISTENERS  VERSION\nr1  one   online    3     yes        tls:a:1         v1\nr2  two   quiesced  0     no         -               -\n"},
		{"list circuits", "ID  CLIENT      SERVICE  TERMINATOR  PATH      STATE   AGE\nc1  alice       web      t1          one > r2  active  1h0m"},
		{"list circuits", "c2  router two  -"},
		{"list circuits -o name", "c1\nc2\n"},
		{"fabric list circuits -o json", `"clientId": ""`},
		{"show circuit c1", `{"links":["l1"],"nodes":["one","r2"]}`},
		{"show link l1", "sourceRouter   one"},
		{"show router two", "quiesced           true"},
		{"fabric show router r1 -o name", "one\n"},
	} {
		c.t = t
		stdout, stderr, code := c.run(strings.Split(tt.args, " ")...)
		if code != 0 || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit %d %s\ngot\n%s\nwant\n%s", tt.args, code, stderr, stdout, tt.want)
		}
	}
}

func TestFabricWrites(t *testing.T) {
	c := mesh(t)
	for _, tt := range []struct{ args, want string }{
		{"update link l1 --static-cost 20 --down", `PATCH links/l1 {"down":true,"staticCost":20}`},
		{"fabric update link l1 --down=false", `PATCH links/l1 {"down":false}`},
		{"update router one --cost 9 --no-traversal --disabled=false", `PATCH routers/r1 {"cost":9,"disabled":false,"noTraversal":true}`},
		{"delete circuit c1", `DELETE circuits/c1`},
		{"fabric delete link l1", `DELETE links/l1`},
		{"fabric create service db", `POST services {"name":"db"}`},
		{"delete router r2", `DELETE routers/r2`},
	} {
		c.last = ""
		if _, stderr, code := c.run(strings.Split(tt.args, " ")...); code != 0 || c.last != tt.want {
			t.Errorf("%s: exit %d: %s\ngot  %s\nwant %s", tt.args, code, stderr, c.last, tt.want)
		}
	}
	if _, stderr, code := c.run("delete", "link", "gone"); code != cli.ExitNotFound {
		t.Errorf("unknown link: exit %d: %s", code, stderr)
	}
	if _, _, code := c.run("update", "link", "l1"); code != cli.ExitUsage {
		t.Errorf("nothing to change: exit %d", code)
	}
}

// An empty list says why it is.
func TestEmptyLists(t *testing.T) {
	c := newController(t)
	c.fabric = obj{}
	c.login()
	router := func(name string, online bool, listens ...obj) {
		c.add("routers", name, name, obj{"connected": online, "listenerAddresses": listens})
	}
	for _, tt := range []struct {
		prepare      func()
		list, reason string
	}{
		{func() {}, "routers", "weft create edge-router"},
		{func() {}, "circuits", "no client is connected"},
		{func() {}, "services", "no services: weft create service makes one"},
		{func() {}, "terminators", "nobody hosts a service"},
		{func() { router("r1", true); router("r0", false) }, "links", "online: r1"},
		{func() { router("r2", true) }, "links", "none of the routers r1, r2 accepts links; give one of them a link section"},
		{func() { router("r3", true, obj{"address": "tls:a:1"}) }, "links", "though r3 would accept them; routers without a link listener: r1, r2"},
	} {
		tt.prepare()
		stdout, stderr, code := c.run("list", tt.list)
		if code != 0 || !strings.Contains(stderr, tt.reason) || strings.Contains(stdout, tt.reason) {
			t.Errorf("%s: exit %d, %q, want %q", tt.list, code, stderr, tt.reason)
		}
		if _, stderr, _ := c.run("list", tt.list, `id = "x"`); stderr != "no "+tt.list+" match the filter\n" {
			t.Errorf("%s with a filter: %q", tt.list, stderr)
		}
	}
}

func TestShowPath(t *testing.T) {
	c := mesh(t)
	hop := func(name string, cost int, link any) obj {
		return obj{"router": ref("routers", name, name), "cost": cost, "link": link}
	}
	link := func(id string) obj {
		return obj{"id": id, "protocol": "tls", "cost": 4, "sourceLatency": 1500000, "destLatency": 1600000}
	}
	c.fabric["/paths"] = obj{"data": obj{"found": true, "cost": 15, "from": ref("routers", "r1", "r1"), "to": ref("routers", "r3", "r3"),
		"hops": []obj{hop("r1", 2, link("l1")), hop("r2", 5, link("l2")), hop("r3", 2, nil)}}}
	stdout, stderr, code := c.run("show", "path", "r1", "r three")
	want := "ROUTER  COST  LINK  PROTOCOL  LINK-COST  LATENCY\n" +
		"r1      -     l1    tls       4          1.50ms / 1.60ms\n" +
		"r2      5     l2    tls       4          1.50ms / 1.60ms\n" +
		"r3      2     -     -         -          -\ncost 15\n"
	if code != 0 || stdout != want || c.asked != "from=r1&to=r+three" {
		t.Errorf("exit %d %s %s\n%s", code, stderr, c.asked, stdout)
	}
	if stdout, _, _ := c.run("show", "path", "r1", "r3", "-o", "name"); stdout != "r1\nr2\nr3\n" {
		t.Errorf("-o name: %q", stdout)
	}
	c.fabric["/paths"] = obj{"data": obj{"found": false, "from": ref("routers", "r1", "r1"), "to": ref("routers", "r3", "r3"), "hops": []obj{},
		"code": "NO_PATH", "reason": "router r2 is offline", "remedy": "start it"}}
	if stdout, _, code := c.run("fabric", "show", "path", "r1", "r3"); code != 0 || stdout != "path    none from r1 to r3\nreason  router r2 is offline\nremedy  start it\n" {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if stdout, _, _ := c.run("show", "path", "r1", "r3", "-o", "json"); !strings.Contains(stdout, `"code": "NO_PATH"`) {
		t.Errorf("-o json: %s", stdout)
	}
}

func TestInspect(t *testing.T) {
	c := mesh(t)
	value := func(app, name string, v any) obj { return obj{"appId": app, "name": name, "value": v} }
	c.fabric["/inspections"] = obj{"success": true, "errors": nil, "values": []obj{value("r1", "links", obj{"a": 1}), value("r1", "stackdump", "line 1\n\tline\x1b 2")}}
	for _, tt := range []struct{ args, sent, want string }{
		{"inspect links", `{"appRegex":".*","requestedValues":["links"]}`, "r1 links\n{\n  \"a\": 1\n}\nr1 stackdump\nline 1\n    line  2\n"},
		{"fabric inspect ^r1$ links stackdump -o name", `{"appRegex":"^r1$","requestedValues":["links","stackdump"]}`, "r1 links\nr1 stackdump\n"},
		{"inspect links -o json", `{"appRegex":".*","requestedValues":["links"]}`, "\"success\": true"},
	} {
		if stdout, stderr, code := c.run(strings.Split(tt.args, " ")...); code != 0 || c.asked != tt.sent || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit %d %s, sent %s\n%s", tt.args, code, stderr, c.asked, stdout)
		}
	}
	c.fabric["/inspections"] = obj{"success": true, "values": []obj{}}
	if _, stderr, code := c.run("inspect", "r9", "links"); code != cli.ExitNotFound || !strings.Contains(stderr, `no process matches "r9" and knows links`) {
		t.Errorf("nothing: exit %d %s", code, stderr)
	}
	c.fabric["/inspections"] = obj{"success": false, "errors": []string{"r2 did not answer"}, "values": []obj{value("r1", "links", obj{})}}
	if stdout, stderr, code := c.run("inspect", "links"); code != cli.ExitFailure || !strings.Contains(stderr, "r2 did not answer") || stdout == "" {
		t.Errorf("incomplete: exit %d %s", code, stderr)
	}
}

// A controller whose configuration does not name the API says what is missing.
func TestNoFabricAPI(t *testing.T) {
	c := mesh(t)
	c.fabric = nil
	for _, args := range []string{"list links", "show path a b", "inspect links"} {
		if _, stderr, code := c.run(strings.Split(args, " ")...); code != cli.ExitUnavailable || !strings.Contains(stderr, "add the binding fabric") {
			t.Errorf("%s: exit %d %s", args, code, fmt.Sprint(stderr))
		}
	}
}
