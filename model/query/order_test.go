package query_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weftnet/weft/model/query"
)

func TestOrder(t *testing.T) {
	rows := []*entity{
		{id: "1", name: "b", cost: ptr(int64(2)), admin: ptr(true), tags: map[string]any{"n": 2.0}},
		{id: "2", name: "B", cost: ptr(int64(10)), admin: ptr(false), tags: map[string]any{"n": 10.0}},
		{id: "3", cost: ptr(int64(2)), tags: map[string]any{"n": "x"}},
		{id: "4", name: "a"},
	}
	for _, tt := range []struct{ name, filter, sort, want string }{
		{"by id", "", "", "[1 2 3 4]"},
		{"by id descending", "", "id desc", "[4 3 2 1]"},
		{"strings by bytes, null first", "", "name", "[3 2 4 1]"},
		{"null last when descending", "", "name desc", "[1 4 2 3]"},
		{"numbers, then id", "", "cost", "[4 1 3 2]"},
		{"two keys", "", "cost desc, name asc", "[2 3 1 4]"},
		{"false before true", "", "isAdmin desc", "[1 2 3 4]"},
		{"by tag", "", "tags.n", "[4 3 1 2]"},
		{"filter wins", "true sort by id desc", "name", "[4 3 2 1]"},
		{"order alone", "SORT BY id DESC", "", "[4 3 2 1]"},
		{"blanks", "sort  by\tname ,  id   desc", "", "[3 2 4 1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := query.Compile(schema, tt.filter, tt.sort)
			if err != nil {
				t.Fatal(err)
			}
			sorted := slices.Clone(rows)
			slices.Reverse(sorted)
			slices.SortFunc(sorted, func(a, b *entity) int { return p.Compare(a, b) })
			var ids []string
			for _, r := range sorted {
				ids = append(ids, r.id)
			}
			if got := fmt.Sprint(ids); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if p.Sorted() == (tt.name == "by id") {
				t.Errorf("Sorted is %v", p.Sorted())
			}
		})
	}
}

func TestPage(t *testing.T) {
	for _, tt := range []struct {
		name, filter  string
		limit, offset *int64
		wantLimit     int64
		wantOffset    int64
	}{
		{"default", "", nil, nil, 10, 0},
		{"given", "", ptr(int64(3)), ptr(int64(4)), 3, 4},
		{"zero", "", ptr(int64(0)), nil, 10, 0},
		{"below -1", "", ptr(int64(-2)), ptr(int64(-5)), 10, 0},
		{"too large", "", ptr(int64(501)), ptr(int64(100001)), 500, 100000},
		{"none", "", ptr(int64(-1)), nil, query.NoLimit, 0},
		{"filter wins", "true skip 7 limit 600", ptr(int64(3)), ptr(int64(4)), 600, 7},
		{"filter has none", "limit none", ptr(int64(3)), nil, query.NoLimit, 0},
		{"filter has -1", "skip 1 limit -1", nil, nil, query.NoLimit, 1},
		{"filter has only skip", "skip 2", ptr(int64(3)), ptr(int64(9)), 3, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := query.Compile(schema, tt.filter, "")
			if err != nil {
				t.Fatal(err)
			}
			if l, o := p.Page(tt.limit, tt.offset); l != tt.wantLimit || o != tt.wantOffset {
				t.Errorf("got limit %d offset %d, want %d and %d", l, o, tt.wantLimit, tt.wantOffset)
			}
		})
	}
}

func TestHints(t *testing.T) {
	name, id, roles := schema.Index("name"), schema.Index("id"), schema.Index("roleAttributes")
	for _, tt := range []struct {
		filter string
		want   []query.Hint
	}{
		{`true`, nil},
		{`name = "a"`, []query.Hint{{Field: name, Values: []string{"a"}}}},
		{`name = 1`, []query.Hint{{Field: name, Values: []string{"1"}}}},
		{`name = null`, nil},
		{`name != "a"`, nil},
		{`not name = "a"`, nil},
		{`id in ["a","b"] and isAdmin`, []query.Hint{{Field: id, Values: []string{"a", "b"}}}},
		{`anyOf(roleAttributes) = "x"`, []query.Hint{{Field: roles, Values: []string{"x"}}}},
		{`allOf(roleAttributes) = "x"`, nil},
		{`name = "a" or id = "b"`, nil},
		{`name = "a" or name = "b"`, []query.Hint{{Field: name, Values: []string{"a", "b"}}}},
		{`name = "a" or name = "b" and id = "c"`, []query.Hint{{Field: name, Values: []string{"a", "b"}}}},
		{`id = "c" and name = "a" or name = "b"`, []query.Hint{
			{Field: name, Values: []string{"a", "b"}}, {Field: id, Values: []string{"c"}}}},
	} {
		p, err := query.Compile(schema, tt.filter, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Hints(); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.filter, got, tt.want)
		}
	}
}

// satisfies reports whether the row has one of the values of the hint.
func satisfies(e *entity, h query.Hint) bool {
	if schema.Field(h.Field).Set {
		return slices.ContainsFunc(e.Set(h.Field).Texts, func(s string) bool { return slices.Contains(h.Values, s) })
	}
	return slices.Contains(h.Values, e.Value(h.Field).Text())
}
