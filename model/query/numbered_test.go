package query_test

import (
	"testing"

	"github.com/weftnet/weft/model/query"
)

// kind is a row whose only field has texts with numbers.
type kind string

func (k kind) Value(int) query.Value { return query.StringOf(string(k)) }
func (kind) Set(int) query.Set       { return query.Set{} }
func (kind) Tag(string) query.Value  { return query.Value{} }

func TestNumberedTexts(t *testing.T) {
	s := query.NewSchema(query.Field{Name: "type", Type: query.String, Numbered: []string{"Dial", "Bind"}})
	for _, tt := range []struct {
		filter     string
		dial, bind bool
	}{
		{`type = 1`, true, false},
		{`type=2`, false, true},
		{`type != 1`, false, true},
		{`type in [1, 2]`, true, true},
		{`type in [2, 3]`, false, true},
		{`type not in [1]`, false, true},
		{`type = 0`, false, false},
		{`type = 3`, false, false},
		{`type = "Dial"`, true, false},
		{`type contains 1`, false, false},
	} {
		b, err := query.Compile(s, tt.filter, "")
		if err != nil {
			t.Fatal(err)
		}
		if d, x := b.Match(kind("Dial")), b.Match(kind("Bind")); d != tt.dial || x != tt.bind {
			t.Errorf("%s: Dial %v, Bind %v; want %v, %v", tt.filter, d, x, tt.dial, tt.bind)
		}
	}
}
