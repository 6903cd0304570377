package control

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/weftnet/weft/wire/ctrl"
)

// Slice is the part of the state that routers keep: items by kind and id, with
// a digest that does not depend on their order. It is not safe for concurrent
// use.
type Slice struct {
	Index uint64 // of the state that it shows
	items map[ItemKey]item
	sum   [4]uint64
}

// ItemKey names an item.
type ItemKey struct {
	Kind uint32
	ID   string
}

type item struct {
	data []byte
	sum  [4]uint64
}

// NewSlice returns an empty slice.
func NewSlice() *Slice { return &Slice{items: make(map[ItemKey]item)} }

// Put adds or replaces an item and reports whether that changes anything. It
// keeps data.
func (s *Slice) Put(key ItemKey, data []byte) bool {
	next := item{data: data, sum: sumOf(key, data)}
	old, ok := s.items[key]
	if ok && old.sum == next.sum {
		return false
	}
	for i := range s.sum {
		s.sum[i] += next.sum[i] - old.sum[i]
	}
	s.items[key] = next
	return true
}

// Remove takes an item out and reports whether it was there.
func (s *Slice) Remove(key ItemKey) bool {
	old, ok := s.items[key]
	if !ok {
		return false
	}
	for i := range s.sum {
		s.sum[i] -= old.sum[i]
	}
	delete(s.items, key)
	return true
}

// Get returns the data of an item.
func (s *Slice) Get(key ItemKey) ([]byte, bool) {
	it, ok := s.items[key]
	return it.data, ok
}

// Len returns the number of items.
func (s *Slice) Len() int { return len(s.items) }

// Apply puts and removes the items of a message.
func (s *Slice) Apply(items []*ctrl.Item) {
	for _, it := range items {
		key := ItemKey{it.Kind, it.Id}
		if it.Removed {
			s.Remove(key)
		} else {
			s.Put(key, it.Data)
		}
	}
}

// Items returns all items, ordered by kind and id.
func (s *Slice) Items() []*ctrl.Item {
	out := make([]*ctrl.Item, 0, len(s.items))
	for key, it := range s.items {
		out = append(out, &ctrl.Item{Kind: key.Kind, Id: key.ID, Data: it.data})
	}
	slices.SortFunc(out, func(a, b *ctrl.Item) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		if a.Id < b.Id {
			return -1
		}
		return 1
	})
	return out
}

// OfKind returns the items of one kind, in no order.
func (s *Slice) OfKind(kind uint32) []*ctrl.Item {
	var out []*ctrl.Item
	for key, it := range s.items {
		if key.Kind == kind {
			out = append(out, &ctrl.Item{Kind: kind, Id: key.ID, Data: it.data})
		}
	}
	return out
}

// Digest returns 32 bytes that are equal for slices with equal items. It
// detects mistakes, it is no proof against forgery.
func (s *Slice) Digest() []byte {
	b := make([]byte, 0, 32)
	for _, n := range s.sum {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func sumOf(key ItemKey, data []byte) (out [4]uint64) {
	h := sha256.New()
	var head [12]byte
	binary.LittleEndian.PutUint32(head[:], key.Kind)
	binary.LittleEndian.PutUint64(head[4:], uint64(len(key.ID)))
	h.Write(head[:])
	h.Write([]byte(key.ID))
	h.Write(data)
	var sum [32]byte
	h.Sum(sum[:0])
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(sum[8*i:])
	}
	return out
}
