package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a state that is changed and an audit that follows it.
type world struct {
	t     *testing.T
	store *state.Store
	dir   string
	index uint64
}

func newWorld(t *testing.T) *world {
	s, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, store: s, dir: filepath.Join(t.TempDir(), "audit")}
}

func (w *world) apply(edit func(*state.Command)) {
	w.t.Helper()
	c := state.NewCommand(time.Unix(1000, 0), state.Author{ID: "a1", Name: "admin", Type: "identity"}, state.Source{Type: "rest", Method: "op", RemoteAddress: "1.2.3.4:5", Auth: "edge", SessionID: "s1"}).AsSystem()
	edit(c)
	text, err := c.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	w.index++
	results, err := w.store.Apply([]uint64{w.index}, [][]byte{text})
	if err != nil || results[0] != nil {
		w.t.Fatal(results, err)
	}
}

func (w *world) service(id, name string) {
	w.apply(func(c *state.Command) { c.Put(&model.Service{Base: model.Base{ID: id}, Name: name}) })
}

// follow runs an audit until stop is called.
func (w *world) follow(cfg Config) (l *Log, stop func()) {
	w.t.Helper()
	cfg.Dir, cfg.Retry = w.dir, time.Millisecond
	if cfg.MaxSize == 0 {
		cfg.MaxSize = 1 << 20
	}
	l, err := Open(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	hold := w.store.Hold(l.Index())
	work.Go(func() { l.Follow(ctx, w.store, hold) })
	return l, func() {
		cancel()
		work.Wait()
		if err := l.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

func (w *world) reached(l *Log) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); l.Index() < w.index; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("recorded up to %d of %d", l.Index(), w.index)
		}
	}
}

func records(t *testing.T, l *Log) (out []*Record) {
	t.Helper()
	for r, err := range l.Newest(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestRecords(t *testing.T) {
	w := newWorld(t)
	l, stop := w.follow(Config{})
	defer stop()
	w.service("web", "web")
	w.service("web", "site")
	w.apply(func(c *state.Command) {
		c.Put(&model.Key{Base: model.Base{ID: "k"}, Purpose: "x", Algorithm: "EdDSA", Private: []byte("topsecret"), Public: []byte("p")})
	})
	w.apply(func(c *state.Command) { c.Delete(model.KindService, "web") })
	w.reached(l)
	got := records(t, l)
	if len(got) != 4 {
		t.Fatalf("%d records", len(got))
	}
	gone, key, changed, made := got[0], got[1], got[2], got[3]
	if made.Action != Created || made.Name != "web" || made.AuthorName != "admin" || made.Remote != "1.2.3.4:5" || made.SessionID != "s1" || made.Auth != "edge" || made.Operation != "op" || made.Index != 1 {
		t.Errorf("%+v", made)
	}
	if changed.Action != Updated || len(changed.Before) != 1 || string(changed.Before["name"]) != `"web"` || string(changed.After["name"]) != `"site"` {
		t.Errorf("%+v", changed)
	}
	if gone.Action != Deleted || gone.Name != "site" || gone.After != nil {
		t.Errorf("%+v", gone)
	}
	if string(key.After["private"]) != `"***"` {
		t.Errorf("%s", key.After["private"])
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "audit.log"))
	if err != nil || strings.Contains(string(text), "topsecret") || strings.Contains(string(text), "dG9wc2VjcmV0") {
		t.Error("a secret is recorded", err)
	}
	if n, err := l.Len(); n != 4 || err != nil {
		t.Error(n, err)
	}
}

// TestRestart: what was changed while nobody recorded has a record afterwards,
// and nothing has two, however the end was.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	l, stop := w.follow(Config{})
	w.service("s1", "s1")
	w.reached(l)
	stop()
	w.service("s2", "s2")
	l, stop = w.follow(Config{})
	w.reached(l)
	stop()
	if err := os.Remove(filepath.Join(w.dir, "position")); err != nil { // as after a crash
		t.Fatal(err)
	}
	w.apply(func(c *state.Command) {
		c.Put(&model.Service{Base: model.Base{ID: "s3"}, Name: "s3"}).Put(&model.Service{Base: model.Base{ID: "s4"}, Name: "s4"})
	})
	l, stop = w.follow(Config{MaxSize: 600, Keep: 100})
	defer stop()
	for i := range 20 {
		w.service("s5", strings.Repeat("x", i+1))
	}
	w.reached(l)
	seen := make(map[string]bool)
	got := records(t, l)
	for i, r := range got {
		if seen[r.ID] {
			t.Errorf("two records %s", r.ID)
		}
		seen[r.ID] = true
		if i > 0 && r.Index > got[i-1].Index {
			t.Errorf("%s after %s", got[i-1].ID, r.ID)
		}
	}
	if len(got) != 24 {
		t.Errorf("%d records of 24 changes", len(got))
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) < 4 {
		t.Errorf("%d files: no rotation", len(entries))
	}
	if n, err := l.Len(); n != 24 || err != nil {
		t.Error(n, err)
	}
}

// TestFullDisk: a disk that takes nothing keeps no change waiting; its records
// are written when it does again.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	failed := make(chan error, 10)
	l, stop := w.follow(Config{MaxSize: 1, Failed: func(err error) { failed <- err }}) // each record has a file of its own
	defer stop()
	w.service("s1", "s1")
	w.reached(l)
	away := w.dir + ".away"
	if err := os.Rename(w.dir, away); err != nil {
		t.Fatal(err)
	}
	w.service("s2", "s2")
	w.service("s3", "s3")
	if err := <-failed; err == nil || l.Index() >= w.index {
		t.Error("recorded without a directory", err)
	}
	if err := os.Rename(away, w.dir); err != nil {
		t.Fatal(err)
	}
	w.reached(l)
	if got := records(t, l); len(got) != 3 || l.Missed() != 0 || l.Failed() == 0 {
		t.Errorf("%d records, %d missed, %d failed", len(got), l.Missed(), l.Failed())
	}
}
