package openapi

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write texts.txt anew")

// TestTextsAreCurrent compares texts.txt with the comments of package api;
// -update writes it.
func TestTextsAreCurrent(t *testing.T) {
	var lines []string
	paths, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				lines = append(lines, textsOf(s.(*ast.TypeSpec), decl.Doc)...)
			}
		}
	}
	slices.Sort(lines)
	want := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("texts.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if textFile != want {
		t.Error("texts.txt does not fit the comments of package api: run go generate ./api")
	}
}

func textsOf(s *ast.TypeSpec, doc *ast.CommentGroup) []string {
	name := s.Name.Name
	structure, ok := s.Type.(*ast.StructType)
	if !ok || !s.Name.IsExported() {
		return nil
	}
	text := oneLine(doc)
	for _, verb := range []string{" is ", " are "} {
		if rest, ok := strings.CutPrefix(text, name+verb); ok {
			text = strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	out := line(name, text)
	for _, f := range structure.Fields.List {
		text := oneLine(f.Doc)
		if text == "" {
			text = oneLine(f.Comment)
		}
		for _, n := range f.Names {
			out = append(out, line(name+"."+n.Name, text)...)
		}
	}
	return out
}

func line(name, text string) []string {
	if text == "" {
		return nil
	}
	return []string{name + "\t" + text + "\n"}
}

func oneLine(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }
