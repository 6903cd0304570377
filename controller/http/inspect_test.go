package http

import (
	"net/url"
	"strings"
	"testing"
)

func TestInspect(t *testing.T) {
	f := newFixture(t)
	f.mesh.processes = []Process{{"ctrl-1", ""}, {"r2", "two"}, {"r1", "one"}}
	f.mesh.values = map[string]map[string]string{
		"ctrl-1": {"stackdump": "goroutine 1 [running]:\n<x>"}, "r1": {"links": ` {"a":1}`, "stackdump": "[broken"}, "r2": {"links": "[]", "config": "7"}}
	ask := func(regex string, keys ...string) *answer {
		if keys == nil {
			keys = []string{}
		}
		return f.do("POST", fb("/inspections"), obj{"appRegex": regex, "requestedValues": keys})
	}
	a := ask(".*", "links", "stackdump", "config", "nope").status(200)
	want := `{"errors":null,"success":true,"values":[{"appId":"ctrl-1","name":"stackdump","value":"goroutine 1 [running]:\n<x>"},` +
		`{"appId":"r1","name":"links","value":{"a":1}},{"appId":"r1","name":"stackdump","value":"[broken"},` +
		`{"appId":"r2","name":"links","value":[]},{"appId":"r2","name":"config","value":"7"}]}` + "\n"
	if got := a.ResponseRecorder.Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	ask("^one$", "links").status(200).is("values.0.appId", "r1").is("values.1", nil) // by name
	ask("nobody", "links").status(200).is("success", true).is("values", "[]").is("errors", nil)
	ask(".*").status(200).is("values", "[]")

	f.mesh.silent = map[string]bool{"r1": true}
	ask("r", "links").status(200).is("success", false).contains("errors.0", "r1 did not answer within").is("values.0.appId", "r2").is("values.1", nil)

	for field, body := range map[string]any{
		"appRegex": obj{"appRegex": "(", "requestedValues": []string{"x"}}, "requestedValues": obj{"appRegex": "x"},
		"appRegex ":        obj{"appRegex": strings.Repeat("a", 1001), "requestedValues": []string{}},
		"requestedValues ": obj{"appRegex": "x", "requestedValues": make([]string, maxInspectKeys+1)}, "request": nil,
	} {
		f.do("POST", fb("/inspections"), body).status(400).is("error.cause.field", strings.TrimSpace(field))
	}
	f.do("POST", fb("/inspections"), `{"appRegex":1}`).status(400)
}

func TestShowPath(t *testing.T) {
	f := newFixture(t)
	newMesh(t, f)
	f.mesh.path = &Path{Routers: []string{router1, router2}, Links: []string{link1}, Cost: 8}
	a := f.do("GET", fb("/paths?from=r1&to=%s", router2), nil).status(200).is("data.found", true).is("data.cost", 8)
	a.is("data.hops.0.router.name", "r1").is("data.hops.0.link.id", link1).is("data.hops.1.link", nil).is("data.hops.0.cost", 0).is("data.hops.1.cost", 10)
	f.mesh.path, f.mesh.noPath = nil, errNoPath
	f.do("GET", fb("/paths?from=r1&to=r2"), nil).status(200).is("data.found", false).is("data.hops", "[]").
		is("data.code", "NO_EDGE_ROUTERS_AVAILABLE").is("data.reason", "router r2 is offline").is("data.remedy", "start router r2")
	f.mesh.noPath = nil
	f.do("GET", fb("/paths?from=r1&to=r2"), nil).is("data.code", "NO_PATH").is("data.reason", "no link joins them")
	f.do("GET", fb("/paths?from=r1"), nil).status(400).is("error.cause.field", "to")
	f.do("GET", fb("/paths?from=%s&to=r2", url.QueryEscape("no one")), nil).status(404)
}

// The way of a session's circuits, by names.
func TestRoutePath(t *testing.T) {
	f := newFixture(t)
	service, _ := newMesh(t, f)
	f.service["s1"] = &ServiceSession{ID: "s1", APISessionID: "cAdmin", IdentityID: f.admin, ServiceID: service, Type: "Dial"}
	f.do("GET", m("/sessions/s1/route-path"), nil).status(200).is("data.routePath", "[r1 r2]")
	f.mesh.circuits = nil
	f.do("GET", m("/sessions/s1/route-path"), nil).status(200).is("data.routePath", "[]")
}
