package forward

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// shards is a power of two that leaves readers of many links little to wait for.
const shards = 64

// index finds circuits by their id. Every message that comes by a link looks one
// up.
type index struct {
	seed   maphash.Seed
	count  *atomic.Int64
	shards *[shards]shard
}

type shard struct {
	mu       sync.RWMutex
	circuits map[string]*Circuit
	_        [32]byte // a cache line of its own
}

func newIndex() index {
	x := index{seed: maphash.MakeSeed(), count: new(atomic.Int64), shards: new([shards]shard)}
	for i := range x.shards {
		x.shards[i].circuits = make(map[string]*Circuit)
	}
	return x
}

// of returns the shard of an id. It allocates nothing.
func (x *index) of(id []byte) *shard { return &x.shards[maphash.Bytes(x.seed, id)&(shards-1)] }

// add puts a circuit in; false if there is one of that id.
func (x *index) add(c *Circuit) bool {
	s := x.of([]byte(c.ID))
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.circuits[c.ID]; ok {
		return false
	}
	s.circuits[c.ID] = c
	x.count.Add(1)
	return true
}

// remove takes a circuit out; false if it is not in.
func (x *index) remove(c *Circuit) bool {
	s := x.of([]byte(c.ID))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.circuits[c.ID] != c {
		return false
	}
	delete(s.circuits, c.ID)
	x.count.Add(-1)
	return true
}

// get returns a circuit, nil if there is none. It allocates nothing.
func (x *index) get(id []byte) *Circuit {
	s := x.of(id)
	s.mu.RLock()
	c := s.circuits[string(id)]
	s.mu.RUnlock()
	return c
}

func (x *index) size() int { return int(x.count.Load()) }

func (x *index) all() []*Circuit {
	out := make([]*Circuit, 0, x.size())
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.RLock()
		for _, c := range s.circuits {
			out = append(out, c)
		}
		s.mu.RUnlock()
	}
	return out
}
