package field

import (
	"strings"
	"testing"
)

// TestCLIFabric runs the fabric commands of the ecosystem's command line.
func TestCLIFabric(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	n := common(t)
	edge := newCLI(t, n)
	edge.call(t, "GET", "/version", nil, 200).at("data", "apiVersions", "fabric", "v1", "path").want("/fabric/v1")
	c := &cliUser{&manager{base: n.url("/fabric/v1"), http: edge.http, token: edge.token}, t}
	for _, plural := range []string{"circuits", "links", "routers", "services", "terminators"} {
		d := c.call(t, "GET", "/"+plural, nil, 200)
		d.at("data").list()
		d.at("meta", "pagination", "limit").want(10)
	}
	for _, r := range c.call(t, "GET", "/routers?filter=connected%3Dtrue", nil, 200).at("data").list() {
		r.at("versionInfo", "version").text()
		if name := r.at("fingerprint").text(); len(name) != 40 {
			t.Errorf("fingerprint %q", name)
		}
	}

	name := unique("fabric")
	service := c.create(t, "services", m{"maxIdleTimeMillis": 0, "name": name, "tags": nil})
	if id := c.lookup1("services", name); id != service {
		t.Errorf("service %s, want %s", id, service)
	}
	c.call(t, "PATCH", "/services/"+service, m{"terminatorStrategy": "random"}, 200)
	c.call(t, "GET", "/services/"+service, nil, 200).at("data", "terminatorStrategy").want("random")
	c.call(t, "GET", "/services/"+service+"/terminators", nil, 200).at("data").list()
	c.call(t, "DELETE", "/services/"+service, nil, 200)

	d := c.call(t, "POST", "/inspections", m{"appRegex": ".*", "requestedValues": []string{"stackdump", "nope"}}, 200)
	values := d.at("values").list()
	if len(values) < 2 {
		t.Errorf("%d values, want those of the controller and of the router", len(values))
	}
	for _, v := range values {
		v.at("appId").text()
		if text := v.at("value").text(); !strings.HasPrefix(text, "goroutine ") {
			t.Errorf("stacks begin with %.40q", text)
		}
	}
	c.call(t, "DELETE", "/links/unknown", nil, 200)
	c.call(t, "DELETE", "/circuits/unknown", nil, 404)
	(&cliUser{&manager{base: c.base, http: c.http}, t}).call(t, "GET", "/links", nil, 401)
}
