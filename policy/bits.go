package policy

import (
	"math/bits"
	"slices"
)

// ordinals is an immutable set of policy numbers, as bits.
type ordinals []uint64

func (o ordinals) with(n int32) ordinals {
	out := make(ordinals, max(len(o), int(n)/64+1))
	copy(out, o)
	out[n/64] |= 1 << (n % 64)
	return out
}

func (o ordinals) without(n int32) ordinals {
	if int(n)/64 >= len(o) || o[n/64]&(1<<(n%64)) == 0 {
		return o
	}
	out := slices.Clone(o)
	out[n/64] &^= 1 << (n % 64)
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (o ordinals) word(i int) uint64 {
	if i < len(o) {
		return o[i]
	}
	return 0
}

func (o ordinals) has(n int32) bool { return o.word(int(n)/64)&(1<<(n%64)) != 0 }

// each calls f with every number.
func (o ordinals) each(f func(n int32)) {
	for i, w := range o {
		for ; w != 0; w &= w - 1 {
			f(int32(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// and and or change o, which nobody else may hold.
func (o ordinals) and(p ordinals) ordinals {
	for i := range o {
		o[i] &= p.word(i)
	}
	return o
}

func (o ordinals) or(p ordinals) ordinals {
	if missing := len(p) - len(o); missing > 0 {
		o = append(o, make(ordinals, missing)...)
	}
	for i, w := range p {
		o[i] |= w
	}
	return o
}

// holding are the policies that contain one entity: for all, by its group, by
// its id.
type holding [3]ordinals

func (h *holding) word(i int) uint64 { return h[0].word(i) | h[1].word(i) | h[2].word(i) }

func (h *holding) words() int { return max(len(h[0]), len(h[1]), len(h[2])) }

func (h *holding) has(n int32) bool { return h.word(int(n)/64)&(1<<(n%64)) != 0 }

// common returns the lowest policy in both, -1 if there is none.
func common(a, b *holding) int32 {
	for i := range min(a.words(), b.words()) {
		if w := a.word(i) & b.word(i); w != 0 {
			return int32(i*64 + bits.TrailingZeros64(w))
		}
	}
	return -1
}

// granting is common without the policies that demand posture.
func granting(a, b *holding, demanding ordinals) int32 {
	for i := range min(a.words(), b.words()) {
		if w := a.word(i) & b.word(i) &^ demanding.word(i); w != 0 {
			return int32(i*64 + bits.TrailingZeros64(w))
		}
	}
	return -1
}

// eachCommon calls f with every policy in both; with b nil, in a.
func eachCommon(a, b *holding, f func(n int32)) {
	for i := range a.words() {
		w := a.word(i)
		if b != nil {
			w &= b.word(i)
		}
		for ; w != 0; w &= w - 1 {
			f(int32(i*64 + bits.TrailingZeros64(w)))
		}
	}
}
