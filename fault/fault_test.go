package fault

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestCatalogue reads the catalogue itself: codes are unique per status,
// texts are there, and every refusal that a caller can do something about says
// what.
func TestCatalogue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "catalogue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		unary, ok := spec.Values[0].(*ast.UnaryExpr)
		if !ok {
			return true
		}
		name, fields := spec.Names[0].Name, fieldsOf(unary.X.(*ast.CompositeLit))
		key := fields["Code"] + " " + fields["Status"]
		if other := seen[key]; other != "" {
			t.Errorf("%s and %s are both %s", name, other, key)
		}
		seen[key] = name
		if fields["Code"] == "" || fields["Message"] == "" || fields["Status"] == "" {
			t.Errorf("%s has no code, message or status", name)
		}
		if status, _ := strconv.Atoi(fields["Status"]); status >= 400 && status < 500 && fields["Remedy"] == "" && name != "CAAlreadyVerified" {
			t.Errorf("%s has no remedy", name)
		}
		return true
	})
	if len(seen) < 60 {
		t.Errorf("only %d refusals found", len(seen))
	}
}

func fieldsOf(lit *ast.CompositeLit) map[string]string {
	out := make(map[string]string)
	for _, e := range lit.Elts {
		kv := e.(*ast.KeyValueExpr)
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			out[kv.Key.(*ast.Ident).Name] = v.Value
		case *ast.Ident:
			out[kv.Key.(*ast.Ident).Name] = v.Name
		}
	}
	return out
}

func TestFromAndIs(t *testing.T) {
	e := NotFound.Errorf("service with id %s not found", "x")
	wrapped := fmt.Errorf("dial: %w", e)
	if From(wrapped) != e || !errors.Is(wrapped, NotFound) || errors.Is(wrapped, Unauthorized) {
		t.Error("a wrapped refusal is not found again")
	}
	if got := From(errors.New("disk full")); got.Kind != Unhandled || got.Cause.Error() != "disk full" {
		t.Errorf("a plain error becomes %v", got)
	}
	if got := From(Timeout); got.Kind != Timeout || got.Cause != nil {
		t.Errorf("a kind becomes %v", got)
	}
	if From(nil) != nil {
		t.Error("nil becomes a refusal")
	}
	var field *FieldError
	if !errors.As(CouldNotValidate.Field("name", "name must be unique", "web"), &field) || field.Field != "name" {
		t.Error("the field is lost")
	}
	if e.WithRemedy("ask %s", "Bob").Help() != "ask Bob" || e.Help() != NotFound.Remedy {
		t.Error("remedies of a refusal and of its kind are mixed up")
	}
	if got := InvalidContentTypeOf("text/html").Kind; got.Code != InvalidContentType.Code || got.Message == InvalidContentType.Message {
		t.Errorf("content type is not part of the message: %v", got)
	}
}
