// Package pages writes the pages of docs/ that draw on several rooms, and
// checks that what the pages say of the code is true.
package pages

//go:generate go test . -run TestErrorsAreCurrent -update

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/edge"
)

var update = flag.Bool("update", false, "write the pages anew")

const errorsHead = `# Refusals

Generated from the catalogue in ` + "`fault/`" + ` and the codes of the edge protocol by ` + "`go generate ./internal/pages`" + `. What to look at first when
somebody cannot reach something is in [troubleshoot.md](troubleshoot.md).

A refusal of the APIs is ` + "`{\"error\": {code, message, cause, causeMessage, remedy, requestId}, \"meta\": ...}`" + ` with the status of the code. The
cause is about this request: the field, the rule or the value at fault. The remedy may be more precise than the one here.

`

// TestErrorsAreCurrent compares the page of refusals with the catalogues;
// -update writes it.
func TestErrorsAreCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(errorsHead)
	for i, group := range catalogue(t) {
		fmt.Fprintf(&b, "## %s\n\n", []string{"APIs: general", "APIs: cluster", "APIs: enrollment, authentication, certificates", "APIs: service sessions, posture, MFA"}[i])
		b.WriteString("| code | status | message | remedy |\n|---|---|---|---|\n" + group + "\n")
	}
	b.WriteString("## Edge protocol: codes\n\nA router refuses a dial, a bind or a hello with a number (header 1014) and a structured error (header 1033). The Go SDK\nshows the name in upper case, such as ACCESS_DENIED.\n\n| number | name | meaning | remedy |\n|---|---|---|---|\n")
	for _, c := range constants(t, "../../wire/edge/errors.go", "ErrorCode") {
		number, err := strconv.Atoi(c.value)
		if err != nil {
			t.Fatal(err)
		}
		meaning, remedy, _ := strings.Cut(c.comment, ": ")
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", number, edge.ErrorCode(number), meaning, remedy)
	}
	b.WriteString("\n## Edge protocol: retry hints\n\n| number | meaning |\n|---|---|\n")
	for _, c := range constants(t, "../../wire/edge/errors.go", "RetryHint") {
		fmt.Fprintf(&b, "| %s | %s |\n", c.value, c.comment)
	}
	b.WriteString("\n## Decisions of the policies\n\nIn the log of routers and controllers, and as `policyCode` in the cause of refusals of the APIs.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range constants(t, "../../policy/decision.go", "Code") {
		if c.comment != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Trim(c.value, `"`), c.comment)
		}
	}
	b.WriteString("\n## Refusals of circuits and terminators\n\nWhat a controller answers to its routers.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range constants(t, "../../controller/network/refusal.go", "") {
		if strings.HasPrefix(c.name, "Code") {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Trim(c.value, `"`), c.comment)
		}
	}
	b.WriteString("\n## Failed dials\n\nWhat a controller or router says when every terminator that it tried failed. The Go SDK shows the code.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range constants(t, "../../wire/ctrl/explain.go", "") {
		if strings.HasPrefix(c.name, "Code") {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Trim(c.value, `"`), c.comment)
		}
	}
	b.WriteString("\n## Explanations\n\nCodes of `weft explain` besides those of the policies.\n\n| code | meaning |\n|---|---|\n")
	for _, c := range constants(t, "../../controller/http/explain_codes.go", "") {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Trim(c.value, `"`), c.comment)
	}
	compare(t, "../../docs/errors.md", b.Bytes())
}

func compare(t *testing.T, page string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not fit the code: run go generate ./internal/pages", page)
	}
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

type constant struct{ name, value, comment string }

// constants returns the constants of a file that have the given type, by name
// of the type; the empty name stands for constants without one.
func constants(t *testing.T, path, typ string) []constant {
	t.Helper()
	var out []constant
	ast.Inspect(parse(t, path), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		value, ok := spec.Values[0].(*ast.BasicLit)
		name := ""
		if id, typed := spec.Type.(*ast.Ident); typed {
			name = id.Name
		}
		if ok && name == typ {
			out = append(out, constant{spec.Names[0].Name, value.Value, strings.TrimSpace(spec.Comment.Text())})
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s has no constants of type %s", path, typ)
	}
	return out
}

// catalogue returns the rows of each group of refusals in fault/catalogue.go.
func catalogue(t *testing.T) []string {
	t.Helper()
	file := parse(t, "../../fault/catalogue.go")
	texts := make(map[string]string)
	for _, c := range constants(t, "../../fault/catalogue.go", "") {
		texts[c.name] = c.value
	}
	var groups []string
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		var rows []string
		for _, s := range decl.Specs {
			rows = append(rows, row(t, s.(*ast.ValueSpec), texts))
		}
		slices.Sort(rows)
		groups = append(groups, strings.Join(rows, ""))
	}
	return groups
}

func row(t *testing.T, spec *ast.ValueSpec, texts map[string]string) string {
	t.Helper()
	fields := make(map[string]string)
	for _, e := range spec.Values[0].(*ast.UnaryExpr).X.(*ast.CompositeLit).Elts {
		kv := e.(*ast.KeyValueExpr)
		var text string
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			text = v.Value
		case *ast.Ident:
			text = texts[v.Name]
		}
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		fields[kv.Key.(*ast.Ident).Name] = text
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", fields["Code"], fields["Status"], fields["Message"], fields["Remedy"])
}
