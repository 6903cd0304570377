package http

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// postureBody returns the body of a posture check.
func postureBody(kind, name string, more obj) obj {
	b := obj{"name": name, "typeId": kind}
	maps.Copy(b, postureSamples()[kind])
	maps.Copy(b, more)
	return b
}

func TestPostureCheckForms(t *testing.T) {
	f := newFixture(t)
	for _, tt := range []struct {
		name, kind, at string
		body           any
		want           any
	}{
		{"capital letters, as the CLI sends them", "OS", "operatingSystems.0.versions.0", `{"Name":"a","TypeId":"OS","OperatingSystems":[{"Type":"Windows","Versions":["10.0.0"]}]}`, "10.0.0"},
		{"no versions are null", "OS", "operatingSystems.0.versions", postureBody("OS", "b", nil), nil},
		{"systems are sorted", "OS", "operatingSystems.0.type", postureBody("OS", "c", nil), "Linux"},
		{"ranges", "OS", "operatingSystems.0.versions.0", postureBody("OS", "d", obj{"operatingSystems": []obj{{"type": "iOS", "versions": []string{">=1.2.3 <2.0.0 || 3.x.x"}}}}), ">=1.2.3 <2.0.0 || 3.x.x"},
		{"separators go", "MAC", "macAddresses", postureBody("MAC", "e", obj{"macAddresses": []string{"AA-BB-CC-DD-EE-FF", "aa:bb:cc:dd:ee:ff"}}), "[aabbccddeeff]"},
		{"hashes in lower case", "PROCESS", "process.hashes.0", postureBody("PROCESS", "f", nil), "abcd"},
		{"no timeout", "MFA", "timeoutSeconds", postureBody("MFA", "g", obj{"timeoutSeconds": 0}), -1},
		{"members of other types are ignored", "DOMAIN", "macAddresses", postureBody("DOMAIN", "h", obj{"macAddresses": []string{"zz"}}), nil},
		{"a set of attributes", "DOMAIN", "roleAttributes", postureBody("DOMAIN", "i", obj{"roleAttributes": []string{"b", "a", "b"}}), "[a b]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			id := f.do("POST", m("/posture-checks"), tt.body).status(201).id()
			f.do("GET", m("/posture-checks/%s", id), nil).is("data.typeId", tt.kind).is("data."+tt.at, tt.want).is("data.version", 1)
		})
	}
}

func TestPostureCheckRefusals(t *testing.T) {
	f := newFixture(t)
	id := f.create("posture-checks", postureBody("DOMAIN", "one", nil))
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	os := func(versions ...string) obj {
		return postureBody("OS", "x", obj{"operatingSystems": []obj{{"type": "Linux", "versions": versions}}})
	}
	for _, tt := range []struct {
		name, method, path string
		body               any
		code, field        string
	}{
		{"name", "POST", "", postureBody("MAC", "one", nil), "COULD_NOT_VALIDATE", "name"},
		{"no type", "POST", "", obj{"name": "x"}, "COULD_NOT_VALIDATE", "typeId"},
		{"unknown type", "POST", "", obj{"name": "x", "typeId": "X"}, "COULD_NOT_VALIDATE", "typeId"},
		{"no domains", "POST", "", obj{"name": "x", "typeId": "DOMAIN"}, "COULD_NOT_VALIDATE", "domains"},
		{"zero domains", "POST", "", postureBody("DOMAIN", "x", obj{"domains": []string{}}), "COULD_NOT_VALIDATE", "domains"},
		{"empty domain", "POST", "", postureBody("DOMAIN", "x", obj{"domains": []string{""}}), "COULD_NOT_VALIDATE", "domains.0"},
		{"MAC", "POST", "", postureBody("MAC", "x", obj{"macAddresses": []string{"xx"}}), "COULD_NOT_VALIDATE", "macAddresses.0"},
		{"system", "POST", "", postureBody("OS", "x", obj{"operatingSystems": []obj{{"type": "BeOS", "versions": []string{}}}}), "COULD_NOT_VALIDATE", "operatingSystems.0.type"},
		{"no versions member", "POST", "", postureBody("OS", "x", obj{"operatingSystems": []obj{{"type": "Linux"}}}), "COULD_NOT_VALIDATE", "operatingSystems.0.versions"},
		{"two parts", "POST", "", os("10.0"), "COULD_NOT_VALIDATE", "operatingSystems.0.versions.0"},
		{"junk as version", "POST", "", os("10.0.0", "zehn"), "COULD_NOT_VALIDATE", "operatingSystems.0.versions.1"},
		{"endless range", "POST", "", os(strings.Repeat(">=1.0.0 ", 30_000) + "x"), "COULD_NOT_VALIDATE", "operatingSystems.0.versions.0"},
		{"process", "POST", "", obj{"name": "x", "typeId": "PROCESS"}, "COULD_NOT_VALIDATE", "process"},
		{"path of a process", "POST", "", postureBody("PROCESS", "x", obj{"process": obj{"osType": "Linux"}}), "COULD_NOT_VALIDATE", "process.path"},
		{"semantic", "POST", "", postureBody("PROCESS_MULTI", "x", obj{"semantic": "OneOf"}), "COULD_NOT_VALIDATE", "semantic"},
		{"no semantic", "POST", "", obj{"name": "x", "typeId": "PROCESS_MULTI", "processes": []obj{{"osType": "Linux", "path": "/x"}}}, "COULD_NOT_VALIDATE", "semantic"},
		{"attribute", "POST", "", postureBody("MFA", "x", obj{"roleAttributes": []string{"@a"}}), "COULD_NOT_VALIDATE", "roleAttributes"},
		{"wrong JSON type", "POST", "", `{"name":"x","typeId":"MFA","timeoutSeconds":"a"}`, "COULD_NOT_PARSE_BODY", ""},
		{"a list", "POST", "", `[]`, "COULD_NOT_PARSE_BODY", ""},
		{"deep", "POST", "", `{"name":"x","typeId":"MFA","tags":` + deep + `}`, "COULD_NOT_PARSE_BODY", ""},
		{"PATCH without type", "PATCH", "/" + id, obj{"name": "y"}, "COULD_NOT_VALIDATE", "typeId"},
		{"PATCH of another type", "PATCH", "/" + id, obj{"typeId": "MAC"}, "COULD_NOT_VALIDATE", "typeId"},
		{"PUT of another type", "PUT", "/" + id, postureBody("MAC", "one", nil), "COULD_NOT_VALIDATE", "typeId"},
		{"PUT without members", "PUT", "/" + id, obj{"typeId": "DOMAIN", "name": "one"}, "COULD_NOT_VALIDATE", "domains"},
		{"PATCH to none", "PATCH", "/" + id, obj{"typeId": "DOMAIN", "domains": []string{}}, "COULD_NOT_VALIDATE", "domains"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do(tt.method, m("/posture-checks%s", tt.path), tt.body).status(400).is("error.code", tt.code)
			if tt.field != "" {
				a.is("error.cause.field", tt.field)
			}
		})
	}
	f.do("GET", m("/posture-checks/%s", id), nil).is("data.version", 1).is("data.domains", "[corp.example]")
	f.do("GET", m("/posture-checks"), nil).is("meta.pagination.totalCount", 1)
}

func TestPostureCheckWrites(t *testing.T) {
	f := newFixture(t)
	id := f.create("posture-checks", postureBody("PROCESS", "one", obj{"roleAttributes": []string{"pc"}, "tags": obj{"a": 1, "b": obj{"c": 1}}}))
	path := m("/posture-checks/%s", id)
	f.do("PATCH", path, obj{"typeId": "PROCESS", "process": obj{"path": "/bin/y"}}).status(200)
	f.do("GET", path, nil).is("data.process.path", "/bin/y").is("data.process.osType", "Linux").is("data.process.hashes", "[abcd]").
		is("data.version", 2).is("data.tags", map[string]any{"a": 1.0})
	f.do("PATCH", path, obj{"typeId": "PROCESS", "process": obj{"hashes": []string{}}, "name": nil}).status(200)
	f.do("GET", path, nil).is("data.process.hashes", "[]").is("data.name", "one")
	f.do("PUT", path, obj{"typeId": "PROCESS", "name": "two", "process": obj{"osType": "macOS", "path": "/z"}}).status(200)
	f.do("GET", path, nil).is("data.name", "two").is("data.process.osType", "macOS").is("data.process.signerFingerprint", nil).is("data.roleAttributes", "[]").is("data.tags", "map[]")
}

func TestPostureChecksOfPolicies(t *testing.T) {
	f := newFixture(t)
	one := f.create("posture-checks", postureBody("MFA", "one", obj{"roleAttributes": []string{"a", "b"}}))
	two := f.create("posture-checks", postureBody("MAC", "two", obj{"roleAttributes": []string{"a"}}))
	body := obj{"name": "p", "type": "Dial", "semantic": "AllOf", "postureCheckRoles": []string{"#a", "#b", "@" + two}}
	p := f.create("service-policies", body)
	f.do("GET", m("/service-policies/%s", p), nil).is("data.postureCheckRolesDisplay.2.name", "@two").is("data.postureCheckRolesDisplay.2.role", "@"+two)
	list := func(query string) *answer {
		return f.do("GET", m("/service-policies/%s/posture-checks%s", p, query), nil).status(200)
	}
	if a := list(""); !slices.Contains([]any{a.at("data.0.id"), a.at("data.1.id")}, any(one)) {
		t.Error("all of the attributes:", a.Body)
	}
	list("?filter="+url.QueryEscape(`typeId="MAC"`)).is("data.0.id", two).is("meta.pagination.totalCount", 1)
	f.do("GET", m("/service-policies/nope/posture-checks"), nil).status(200).is("meta.pagination.totalCount", 0)
	f.do("GET", m("/posture-checks?roleFilter=%%23b"), nil).is("data.0.id", one).is("meta.pagination.totalCount", 1)
	f.do("GET", m("/posture-checks?roleFilter=%%23b&roleFilter=%%40%s", two), nil).is("meta.pagination.totalCount", 2)
	f.do("GET", m("/posture-checks?roleFilter=b"), nil).status(400)
	f.do("GET", m("/posture-check-role-attributes"), nil).is("data", "[a b]")

	unknown := obj{"name": "q", "type": "Dial", "semantic": "AnyOf", "postureCheckRoles": []string{"@nope"}}
	f.do("POST", m("/service-policies"), unknown).status(400).is("error.cause.field", "postureCheckRoles").
		is("error.cause.reason", "no postureChecks found with the given ids").is("error.cause.value", "[nope]")
	many := make([]string, 10_000)
	for i := range many {
		many[i] = "#a" + strings.Repeat("x", i%50)
	}
	f.do("PATCH", m("/service-policies/%s", p), obj{"postureCheckRoles": append(slices.Clone(many), "@nope")}).status(400)
	f.do("PATCH", m("/service-policies/%s", p), obj{"postureCheckRoles": append(many, "@"+two)}).status(200)
	f.do("DELETE", m("/posture-checks/%s", two), nil).status(200)
	f.do("DELETE", m("/posture-checks/%s", two), nil).status(404)
	if roles := f.do("GET", m("/service-policies/%s", p), nil).at("data.postureCheckRoles").([]any); slices.Contains(roles, any("@"+two)) || len(roles) != 50 {
		t.Error(len(roles), "roles")
	}
}
