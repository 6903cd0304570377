package openapi

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Page returns the document as an HTML page that needs no other files and no
// scripts.
func (d *Document) Page() ([]byte, error) {
	p := page{Document: d, Here: d.Servers[0].URL}
	for _, base := range sortedValues(bases) {
		p.Others = append(p.Others, other{titleOf(base), base})
	}
	for _, tag := range d.Tags {
		p.Groups = append(p.Groups, d.group(tag.Name))
	}
	for _, name := range sortedKeys(d.Components.Schemas) {
		p.Schemas = append(p.Schemas, namedSchema{name, table(d.Components.Schemas[name])})
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, p)
	return b.Bytes(), err
}

type page struct {
	*Document
	Here    string
	Others  []other
	Groups  []group
	Schemas []namedSchema
}

type other struct{ Title, Base string }

type group struct {
	Name, Anchor string
	Operations   []row
}

type row struct {
	*Operation
	Method, Path string
	Body         []mediaRow
	Answers      []answerRow
	Parameters   []memberRow
}

type mediaRow struct {
	Media    string
	Required bool
	Type     template.HTML
}

type answerRow struct {
	Status, Description string
	Refusal             bool
	Media               []mediaRow
}

type namedSchema struct {
	Name string
	schemaTable
}

type schemaTable struct {
	Description string
	Type        template.HTML // of schemas without members
	Members     []memberRow
}

type memberRow struct {
	Name, In    string
	Type        template.HTML
	Required    bool
	Description string
}

func titleOf(base string) string {
	for a, b := range bases {
		if b == base {
			return titles[a]
		}
	}
	return base
}

func sortedValues[K comparable](m map[K]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

func anchor(s string) string { return "tag-" + strings.ReplaceAll(strings.ToLower(s), " ", "-") }

func (d *Document) group(tag string) group {
	g := group{Name: tag, Anchor: anchor(tag)}
	for _, path := range sortedKeys(d.Paths) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			op := d.Paths[path][method]
			if op == nil || op.Tags[0] != tag {
				continue
			}
			r := row{Operation: op, Method: strings.ToUpper(method), Path: path}
			for _, p := range op.Parameters {
				r.Parameters = append(r.Parameters, memberRow{p.Name, p.In, typeHTML(p.Schema), p.Required, p.Description})
			}
			if op.RequestBody != nil {
				r.Body = medias(op.RequestBody.Content, op.RequestBody.Required)
			}
			for _, status := range sortedKeys(op.Responses) {
				answer := d.Resolve(op.Responses[status])
				r.Answers = append(r.Answers, answerRow{status, answer.Description, status >= "4", medias(answer.Content, false)})
			}
			g.Operations = append(g.Operations, r)
		}
	}
	return g
}

func medias(content map[string]Media, required bool) (out []mediaRow) {
	for _, m := range sortedKeys(content) {
		out = append(out, mediaRow{m, required, typeHTML(content[m].Schema)})
	}
	return out
}

func table(s *Schema) schemaTable {
	out := schemaTable{Description: s.Description}
	if s.Properties == nil {
		out.Type = typeHTML(s)
	}
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		out.Members = append(out.Members, memberRow{Name: name, Type: typeHTML(p), Required: slices.Contains(s.Required, name), Description: p.Description})
	}
	return out
}

// typeHTML writes the type of a schema with links to components. Everything
// that is not markup of its own is escaped.
func typeHTML(s *Schema) template.HTML {
	switch {
	case s == nil:
		return "any"
	case s.Ref != "":
		name := template.HTMLEscapeString(strings.TrimPrefix(s.Ref, refPrefix))
		return template.HTML(`<a href="#schema-` + name + `">` + name + `</a>`)
	case s.AnyOf != nil:
		return joined(s.AnyOf)
	case s.OneOf != nil:
		return joined(s.OneOf)
	case s.Items != nil:
		return "list of " + typeHTML(s.Items) + orNull(s)
	case s.Const != "":
		return template.HTML(`"` + template.HTMLEscapeString(s.Const) + `"`)
	case s.Properties["data"] != nil:
		return "data: " + typeHTML(s.Properties["data"])
	}
	if e, ok := s.AdditionalProperties.(*Schema); ok {
		return "map of text to " + typeHTML(e) + orNull(s)
	}
	return template.HTML(template.HTMLEscapeString(plainType(s)))
}

func joined(all []*Schema) template.HTML {
	var parts []string
	for _, s := range all {
		parts = append(parts, string(typeHTML(s)))
	}
	return template.HTML(strings.Join(parts, " or "))
}

func orNull(s *Schema) template.HTML {
	if _, ok := s.Type.([]string); ok {
		return " or null"
	}
	return ""
}

func plainType(s *Schema) string {
	text := "any"
	switch t := s.Type.(type) {
	case string:
		text = t
	case []string:
		text = strings.Join(t, " or ")
	}
	if s.Format != "" && s.Format != "int64" {
		text += " (" + s.Format + ")"
	}
	if s.ContentEncoding != "" {
		text += " (" + s.ContentEncoding + ")"
	}
	if s.Enum != nil {
		text += ", one of " + strings.Trim(fmt.Sprint(s.Enum), "[]")
	}
	for _, b := range []struct {
		name  string
		value *int64
	}{{"at least", s.Minimum}, {"at most", s.Maximum}, {"shortest", s.MinLength}, {"longest", s.MaxLength}} {
		if b.value != nil {
			text += fmt.Sprintf(", %s %d", b.name, *b.value)
		}
	}
	return text
}
