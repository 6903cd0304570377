package conf

import (
	"strings"
	"testing"
)

func TestWebPages(t *testing.T) {
	const head = `v: 3
identity: {cert: a, key: b, ca: c}
db: x
ctrl: {listener: "tls:0.0.0.0:1"}
web:
  - name: w
    bindPoints: [{interface: "0.0.0.0:1", address: "a:1"}]
    apis:
`
	for apis, want := range map[string]string{
		"      - {binding: spa, options: {path: console, location: /x}}\n      - {binding: zac, options: {location: /y}}\n": "",
		"      - {binding: spa, options: {location: /x}}\n":                                                                 "c.yml:9: web[0].apis[0].options.path: is missing",
		"      - {binding: spa, options: {path: a/b, location: /x}}\n":                                                      "options.path: contains a slash",
		"      - {binding: spa, options: {path: edge, location: /x}}\n":                                                     "is the path of an API",
		"      - {binding: spa, options: {path: console}}\n":                                                                "options.location: is missing",
		"      - {binding: spa, options: {path: zac, location: /x}}\n      - {binding: zac, options: {location: /y}}\n":     "is taken by other pages",
		"      - {binding: nosuch}\n":                                                                                       `no binding is called "nosuch"`,
	} {
		_, _, err := ParseController("c.yml", []byte(head+apis), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", apis, err)
		}
	}
}
