package pages

//go:generate go test . -run TestPackagesAreCurrent -update

import (
	"bytes"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const packagesHead = `# Packages

Generated from the package comments by ` + "`go generate ./internal/pages`" + `. What the rooms are for, and which may import which, is in
[architecture.md](architecture.md).

| package | what it is |
|---|---|
`

// TestPackagesAreCurrent compares the page of packages with their comments;
// -update writes it. A package without a comment fails.
func TestPackagesAreCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(packagesHead)
	for _, dir := range packages(t) {
		text := comment(t, dir)
		if text == "" {
			t.Errorf("package %s has no comment", dir)
		}
		text = strings.ReplaceAll(new(doc.Package).Synopsis(text), "|", "\\|")
		for _, begin := range []string{"Package ", "Command "} {
			text = strings.TrimPrefix(text, begin+filepath.Base(dir)+" ")
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", dir, text)
	}
	compare(t, "../../docs/packages.md", b.Bytes())
}

const top = "../.."

// packages returns the directories of the module that hold Go files which are
// not tests, relative to the top.
func packages(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "interop" {
				return fs.SkipDir
			}
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		if isCode(d.Name()) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func isCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// comment returns the comment of the package in a directory.
func comment(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(top, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !isCode(name) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if text := f.Doc.Text(); text != "" && !strings.HasPrefix(text, "Code generated") {
			return text
		}
	}
	return ""
}
