package query_test

import (
	"testing"

	"github.com/weftnet/weft/model/query"
)

// Whether full and bare match; the rules are those of the language: grouping,
// types, null, sets, tags.
func TestMatch(t *testing.T) {
	const none, onlyFull, onlyBare, both = 0, 1, 2, 3
	for _, tt := range []struct {
		name, filter string
		want         int
	}{
		{"empty", ``, both},
		{"true", `true`, both},
		{"false", `FALSE`, none},
		{"group and-or to the right", `false and false or true`, none},
		{"group or-and to the right", `true or false and false`, both},
		{"not takes all to its right", `not true or true`, none},
		{"not over and", `not false and false`, both},
		{"parentheses", `(false and false) or true`, both},
		{"parentheses with blanks", "(\tfalse and false\r\n) or true", both},
		{"not after and", `true and not false and false`, both},
		{"keywords ignore case", `NOT Name = "x" AND TRUE`, -1},
		{"keywords ignore case, fields do not", `NOT name = "x" AND TRUE`, both},

		{"string equal", `name = "Web.one"`, onlyFull},
		{"string equal without blanks", `name="Web.one"`, onlyFull},
		{"string is case-sensitive", `name = "web.one"`, none},
		{"string order by bytes", `name < "a"`, onlyFull},
		{"string not less", `name >= "a"`, none},
		{"string in", `name in ["x", "Web.one"]`, onlyFull},
		{"string not in", `name not in ["x","Web.one"]`, onlyBare},
		{"string in, long list", `name in ["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","Web.one"]`, onlyFull},
		{"contains", `name contains "eb.o"`, onlyFull},
		{"contains is case-sensitive", `name contains "web"`, none},
		{"not contains", `name not contains "zzz"`, both},
		{"icontains", `name icontains "WEB.O"`, onlyFull},
		{"icontains no match", `name icontains "wob"`, none},
		{"not icontains", `name not icontains "web"`, onlyBare},
		{"icontains beyond ASCII", `name icontains "é"`, none},
		{"number against string", `name = 1`, none},
		{"contains number", `tags.digits contains 1`, onlyFull},
		{"escapes", `name != "\"\\\f\n\r\t"`, both},

		{"int equal", `cost = 5`, onlyFull},
		{"int between is half open, low", `cost between 5 and 6`, onlyFull},
		{"int between is half open, high", `cost between 4 and 5`, none},
		{"not between", `cost not between 4 and 5`, both},
		{"int in", `cost in [1,5]`, onlyFull},
		{"int against float literal", `cost < 5.5`, onlyFull},
		{"float against int literal", `load > 2`, onlyFull},
		{"float exponent", `load = 25e-1`, onlyFull},
		{"negative", `cost > -1`, onlyFull},

		{"bool on its own", `isAdmin`, onlyFull},
		{"bool equal", `isAdmin = true`, onlyFull},
		{"absent bool counts as false", `isAdmin = false`, onlyBare},
		{"bool not equal", `isAdmin != true`, onlyBare},
		{"bool before and", `isAdmin and true`, onlyFull},
		{"absent bool", `isAdmin = null`, onlyBare},

		{"date equal", `createdAt = datetime(2026-11-20T12:00:00.005Z)`, onlyFull},
		{"date with offset", `createdAt = datetime( 2026-11-20t14:00:00.005+02:00 )`, onlyFull},
		{"date less", `createdAt < datetime(2026-11-20T12:00:00.006z)`, onlyFull},
		{"date between", `createdAt between datetime(2026-11-20T12:00:00.005Z) and datetime(2026-11-21T00:00:00Z)`, onlyFull},
		{"date in", `createdAt in [datetime(2026-11-20T12:00:00.005Z)]`, onlyFull},

		{"null equal", `name = null`, onlyBare},
		{"null not equal", `name != null`, onlyFull},
		{"absent = is false", `externalId = "x"`, none},
		{"absent < is false", `externalId < "x"`, none},
		{"absent >= is false", `externalId >= ""`, none},
		{"absent contains is false", `externalId contains ""`, none},
		{"absent in is false", `externalId in ["x"]`, none},
		{"absent between is false", `bare.x between 1 and 2`, -1},
		{"absent != is true", `externalId != "x"`, both},
		{"absent not contains is true", `externalId not contains "x"`, both},
		{"plain negation", `not externalId = "x"`, both},

		{"anyOf", `anyOf(roleAttributes) = "b"`, onlyFull},
		{"anyOf with blanks", `ANYOF( roleAttributes ) = "b"`, onlyFull},
		{"anyOf in", `anyOf(roleAttributes) in ["q","z"]`, onlyFull},
		{"anyOf != looks at all", `anyOf(roleAttributes) != "z"`, onlyFull},
		{"anyOf contains", `anyOf(roleAttributes) contains "z"`, onlyFull},
		{"allOf", `allOf(roleAttributes) < "zz"`, both},
		{"allOf fails", `allOf(roleAttributes) = "a"`, onlyBare},
		{"isEmpty", `isEmpty(roleAttributes)`, onlyBare},
		{"not isEmpty", `not isempty( roleAttributes )`, onlyFull},
		{"count", `count(roleAttributes) = 3`, onlyFull},
		{"count zero", `count(configs) < 1`, onlyBare},
		{"count in", `count(configs) in [0, 3]`, both},
		{"from", `isEmpty(from configs where name = "second")`, onlyBare},
		{"from by a field of the related", `isEmpty(from configs where type = "t3")`, both},
		{"from with page", `isEmpty(from configs where type = "t1" skip 2)`, both},
		{"from with order and limit", `not isEmpty(from configs where type = "t1" sort by name skip 1 limit 1)`, onlyFull},
		{"from where only a page", `isEmpty(from configs where skip 3)`, both},
		{"count from honours the condition", `count(from configs where type = "t1") = 2`, onlyFull},
		{"count from with limit", `count(from configs where true limit 1) = 1`, onlyFull},

		{"dotted", `service.name = "printer"`, onlyFull},
		{"tag", `tags.owner = "Ann"`, onlyFull},
		{"tag with hyphen", `tags.some-key = "x"`, onlyFull},
		{"tag number", `tags.n = 1.0`, onlyFull},
		{"tag whole number", `tags.n = 1`, onlyFull},
		{"tag between", `tags.n between 1 and 3`, onlyFull},
		{"tag text as number", `tags.digits = 12`, onlyFull},
		{"tag bool", `tags.on = true`, onlyFull},
		{"tag bool on its own", `tags.on`, onlyFull},
		{"tag of other type", `tags.owner = 1`, none},
		{"tag of other type !=", `tags.owner != true`, both},
		{"tag missing", `tags.nope = null`, both},
		{"tag icontains", `tags.owner icontains "AN"`, onlyFull},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := query.Compile(schema, tt.filter, "")
			if tt.want < 0 {
				if err == nil {
					t.Fatal("compiled")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			if p.Match(full) {
				got |= onlyFull
			}
			if p.Match(bare) {
				got |= onlyBare
			}
			if got != tt.want {
				t.Errorf("%s: matches %d, want %d", tt.filter, got, tt.want)
			}
		})
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	for _, filter := range []string{
		`name contains "x" or anyOf(roleAttributes) = "z" and cost between 1 and 9`,
		`name icontains "one" and tags.owner = "Ann" and createdAt > datetime(2020-01-01T00:00:00Z)`,
		`name in ["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"]`,
	} {
		p, err := query.Compile(schema, filter, "")
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { p.Match(full) }); n != 0 {
			t.Errorf("%s: %v allocations per row", filter, n)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	p, err := query.Compile(schema, `name contains "x" or anyOf(roleAttributes) = "z" and cost between 1 and 9`, "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Match(full)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := query.Compile(schema, `name = "x" and isAdmin sort by name desc limit 5`, ""); err != nil {
			b.Fatal(err)
		}
	}
}
