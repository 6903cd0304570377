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

// feed keeps the latest changes, at most limit of them.
type feed struct {
	mu      sync.Mutex
	limit   int
	base    uint64 // changes up to this index are no longer known
	changes []Change
}

// add appends the changes of one commit and drops the oldest.
func (f *feed) add(cs []Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = append(f.changes, cs...)
	over := len(f.changes) - f.limit
	if over <= 0 {
		return
	}
	// Drop whole commands only, and a quarter at a time so that copying stays rare.
	over = min(over+f.limit/4, len(f.changes))
	f.base = f.changes[over-1].Index
	for over < len(f.changes) && f.changes[over].Index == f.base {
		over++
	}
	f.changes = append([]Change(nil), f.changes[over:]...)
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
