package conform

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const (
		path   = "/edge/management/v1/summary"
		json   = "application/json"
		spec   = `{"_links":{"self":{"href":"./specs/a"}},"createdAt":"2026-11-20T12:00:00.000Z","id":"a","name":"a","tags":{},"updatedAt":"2026-11-20T12:00:00.000Z"}`
		refuse = `{"error":{"code":"NOT_FOUND","message":"m"},"meta":{}}`
	)
	for _, tt := range []struct {
		name   string
		answer Answer
		want   string // in the error, "" for none
	}{
		{"right", Answer{"GET", "/edge/client/v1/specs", 200, json, []byte(`{"data":[` + spec + `],"meta":{}}`)}, ""},
		{"a parameter", Answer{"GET", "/edge/client/v1/specs/x", 200, json, []byte(`{"data":` + spec + `,"meta":{}}`)}, ""},
		{"another member", Answer{"GET", "/edge/client/v1/specs/x", 200, json, []byte(`{"data":` + strings.Replace(spec, `"id"`, `"more":1,"id"`, 1) + `,"meta":{}}`)}, "more"},
		{"a member is missing", Answer{"GET", "/edge/client/v1/specs/x", 200, json, []byte(`{"data":` + strings.Replace(spec, `"name":"a",`, "", 1) + `,"meta":{}}`)}, "name"},
		{"a wrong type", Answer{"GET", path, 200, json, []byte(`{"data":{"services":"1"},"meta":null}`)}, "integer"},
		{"no time", Answer{"GET", "/edge/client/v1/specs/x", 200, json, []byte(`{"data":` + strings.Replace(spec, "2026-11-20T12:00:00.000Z", "now", 1) + `,"meta":{}}`)}, "date-time"},
		{"another status", Answer{"GET", path, 201, json, []byte(`{}`)}, "no such status"},
		{"another type", Answer{"GET", path, 200, "text/plain", []byte(`{}`)}, "text/plain"},
		{"no JSON", Answer{"GET", path, 200, json, []byte(`{"data"`)}, "no JSON"},
		{"no body", Answer{"POST", "/edge/management/v1/identities/x/disable", 200, json, nil}, ""},
		{"too much body", Answer{"POST", "/edge/management/v1/identities/x/disable", 200, json, []byte(`{}`)}, "has a body"},
		{"refusal", Answer{"GET", path, 401, json, []byte(refuse)}, ""},
		{"refusal without a code", Answer{"GET", path, 401, json, []byte(`{"error":{"message":"m"},"meta":{}}`)}, "code"},
		{"unknown path", Answer{"GET", "/fabric/v1/nope", 404, json, []byte(refuse)}, ""},
		{"served, not in the table", Answer{"GET", "/fabric/v1/nope", 200, json, []byte(`{}`)}, "no document"},
		{"no API", Answer{"GET", "/health-checks", 200, json, []byte(`x`)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := c.Check(tt.answer)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
