package gen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
)

// generator holds the operations and the sources of their types.
type generator struct {
	operations []api.Operation
	fset       *token.FileSet
	specs      map[string]*ast.TypeSpec
	docs       map[string]*ast.CommentGroup
}

func newGenerator(dir string) (*generator, error) {
	g := &generator{fset: token.NewFileSet(), specs: map[string]*ast.TypeSpec{}, docs: map[string]*ast.CommentGroup{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(g.fset, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
				spec := decl.Specs[0].(*ast.TypeSpec)
				g.specs[spec.Name.Name], g.docs[spec.Name.Name] = spec, decl.Doc
			}
		}
	}
	for _, o := range api.Operations() {
		if o.Access.Rule != api.NotImplemented {
			g.operations = append(g.operations, o)
		}
	}
	return g, nil
}

// special are types whose form on this side differs.
var special = map[string]string{
	"Links":  "// Links are the relations of an entity by name.\ntype Links map[string]Link\n",
	"Object": "// Object is the text of a JSON object.\ntype Object = json.RawMessage\n",
	"Tags":   "// Tags are free members of an entity: scalars only.\ntype Tags map[string]any\n",
	"Raw":    "// Raw is a JSON text.\ntype Raw = json.RawMessage\n",
	"Link":   "// Link is one relation of an entity.\ntype Link struct {\n\tHref string `json:\"href\"`\n}\n",
}

func (g *generator) types() (string, error) {
	names := map[string]bool{"Raw": true, "Link": true, "Created": true}
	seen := map[reflect.Type]bool{}
	for _, o := range g.operations {
		collect(o.Result.Type, names, seen)
		if o.Body != nil {
			collect(o.Body.Type, names, seen)
		}
	}
	var sorted []string
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	var b strings.Builder
	b.WriteString("import (\n\"encoding/json\"\n\"time\"\n)\n\n")
	for _, n := range sorted {
		text, ok := special[n]
		if !ok {
			var err error
			if text, err = g.source(n); err != nil {
				return "", err
			}
		}
		b.WriteString(text + "\n")
	}
	return b.String(), nil
}

// collect adds the names of the types of package api that t is made of.
func collect(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if t.PkgPath() == reflect.TypeFor[api.Operation]().PkgPath() {
		names[t.Name()] = true
		if special[t.Name()] != "" {
			return
		}
	} else if t.PkgPath() != "" {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		collect(t.Elem(), names, seen)
	case reflect.Map:
		collect(t.Elem(), names, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") != "-" {
				collect(f.Type, names, seen)
			}
		}
	}
}

// source returns the declaration of a type as it stands in package api, with
// the tags of the client.
func (g *generator) source(name string) (string, error) {
	spec := g.specs[name]
	if spec == nil {
		return "", fmt.Errorf("package api declares no type %s of its own", name)
	}
	var b strings.Builder
	if doc := g.docs[name]; doc != nil {
		for _, c := range doc.List {
			b.WriteString(c.Text + "\n")
		}
	}
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		b.WriteString("type " + name + " " + g.expression(spec.Type) + "\n")
		return b.String(), nil
	}
	b.WriteString("type " + name + " struct {\n")
	for _, f := range structure.Fields.List {
		var names []string
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
		b.WriteString(strings.Join(names, ", ") + " " + g.expression(f.Type))
		if f.Tag != nil {
			json := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			b.WriteString(" `json:\"" + strings.ReplaceAll(json, "omitempty", "omitzero") + "\"`")
		}
		if f.Comment != nil {
			b.WriteString(" // " + strings.TrimSpace(f.Comment.Text()))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String(), nil
}

func (g *generator) expression(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, g.fset, e); err != nil {
		return err.Error()
	}
	return b.String()
}
