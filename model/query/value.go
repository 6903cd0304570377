package query

import (
	"cmp"
	"math"
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
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

var typeNames = [...]string{"null", "string", "int64", "float64", "bool", "datetime", "any"}

// Value is one value of a row; the zero Value is null. It is made by the
// functions below and copied freely; making one does not allocate.
type Value struct {
	text string
	num  int64 // Int; Bool as 0 or 1; Float as its bits; Time as Unix seconds
	nano int32 // Time: nanoseconds within the second
	typ  Type
}

// StringOf returns the value of a text.
func StringOf(s string) Value { return Value{typ: String, text: s} }

// IntOf returns the value of a whole number.
func IntOf(n int64) Value { return Value{typ: Int, num: n} }

// FloatOf returns the value of a floating point number.
func FloatOf(f float64) Value { return Value{typ: Float, num: int64(math.Float64bits(f))} }

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

// AnyOf returns the value of a tag as decoded from JSON: string, bool or a
// number; null for everything else. Numbers become floating point.
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
	switch {
	case v.typ == String && w.typ == String:
		return strings.Compare(v.text, w.text)
	case v.typ != w.typ && v.isNumber() && w.isNumber(), v.typ == Float && w.typ == Float:
		return cmp.Compare(v.float(), w.float())
	case v.typ != w.typ:
		return cmp.Compare(v.typ, w.typ)
	case v.num != w.num:
		return cmp.Compare(v.num, w.num)
	}
	return cmp.Compare(v.nano, w.nano)
}

func (v Value) isNumber() bool { return v.typ == Int || v.typ == Float }

func (v Value) float() float64 {
	if v.typ == Int {
		return float64(v.num)
	}
	return math.Float64frombits(uint64(v.num))
}
