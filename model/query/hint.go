package query

// Hint says that every matching row has one of Values in Field: as its value,
// or as an element if the field is a set.
type Hint struct {
	Field  int
	Values []string
}

// Hints returns equalities of string fields that every matching row satisfies,
// so that the caller may look candidates up in an index of any one of them
// instead of walking all rows. Candidates must still be matched.
func (p *Program) Hints() []Hint {
	if p.where == nil {
		return nil
	}
	return p.where.hints(nil)
}

func (e constantExpr) hints(to []Hint) []Hint { return to }
func (e notExpr) hints(to []Hint) []Hint      { return to }
func (e *emptyExpr) hints(to []Hint) []Hint   { return to }
func (e *countExpr) hints(to []Hint) []Hint   { return to }

func (e *fieldExpr) hints(to []Hint) []Hint {
	if e.typ != String {
		return to
	}
	return e.test.hints(e.field, to)
}

func (e *elementExpr) hints(to []Hint) []Hint {
	if e.all { // holds for the empty set too
		return to
	}
	return e.test.hints(e.field, to)
}

func (t *test) hints(field int, to []Hint) []Hint {
	if t.negated || t.op != opEqual && t.op != opIn {
		return to
	}
	h := Hint{Field: field}
	for _, v := range t.values {
		if v.typ != String {
			return to
		}
		h.Values = append(h.Values, v.text)
	}
	return append(to, h)
}

// hints of `a and rest` are those of both; of `a or rest`, those that both
// sides have, with the values of both.
func (e *chainExpr) hints(to []Hint) []Hint {
	last := len(e.terms) - 1
	rest := e.terms[last].hints(nil)
	for i := last - 1; i >= 0; i-- {
		if e.and[i] {
			rest = e.terms[i].hints(rest)
		} else {
			rest = either(e.terms[i].hints(nil), rest)
		}
	}
	return append(to, rest...)
}

func either(a, b []Hint) []Hint {
	var out []Hint
	for _, x := range a {
		for _, y := range b {
			if x.Field == y.Field {
				values := append(append([]string(nil), x.Values...), y.Values...)
				out = append(out, Hint{x.Field, values})
				break
			}
		}
	}
	return out
}
