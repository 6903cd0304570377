package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

func builtin(t testing.TB, name string) json.RawMessage {
	t.Helper()
	types, err := model.BuiltinConfigTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, ct := range types {
		if ct.Name == name {
			return ct.Schema
		}
	}
	t.Fatalf("no config type %s", name)
	return nil
}

func fieldError(t testing.TB, err error) *fault.FieldError {
	t.Helper()
	var fe *fault.FieldError
	if !errors.Is(err, fault.CouldNotValidate) || !errors.As(err, &fe) {
		t.Fatalf("%v is no field error", err)
	}
	return fe
}

func TestCheckData(t *testing.T) {
	port := json.RawMessage(`{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}`)
	intercept := builtin(t, "intercept.v1")
	host := builtin(t, "host.v1")
	tests := []struct {
		name          string
		schema        json.RawMessage
		data          string
		field, reason string // empty: valid
	}{
		{"valid", port, `{"port":1}`, "", ""},
		{"whole number with a point", port, `{"port":1.0}`, "", ""},
		{"wrong type", port, `{"port":"x"}`, "port", "port is invalid: port: Invalid type. Expected: integer, given: string"},
		{"fraction", port, `{"port":1.5}`, "port", "port is invalid: port: Invalid type. Expected: integer, given: number"},
		{"missing", port, `{}`, "(root)", "(root) is invalid: (root): port is required"},
		{"no object", port, `[1]`, "data", "data in body must be of type object"},
		{"no schema", nil, `{"anything":[1]}`, "", ""},
		{"empty schema", json.RawMessage(`{}`), `{}`, "", ""},
		{"number that would fill the memory", port, `{"port":1e999999999}`, "data", "the number 1e999999999 is out of range"},
		{"intercept", intercept, `{"protocols":["tcp"],"addresses":["a.b","*.c.d","10.0.0.0/8"],"portRanges":[{"low":1,"high":2}]}`, "", ""},
		{"intercept port", intercept, `{"protocols":["tcp"],"addresses":["a.b"],"portRanges":[{"low":1,"high":70000}]}`,
			"portRanges.0.high", "portRanges.0.high is invalid: portRanges.0.high: Must be less than or equal to 65535"},
		{"intercept protocol", intercept, `{"protocols":["sctp"],"addresses":["a.b"],"portRanges":[{"low":1,"high":2}]}`,
			"protocols.0", `protocols.0 is invalid: protocols.0: protocols.0 must be one of the following: "tcp", "udp"`},
		{"intercept unknown", intercept, `{"protocols":["tcp"],"addresses":["a.b"],"portRanges":[{"low":1,"high":2}],"nope":1}`,
			"(root)", "(root) is invalid: (root): Additional property nope is not allowed"},
		{"intercept empty", intercept, `{"protocols":[],"addresses":["a.b"],"portRanges":[{"low":1,"high":2}]}`,
			"protocols", "protocols is invalid: protocols: Array must have at least 1 items"},
		{"host", host, `{"protocol":"tcp","address":"localhost","port":80}`, "", ""},
		{"host forwarding", host, `{"forwardProtocol":true,"allowedProtocols":["tcp"],"address":"localhost","port":80}`, "", ""},
		{"host without protocol", host, `{"address":"localhost","port":80}`, "(root)", "(root) is invalid: (root): protocol is required"},
		{"host forward without allowed", host, `{"forwardProtocol":true,"address":"a","port":80}`, "(root)", "(root) is invalid: (root): allowedProtocols is required"},
		{"tunneler client", builtin(t, "ziti-tunneler-client.v1"), `{"hostname":"a","port":80}`, "", ""},
		{"tunneler server", builtin(t, "ziti-tunneler-server.v1"), `{"hostname":"a","port":80,"protocol":"udp"}`, "", ""},
		{"proxy", builtin(t, "proxy.v1"), `{"port":80,"protocols":["tcp"]}`, "", ""},
		{"interfaces", builtin(t, "interfaces.v1"), `{"interfaces":["eth0"]}`, "", ""},
		{"host v2", builtin(t, "host.v2"), `{"terminators":[{"protocol":"tcp","address":"a","port":80}]}`, "", ""},
		{"layer 2", builtin(t, "l2.intercept.v1"), `{"ethTypes":["0x0800"]}`, "", ""},
		{"layer 2 host", builtin(t, "l2.host.v1"), `{}`, "", ""},
	}
	var v Validator
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 3 { // the first violation is always the same
				err := v.CheckData(tt.schema, json.RawMessage(tt.data))
				if tt.field == "" {
					if err != nil {
						t.Fatal(err)
					}
					continue
				}
				if fe := fieldError(t, err); fe.Field != tt.field || fe.Reason != tt.reason {
					t.Fatalf("%q %q, want %q %q", fe.Field, fe.Reason, tt.field, tt.reason)
				}
			}
		})
	}
}

func TestValueAtFault(t *testing.T) {
	var v Validator
	err := v.CheckData(json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}}`), json.RawMessage(`{"a":[1,"x"]}`))
	if fe := fieldError(t, err); fe.Value != "x" || fe.Field != "a.1" {
		t.Errorf("%+v", fe)
	}
}

func TestCheckSchema(t *testing.T) {
	tests := []struct {
		name, schema, reason string // part of the refusal, empty: fine
	}{
		{"none", ``, ""},
		{"null", `null`, ""},
		{"anything", `{}`, ""},
		{"object", `{"type":"object"}`, ""},
		{"refers to itself", `{"type":"object","definitions":{"a":{"type":"integer"}},"properties":{"x":{"$ref":"#/definitions/a"}}}`, ""},
		{"root is no object", `{"type":"array"}`, "root of the schema"},
		{"root has no type", `{"properties":{}}`, "root of the schema"},
		{"wrong keyword type", `{"type":"object","required":"x"}`, "does not compile"},
		{"unknown type", `{"type":"thing"}`, "does not compile"},
		{"refers to the network", `{"type":"object","properties":{"x":{"$ref":"http://127.0.0.1:1/x"}}}`, "may only refer to themselves"},
		{"refers to a file", `{"type":"object","properties":{"x":{"$ref":"file:///etc/passwd"}}}`, "may only refer to themselves"},
		{"bad pattern", `{"type":"object","properties":{"x":{"pattern":"("}}}`, "does not compile"},
		{"no JSON", `{`, "not valid JSON"},
		{"number that would fill the memory", `{"type":"object","properties":{"x":{"maximum":1e999999999}}}`, "out of range"},
	}
	var v Validator
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := v.CheckSchema(json.RawMessage(tt.schema))
			if tt.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if fe := fieldError(t, err); fe.Field != "schema" || !strings.Contains(fe.Reason, tt.reason) {
				t.Errorf("%+v", fe)
			}
		})
	}
}

func TestBuiltinSchemasAreValid(t *testing.T) {
	types, err := model.BuiltinConfigTypes()
	if err != nil || len(types) != 9 {
		t.Fatal(len(types), err)
	}
	var v Validator
	for _, ct := range types {
		if err := v.CheckSchema(ct.Schema); err != nil {
			t.Errorf("%s: %v", ct.Name, err)
		}
	}
}

func TestConcurrentUseAndCacheLimit(t *testing.T) {
	var v Validator
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range cacheLimit {
				s, err := json.Marshal(map[string]any{"type": "object", "maxProperties": n*cacheLimit + i})
				if err != nil {
					t.Error(err)
				}
				if err := v.CheckSchema(s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(v.compiled) > cacheLimit {
		t.Error(len(v.compiled))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer","maximum":3}}}`, `{"a":4}`)
	f.Add(`{"type":"object","allOf":[{"if":{"required":["a"]},"then":{"required":["b"]}}]}`, `{"a":[1,1]}`)
	f.Fuzz(func(t *testing.T, schema, data string) {
		var v Validator
		start := time.Now()
		if v.CheckSchema(json.RawMessage(schema)) == nil {
			err := v.CheckData(json.RawMessage(schema), json.RawMessage(data))
			if err != nil && fault.From(err).Kind != fault.CouldNotValidate {
				t.Error(err)
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
