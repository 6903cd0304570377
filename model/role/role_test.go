package role_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/role"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries []string
		want    string
		refusal string
	}{
		{"nothing", nil, "[]", ""},
		{"attributes and ids, sorted and unique", []string{"#b", "@y", "#a", "#b", "@x"}, "[@x @y #a #b]", ""},
		{"all", []string{"#all"}, "[#all]", ""},
		{"all twice", []string{"#all", "#all"}, "", "if using #all, it should be the only role specified"},
		{"all and more", []string{"#all", "#a"}, "", "if using #all, it should be the only role specified"},
		{"no prefix", []string{"nope"}, "", "role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)"},
		{"bare #", []string{"#"}, "", "role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)"},
		{"empty", []string{""}, "", "role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)"},
		{"all is an id too", []string{"@all"}, "[@all]", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := role.Parse("identityRoles", tt.entries)
			if tt.refusal != "" {
				checkField(t, err, "identityRoles", tt.refusal)
				return
			}
			if err != nil || fmt.Sprint(s.Entries()) != tt.want {
				t.Errorf("got %v, %v, want %s", s.Entries(), err, tt.want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name       string
		entries    []string
		attributes []string
		all, any   bool
	}{
		{"no roles", nil, []string{"a"}, false, false},
		{"#all", []string{"#all"}, nil, true, true},
		{"id listed", []string{"@me", "#zz"}, nil, true, true},
		{"other id", []string{"@you"}, []string{"a"}, false, false},
		{"one of one", []string{"#a"}, []string{"a", "b"}, true, true},
		{"one of two", []string{"#a", "#c"}, []string{"a", "b"}, false, true},
		{"two of two", []string{"#a", "#b"}, []string{"a", "b"}, true, true},
		{"none", []string{"#c"}, []string{"a", "b"}, false, false},
		{"no attributes", []string{"#a"}, nil, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := role.Parse("f", tt.entries)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Match(role.AllOf, "me", tt.attributes); got != tt.all {
				t.Errorf("AllOf: got %v", got)
			}
			if got := s.Match(role.AnyOf, "me", tt.attributes); got != tt.any {
				t.Errorf("AnyOf: got %v", got)
			}
		})
	}
}

func TestSemantic(t *testing.T) {
	for text, want := range map[string]role.Semantic{"": role.AllOf, "allof": role.AllOf, "AnyOf": role.AnyOf, "ANYOF": role.AnyOf} {
		if got, err := role.ParseSemantic("semantic", text); err != nil || got != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	_, err := role.ParseSemantic("semantic", "SomeOf")
	checkField(t, err, "semantic", "semantic must be AllOf or AnyOf")
}

func TestAttributes(t *testing.T) {
	got, err := role.Attributes("roleAttributes", []string{"b", "a", "b"})
	if err != nil || fmt.Sprint(got) != "[a b]" {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = role.Attributes("roleAttributes", []string{"a", "#b"})
	checkField(t, err, "roleAttributes", "role attributes may not be prefixed with #")
	_, err = role.Attributes("roleAttributes", []string{"@b"})
	checkField(t, err, "roleAttributes", "role attributes may not be prefixed with @")
	_, err = role.Attributes("roleAttributes", []string{""})
	checkField(t, err, "roleAttributes", "role attributes may not be empty")
}

func checkField(t *testing.T, err error, field, reason string) {
	t.Helper()
	var fe *fault.FieldError
	if !errors.Is(err, fault.CouldNotValidate) || !errors.As(err, &fe) || fe.Field != field || fe.Reason != reason {
		t.Errorf("got %v, want field %s: %s", err, field, reason)
	}
}
