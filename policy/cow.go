package policy

import "hash/maphash"

// edit is the mark of one Apply: what carries it was copied in it and may be
// changed in place until the view is published.
type edit struct{ _ byte }

const pageSize = 64

// list is an array with numbered places, copied page by page.
type list[T any] struct {
	owner *edit
	pages []*page[T]
}

type page[T any] struct {
	owner *edit
	items [pageSize]T
}

func (l *list[T]) at(n int32) T { return l.pages[n/pageSize].items[n%pageSize] }

func (l *list[T]) set(e *edit, n int32, x T) {
	if l.owner != e {
		l.owner, l.pages = e, append([]*page[T](nil), l.pages...)
	}
	for int(n)/pageSize >= len(l.pages) {
		l.pages = append(l.pages, &page[T]{owner: e})
	}
	p := l.pages[n/pageSize]
	if p.owner != e {
		p = &page[T]{owner: e, items: p.items}
		l.pages[n/pageSize] = p
	}
	p.items[n%pageSize] = x
}

const shardCount = 1024

// table is a map by id, copied shard by shard.
type table[T any] struct {
	owner  *edit
	seed   maphash.Seed
	shards []*shard[T]
}

type shard[T any] struct {
	owner *edit
	items map[string]T
}

func newTable[T any]() table[T] {
	return table[T]{seed: maphash.MakeSeed(), shards: make([]*shard[T], shardCount)}
}

func (t *table[T]) get(id string) (T, bool) {
	if s := t.shards[maphash.String(t.seed, id)%shardCount]; s != nil {
		x, ok := s.items[id]
		return x, ok
	}
	var none T
	return none, false
}

func (t *table[T]) set(e *edit, id string, x T) { t.writable(e, id)[id] = x }

func (t *table[T]) remove(e *edit, id string) {
	if _, ok := t.get(id); ok {
		delete(t.writable(e, id), id)
	}
}

func (t *table[T]) writable(e *edit, id string) map[string]T {
	if t.owner != e {
		t.owner, t.shards = e, append([]*shard[T](nil), t.shards...)
	}
	i := maphash.String(t.seed, id) % shardCount
	s := t.shards[i]
	if s == nil {
		s = &shard[T]{owner: e, items: map[string]T{}}
		t.shards[i] = s
	}
	if s.owner != e {
		c := &shard[T]{owner: e, items: make(map[string]T, len(s.items)+1)}
		for k, v := range s.items {
			c.items[k] = v
		}
		s, t.shards[i] = c, c
	}
	return s.items
}

// each calls f with every entry until it returns false.
func (t *table[T]) each(f func(id string, x T) bool) {
	for _, s := range t.shards {
		if s == nil {
			continue
		}
		for id, x := range s.items {
			if !f(id, x) {
				return
			}
		}
	}
}
