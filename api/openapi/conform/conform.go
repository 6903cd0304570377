// Package conform checks answers of the APIs against their OpenAPI documents.
// It is for tests: nothing else needs to know whether a server keeps its word.
package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/api/openapi"
)

// Checker checks answers. It is safe for concurrent use.
type Checker struct {
	apis []*document

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
}

type document struct {
	base     string
	url      string
	doc      *openapi.Document
	compiler *jsonschema.Compiler
}

// New makes a checker of all three APIs. Members of answers that are not in the
// documents are mistakes.
func New() (*Checker, error) {
	c := &Checker{schemas: map[string]*jsonschema.Schema{}}
	for a, base := range map[api.API]string{api.Client: api.ClientBase, api.Management: api.ManagementBase, api.Fabric: api.FabricBase} {
		d := &document{base: base, url: "https://weft.invalid/" + strconv.Itoa(int(a)), doc: openapi.New(a, openapi.Options{Strict: true})}
		text, err := d.doc.JSON()
		if err != nil {
			return nil, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		d.compiler = jsonschema.NewCompiler()
		d.compiler.DefaultDraft(jsonschema.Draft2020)
		d.compiler.AssertFormat()
		if err := d.compiler.AddResource(d.url, value); err != nil {
			return nil, err
		}
		c.apis = append(c.apis, d)
	}
	return c, nil
}

// Answer is one answer to a request.
type Answer struct {
	Method, Path string // the path with its base path, without a query
	Status       int
	ContentType  string
	Body         []byte // not compressed
}

// Check returns what an answer has that its document does not say, nil for
// paths that belong to no API. Answers to operations that do not exist are
// checked as refusals.
func (c *Checker) Check(a Answer) error {
	for _, d := range c.apis {
		rest, ok := strings.CutPrefix(a.Path, d.base)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if err := c.check(d, rest, a); err != nil {
			return fmt.Errorf("%s %s: status %d: %w", a.Method, a.Path, a.Status, err)
		}
	}
	return nil
}

func (c *Checker) check(d *document, path string, a Answer) error {
	if a.Method == "OPTIONS" {
		return nil
	}
	pattern, op := d.find(a.Method, path)
	if op == nil {
		if a.Status != 404 && a.Status != 405 && a.Status != 413 {
			return fmt.Errorf("the operation is in no document")
		}
		return c.validate(d, "#/components/schemas/Refusal", a.Body)
	}
	status := strconv.Itoa(a.Status)
	r := d.doc.Resolve(op.Responses[status])
	if r == nil {
		return fmt.Errorf("%s has no such status in its document", op.OperationID)
	}
	if len(r.Content) == 0 {
		if len(a.Body) > 0 {
			return fmt.Errorf("%s has a body, and none in its document", op.OperationID)
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(a.ContentType)
	if err != nil {
		return fmt.Errorf("Content-Type %q: %w", a.ContentType, err)
	}
	if _, ok := r.Content[media]; !ok {
		return fmt.Errorf("%s has no answer of type %s in its document", op.OperationID, media)
	}
	if media != "application/json" {
		return nil
	}
	if op.Responses[status].Ref != "" {
		return c.validate(d, "#/components/schemas/Refusal", a.Body)
	}
	return c.validate(d, "#/paths/"+escape(pattern)+"/"+strings.ToLower(a.Method)+"/responses/"+status+"/content/"+escape(media)+"/schema", a.Body)
}

// escape makes a path usable in a JSON pointer of a URL.
func escape(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}

// find returns the operation of a request. Fixed segments go before parameters.
func (d *document) find(method, path string) (pattern string, op *openapi.Operation) {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	best := -1
	for p, item := range d.doc.Paths {
		parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
		o := item[strings.ToLower(method)]
		if len(parts) != len(segments) || o == nil {
			continue
		}
		fixed := 0
		for i, part := range parts {
			switch {
			case part == segments[i]:
				fixed++
			case part[0] != '{':
				fixed = -1000
			}
		}
		if fixed > best {
			best, pattern, op = fixed, p, o
		}
	}
	return pattern, op
}

func (c *Checker) validate(d *document, pointer string, body []byte) error {
	s, err := c.schema(d, d.url+pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if err := s.Validate(value); err != nil {
		var text bytes.Buffer
		if json.Compact(&text, body) != nil {
			text.Reset()
		}
		return fmt.Errorf("%w\nin %s", err, text.Bytes())
	}
	return nil
}

func (c *Checker) schema(d *document, location string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.schemas[location]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(location)
	if err == nil {
		c.schemas[location] = s
	}
	return s, err
}
