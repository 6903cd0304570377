package state

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/weftnet/weft/model"
)

// feedLimit is the number of changes that Changes can go back, unless Keep says
// otherwise.
const feedLimit = 16384

// Store holds the state of one controller. Apply and Restore are called by the
// log only, one at a time; everything else may be called at any time.
type Store struct {
	mu   sync.Mutex // one Apply or Restore at a time
	view atomic.Pointer[View]
	feed feed
}

// New returns an empty store.
func New() (*Store, error) {
	s := &Store{feed: feed{limit: feedLimit}}
	s.view.Store(&View{
		data: newData(), counts: map[model.Kind]int{}, touched: map[model.Kind]uint64{}, changed: make(chan struct{}),
	})
	return s, nil
}

// Keep sets the number of changes that Changes can go back. It must be called
// before anything is applied.
func (s *Store) Keep(changes int) { s.feed.limit = changes }

// View returns the current version of the state. It costs one atomic load.
func (s *Store) View() *View { return s.view.Load() }

// Changes returns what changed after log index after, up to the given view, in
// log order. It reports false when that is too long ago (or a snapshot was
// installed since): the caller then starts again from the view. The usual loop:
//
//	v := store.View()
//	start(v)
//	for index := v.Index(); ; index = v.Index() {
//		<-v.Changed()
//		v = store.View()
//		changes, ok := store.Changes(index, v)
//		...
//	}
func (s *Store) Changes(after uint64, v *View) ([]Change, bool) { return s.feed.since(after, v.index) }

// Apply applies commands in log order in one transaction and publishes one new
// view. A result is nil, a *fault.Error, or Errors for a command whose ops stand
// for themselves. A command that cannot be understood is an error of the whole
// store: nothing of the batch is applied and the caller must stop for good,
// because going on would make this member differ from the others.
func (s *Store) Apply(indexes []uint64, commands [][]byte) ([]any, error) {
	decoded, err := decodeAll(indexes, commands)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.view.Load()
	t := &tx{data: old.data.begin(), by: new(edit), counts: maps.Clone(old.counts)}
	results := make([]any, len(commands))
	for i, c := range decoded {
		t.index, t.cmd = indexes[i], c
		results[i] = t.run()
	}
	next := &View{data: t.data, index: t.index, counts: t.counts, touched: old.touched, changed: make(chan struct{})}
	if len(t.changes) > 0 {
		next.touched = maps.Clone(old.touched)
		for i := range t.changes {
			next.touched[t.changes[i].Kind] = t.changes[i].Index
		}
		s.feed.add(t.changes)
	}
	s.view.Store(next)
	close(old.changed)
	return results, nil
}

// decodeShare is the fewest commands for which another goroutine is worth while:
// there are so many at once when a log is replayed.
const decodeShare = 16

// decodeAll decodes commands, many of them by several goroutines.
func decodeAll(indexes []uint64, commands [][]byte) ([]*Command, error) {
	out, errs := make([]*Command, len(commands)), make([]error, len(commands))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(commands)/decodeShare))
	decode := func(first int) {
		for i := first; i < len(commands); i += workers {
			out[i], errs[i] = Decode(commands[i])
		}
	}
	var others sync.WaitGroup
	for w := 1; w < workers; w++ {
		others.Go(func() { decode(w) })
	}
	decode(0)
	others.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("log index %d: %w", indexes[i], err)
		}
	}
	return out, nil
}

// Snapshot returns the current view, which writes itself with WriteTo.
func (s *Store) Snapshot() (io.WriterTo, error) { return s.View(), nil }
