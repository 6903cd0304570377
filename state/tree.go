package state

import (
	"slices"
	"strings"

	"github.com/weftnet/weft/model"
)

// edit is the mark of one transaction: a node that carries it was made by it and
// may be changed in place until the transaction is over.
type edit struct{ _ byte }

// fanout is the most entries of a leaf, and the most children of other nodes.
const fanout = 32

// entry is an entity under one key of an index, ordered by key and then by id.
type entry struct {
	key, id string
	e       model.Entity
}

func (x *entry) compare(key, id string) int {
	if c := strings.Compare(x.key, key); c != 0 {
		return c
	}
	return strings.Compare(x.id, id)
}

// tree is a B+ tree whose versions share nodes: a change copies the nodes on its
// way down, unless its transaction has made them. A published tree never changes.
type tree struct{ root *node }

// node is a leaf with entries, or has children. No entry of kids[i] comes before
// least[i]; that of the first child is not looked at.
type node struct {
	owner   *edit
	entries []entry
	kids    []*node
	least   []entry // without entities
}

// find returns the place of a key in sorted entries, or where it belongs.
func find(in []entry, key, id string) (int, bool) {
	lo, hi := 0, len(in)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := in[mid].compare(key, id); {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return lo, false
}

// kid returns the child in which a key belongs.
func (n *node) kid(key, id string) int {
	i, found := find(n.least[1:], key, id)
	if found {
		i++
	}
	return i
}

// get returns the entity of an entry, nil if there is none.
func (t *tree) get(key, id string) model.Entity {
	n := t.root
	for n != nil && n.kids != nil {
		n = n.kids[n.kid(key, id)]
	}
	if n != nil {
		if i, found := find(n.entries, key, id); found {
			return n.entries[i].e
		}
	}
	return nil
}

// ascend yields the entities from a key on, in order, until yield returns false.
func (t *tree) ascend(key, id string, yield func(x *entry) bool) {
	if t.root != nil {
		t.root.ascend(key, id, yield)
	}
}

func (n *node) ascend(key, id string, yield func(x *entry) bool) bool {
	if n.kids == nil {
		i, _ := find(n.entries, key, id)
		for ; i < len(n.entries); i++ {
			if !yield(&n.entries[i]) {
				return false
			}
		}
		return true
	}
	i := n.kid(key, id)
	if !n.kids[i].ascend(key, id, yield) {
		return false
	}
	for _, k := range n.kids[i+1:] {
		if !k.ascend("", "", yield) {
			return false
		}
	}
	return true
}

// put adds an entry or replaces the one with its key.
func (t *tree) put(by *edit, x entry) {
	if t.root == nil {
		t.root = &node{owner: by}
	}
	root, right, least := t.root.put(by, x)
	if right != nil {
		root = &node{owner: by, kids: []*node{root, right}, least: []entry{{}, least}}
	}
	t.root = root
}

// writable returns the node, or a copy that the transaction may change.
func (n *node) writable(by *edit) *node {
	if n.owner == by {
		return n
	}
	return &node{owner: by, entries: room(n.entries), kids: room(n.kids), least: room(n.least)}
}

// room copies a slice and leaves room for one more.
func room[T any](s []T) []T {
	if s == nil {
		return nil
	}
	return append(make([]T, 0, len(s)+1), s...)
}

// insert puts an element into a slice, whose memory grows by little: most slices
// of a tree stay for long.
func insert[T any](s []T, i int, x T) []T {
	if len(s) == cap(s) {
		s = append(make([]T, 0, min(len(s)+8, fanout+1)), s...)
	}
	return slices.Insert(s, i, x)
}

// put changes the node and returns it, or a copy. What does not fit any more is
// in the second node, whose first key is least.
func (n *node) put(by *edit, x entry) (self, right *node, least entry) {
	n = n.writable(by)
	if n.kids == nil {
		i, found := find(n.entries, x.key, x.id)
		if found {
			n.entries[i] = x
			return n, nil, entry{}
		}
		n.entries = insert(n.entries, i, x)
		if len(n.entries) <= fanout {
			return n, nil, entry{}
		}
		at := half(len(n.entries), i)
		right = &node{owner: by}
		n.entries, right.entries = split(n.entries, at)
		return n, right, entry{key: right.entries[0].key, id: right.entries[0].id}
	}
	i := n.kid(x.key, x.id)
	kid, more, bound := n.kids[i].put(by, x)
	n.kids[i] = kid
	if more == nil {
		return n, nil, entry{}
	}
	n.kids, n.least = insert(n.kids, i+1, more), insert(n.least, i+1, bound)
	if len(n.kids) <= fanout {
		return n, nil, entry{}
	}
	at := half(len(n.kids), i+1)
	right = &node{owner: by}
	n.kids, right.kids = split(n.kids, at)
	n.least, right.least = split(n.least, at)
	return n, right, right.least[0]
}

// half is where to split a full slice: where something was added at the end, more
// is likely to follow, and the first part stays full.
func half(size, added int) int {
	if added == size-1 {
		return size - 1
	}
	return size / 2
}

func split[T any](s []T, at int) (left, right []T) {
	return append(make([]T, 0, at), s[:at]...), append(make([]T, 0, len(s)-at), s[at:]...)
}

// remove takes an entry away, if it is there.
func (t *tree) remove(by *edit, key, id string) {
	if t.get(key, id) == nil {
		return
	}
	t.root = t.root.remove(by, key, id)
	for t.root != nil && len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
	}
}

// remove takes an entry away, which must be there, and returns the node, a copy,
// or nil if nothing is left of it.
func (n *node) remove(by *edit, key, id string) *node {
	n = n.writable(by)
	if n.kids == nil {
		i, _ := find(n.entries, key, id)
		n.entries = slices.Delete(n.entries, i, i+1)
		if len(n.entries) == 0 {
			return nil
		}
		return n
	}
	i := n.kid(key, id)
	n.kids[i] = n.kids[i].remove(by, key, id)
	if n.kids[i] == nil {
		n.kids, n.least = slices.Delete(n.kids, i, i+1), slices.Delete(n.least, i, i+1)
		if len(n.kids) == 0 {
			return nil
		}
		return n
	}
	if i+1 < len(n.kids) {
		n.join(by, i)
	} else if i > 0 {
		n.join(by, i-1)
	}
	return n
}

// join makes one of two neighbouring children if both have become small.
func (n *node) join(by *edit, i int) {
	left, right := n.kids[i], n.kids[i+1]
	if len(left.entries)+len(left.kids)+len(right.entries)+len(right.kids) > fanout/2 {
		return
	}
	left = left.writable(by)
	left.entries = append(left.entries, right.entries...)
	if len(right.kids) > 0 {
		left.kids, left.least = append(left.kids, right.kids...), append(left.least, right.least...)
		left.least[len(left.least)-len(right.least)] = n.least[i+1]
	}
	n.kids[i] = left
	n.kids, n.least = slices.Delete(n.kids, i+1, i+2), slices.Delete(n.least, i+1, i+2)
}
