package policy

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

func (o ordinals) clone() ordinals { return slices.Clone(o) }

// put enters a number in place, growing the set as needed.
func put(o ordinals, n int32) ordinals {
	if missing := int(n)/64 + 1 - len(o); missing > 0 {
		o = append(o, make(ordinals, missing)...)
	}
	o[n/64] |= 1 << (n % 64)
	return o
}

// countWithout counts what is in o and not in p.
func (o ordinals) countWithout(p ordinals) int {
	n := 0
	for i, w := range o {
		n += bits.OnesCount64(w &^ p.word(i))
	}
	return n
}

func (o ordinals) minus(p ordinals) ordinals {
	out := make(ordinals, len(o))
	for i, w := range o {
		out[i] = w &^ p.word(i)
	}
	return out
}

// setKey returns a set as a text that can be a key of a map; equal sets have
// equal keys.
func setKey(o ordinals) string {
	last := len(o)
	for last > 0 && o[last-1] == 0 {
		last--
	}
	b := make([]byte, 0, last*8)
	for _, w := range o[:last] {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}

// meets reports whether a set and one given as a key have a number in common.
func meets(o ordinals, key string) bool {
	for i := range min(len(o), len(key)/8) {
		if o[i]&binary.LittleEndian.Uint64([]byte(key[i*8:i*8+8])) != 0 {
			return true
		}
	}
	return false
}
