package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
)

// commit applies commands with n services each as one batch.
func commit(t *testing.T, s *Store, first uint64, sizes ...int) {
	t.Helper()
	var indexes []uint64
	var commands [][]byte
	for i, n := range sizes {
		c := NewCommand(time.Now(), Author{}, Source{}).AsSystem()
		for j := range n {
			name := fmt.Sprint(first+uint64(i), "-", j)
			c.Create(&model.Service{Base: model.Base{ID: name}, Name: name})
		}
		b, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		indexes, commands = append(indexes, first+uint64(i)), append(commands, b)
	}
	if _, err := s.Apply(indexes, commands); err != nil {
		t.Fatal(err)
	}
}

// TestLargeCommit: a reader that keeps up learns all changes of a commit that is
// larger than what is kept.
func TestLargeCommit(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s.Keep(10)
	commit(t, s, 1, 3)
	commit(t, s, 2, 20, 30)
	if cs, ok := s.Changes(1, s.View()); !ok || len(cs) != 50 {
		t.Errorf("a commit of 50 changes with 10 kept: %d, known: %v", len(cs), ok)
	}
	commit(t, s, 4, 1)
	if _, ok := s.Changes(1, s.View()); ok {
		t.Error("changes of the large commit are kept for ever")
	}
	if cs, ok := s.Changes(3, s.View()); !ok || len(cs) != 1 {
		t.Errorf("after the large commit: %d, known: %v", len(cs), ok)
	}
}

// TestHold: what a reader holds stays known until it has seen it.
func TestHold(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s.Keep(10)
	hold := s.Hold(0)
	for i := range uint64(100) {
		commit(t, s, i+1, 3)
	}
	if cs, ok := s.Changes(0, s.View()); !ok || len(cs) != 300 {
		t.Fatalf("held changes: %d, known: %v", len(cs), ok)
	}
	hold.Seen(60)
	if n := len(s.feed.changes); n != 120 {
		t.Errorf("%d changes in memory, 120 are held", n)
	}
	commit(t, s, 101, 1)
	if cs, ok := s.Changes(60, s.View()); !ok || len(cs) != 121 {
		t.Errorf("held changes after 60: %d, known: %v", len(cs), ok)
	}
	hold.Release()
	hold.Release()
	if n := len(s.feed.changes); n > 10 {
		t.Errorf("%d changes in memory, nobody holds any", n)
	}
	if _, ok := s.Changes(60, s.View()); ok {
		t.Error("changes that nobody holds any more are known")
	}
}

// TestHeldTooLong: a reader that never comes on does not fill the memory.
func TestHeldTooLong(t *testing.T) {
	f := &feed{limit: 10}
	h := &Hold{f}
	h.Seen(0)
	for i := range uint64(heldLimit/1000 + 5) {
		cs := make([]Change, 1000)
		for j := range cs {
			cs[j].Index = i + 1
		}
		f.add(cs)
	}
	if len(f.changes) > heldLimit {
		t.Errorf("%d changes are held", len(f.changes))
	}
}
