package declare

import (
	"errors"
	"strings"
	"testing"

	"github.com/weftnet/weft/fault"
)

// TestRefusals declares what is wrong: the refusal names place, entity, member
// and remedy, and is never a failure of the server.
func TestRefusals(t *testing.T) {
	n := newNetwork(t)
	n.apply(small, Options{})
	for _, c := range []struct{ text, cause, remedy string }{
		{"services: [", "net.yml:1:", "YAML"},
		{"services:\n\t- name: web", "net.yml:2:1: neither YAML nor JSON", "tabs"},
		{"- a", "net.yml:1:1: a document is a map of sections, not a list", "sections"},
		{"servics: []", `net.yml:1:1: unknown section "servics"`, "did you mean services?"},
		{"services: 7", "net.yml:1:11: services: a list of entities is expected, not the number 7", "dash"},
		{"services: [web]", "net.yml:1:12: services: a map of members is expected", "name"},
		{"services:\n  - roleAttributes: [a]", "net.yml:2:5: services: the member name is missing", "name"},
		{"services:\n  - name: 5", "net.yml:2:11: services: member name: a string is expected, not the number 5", "quotes"},
		{"services:\n  - name: a\n---\nservices:\n  - name: a", "net.yml:5:5: document 2: services a: the name is declared a second time, first at net.yml:2", "two"},
		{"services:\n  - name: a\n    name: b", "net.yml:3:5: services: member name: the member is given a second time", "merged"},
		{"services:\n  - name: a\n    roleAttribute: [x]", "net.yml:3:5: services a: member roleAttribute: unknown member", "did you mean roleAttributes?"},
		{"services:\n  - name: a\n    roleAttributes: x", `net.yml:3:21: services a: member roleAttributes: a list is expected, not the text "x"`, "list"},
		{"services:\n  - name: a\n    encryptionRequired: maybe", "net.yml:3:25: services a: member encryptionRequired: true or false is expected", "true"},
		{"services:\n  - name: a\n    maxIdleTimeMillis: 1.5", "net.yml:3:24: services a: member maxIdleTimeMillis: a whole number is expected, not the number 1.5", "fraction"},
		{"services:\n  - name: a\n    id: x", "net.yml:3:5: services a: member id: it is set by the controller", "leave"},
		{"services:\n  - name: a\n    configs: [web.hosd]", `net.yml:3:15: services a: member configs: there is no config "web.hosd"`, "did you mean web.host?"},
		{"services:\n  - name: a\n    roleAttributes: ['#x']", "net.yml:3:5: services a: member roleAttributes: role attributes may not be prefixed with #", ""},
		{"services:\n  - name: a\n    tags: {x: [1]}", "net.yml:3:15: services a: member tags.x: a text, a number, true or false is expected, not a list", "plain"},
		{"servicePolicies:\n  - name: p\n    type: Dail", "net.yml:3:5: servicePolicies p: member type: type in body should be one of [Dial Bind]", ""},
		{"servicePolicies:\n  - name: p", "net.yml:2:5: servicePolicies p: the member type is missing", "add it"},
		{"servicePolicies:\n  - name: p\n    type: Dial\n    identityRoles: ['@alise']", `net.yml:4:21: servicePolicies p: member identityRoles: there is no identity "alise"`, "did you mean alice?"},
		{"configs:\n  - name: web.host\n    configType: intercept.v1\n    data: {}", `net.yml:3:5: configs web.host: member configType: it cannot be changed after the creation; it is "host.v1"`, "anew"},
		{"configs:\n  - name: c\n    data: {}", "net.yml:2:5: configs c: the member configType is missing", "add"},
		{"terminators:\n  - service: web\n    router: r1\n    binding: transport\n    address: a\n    identitySecret: x", "member identitySecret: a secret does not belong into a declaration", "leave"},
		{"identities:\n  - name: i\n    enrollment: {ott: true, updb: i}", "net.yml:3:5: identities i: member enrollment: an identity enrolls in one way", "ott"},
		{"identities:\n  - name: i\n    type: Router", "net.yml:2:5: identities i: member type: identities of type Router are made together with their router", "edge router"},
		{"identities:\n  - name: alice\n    serviceConfigs: {web: {intercept.v1: web.host}}", "is not of the type intercept.v1 but host.v1", "type"},
		{"authPolicies:\n  - name: a\n    primary: {cert: {alowed: true}}", "net.yml:3:22: authPolicies a: member primary.cert.alowed: unknown member", "did you mean allowed?"},
		{"services:\n  - &a {name: a}\n  - <<: *a", "net.yml:3:5: services: merge keys", "merged"},
		{"{\"services\": [\n {\"name\": \"a\",\n  \"configs\": 7}]}", "net.yml:3:14: services a: member configs: a list is expected", "list"},
	} {
		before := n.store.View()
		_, err := n.plan(c.text, Options{})
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if !strings.Contains(f.Cause.Error(), c.cause) || !strings.Contains(f.Help(), c.remedy) || f.Kind.Status != 400 || f.Data["file"] != "net.yml" {
			t.Errorf("%q:\n got %s\n     %s (%d)\nwant %s\n     %s", c.text, f.Cause, f.Help(), f.Kind.Status, c.cause, c.remedy)
		}
		if n.store.View() != before {
			t.Errorf("%q changed the state", c.text)
		}
	}
}

// TestBounds reads what is nested too deep, or grows without end by aliases.
func TestBounds(t *testing.T) {
	bomb := "x: &a [1,1,1,1,1,1,1,1,1,1]\n"
	last := "a"
	for i := range 9 {
		next := string(rune('b' + i))
		bomb += "y" + next + ": &" + next + " [" + strings.Repeat("*"+last+",", 9) + "*" + last + "]\n"
		last = next
	}
	for name, text := range map[string]string{
		"deep YAML":  "configs: [{name: a, data: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}]",
		"deep JSON":  `{"configs": [{"name": "a", "data": ` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + "}]}",
		"alias bomb": "configs:\n  - name: a\n    data:\n" + indented(bomb, "      "),
		"not UTF-8":  "services: [{name: \"\xff\"}]",
		"cut JSON":   `{"services": [{"name": "a"`,
	} {
		if _, err := Read([]File{{"net.yml", text}}); !errors.Is(err, fault.CouldNotValidate) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func indented(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

// FuzzRead reads anything: a document or a refusal.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(`{"services": [{"name": "a"}]}`)
	f.Add("services: &a\n  - name: *a")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Read([]File{{"f", text}}); err != nil && !errors.Is(err, fault.CouldNotValidate) {
			t.Errorf("%v", err)
		}
	})
}
