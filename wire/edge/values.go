package edge

import (
	"encoding/binary"
	"fmt"
)

// Limits of list and map values.
const (
	maxEntries   = 128
	maxEntrySize = 8192 // bytes
)

// AppendStringList appends the encoding of a list of strings; an empty list is
// zero bytes.
func AppendStringList(b []byte, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	for _, s := range list {
		b = appendEntry(b, s)
	}
	return b
}

// ParseStringList decodes a list of strings. It returns ErrValue if the value
// is malformed, has more than 128 entries or one longer than 8192 bytes.
func ParseStringList(b []byte) ([]string, error) {
	r := valueReader{b: b}
	n := r.count()
	var list []string
	for i := 0; i < n && r.err == nil; i++ {
		list = append(list, string(r.entry()))
	}
	return list, r.end()
}

// AppendStringMap appends the encoding of a map; the order of its entries is random.
func AppendStringMap(b []byte, m map[string]string) []byte {
	if len(m) == 0 {
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m)))
	for k, v := range m {
		b = appendEntry(appendEntry(b, k), v)
	}
	return b
}

// ParseStringMap decodes a map of strings, with the limits of ParseStringList.
func ParseStringMap(b []byte) (map[string]string, error) {
	r := valueReader{b: b}
	n := r.count()
	m := make(map[string]string, n)
	for i := 0; i < n && r.err == nil; i++ {
		k := string(r.entry())
		m[k] = string(r.entry())
	}
	return m, r.end()
}

// AppendUint32Map appends the encoding of a map from number to bytes; the order
// of its entries is random.
func AppendUint32Map(b []byte, m map[uint32][]byte) []byte {
	if len(m) == 0 {
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m)))
	for k, v := range m {
		b = binary.LittleEndian.AppendUint32(b, k)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
		b = append(b, v...)
	}
	return b
}

// ParseUint32Map decodes a map from number to bytes, with the limits of
// ParseStringList. The values alias b.
func ParseUint32Map(b []byte) (map[uint32][]byte, error) {
	r := valueReader{b: b}
	n := r.count()
	m := make(map[uint32][]byte, n)
	for i := 0; i < n && r.err == nil; i++ {
		k := r.uint32()
		m[k] = r.entry()
	}
	return m, r.end()
}

func appendEntry(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

type valueReader struct {
	b   []byte
	err error
}

func (r *valueReader) uint32() uint32 {
	if r.err != nil || len(r.b) < 4 {
		r.fail("cut short")
		return 0
	}
	v := binary.LittleEndian.Uint32(r.b)
	r.b = r.b[4:]
	return v
}

func (r *valueReader) count() int {
	if len(r.b) == 0 {
		return 0
	}
	n := r.uint32()
	if n > maxEntries {
		r.fail("too many entries")
		return 0
	}
	return int(n)
}

func (r *valueReader) entry() []byte {
	n := r.uint32()
	if r.err == nil && (n > maxEntrySize || int(n) > len(r.b)) {
		r.fail("entry too long")
	}
	if r.err != nil {
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *valueReader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrValue, why)
	}
}

func (r *valueReader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes left over")
	}
	return r.err
}
