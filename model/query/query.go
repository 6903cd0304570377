// Package query is the filter language of the list operations: it parses a
// text, checks it against the fields of a list, and evaluates it row by row.
// Grammar and semantics are those of the ecosystem's REST APIs, including
// their grouping: `and` and `or` have one precedence and group to the right,
// `not` takes everything to its right.
//
// Compile once per request; a Program is safe for concurrent use and does not
// allocate per row.
package query

// Limits of a filter: texts beyond them are refused with fault.InvalidFilter.
const (
	MaxLength = 16 << 10 // bytes of the text
	MaxDepth  = 64       // nested parentheses, not and from
	MaxNodes  = 2048     // operations and literals
)

// NoLimit is the limit of `limit none` and of the parameter -1.
const NoLimit = int64(1<<63 - 1)

// Program is a compiled filter with its order and page.
type Program struct {
	schema *Schema
	where  expr // nil matches all
	sort   []sortKey
	skip   *int64
	limit  *int64
}

// Compile parses the filter and the sort parameter (either may be empty) and
// binds them to the schema. sort is used only if the filter has no `sort by`.
// Refusals are fault.InvalidFilter and fault.InvalidSortIdentifier.
func Compile(schema *Schema, filter, sort string) (*Program, error) {
	panic("compile")
}

// Match reports whether the row satisfies the filter.
func (p *Program) Match(r Row) bool { return p.where == nil || p.where.eval(r) }

// Sorted reports whether there is an order other than by ascending id.
func (p *Program) Sorted() bool { return len(p.sort) > 0 }

// Page returns the limit and offset that apply, from the parameters of the
// request (nil where absent) and the filter's own skip and limit, which win.
func (p *Program) Page(limit, offset *int64) (int64, int64) { return 0, 0 }

// Hint says that every matching row has one of Values in Field: as its value,
// or as an element if the field is a set.
type Hint struct {
	Field  int
	Values []string
}

// Hints returns equalities that every matching row satisfies, so that the
// caller may look candidates up in an index of any one of them instead of
// walking all rows. Candidates must still be matched.
func (p *Program) Hints() []Hint { return nil }

// Compare orders two rows by the sort keys and at last by id, whose field must
// be named `id`.
func (p *Program) Compare(a, b Row) int { return 0 }

type expr interface{ eval(Row) bool }

type sortKey struct {
	field int
	desc  bool
}
