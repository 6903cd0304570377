package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a database over a store whose log is a counter.
type bench struct {
	*Database
	store *state.Store
	dir   string
	mu    sync.Mutex
	now   time.Time
	index uint64
	hold  chan struct{} // writes wait for it, nil: they do not
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{store: s, dir: t.TempDir(), now: time.Date(2026, 11, 20, 12, 36, 34, 0, time.UTC)}
	b.Database = New(Config{View: s.View, Write: b.write, Dir: b.dir, Now: b.clock, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	c, err := state.Initial(b.now)
	if err != nil {
		t.Fatal(err)
	}
	c.Create(&model.Identity{Base: model.Base{ID: "admin"}, Name: "admin", IsDefaultAdmin: true})
	for i := range 3 {
		c.Create(&model.Service{Base: model.Base{ID: fmt.Sprint("s", i)}, Name: fmt.Sprint("s", i)})
	}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, res, err := b.write(t.Context(), text); err != nil || res != nil {
		t.Fatal(res, err)
	}
	return b
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) later(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func (b *bench) write(_ context.Context, command []byte) (uint64, any, error) {
	if b.hold != nil {
		<-b.hold
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index++
	res, err := b.store.Apply([]uint64{b.index}, [][]byte{command})
	if err != nil {
		return 0, nil, err
	}
	return b.index, res[0], nil
}

func TestSnapshotIsRead(t *testing.T) {
	b := newBench(t)
	path, err := b.Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(b.dir, "state-20261120-123634"); path != want {
		t.Errorf("written to %s, want %s", path, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	v, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var was, is bytes.Buffer
	if _, err := b.store.View().WriteTo(&was); err != nil {
		t.Fatal(err)
	}
	if _, err := v.WriteTo(&is); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Error("what was read is not what was written")
	}
}

func TestSnapshotPaths(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.dir, "precious"), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, want string }{
		{b.dir + "/a-__DATE__-__TIME__", b.dir + "/a-20261120-123634"},
		{"__DB_DIR__/b-DB_FILE", b.dir + "/b-state"},
		{"DB_DIR/c-RAFT_INDEX", b.dir + "/c-1"},
		{"DB_DIR/c-RAFT_INDEX", b.dir + "/c-1"}, // a snapshot may be replaced
		{b.dir + "/precious", ""},
		{b.dir + "/none/x", ""},
		{b.dir, ""},
	} {
		got, err := b.Snapshot(t.Context(), tt.path)
		if got != tt.want {
			t.Errorf("%s: written to %q, want %q (%v)", tt.path, got, tt.want, err)
		}
		if tt.want == "" && !errors.Is(err, fault.CouldNotValidate) {
			t.Errorf("%s: %v", tt.path, err)
		}
		if tt.want != "" {
			b.later(SnapshotEvery)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(b.dir, "precious")); string(text) != "something else" {
		t.Error("a file that is no snapshot was overwritten")
	}
	if files, _ := filepath.Glob(b.dir + "/.weft*"); len(files) > 0 {
		t.Errorf("left over: %v", files)
	}
}

func TestSnapshotOnceAMinute(t *testing.T) {
	b := newBench(t)
	if _, err := b.Snapshot(t.Context(), b.dir+"/none/x"); err == nil {
		t.Fatal("written into a directory that is not there")
	}
	if _, err := b.Snapshot(t.Context(), ""); err != nil {
		t.Fatal("an attempt that failed counts:", err)
	}
	b.later(SnapshotEvery - time.Second)
	if _, err := b.Snapshot(t.Context(), ""); !errors.Is(err, fault.RateLimited) {
		t.Errorf("a second one within a minute: %v", err)
	}
	b.later(time.Second)
	if _, err := b.Snapshot(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	b := newBench(t)
	path, err := b.Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"truncated": func(b []byte) []byte { return b[:len(b)-7] },
		"a bit":     func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"checksum":  func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"longer":    func(b []byte) []byte { return append(b, 'x') },
		"another":   func([]byte) []byte { return []byte(strings.Repeat("another file", 100)) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(bad, change(bytes.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(bad); !errors.Is(err, ErrDamaged) {
				t.Errorf("%v", err)
			}
		})
	}
}

func (b *bench) finished(t *testing.T) Results {
	t.Helper()
	b.work.Wait()
	r := b.Results()
	if r.InProgress || r.End.IsZero() {
		t.Fatalf("%+v", r)
	}
	return r
}

// breaks has terminators refer to a service that is not there.
func (b *bench) breaks(t *testing.T, n int) {
	t.Helper()
	var text bytes.Buffer
	if _, err := b.store.View().WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	lines = lines[:len(lines)-1]
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"kind":"terminator","entity":{"id":"t%d","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","service":"gone","router":"gone","binding":"b","address":"a"}}`, i))
	}
	lines = append(lines, fmt.Sprintf(`{"count":%d}`, len(lines)-1))
	if err := b.store.Restore(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	b.index = b.store.View().Index()
}

func TestCheckAndFix(t *testing.T) {
	b := newBench(t)
	if err := b.Check(false, state.Author{}, state.Source{}); err != nil {
		t.Fatal(err)
	}
	if r := b.finished(t); len(r.Findings) > 0 {
		t.Errorf("%+v", r)
	}
	b.breaks(t, 250)
	if err := b.Check(false, state.Author{}, state.Source{}); err != nil {
		t.Fatal(err)
	}
	if r := b.finished(t); len(r.Findings) != 500 || r.Findings[0].Fixed || r.Fixing {
		t.Errorf("%d findings, %+v", len(r.Findings), r.Findings[:1])
	}
	if err := b.Check(true, state.Author{}, state.Source{}); err != nil {
		t.Fatal(err)
	}
	r := b.finished(t)
	if len(r.Findings) != 500 || !r.Fixing || r.Err != nil {
		t.Errorf("%d findings, %v", len(r.Findings), r.Err)
	}
	for _, f := range r.Findings {
		if !f.Fixed {
			t.Fatalf("%+v", f)
		}
	}
	if n := b.store.View().Count(model.KindTerminator); n != 0 {
		t.Errorf("%d terminators are left", n)
	}
}

func TestManyFindings(t *testing.T) {
	b := newBench(t)
	b.breaks(t, 600)
	if err := b.Check(true, state.Author{}, state.Source{}); err != nil {
		t.Fatal(err)
	}
	if r := b.finished(t); len(r.Findings) != maxResults || !r.TooMany || b.store.View().Count(model.KindTerminator) != 0 {
		t.Errorf("%d findings, more %v, %d left", len(r.Findings), r.TooMany, b.store.View().Count(model.KindTerminator))
	}
}

func TestOneCheckAtATime(t *testing.T) {
	b := newBench(t)
	b.breaks(t, 1)
	b.hold = make(chan struct{})
	if err := b.Check(true, state.Author{}, state.Source{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(false, state.Author{}, state.Source{}); !errors.Is(err, fault.RateLimited) {
		t.Errorf("a second check at the same time: %v", err)
	}
	if r := b.Results(); !r.InProgress || !r.End.IsZero() {
		t.Errorf("%+v", r)
	}
	close(b.hold)
	b.finished(t)
}

// TestSnapshotOverNoFile: pipes, devices and links are neither waited for nor
// replaced.
func TestSnapshotOverNoFile(t *testing.T) {
	b := newBench(t)
	pipe, link := filepath.Join(b.dir, "pipe"), filepath.Join(b.dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(b.dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, b.dir, os.DevNull} {
		var refused *fault.Error
		if _, err := b.Snapshot(t.Context(), path); !errors.As(err, &refused) || refused.Kind != fault.CouldNotValidate {
			t.Errorf("a snapshot in place of %s: %v", path, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s afterwards: %v %v", path, info, err)
		}
	}
}
