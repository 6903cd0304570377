// Package schema checks configs against the JSON schema of their config type.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weftnet/weft/fault"
)

// cacheLimit is the number of compiled schemas that a Validator keeps.
const cacheLimit = 256

// schemaURL is the address under which a schema is compiled.
const schemaURL = "weft:schema"

// Validator checks data and remembers compiled schemas. Its zero value is ready;
// it is safe for concurrent use.
type Validator struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// CheckSchema refuses a schema that does not compile or whose root is not an
// object. An empty one is fine: it admits every object.
func (v *Validator) CheckSchema(schema json.RawMessage) error {
	if empty(schema) {
		return nil
	}
	if _, err := v.compile(schema); err != nil {
		return fault.CouldNotValidate.Field("schema", err.Error(), schema)
	}
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(schema, &root); err != nil || root.Type != "object" {
		return fault.CouldNotValidate.Field("schema", `the root of the schema must have "type": "object"`, schema)
	}
	return nil
}

// CheckData refuses data that is no JSON object or breaks the schema. The
// refusal names the first field at fault, with its path in dots.
func (v *Validator) CheckData(schema, data json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fault.CouldNotValidate.Field("data", "data is not valid JSON: "+err.Error(), nil)
	}
	if _, ok := value.(map[string]any); !ok {
		return fault.CouldNotValidate.Field("data", "data in body must be of type object", value)
	}
	if n := unreasonable(value); n != "" {
		return fault.CouldNotValidate.Field("data", "the number "+n+" is out of range", nil)
	}
	if empty(schema) {
		return nil
	}
	compiled, err := v.compile(schema)
	if err != nil {
		return fault.CouldNotValidate.Field("schema", err.Error(), nil)
	}
	err = compiled.Validate(value)
	if err == nil {
		return nil
	}
	return refusal(err, value)
}

func (v *Validator) compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	v.mu.Lock()
	compiled := v.compiled[string(schema)]
	v.mu.Unlock()
	if compiled != nil {
		return compiled, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid JSON: %w", err)
	}
	if n := unreasonable(doc); n != "" {
		return nil, fmt.Errorf("the number %s in the schema is out of range", n)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.AssertFormat()
	c.UseLoader(closed{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	if compiled, err = c.Compile(schemaURL); err != nil {
		return nil, fmt.Errorf("the schema does not compile: %w", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.compiled == nil || len(v.compiled) >= cacheLimit {
		v.compiled = make(map[string]*jsonschema.Schema)
	}
	v.compiled[string(schema)] = compiled
	return compiled, nil
}

// maxNumber is the longest number in data. Its exponent is bounded too, because
// the exact comparison with a limit would write it out in full.
const (
	maxNumber   = 64
	maxExponent = 400
)

// unreasonable returns the first number in a value that is too long or has too
// large an exponent, cut to a readable length.
func unreasonable(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, e := range v {
			if n := unreasonable(e); n != "" {
				return n
			}
		}
	case []any:
		for _, e := range v {
			if n := unreasonable(e); n != "" {
				return n
			}
		}
	case json.Number:
		_, exponent, has := strings.Cut(strings.ToLower(v.String()), "e")
		n, err := strconv.Atoi(exponent)
		if len(v) > maxNumber || has && (err != nil || n > maxExponent || n < -maxExponent) {
			return v.String()[:min(len(v), maxNumber)]
		}
	}
	return ""
}

// closed loads nothing: a schema stands for itself.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: schemas may only refer to themselves", url)
}

func empty(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null")) || bytes.Equal(raw, []byte("{}"))
}
