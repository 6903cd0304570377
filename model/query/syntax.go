package query

// The syntax tree, as parsed and before names and types are looked at.

type syntaxQuery struct {
	where node // nil if the query has no condition
	sort  []syntaxSort
	skip  *int64
	limit *int64
}

type syntaxSort struct {
	name string
	desc bool
}

type node interface{}

// chain is `term op term op …`, grouped to the right.
type chain struct {
	terms []node
	and   []bool // and[i] joins terms[i] with all that follows; false is or
}

type negation struct{ term node }

type constant bool

// boolField is a field that stands on its own.
type boolField struct{ name string }

type emptiness struct{ set setRef }

type comparison struct {
	left    operand
	op      operator
	negated bool
	values  []literal // one; two for between; one or more for in
	source  string    // text of the comparison, for errors
}

type operand struct {
	fn   function
	name string // plain, allOf, anyOf
	set  setRef // count
}

type setRef struct {
	name  string
	where *syntaxQuery // of `from`, else nil
}

type literal struct {
	Value
	raw string // the text of a number
}

type function uint8

const (
	plain function = iota
	allOf
	anyOf
	count
)

type operator uint8

const (
	opEqual operator = iota
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opContains
	opIContains
	opIn
	opBetween
)
