package query

import (
	"cmp"
	"strings"
	"time"
)

// Type is the type of a field or of a literal.
type Type uint8

// The types. Null is the type of the literal null and of absent values; Any is
// that of tags, whose values carry a type of their own.
const (
	Null Type = iota
	String
	Int
	Float
	Bool
	Time
	Any
)

// String returns the name used in error texts.
func (t Type) String() string {
	return [...]string{"null", "string", "number", "float", "bool", "datetime", "any"}[t]
}

// Value is one value of a row; the zero Value is null. It is made by the
// functions below and copied freely; making one does not allocate.
type Value struct {
	typ  Type
	text string
	num  int64 // Int; Bool as 0 or 1; Time as seconds of Unix time
	frac float64
	nano int32
}

// StringOf returns the value of a text.
func StringOf(s string) Value { return Value{typ: String, text: s} }

// IntOf returns the value of a whole number.
func IntOf(n int64) Value { return Value{typ: Int, num: n} }

// FloatOf returns the value of a floating point number.
func FloatOf(f float64) Value { return Value{typ: Float, frac: f} }

// BoolOf returns the value of a truth value.
func BoolOf(b bool) Value {
	if b {
		return Value{typ: Bool, num: 1}
	}
	return Value{typ: Bool}
}

// TimeOf returns the value of a time; its zone does not matter.
func TimeOf(t time.Time) Value {
	return Value{typ: Time, num: t.Unix(), nano: int32(t.Nanosecond())}
}

// AnyOf returns the value of a tag as decoded from JSON: string, bool, any
// number type, or null for everything else. Numbers become floating point.
func AnyOf(v any) Value {
	switch v := v.(type) {
	case string:
		return StringOf(v)
	case bool:
		return BoolOf(v)
	case float64:
		return FloatOf(v)
	case int64:
		return FloatOf(float64(v))
	case int:
		return FloatOf(float64(v))
	}
	return Value{}
}

// Type returns the type of v, Null if it is absent.
func (v Value) Type() Type { return v.typ }

// Text returns the text of a String value and "" for others.
func (v Value) Text() string { return v.text }

// Compare orders values: null first, then by type, then by value: strings by
// bytes, false before true. Int and Float compare as numbers.
func (v Value) Compare(w Value) int {
	if v.typ != w.typ {
		if v.isNumber() && w.isNumber() {
			return cmp.Compare(v.float(), w.float())
		}
		return cmp.Compare(v.typ, w.typ)
	}
	switch v.typ {
	case String:
		return strings.Compare(v.text, w.text)
	case Float:
		return cmp.Compare(v.frac, w.frac)
	case Time:
		if c := cmp.Compare(v.num, w.num); c != 0 {
			return c
		}
		return cmp.Compare(v.nano, w.nano)
	}
	return cmp.Compare(v.num, w.num)
}

func (v Value) isNumber() bool { return v.typ == Int || v.typ == Float }

func (v Value) float() float64 {
	if v.typ == Int {
		return float64(v.num)
	}
	return v.frac
}
