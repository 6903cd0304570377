package state

import (
	"sync"

	"github.com/tidwall/btree"

	"github.com/weftnet/weft/model"
)

// entry is an entity under one key of an index, ordered by key and then by id.
type entry struct {
	key, id string
	e       model.Entity
}

// before reports whether a comes before b. It is asked several times for each
// node on the way to an entry.
func before(a, b entry) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.id < b.id
}

// fanout is how many children the nodes of a tree have.
const fanout = 16

// tree is an ordered set of entries whose versions share nodes. A published tree
// never changes, but for the mark that forks leave on it.
type tree struct {
	entries *btree.BTreeG[entry]
	forking *sync.Mutex // held while entries is copied: readers are not concerned
}

func newTree() tree {
	return tree{btree.NewBTreeGOptions(before, btree.Options{Degree: fanout, NoLocks: true}), new(sync.Mutex)}
}

// fork returns a tree that may be changed while t stays as it is. It takes the
// same time whatever the size.
func (t tree) fork() tree {
	t.forking.Lock()
	defer t.forking.Unlock()
	return tree{t.entries.Copy(), new(sync.Mutex)}
}

// get returns the entity of an entry, nil if there is none.
func (t tree) get(key, id string) model.Entity {
	x, _ := t.entries.Get(entry{key: key, id: id})
	return x.e
}

// ascend yields the entries from a key on, in order, until yield returns false.
func (t tree) ascend(key, id string, yield func(x entry) bool) {
	t.entries.Ascend(entry{key: key, id: id}, yield)
}

// put adds an entry or replaces the one with its key.
func (t tree) put(x entry) { t.entries.Set(x) }

// remove takes an entry away, if it is there.
func (t tree) remove(key, id string) { t.entries.Delete(entry{key: key, id: id}) }
