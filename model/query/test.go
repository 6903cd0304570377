package query

import (
	"fmt"
	"strings"
)

// test is an operator with its literals, applied to one value.
type test struct {
	op      operator
	negated bool
	boolean bool // the field is a Bool: an absent value counts as false
	values  []literal
	lookup  map[string]struct{} // of a long `in` over strings
}

const longList = 16

// prepare checks that a value of the type can be tested and converts the
// literals. The result is refused for types that do not fit.
func (t *test) prepare(field Type, source string) error {
	for i, v := range t.values {
		if !t.fits(field, v.typ) {
			return fmt.Errorf("operation %s is not supported with operands types %s, %s", clip(source), field, v.typ)
		}
		if v.isNumber() && (field == String || t.op == opContains) {
			t.values[i] = literal{StringOf(v.raw), v.raw}
		}
	}
	t.boolean = field == Bool && t.values[0].typ != Null
	if t.op == opIContains {
		t.values[0].text = strings.ToUpper(t.values[0].text)
	}
	if t.op == opIn && len(t.values) > longList && t.values[0].typ == String {
		t.lookup = make(map[string]struct{}, len(t.values))
		for _, v := range t.values {
			t.lookup[v.text] = struct{}{}
		}
	}
	return nil
}

// number replaces numbers by the texts that have them.
func (t *test) number(texts []string) {
	if t.op > opNotEqual && t.op != opIn {
		return
	}
	for i, v := range t.values {
		if v.typ == Int && v.num >= 1 && v.num <= int64(len(texts)) {
			t.values[i] = literal{Value: StringOf(texts[v.num-1])}
		}
	}
}

func (t *test) fits(field, lit Type) bool {
	number := lit == Int || lit == Float
	switch t.op {
	case opEqual, opNotEqual:
		if lit == Null {
			return true
		}
	case opContains, opIContains:
		return field == String || field == Any
	}
	switch field {
	case Any:
		return true
	case String:
		return (lit == String || number) && t.op != opBetween
	case Int, Float:
		return number
	case Bool:
		return lit == Bool && t.op <= opNotEqual
	case Time:
		return lit == Time
	}
	return false
}

func (t *test) holds(v Value) bool {
	if v.typ == Null && t.boolean {
		v = BoolOf(false)
	}
	return t.plain(v) != t.negated
}

func (t *test) plain(v Value) bool {
	switch t.op {
	case opEqual:
		return t.equal(v, 0)
	case opNotEqual:
		return !t.equal(v, 0)
	case opIn:
		if t.lookup != nil && v.typ == String {
			_, ok := t.lookup[v.text]
			return ok
		}
		for i := range t.values {
			if t.equal(v, i) {
				return true
			}
		}
		return false
	case opBetween:
		low, ok := t.compare(v, 0)
		high, _ := t.compare(v, 1)
		return ok && low >= 0 && high < 0
	case opContains:
		return v.typ == String && strings.Contains(v.text, t.values[0].text)
	case opIContains:
		return v.typ == String && containsFold(v.text, t.values[0].text)
	}
	c, ok := t.compare(v, 0)
	switch t.op {
	case opLess:
		return ok && c < 0
	case opLessEqual:
		return ok && c <= 0
	case opGreater:
		return ok && c > 0
	}
	return ok && c >= 0
}

func (t *test) equal(v Value, i int) bool {
	if t.values[i].typ == Null || v.typ == Null {
		return t.values[i].typ == v.typ
	}
	c, ok := t.compare(v, i)
	return ok && c == 0
}

// compare orders v and a literal; false if their types have no order, as may
// happen with tags.
func (t *test) compare(v Value, i int) (int, bool) {
	lit := &t.values[i]
	switch {
	case v.typ == Null:
		return 0, false
	case v.typ == lit.typ, v.isNumber() && lit.isNumber():
		return v.Compare(lit.Value), true
	case v.typ == String && lit.isNumber():
		return strings.Compare(v.text, lit.raw), true
	}
	return 0, false
}

// containsFold reports whether the upper-cased text contains upper. Texts of
// ASCII are searched without allocating.
func containsFold(text, upper string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return strings.Contains(strings.ToUpper(text), upper)
		}
	}
	for i := 0; i+len(upper) <= len(text); i++ {
		j := 0
		for j < len(upper) && upperByte(text[i+j]) == upper[j] {
			j++
		}
		if j == len(upper) {
			return true
		}
	}
	return false
}

func upperByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}
