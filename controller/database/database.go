// Package database looks after the state of a controller as a whole: it writes
// snapshots to files and reads them back, and checks the state for damage.
package database

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/state"
)

// SnapshotEvery is how often a snapshot may be written.
const SnapshotEvery = time.Minute

// Config is what a Database works on. All of it must be set.
type Config struct {
	View func() *state.View
	// Write brings a command into the log; result is that of state.Store.Apply.
	Write func(ctx context.Context, command []byte) (index uint64, result any, err error)
	Dir   string // of the controller's data
	Now   func() time.Time
	Log   *slog.Logger
}

// Database is the state of one controller. It is safe for concurrent use; Close
// ends a check that runs.
type Database struct {
	cfg Config

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	writing bool      // a snapshot
	last    time.Time // start of the last snapshot that was written
	closed  bool
	results Results
}

// New returns a database.
func New(cfg Config) *Database {
	d := &Database{cfg: cfg}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Close ends a check that runs and waits for it.
func (d *Database) Close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cancel()
	d.work.Wait()
	return nil
}

// Snapshot writes the state to a file and returns its path. An empty path is
// state-DATE-TIME in the directory of the data; in others DATE, TIME, DB_DIR,
// DB_FILE and RAFT_INDEX are replaced. A file that is there already is
// replaced if it is a snapshot. The refusals are fault.RateLimited, and
// fault.CouldNotValidate for a path that cannot be written.
func (d *Database) Snapshot(_ context.Context, path string) (written string, err error) {
	now := d.cfg.Now()
	if err := d.begin(now); err != nil {
		return "", err
	}
	view := d.cfg.View()
	defer func() { d.end(now, err) }()
	path = expand(path, d.cfg.Dir, now, view.Index())
	if path, err = filepath.Abs(path); err != nil {
		return "", badPath(path, err)
	}
	if err := WriteFile(path, view); err != nil {
		return "", badPath(path, err)
	}
	d.cfg.Log.Info("snapshot written", "path", path, "index", view.Index())
	return path, nil
}

func badPath(path string, err error) error {
	return fault.CouldNotValidate.Field("path", "cannot be written: "+err.Error(), path).
		WithRemedy("name a new file in a directory that exists and that the controller may write to")
}

// begin takes the right to write a snapshot.
func (d *Database) begin(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writing || !d.last.IsZero() && now.Sub(d.last) < SnapshotEvery {
		return fault.RateLimited.Errorf("may snapshot database at most once per minute")
	}
	d.writing = true
	return nil
}

// end gives it back; an attempt that failed does not count.
func (d *Database) end(started time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writing = false
	if err == nil {
		d.last = started
	}
}
