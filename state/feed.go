package state

import (
	"sync"
	"time"

	"github.com/weftnet/weft/model"
)

// Change is one changed entity. Old is nil for a new one, New for one that is
// gone. Both are shared and must not be changed.
type Change struct {
	Index  uint64 // log index of the command; several changes may share it
	Time   time.Time
	Author Author
	Source Source
	Kind   model.Kind
	ID     string
	Old    model.Entity
	New    model.Entity
}

// heldLimit is how many changes readers can hold. Beyond it the oldest are
// dropped all the same: a reader that does not come on must not fill the memory.
const heldLimit = 1 << 18

// feed keeps the latest changes: limit of them, and those that readers hold. The
// newest commit is whole however large it is.
type feed struct {
	mu      sync.Mutex
	limit   int
	base    uint64 // changes up to this index are no longer known
	newest  uint64 // first index of the newest commit
	held    map[*Hold]uint64
	changes []Change
}

// Hold keeps changes known for one reader until it has seen them.
type Hold struct{ feed *feed }

// Hold keeps the changes after an index known, as long as there are not too many
// of them, until Seen says otherwise or Release is called. What is not known any
// more at this time does not come back. It is safe for concurrent use.
func (s *Store) Hold(after uint64) *Hold {
	h := &Hold{&s.feed}
	h.Seen(after)
	return h
}

// Seen lets go of the changes up to an index.
func (h *Hold) Seen(index uint64) {
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	if h.feed.held == nil {
		h.feed.held = make(map[*Hold]uint64)
	}
	h.feed.held[h] = index
	h.feed.trim()
}

// Release lets go of everything. It may be called again.
func (h *Hold) Release() {
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	delete(h.feed.held, h)
	h.feed.trim()
}

// add appends the changes of one commit and drops the oldest ones.
func (f *feed) add(cs []Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = cs[0].Index
	f.changes = append(f.changes, cs...)
	f.trim()
}

// trim drops the oldest changes beyond the limit, with the lock held.
func (f *feed) trim() {
	over := len(f.changes) - f.limit
	if over <= 0 {
		return
	}
	// Drop whole commits only, and a quarter at a time so that copying stays rare.
	over = min(over+f.limit/4, f.free())
	if over <= 0 {
		return
	}
	base := f.changes[over-1].Index
	for over < len(f.changes) && f.changes[over].Index == base {
		over++
	}
	f.base, f.changes = base, append([]Change(nil), f.changes[over:]...)
}

// free returns how many of the oldest changes may be dropped: not those of the
// newest commit, and not those that somebody holds, unless they are too many.
func (f *feed) free() int {
	first := f.newest - 1
	if len(f.changes) <= heldLimit {
		for _, seen := range f.held {
			first = min(first, seen)
		}
	}
	return search(f.changes, first)
}

// reset forgets everything up to index.
func (f *feed) reset(index uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.base, f.changes = index, nil
}

// since returns the changes after an index up to and including another.
func (f *feed) since(after, upTo uint64) ([]Change, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after < f.base {
		return nil, false
	}
	lo, hi := search(f.changes, after), search(f.changes, upTo)
	return f.changes[lo:hi:hi], true
}

// search returns the position of the first change after index.
func search(cs []Change, index uint64) int {
	lo, hi := 0, len(cs)
	for lo < hi {
		mid := (lo + hi) / 2
		if cs[mid].Index <= index {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
