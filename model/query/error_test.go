package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/query"
)

func syntax(tok, line, column string) string {
	return `Unexpected symbol: "` + tok + `" at line: ` + line + ` column: ` + column +
		`. line: ` + line + `, column: ` + column + `, symbol: ` + tok
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ name, filter, want string }{
		{"unknown", `bogus=1`, "unknown symbol 'bogus'"},
		{"unknown dotted", `service.id = "x"`, "unknown symbol 'service.id'"},
		{"quotes stay part of the name", `'name' = "x"`, "unknown symbol ''name''"},
		{"unknown in sort", `true sort by bogus`, "unknown symbol 'bogus'"},
		{"set outside", `roleAttributes = "a"`, "symbol 'roleAttributes' is a set symbol but is used in non-set function context"},
		{"set on its own", `roleAttributes`, "symbol 'roleAttributes' is a set symbol but is used in non-set function context"},
		{"sort by set", `true sort by configs`, "symbol 'configs' is a set symbol but is used in non-set function context"},
		{"no set", `anyOf(name) = "a"`, "symbol 'name' is not a set symbol but is used in set function context"},
		{"no relation", `isEmpty(from roleAttributes where true)`, "symbol 'roleAttributes' has no related entities to query"},
		{"field of the outer", `isEmpty(from configs where cost = 1)`, "unknown symbol 'cost'"},
		{"map", `tags = "x"`, "symbol 'tags' is a map, name one of its keys as tags.<key>"},
		{"string with bool", `name = true`, "operation name = true is not supported with operands types string, bool"},
		{"bool with order", `isAdmin < 1`, "operation isAdmin < 1 is not supported with operands types bool, int64"},
		{"bool with string", `isAdmin = "true"`, `operation isAdmin = "true" is not supported with operands types bool, string`},
		{"int with string", `cost = "5"`, `operation cost = "5" is not supported with operands types int64, string`},
		{"date with string", `createdAt > "2026"`, `operation createdAt > "2026" is not supported with operands types datetime, string`},
		{"string between", `name between 1 and 2`, "operation name between 1 and 2 is not supported with operands types string, int64"},
		{"int contains", `cost contains 1`, "operation cost contains 1 is not supported with operands types int64, int64"},
		{"not a bool", `name`, "symbol 'name' is of type string and can not stand on its own"},

		{"double equals", `name==1`, syntax("=", "1", "5")},
		{"second line", "true and\n  name == 1", syntax("=", "2", "8")},
		{"end", `name =`, syntax("<EOF>", "1", "6")},
		{"no blank before and", `name = "a"and true`, syntax("and", "1", "10")},
		{"parenthesis is no blank", `(true)and true`, syntax("and", "1", "6")},
		{"not needs a blank", `not(true)`, syntax("(", "1", "3")},
		{"single quotes", `name = 'x'`, syntax("'", "1", "7")},
		{"not in with two blanks", `name not  in ["x"]`, syntax("in", "1", "10")},
		{"upper-case datetime", `createdAt = DATETIME(2026-11-20T12:00:00Z)`, syntax("DATETIME", "1", "12")},
		{"empty list", `name in []`, syntax("]", "1", "9")},
		{"mixed list", `name in ["a", 1]`, syntax("1", "1", "14")},
		{"list with trailing comma", `name in ["a",]`, syntax("]", "1", "13")},
		{"in needs a blank", `name in["a"]`, syntax("[", "1", "7")},
		{"null with order", `name < null`, syntax("null", "1", "7")},
		{"two fields", `name = id`, syntax("id", "1", "7")},
		{"digits in a name", `tags.n1 = 1`, syntax("1", "1", "6")},
		{"leading zero", `cost = 01`, syntax("1", "1", "8")},
		{"ampersands", `true && true`, syntax("&", "1", "5")},
		{"unclosed", `(true`, syntax("<EOF>", "1", "5")},
		{"unclosed string", `name = "abc`, syntax(`"`, "1", "7")},
		{"unknown escape", `name = "\x"`, syntax(`"`, "1", "7")},
		{"control character", "name = \"a\nb\"", syntax(`"`, "1", "7")},
		{"order of clauses", `true limit 1 skip 1`, syntax("skip", "1", "13")},
		{"limit wants a whole number", `limit 1.5`, syntax("1.5", "1", "6")},
		{"sort wants by", `true sort name`, syntax("name", "1", "10")},
		{"icontains wants text", `name icontains 1`, syntax("1", "1", "15")},
		{"between mixes types", `cost between 1 and datetime(2026-11-20T12:00:00Z)`, syntax("datetime", "1", "19")},
		{"set function alone", `anyOf(roleAttributes)`, syntax("<EOF>", "1", "21")},
		{"bad date", `createdAt = datetime(yesterday)`, `"yesterday" is not an RFC 3339 date-time`},
		{"large number", `cost = 99999999999999999999`, "number 99999999999999999999 does not fit 64 bits"},
		{"blank text", ` `, syntax("<EOF>", "1", "1")},

		{"too long", `name = "` + strings.Repeat("x", query.MaxLength) + `"`, "the text is longer than 16384 bytes"},
		{"too deep", strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100), "the filter nests deeper than 64"},
		{"too deep by not", strings.Repeat("not ", 100) + "true", "the filter nests deeper than 64"},
		{"too many terms", "true" + strings.Repeat(" or a", 2048), "the filter has more than 2048 operations and literals"},
		{"too many literals", "cost in [1" + strings.Repeat(",1", 3000) + "]", "the filter has more than 2048 operations and literals"},
		{"invalid UTF-8", "name = \"\xff\"", "the text is not valid UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := query.Compile(schema, tt.filter, "")
			if !errors.Is(err, fault.InvalidFilter) {
				t.Fatalf("got %v, want an invalid filter", err)
			}
			if got := fault.From(err).Cause.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSortParameterRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"bogus":      "unknown symbol 'bogus'",
		"name,":      syntax("<EOF>", "1", "5"),
		"name down":  syntax("down", "1", "5"),
		"configs":    "symbol 'configs' is a set symbol but is used in non-set function context",
		"name asc x": syntax("x", "1", "9"),
	} {
		_, err := query.Compile(schema, "true", text)
		if !errors.Is(err, fault.InvalidSortIdentifier) || fault.From(err).Cause.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		``, `true`, `not name = "x" and (isAdmin or cost between 1 and 2) sort by name desc, id skip 1 limit none`,
		`isEmpty(from configs where name in ["a","b"] sort by id limit 1)`, `anyOf(roleAttributes) not in ["a"]`,
		`createdAt >= datetime(2026-11-20T12:00:00.5+01:00) or count(configs) != 3`, `tags.some-key icontains "\"\\"`,
		`skip 3 limit 4`, `((((`, `not not not`, `name = "é"`,
	} {
		f.Add(s, "name desc")
	}
	f.Fuzz(func(t *testing.T, filter, sort string) {
		p, err := query.Compile(schema, filter, sort)
		if err != nil {
			if fault.From(err).Kind == fault.Unhandled {
				t.Fatal(err)
			}
			return
		}
		match := p.Match(full)
		if p.All() && !match {
			t.Error("All does not match")
		}
		if match {
			for _, h := range p.Hints() {
				if !satisfies(full, h) {
					t.Errorf("matching row does not satisfy hint %v", h)
				}
			}
		}
		if a, b := p.Compare(full, bare), p.Compare(bare, full); a != -b {
			t.Errorf("order is not antisymmetric: %d and %d", a, b)
		}
	})
}
