package query

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

type parser struct {
	scanner
	depth int
	nodes int
}

var (
	errDeep  = fmt.Errorf("the filter nests deeper than %d", MaxDepth)
	errLarge = fmt.Errorf("the filter has more than %d operations and literals", MaxNodes)
)

func parseText(text string) (*syntaxQuery, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	p.blanks()
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, p.end()
}

func parseSort(text string) ([]syntaxSort, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	p.blanks()
	keys, err := p.sortFields()
	if err != nil {
		return nil, err
	}
	return keys, p.end()
}

func newParser(text string) (*parser, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("the text is longer than %d bytes", MaxLength)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	return &parser{scanner: scanner{text: text}}, nil
}

func (p *parser) end() error {
	p.blanks()
	if !p.atEnd() {
		return p.unexpected()
	}
	return nil
}

// query reads a condition, an order, a skip and a limit, each optional, one
// required.
func (p *parser) query() (*syntaxQuery, error) {
	q, start := &syntaxQuery{}, p.pos
	var err error
	if !p.peekClause() {
		if q.where, err = p.boolean(); err != nil {
			return nil, err
		}
	}
	if p.clause("sort", start) {
		if !p.blankKeyword("by") || !p.blanks() {
			return nil, p.unexpected()
		}
		if q.sort, err = p.sortFields(); err != nil {
			return nil, err
		}
	}
	if p.clause("skip", start) {
		if q.skip, err = p.wholeNumber(); err != nil {
			return nil, err
		}
	}
	if p.clause("limit", start) {
		if q.limit, err = p.limitNumber(); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// peekClause reports whether sort, skip or limit comes next.
func (p *parser) peekClause() bool {
	start := p.pos
	defer func() { p.pos = start }()
	for _, word := range []string{"sort", "skip", "limit"} {
		if p.keyword(word) && p.blanks() {
			return true
		}
		p.pos = start
	}
	return false
}

// clause consumes the word that begins a clause: after white space, or at the
// start of the query.
func (p *parser) clause(word string, start int) bool {
	if p.pos == start {
		return p.keyword(word)
	}
	return p.blankKeyword(word)
}

func (p *parser) sortFields() ([]syntaxSort, error) {
	var keys []syntaxSort
	for {
		name, ok := p.name()
		if !ok {
			return nil, p.unexpected()
		}
		if err := p.count(1); err != nil {
			return nil, err
		}
		key := syntaxSort{name: name, desc: p.blankKeyword("desc")}
		if !key.desc {
			p.blankKeyword("asc")
		}
		keys = append(keys, key)
		at := p.pos
		p.blanks()
		if !p.symbol(",") {
			p.pos = at
			return keys, nil
		}
		p.blanks()
	}
}

func (p *parser) wholeNumber() (*int64, error) {
	if !p.blanks() {
		return nil, p.unexpected()
	}
	at := p.pos
	n, ok, err := p.numberLiteral()
	if err != nil {
		return nil, err
	}
	if !ok || n.typ != Int {
		p.pos = at
		return nil, p.unexpected()
	}
	return &n.num, nil
}

func (p *parser) limitNumber() (*int64, error) {
	if p.blankKeyword("none") {
		n := int64(-1)
		return &n, nil
	}
	return p.wholeNumber()
}

// count adds to the number of nodes and refuses too many.
func (p *parser) count(n int) error {
	if p.nodes += n; p.nodes > MaxNodes {
		return errLarge
	}
	return nil
}

// nested runs f one level deeper.
func (p *parser) nested(f func() (node, error)) (node, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	return f()
}
