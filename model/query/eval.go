package query

// expr is a condition that is ready to evaluate.
type expr interface {
	eval(r Row) bool
	// hints appends the equalities that hold wherever the condition does.
	hints(to []Hint) []Hint
}

type constantExpr bool

func (e constantExpr) eval(Row) bool { return bool(e) }

type notExpr struct{ term expr }

func (e notExpr) eval(r Row) bool { return !e.term.eval(r) }

// chainExpr is evaluated from the left and stops where the rest cannot matter.
type chainExpr struct {
	terms []expr
	and   []bool
}

func (e *chainExpr) eval(r Row) bool {
	for i, term := range e.terms {
		v := term.eval(r)
		if i == len(e.and) || v != e.and[i] {
			return v
		}
	}
	return false
}

type fieldExpr struct {
	target
	test
}

func (e *fieldExpr) eval(r Row) bool { return e.test.holds(e.target.of(r)) }

// elementExpr is anyOf or allOf.
type elementExpr struct {
	field int
	all   bool
	test  *test
}

func (e *elementExpr) eval(r Row) bool {
	for _, text := range r.Set(e.field).Texts {
		if e.test.holds(StringOf(text)) != e.all {
			return !e.all
		}
	}
	return e.all
}

type emptyExpr struct{ set setTarget }

func (e *emptyExpr) eval(r Row) bool { return e.set.count(r, 1) == 0 }

type countExpr struct {
	set  setTarget
	test test
}

func (e *countExpr) eval(r Row) bool { return e.test.holds(IntOf(e.set.count(r, NoLimit))) }

// count returns the number of elements that the set selects, and may stop at
// enough.
func (t setTarget) count(r Row, enough int64) int64 {
	set := r.Set(t.field)
	if !t.from {
		return int64(len(set.Texts))
	}
	enough = min(enough, t.limit)
	if enough == 0 || set.Rows == nil {
		return 0
	}
	n, skip := int64(0), t.skip
	set.Rows(func(related Row) bool {
		if t.where != nil && !t.where.eval(related) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		n++
		return n < enough
	})
	return n
}
