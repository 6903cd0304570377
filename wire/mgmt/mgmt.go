// Package mgmt is the messages of the management channel: numbers, headers and
// protobuf bodies of the websocket by which the ecosystem's tools follow events
// and have a network checked. Bodies are written by hand: few fields are read,
// and none is kept.
package mgmt

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of messages.
const (
	Result = 2

	StreamEvents      = 10040
	Event             = 10041
	TogglePipeTraces  = 10044
	StreamTraces      = 10046
	Trace             = 10047
	Inspect           = 10048
	Inspected         = 10049
	Terminators       = 10100
	TerminatorsResult = 10101
	TerminatorDetail  = 10102
	Links             = 10103
	SDKTerminators    = 10106
	DataModel         = 10109
	Identities        = 10112
	ErtTerminators    = 10115
	Circuits          = 10118
	HostDetail        = 10121
	Dialers           = 10122
)

// Numbers of headers.
const (
	HeaderReplyFor  = 1
	HeaderSuccess   = 2
	HeaderEventType = 10
)

// ErrBody says that a body is no message of its type.
var ErrBody = errors.New("mgmt: the body is not what its type demands")

// Fields are the fields of a body: numbers and texts by field, in order.
type Fields struct {
	Numbers map[int32][]uint64
	Texts   map[int32][]string
}

// maxFields bounds the fields of a body.
const maxFields = 10_000

// Parse reads the fields of a body whose fields are numbers and texts. Packed
// numbers count as texts: see Packed.
func Parse(b []byte) (Fields, error) {
	f := Fields{make(map[int32][]uint64), make(map[int32][]string)}
	for n := 0; len(b) > 0; n++ {
		num, kind, size := protowire.ConsumeTag(b)
		if size < 0 || n >= maxFields {
			return f, ErrBody
		}
		b = b[size:]
		switch kind {
		case protowire.VarintType:
			v, size := protowire.ConsumeVarint(b)
			if size < 0 {
				return f, ErrBody
			}
			f.Numbers[int32(num)] = append(f.Numbers[int32(num)], v)
			b = b[size:]
		case protowire.BytesType:
			v, size := protowire.ConsumeBytes(b)
			if size < 0 {
				return f, ErrBody
			}
			f.Texts[int32(num)] = append(f.Texts[int32(num)], string(v))
			b = b[size:]
		default:
			size := protowire.ConsumeFieldValue(num, kind, b)
			if size < 0 {
				return f, ErrBody
			}
			b = b[size:]
		}
	}
	return f, nil
}

// Text returns the last value of a text field, empty if there is none.
func (f Fields) Text(field int32) string {
	if all := f.Texts[field]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// Bool returns the last value of a bool field.
func (f Fields) Bool(field int32) bool { return f.Number(field) != 0 }

// Number returns the last value of a number field, 0 if there is none.
func (f Fields) Number(field int32) uint64 {
	if all := f.Numbers[field]; len(all) > 0 {
		return all[len(all)-1]
	}
	return 0
}

// Packed returns the numbers of a repeated field, packed or not.
func (f Fields) Packed(field int32) []int32 {
	var out []int32
	for _, v := range f.Numbers[field] {
		out = append(out, int32(v))
	}
	for _, text := range f.Texts[field] {
		for b := []byte(text); len(b) > 0; {
			v, size := protowire.ConsumeVarint(b)
			if size < 0 {
				return out
			}
			out, b = append(out, int32(v)), b[size:]
		}
	}
	return out
}

// Body is a body that is being written. Zero values are left out.
type Body []byte

// Text adds a text.
func (b Body) Text(field int32, s string) Body {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, protowire.Number(field), protowire.BytesType), s)
}

// Texts adds the texts of a repeated field.
func (b Body) Texts(field int32, all []string) Body {
	for _, s := range all {
		b = protowire.AppendString(protowire.AppendTag(b, protowire.Number(field), protowire.BytesType), s)
	}
	return b
}

// Bool adds a bool.
func (b Body) Bool(field int32, v bool) Body {
	if !v {
		return b
	}
	return b.Number(field, 1)
}

// Number adds a number.
func (b Body) Number(field int32, v uint64) Body {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, protowire.Number(field), protowire.VarintType), v)
}

// Nested adds a message.
func (b Body) Nested(field int32, inner Body) Body {
	return protowire.AppendBytes(protowire.AppendTag(b, protowire.Number(field), protowire.BytesType), inner)
}
