package message

import (
	"encoding/binary"
	"slices"
)

// Headers is the encoded header area of a message. Put appends; Get scans.
// A reader takes the last entry of an id, as the clients of the field do.
type Headers []byte

const entrySize = 8 // id and length

// Validate reports ErrHeaders if the area is not a whole number of entries.
func (h Headers) Validate() error {
	for len(h) > 0 {
		if len(h) < entrySize {
			return ErrHeaders
		}
		n := binary.LittleEndian.Uint32(h[4:])
		if uint64(n) > uint64(len(h)-entrySize) {
			return ErrHeaders
		}
		h = h[entrySize+int(n):]
	}
	return nil
}

// Each calls f for every entry in order until f returns false. The area must be valid.
func (h Headers) Each(f func(id int32, value []byte) bool) {
	for len(h) >= entrySize {
		n := entrySize + int(binary.LittleEndian.Uint32(h[4:]))
		if n > len(h) || !f(int32(binary.LittleEndian.Uint32(h)), h[entrySize:n:n]) {
			return
		}
		h = h[n:]
	}
}

// Get returns the value of id. It aliases the area, so a caller may patch it in place.
func (h Headers) Get(id int32) (value []byte, ok bool) {
	h.Each(func(i int32, v []byte) bool {
		if i == id {
			value, ok = v, true
		}
		return true
	})
	return value, ok
}

// Has reports whether id is present.
func (h Headers) Has(id int32) bool { _, ok := h.Get(id); return ok }

// Bool is true if the first byte of the value is exactly 1.
func (h Headers) Bool(id int32) bool {
	v, _ := h.Get(id)
	return len(v) > 0 && v[0] == 1
}

// Byte returns the first byte of the value.
func (h Headers) Byte(id int32) (byte, bool) {
	v, _ := h.Get(id)
	if len(v) == 0 {
		return 0, false
	}
	return v[0], true
}

// Uint16 returns the value if it is exactly two bytes long.
func (h Headers) Uint16(id int32) (uint16, bool) {
	if v, _ := h.Get(id); len(v) == 2 {
		return binary.LittleEndian.Uint16(v), true
	}
	return 0, false
}

// Uint32 returns the value if it is exactly four bytes long.
func (h Headers) Uint32(id int32) (uint32, bool) {
	if v, _ := h.Get(id); len(v) == 4 {
		return binary.LittleEndian.Uint32(v), true
	}
	return 0, false
}

// Int32 returns the value if it is exactly four bytes long.
func (h Headers) Int32(id int32) (int32, bool) {
	v, ok := h.Uint32(id)
	return int32(v), ok
}

// Uint64 returns the value if it is exactly eight bytes long.
func (h Headers) Uint64(id int32) (uint64, bool) {
	if v, _ := h.Get(id); len(v) == 8 {
		return binary.LittleEndian.Uint64(v), true
	}
	return 0, false
}

// String returns the value as text, empty if absent.
func (h Headers) String(id int32) string { v, _ := h.Get(id); return string(v) }

// PutBytes appends an entry with a raw value.
func (h *Headers) PutBytes(id int32, v []byte) {
	b := binary.LittleEndian.AppendUint32(*h, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	*h = append(b, v...)
}

// PutString appends an entry with a text value.
func (h *Headers) PutString(id int32, v string) {
	b := binary.LittleEndian.AppendUint32(*h, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	*h = append(b, v...)
}

// PutBool appends an entry with one byte, 1 or 0.
func (h *Headers) PutBool(id int32, v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	h.PutBytes(id, []byte{b})
}

// PutByte appends an entry with one byte.
func (h *Headers) PutByte(id int32, v byte) { h.PutBytes(id, []byte{v}) }

// PutUint16 appends an entry with two bytes.
func (h *Headers) PutUint16(id int32, v uint16) {
	h.PutBytes(id, binary.LittleEndian.AppendUint16(nil, v))
}

// PutUint32 appends an entry with four bytes.
func (h *Headers) PutUint32(id int32, v uint32) {
	b := binary.LittleEndian.AppendUint32(*h, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, 4)
	*h = binary.LittleEndian.AppendUint32(b, v)
}

// PutUint64 appends an entry with eight bytes.
func (h *Headers) PutUint64(id int32, v uint64) {
	b := binary.LittleEndian.AppendUint32(*h, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, 8)
	*h = binary.LittleEndian.AppendUint64(b, v)
}

// Delete removes every entry of id.
func (h *Headers) Delete(id int32) {
	rest := *h
	out := (*h)[:0]
	for len(rest) >= entrySize {
		n := entrySize + int(binary.LittleEndian.Uint32(rest[4:]))
		if n > len(rest) {
			break
		}
		if int32(binary.LittleEndian.Uint32(rest)) != id {
			out = append(out, rest[:n]...)
		}
		rest = rest[n:]
	}
	*h = out
}

// Clone returns a copy that shares no memory.
func (h Headers) Clone() Headers { return slices.Clone(h) }
