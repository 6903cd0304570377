package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
)

func TestFirstStartAndRestart(t *testing.T) {
	dir := t.TempDir()
	n, _ := open(t, testConfig(dir))
	ctx := deadline(t)
	for i := range 5 {
		index, result, err := n.Propose(ctx, fmt.Append(nil, "c", i))
		if err != nil || result != i+1 || index == 0 {
			t.Fatal(index, result, err)
		}
	}
	if id, addr := n.Leader(); id != "ctrl1" || addr != "ctrl1" || !n.IsLeader() {
		t.Error(id, addr)
	}
	want := []Member{{ID: "ctrl1", Address: "ctrl1", Voter: true, Leader: true}}
	if got := n.Members(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if s := n.Stats(); s.State != "Leader" || s.Applied > s.Commit || s.Applied == 0 || s.Term == 0 {
		t.Errorf("%+v", s)
	}
	if err := n.CheckStorage(ctx); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.Propose(ctx, []byte("late")); !errors.Is(err, fault.ClusterNoLeader) {
		t.Error("after Close:", err)
	}
	// The reference timeouts are seconds; a single voter must not wait for them.
	start := time.Now()
	_, l := open(t, testConfig(dir))
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("restart took %v", took)
	} else {
		t.Log("restart took", took)
	}
	if got := l.all(); !slices.Equal(got, []string{"c0", "c1", "c2", "c3", "c4"}) {
		t.Error(got)
	}
}

func TestRefusedCommand(t *testing.T) {
	n, _ := open(t, testConfig(t.TempDir()))
	index, _, err := n.Propose(context.Background(), []byte("refuse"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || index == 0 {
		t.Error(index, err)
	}
}

func TestConcurrentProposalsShareWrites(t *testing.T) {
	n, l := open(t, testConfig(t.TempDir()))
	const total = 400
	var wg sync.WaitGroup
	for i := range total {
		wg.Go(func() {
			if _, _, err := n.Propose(deadline(t), fmt.Append(nil, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(l.all()); got != total {
		t.Errorf("%d commands applied", got)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("%d proposals in %d batches", total, l.calls)
	if l.calls > total/2 {
		t.Error("proposals are not batched")
	}
}

func TestSnapshotAndRestart(t *testing.T) {
	dir := t.TempDir()
	cfg := testConfig(dir)
	cfg.TrailingLogs = 2
	n, _ := open(t, cfg)
	for i := range 20 {
		if _, _, err := n.Propose(deadline(t), fmt.Append(nil, "c", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Snapshot(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if n.Stats().Snapshot == 0 {
		t.Error("no snapshot in the figures")
	}
	if first, err := n.db.FirstIndex(); err != nil || first < 10 {
		t.Errorf("the log still begins at %d (%v)", first, err)
	}
	if _, _, err := n.Propose(deadline(t), []byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	_, l := open(t, cfg)
	if got := l.all(); len(got) != 21 || got[20] != "after" {
		t.Error(got)
	}
}

func TestSnapshotsAreTakenByThemselves(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.SnapshotInterval, cfg.SnapshotThreshold, cfg.TrailingLogs = 20*time.Millisecond, 10, 1
	n, _ := open(t, cfg)
	for i := 0; n.Stats().Snapshot == 0; i++ {
		if _, _, err := n.Propose(deadline(t), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknownCommandStopsTheNode(t *testing.T) {
	dir := t.TempDir()
	n, l := open(t, testConfig(dir))
	ctx := deadline(t)
	if _, _, err := n.Propose(ctx, []byte("poison")); !errors.Is(err, errPoison) {
		t.Fatal(err)
	}
	<-n.Failed()
	if !errors.Is(n.Err(), errPoison) {
		t.Error(n.Err())
	}
	if _, _, err := n.Propose(ctx, []byte("more")); !errors.Is(err, errPoison) {
		t.Error("goes on:", err)
	}
	if err := n.Snapshot(ctx); err == nil {
		t.Error("takes a snapshot of a state that lacks a command")
	}
	if len(l.all()) != 0 {
		t.Error(l.all())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(testConfig(dir), new(list))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Ready(ctx); !errors.Is(err, errPoison) {
		t.Error("a restart hides it:", err)
	}
}

func TestWithoutBootstrapANodeWaits(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.Bootstrap = false
	n, err := Open(cfg, new(list))
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if len(n.Members()) != 0 {
		t.Error("initialized")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := n.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, _, err := n.Propose(context.Background(), []byte("x")); !errors.Is(err, fault.ClusterNoLeader) {
		t.Error(err)
	}
}

func TestBadStarts(t *testing.T) {
	dir := t.TempDir()
	running, _ := open(t, testConfig(dir))
	defer running.Close()
	foreign := t.TempDir()
	n, _ := open(t, testConfig(foreign))
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	garbage := t.TempDir()
	if err := os.WriteFile(filepath.Join(garbage, dbFile), []byte(strings.Repeat("garbage ", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		cfg  Config
		want string
	}{
		{"no id", Config{Dir: dir}, "needs an id"},
		{"no directory", Config{ID: "a"}, "needs a data directory"},
		{"timeouts", Config{ID: "a", Dir: dir, LeaderLeaseTimeout: time.Minute}, "leaderLeaseTimeout"},
		{"in use", testConfig(dir), "in use by another process"},
		{"data of another member", Config{ID: "other", Dir: foreign}, "belong to member ctrl1"},
		{"garbage", testConfig(garbage), ErrBroken.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Open(tt.cfg, new(list))
			if err == nil {
				n.Close()
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Error(err)
			}
		})
	}
}

func TestFilesAreNobodyElses(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "snapshots"), 0o755); err != nil {
		t.Fatal(err)
	}
	n, _ := open(t, testConfig(dir))
	if err := n.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{dbFile: 0o600, "snapshots": 0o700} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	if kept, err := os.ReadDir(filepath.Join(dir, "snapshots")); err != nil || len(kept) == 0 {
		t.Errorf("the snapshot is elsewhere: %v", err)
	}
}

func TestHasData(t *testing.T) {
	want := func(dir string, has bool, in error) {
		t.Helper()
		if got, err := HasData(dir); got != has || !errors.Is(err, in) {
			t.Errorf("got %v, %v, want %v, %v", got, err, has, in)
		}
	}
	dir := t.TempDir()
	want(dir, false, nil)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("looking made %v, %v", entries, err)
	}
	cfg := testConfig(dir)
	cfg.Bootstrap = false
	n, err := Open(cfg, new(list))
	if err != nil {
		t.Fatal(err)
	}
	want(dir, false, ErrInUse)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	want(dir, false, nil) // opened, but of no cluster
	n, _ = open(t, testConfig(dir))
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	want(dir, true, nil)
}

func TestEndOfContext(t *testing.T) {
	n, _ := open(t, testConfig(t.TempDir()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := n.Propose(ctx, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
