// Package query is the filter language of the list operations: it parses a
// text, checks it against the fields of a list, and evaluates it row by row.
// Grammar and semantics are those of the ecosystem's REST APIs, including
// their grouping: `and` and `or` have one precedence and group to the right,
// `not` takes everything to its right.
//
// Three defects of the ecosystem's evaluation are not copied: `anyOf(s) != v`
// looks at every element, `count(from …)` honours its condition, and numbers
// in tags compare as numbers whether written with a fraction or not.
//
// Compile once per request; a Program is safe for concurrent use and does not
// allocate per row.
package query

import "github.com/weftnet/weft/fault"

// Limits of a filter: texts beyond them are refused with fault.InvalidFilter.
const (
	MaxLength = 16 << 10 // bytes of the text
	MaxDepth  = 64       // nested parentheses, not and from
	MaxNodes  = 2048     // operations and literals
	MaxSort   = 16       // sort keys
)

// Program is a compiled filter with its order and page.
type Program struct {
	where expr // nil matches all
	sort  []sortKey
	id    int // position of the field id, -1 without
	skip  *int64
	limit *int64
}

// Compile parses the filter and the sort parameter (either may be empty) and
// binds them to the schema. sort is used only if the filter has no `sort by`.
// Refusals are fault.InvalidFilter and fault.InvalidSortIdentifier.
func Compile(schema *Schema, filter, sort string) (*Program, error) {
	p := &Program{id: schema.Index("id")}
	if filter != "" {
		if err := p.compileFilter(schema, filter); err != nil {
			return nil, fault.InvalidFilter.New(err)
		}
	}
	if sort == "" || p.sort != nil {
		return p, nil
	}
	keys, err := parseSort(sort)
	if err == nil {
		p.sort, err = bindSort(schema, keys)
	}
	if err != nil {
		return nil, fault.InvalidSortIdentifier.New(err)
	}
	return p, nil
}

func (p *Program) compileFilter(schema *Schema, filter string) error {
	q, err := parseText(filter)
	if err != nil {
		return err
	}
	p.skip, p.limit = q.skip, q.limit
	if p.sort, err = bindSort(schema, q.sort); err != nil || q.where == nil {
		return err
	}
	p.where, err = bind(schema, q.where)
	return err
}

// Match reports whether the row satisfies the filter.
func (p *Program) Match(r Row) bool { return p.where == nil || p.where.eval(r) }

// All reports whether every row matches, so that rows need not be looked at.
func (p *Program) All() bool { return p.where == nil || p.where == constantExpr(true) }
