package openapi

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weftnet/weft/api"
)

// TestDocumentsAreValid checks the documents with the schema that the OpenAPI
// initiative publishes for version 3.1, and every schema in them with that of
// JSON schema 2020-12.
func TestDocumentsAreValid(t *testing.T) {
	raw, err := os.ReadFile("testdata/oas-3.1-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertVocabs()
	if err := c.AddResource("https://spec.openapis.org/oas/3.1/schema/2022-10-07", value); err != nil {
		t.Fatal(err)
	}
	official, err := c.Compile("https://spec.openapis.org/oas/3.1/schema/2022-10-07")
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := c.Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	for a, title := range titles {
		for _, strict := range []bool{false, true} {
			text, err := New(a, Options{Strict: strict}).JSON()
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := official.Validate(doc); err != nil {
				t.Errorf("%s: %v", title, err)
			}
			schemas(doc, func(s any) {
				if err := dialect.Validate(s); err != nil {
					t.Errorf("%s: %v", title, err)
				}
			})
			references(t, title, doc, doc)
		}
	}
}

// schemas calls f with the components and with all that stands under "schema".
func schemas(v any, f func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == "schemas" {
				for _, s := range x.(map[string]any) {
					f(s)
				}
				continue
			}
			if k == "schema" {
				f(x)
			}
			schemas(x, f)
		}
	case []any:
		for _, x := range v {
			schemas(x, f)
		}
	}
}

// references checks that every reference leads somewhere.
func references(t *testing.T, title string, doc, v any) {
	switch v := v.(type) {
	case map[string]any:
		if to, ok := v["$ref"].(string); ok {
			kind, name, _ := strings.Cut(strings.TrimPrefix(to, "#/components/"), "/")
			if doc.(map[string]any)["components"].(map[string]any)[kind].(map[string]any)[name] == nil {
				t.Errorf("%s: %s leads nowhere", title, to)
			}
		}
		for _, x := range v {
			references(t, title, doc, x)
		}
	case []any:
		for _, x := range v {
			references(t, title, doc, x)
		}
	}
}

func TestDocumentSaysWhatTheTableSays(t *testing.T) {
	d := New(api.Management, Options{Version: "v1.2.3"})
	if d.Info.Version != "v1.2.3" || d.Servers[0].URL != api.ManagementBase {
		t.Errorf("%+v", d.Info)
	}
	for _, op := range api.Of(api.Management) {
		o := d.Paths[op.Path][strings.ToLower(op.Method)]
		if o == nil || o.OperationID != op.ID || o.Deprecated != op.Deprecated || o.Own != op.Own {
			t.Errorf("%s %s: %+v", op.Method, op.Path, o)
		}
	}
	if login := d.Paths["/authenticate"]["post"]; !login.Deprecated || len(login.Security) != 0 {
		t.Errorf("the login: %+v", login)
	}
	create := d.Components.Schemas["ConfigCreate"]
	if create == nil || strings.Join(create.Required, " ") != "configTypeId data name" {
		t.Errorf("body of a config: %+v", create)
	}
	detail := d.Components.Schemas["Config"]
	if detail == nil || detail.Properties["configTypeId"] == nil || detail.Description == "" {
		t.Errorf("detail of a config: %+v", detail)
	}
}

func TestYAML(t *testing.T) {
	d := New(api.Fabric, Options{})
	text, err := d.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("openapi: 3.1.0\ninfo:\n  title: Weft Fabric API\n")) {
		t.Errorf("%.200s", text)
	}
}
