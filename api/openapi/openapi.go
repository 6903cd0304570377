// Package openapi writes the OpenAPI 3.1 documents of the APIs from the
// operation table, and the pages to read them by.
//
// Nothing is stored: a document is made from the table whenever it is asked
// for, so that it cannot differ from what the server does.
package openapi

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/weftnet/weft/api"
)

// Document is an OpenAPI 3.1 document.
type Document struct {
	OpenAPI    string              `json:"openapi"`
	Info       Info                `json:"info"`
	Servers    []Server            `json:"servers"`
	Tags       []Tag               `json:"tags"`
	Paths      map[string]PathItem `json:"paths"`
	Components Components          `json:"components"`
}

// Info names a document.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     License `json:"license"`
}

// License is that of the description.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// Server is the base path of an API.
type Server struct {
	URL string `json:"url"`
}

// Tag is a group of operations.
type Tag struct {
	Name string `json:"name"`
}

// PathItem are the operations of one path by method in lower case.
type PathItem map[string]*Operation

// Operation is one operation.
type Operation struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description,omitempty"`
	Tags        []string              `json:"tags"`
	Deprecated  bool                  `json:"deprecated,omitempty"`
	Own         bool                  `json:"x-weft-own,omitempty"` // not known to the ecosystem
	Access      *Access               `json:"x-access"`
	Security    []map[string][]string `json:"security"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	RequestBody *RequestBody          `json:"requestBody,omitempty"`
	Responses   map[string]*Response  `json:"responses"`
}

// Access says who may call an operation.
type Access struct {
	Rule   string `json:"rule"`
	Entity string `json:"entity,omitempty"`
	Action string `json:"action,omitempty"`
}

// Parameter is a path, query or header parameter.
type Parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Style       string  `json:"style,omitempty"`
	Explode     *bool   `json:"explode,omitempty"`
	Schema      *Schema `json:"schema"`
}

// RequestBody is the body of a request by media type.
type RequestBody struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Response is the answer with one status.
type Response struct {
	Ref         string            `json:"$ref,omitempty"` // alone
	Description string            `json:"description,omitempty"`
	Headers     map[string]Header `json:"headers,omitempty"`
	Content     map[string]Media  `json:"content,omitempty"`
	Codes       []string          `json:"x-codes,omitempty"` // of the catalogue of refusals
}

// Resolve returns the response that r refers to, r itself if it is one.
func (d *Document) Resolve(r *Response) *Response {
	if r == nil || r.Ref == "" {
		return r
	}
	return d.Components.Responses[strings.TrimPrefix(r.Ref, responsePrefix)]
}

// Header is a response header.
type Header struct {
	Description string  `json:"description"`
	Schema      *Schema `json:"schema"`
}

// Media is the form of a body of one media type.
type Media struct {
	Schema *Schema `json:"schema"`
}

// Components are what operations refer to.
type Components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	Responses       map[string]*Response      `json:"responses"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// SecurityScheme is a way to prove a session.
type SecurityScheme struct {
	Type         string `json:"type"`
	Description  string `json:"description,omitempty"`
	Name         string `json:"name,omitempty"`
	In           string `json:"in,omitempty"`
	Scheme       string `json:"scheme,omitempty"`
	BearerFormat string `json:"bearerFormat,omitempty"`
}

// Options change what a document says.
type Options struct {
	Version string // of the program
	// Strict makes documents for tests: responses have no other members than
	// those that are listed. Clients are told to ignore what they do not know.
	Strict bool
}

var titles = map[api.API]string{api.Client: "Edge Client API", api.Management: "Edge Management API", api.Fabric: "Fabric API"}

var bases = map[api.API]string{api.Client: api.ClientBase, api.Management: api.ManagementBase, api.Fabric: api.FabricBase}

const about = `Requests and answers are JSON unless an operation says otherwise. Answers have the members data and meta, refusals the
member error with a stable code, a message, the cause and, where there is one, a remedy. Names of members in requests are matched without
regard to case, and unknown members are ignored; members may be added to answers at any time. Times are UTC with milliseconds.`

// New makes the document of one API.
func New(a api.API, o Options) *Document {
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	g := &generator{schemas: map[string]*Schema{}, refusals: map[string]*Response{}, strict: o.Strict}
	d := &Document{
		OpenAPI: "3.1.0",
		Info: Info{Title: "Weft " + titles[a], Version: o.Version, Description: strings.ReplaceAll(about, "\n", " "),
			License: License{Name: "Apache License 2.0", Identifier: "Apache-2.0"}},
		Servers: []Server{{URL: bases[a]}},
		Paths:   map[string]PathItem{},
	}
	g.common()
	tags := map[string]bool{}
	for _, op := range api.Of(a) {
		if d.Paths[op.Path] == nil {
			d.Paths[op.Path] = PathItem{}
		}
		d.Paths[op.Path][strings.ToLower(op.Method)] = g.operation(op)
		if !tags[op.Tag] {
			tags[op.Tag] = true
			d.Tags = append(d.Tags, Tag{op.Tag})
		}
	}
	d.Components = Components{Schemas: g.schemas, Responses: g.refusals, SecuritySchemes: map[string]SecurityScheme{
		"session": {Type: "apiKey", In: "header", Name: "zt-session", Description: "The token that a login answers."},
		"bearer":  {Type: "http", Scheme: "bearer", Description: "A token of the controller or of an external JWT signer."},
	}}
	return d
}

var pathParameter = regexp.MustCompile(`\{([^}]+)\}`)

func (g *generator) operation(op api.Operation) *Operation {
	out := &Operation{
		OperationID: op.ID, Summary: op.Doc, Tags: []string{op.Tag}, Deprecated: op.Deprecated, Own: op.Own,
		Description: notes(op), Access: accessOf(op.Access), Security: securityOf(op.Access), Responses: map[string]*Response{},
	}
	for _, m := range pathParameter.FindAllStringSubmatch(op.Path, -1) {
		out.Parameters = append(out.Parameters, Parameter{Name: m[1], In: "path", Required: true, Schema: &Schema{Type: "string"}})
	}
	for _, p := range op.Params {
		out.Parameters = append(out.Parameters, parameter(p))
	}
	if op.Body != nil {
		out.RequestBody = g.requestBody(op)
	}
	g.responses(op, out.Responses)
	return out
}

func parameter(p api.Param) Parameter {
	out := Parameter{Name: p.Name, In: p.In, Description: p.Doc, Required: p.Required, Schema: &Schema{Type: p.Type}}
	switch p.Type {
	case "integer":
		out.Schema.Format = "int64"
	case "array":
		out.Schema.Items = &Schema{Type: "string"}
	}
	for _, e := range p.Enum {
		out.Schema.Enum = append(out.Schema.Enum, e)
	}
	return out
}

func (g *generator) requestBody(op api.Operation) *RequestBody {
	out := &RequestBody{Required: op.Body.Required, Content: map[string]Media{}}
	if op.Body.Type.Kind() != reflect.String { // a text is sent as it is
		out.Content[jsonMedia] = Media{g.request(op.Body.Type, op.Body.Mode)}
	}
	for _, media := range op.Consumes {
		if media != jsonMedia {
			out.Content[media] = Media{&Schema{Type: "string"}}
		}
	}
	return out
}

func notes(op api.Operation) string {
	var out []string
	if op.Own {
		out = append(out, "An operation of Weft's own.")
	}
	if op.Deprecated {
		out = append(out, "Deprecated: it keeps working for clients of today.")
	}
	return strings.Join(append(out, "Access: "+api.RuleText(op)+"."), " ")
}

var ruleNames = map[api.Rule]string{api.Public: "public", api.Authenticated: "authenticated", api.AuthenticatedOrPartial: "authenticatedOrPartial",
	api.EntityAccess: "entityAccess", api.EntityAccessNoReadonly: "entityAccessNoReadonly", api.AdminOrReadonly: "adminOrReadonly", api.Admin: "admin",
	api.AnyPermission: "anyPermission", api.NotImplemented: "notImplemented"}

func accessOf(a api.Access) *Access {
	return &Access{Rule: ruleNames[a.Rule], Entity: a.Entity, Action: a.Action}
}

func securityOf(a api.Access) []map[string][]string {
	if a.Rule == api.Public {
		return []map[string][]string{}
	}
	return []map[string][]string{{"session": {}}, {"bearer": {}}}
}
