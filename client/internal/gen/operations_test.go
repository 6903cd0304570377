package gen

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/weftnet/weft/api"
)

func (g *generator) management() (string, error) { return g.methods(api.Management, "Management") }

func (g *generator) edge() (string, error) { return g.methods(api.Client, "Edge") }

func (g *generator) fabric() (string, error) { return g.methods(api.Fabric, "Fabric") }

// bases are the base paths of the APIs.
var bases = map[api.API]string{api.Management: api.ManagementBase, api.Client: api.ClientBase, api.Fabric: api.FabricBase}

func (g *generator) methods(which api.API, receiver string) (string, error) {
	var b strings.Builder
	b.WriteString("import \"context\"\n\n")
	for _, o := range g.operations {
		if o.API&which != 0 {
			g.method(&b, o, receiver, bases[which])
		}
	}
	return b.String(), nil
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func (g *generator) method(b *strings.Builder, o api.Operation, receiver, base string) {
	name := upper(o.ID)
	args := []string{"ctx context.Context"}
	path := `"` + base + placeholder.ReplaceAllStringFunc(o.Path, func(p string) string {
		id := goName(strings.Trim(p, "{}"), false)
		args = append(args, id+" string")
		return `" + segment(` + id + `) + "`
	}) + `"`
	path = strings.TrimSuffix(path, ` + ""`)
	fields := []string{fmt.Sprintf("method: %q", o.Method), "path: " + path}
	if len(o.Params) > 0 {
		args = append(args, "p *"+g.paramsName(o))
		fields = append(fields, "params: p")
	}
	if o.Body != nil {
		bodyType := typeName(o.Body.Type)
		if o.Body.Type.Kind() == reflect.Struct {
			bodyType = "*" + bodyType
		}
		args = append(args, "body "+bodyType)
		fields = append(fields, "body: body")
	}
	result, helper := resultOf(o.Result)
	fmt.Fprintf(b, "// %s %s\n", name, lower(o.Doc))
	if o.Deprecated {
		fmt.Fprintf(b, "// Controllers keep it for clients of today; newer ways of logging in are to come.\n")
	}
	fmt.Fprintf(b, "func (a *%s) %s(%s) %s {\nreturn %s(ctx, a.c, call{%s})\n}\n\n",
		receiver, name, strings.Join(args, ", "), result, helper, strings.Join(fields, ", "))
}

func resultOf(r api.Result) (result, helper string) {
	switch r.Shape {
	case api.Detail, api.Location:
		return "(*" + typeName(r.Type) + ", error)", "detail[" + typeName(r.Type) + "]"
	case api.List:
		return "(*Page[" + typeName(r.Type) + "], error)", "list[" + typeName(r.Type) + "]"
	case api.Array:
		return "([]" + typeName(r.Type) + ", error)", "array[" + typeName(r.Type) + "]"
	case api.Plain:
		return "(*" + typeName(r.Type) + ", error)", "plain[" + typeName(r.Type) + "]"
	case api.Text:
		return "([]byte, error)", "text"
	}
	return "error", "nothing"
}

func typeName(t reflect.Type) string { return strings.ReplaceAll(t.String(), "api.", "") }

// params writes the parameter types; those of plain lists share one.
func (g *generator) params() (string, error) {
	var b strings.Builder
	b.WriteString("import (\n\"net/http\"\n\"net/url\"\n\"strconv\"\n)\n\n")
	done := map[string]bool{}
	for _, o := range g.operations {
		name := g.paramsName(o)
		if len(o.Params) == 0 || done[name] {
			continue
		}
		done[name] = true
		paramsType(&b, name, o)
	}
	return b.String(), nil
}

var paging = []string{"filter", "limit", "offset", "sort"}

func isPaging(p api.Param) bool { return slices.Contains(paging, p.Name) }

// paramsName returns the name of the type of an operation's parameters.
// Operations of one name in both APIs share it if they take the same.
func (g *generator) paramsName(o api.Operation) string {
	if len(o.Params) > 0 && !slices.ContainsFunc(o.Params, func(p api.Param) bool { return !isPaging(p) }) {
		return "ListParams"
	}
	name := upper(o.ID) + "Params"
	for _, other := range g.operations {
		if o.API == api.Client && other.ID == o.ID && other.API == api.Management && len(other.Params) > 0 && !reflect.DeepEqual(other.Params, o.Params) {
			return "Edge" + name
		}
	}
	return name
}

func paramsType(b *strings.Builder, name string, o api.Operation) {
	own, whose := o.Params, o.ID
	if name == "ListParams" {
		whose = "all lists"
	}
	fmt.Fprintf(b, "// %s are the parameters of %s; zero members are not sent.\ntype %s struct {\n", name, whose, name)
	pages := slices.ContainsFunc(o.Params, isPaging)
	if name == "ListParams" {
		pages = false
	} else if pages {
		own = slices.DeleteFunc(slices.Clone(own), isPaging)
		b.WriteString("ListParams\n")
	}
	for _, p := range own {
		fmt.Fprintf(b, "%s %s // %s\n", goName(p.Name, true), goType(p), p.Doc)
	}
	fmt.Fprintf(b, "}\n\nfunc (p *%s) add(q url.Values, h http.Header) {\nif p == nil { return }\n", name)
	if pages {
		b.WriteString("p.ListParams.add(q, h)\n")
	}
	for _, p := range own {
		field, target := "p."+goName(p.Name, true), "q"
		if p.In == "header" {
			target = "h"
		}
		switch goType(p) {
		case "[]string":
			fmt.Fprintf(b, "for _, v := range %s { %s.Add(%q, v) }\n", field, target, p.Name)
		case "int64":
			fmt.Fprintf(b, "if %s != 0 { %s.Set(%q, strconv.FormatInt(%s, 10)) }\n", field, target, p.Name, field)
		case "bool":
			fmt.Fprintf(b, "if %s { %s.Set(%q, \"true\") }\n", field, target, p.Name)
		default:
			fmt.Fprintf(b, "if %s != \"\" { %s.Set(%q, %s) }\n", field, target, p.Name, field)
		}
	}
	b.WriteString("}\n\n")
}

func goType(p api.Param) string {
	switch p.Type {
	case "integer":
		return "int64"
	case "array":
		return "[]string"
	case "boolean":
		return "bool"
	}
	return "string"
}

// goName turns session-token and serviceId into SessionToken and serviceID.
func goName(name string, exported bool) string {
	parts := strings.Split(name, "-")
	for i, p := range parts {
		if i > 0 || exported {
			parts[i] = upper(p)
		}
	}
	name = strings.Join(parts, "")
	if s, ok := strings.CutSuffix(name, "Id"); ok && s != "" {
		name = s + "ID"
	}
	return name
}

func upper(s string) string { return string(unicode.ToUpper(rune(s[0]))) + s[1:] }

func lower(s string) string { return string(unicode.ToLower(rune(s[0]))) + s[1:] }
