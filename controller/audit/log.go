package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/controller/rotate"
	"github.com/weftnet/weft/state"
)

// Config describes a Log. Dir and MaxSize are required.
type Config struct {
	Dir     string
	MaxSize int64 // bytes of a file
	Keep    int   // earlier files, 0 for all
	Log     *slog.Logger
	// Written, if not nil, is told of every record; it must not wait.
	Written func(*Record)
	// Failed, if not nil, is told when records cannot be written any more; it must
	// not wait.
	Failed func(error)
	// Retry is the wait after a failed write, 1 s by default.
	Retry time.Duration
}

// Log is the records of one controller. It is safe for concurrent use; Follow
// runs once.
type Log struct {
	cfg  Config
	path string

	last Record // that was written; belongs to Follow

	missed atomic.Uint64
	failed atomic.Uint64

	mu     sync.Mutex     // of what follows
	file   *rotate.File   // nil after Close
	index  uint64         // of the log, up to which everything is recorded; 0 if nothing is
	saved  uint64         // the same in the position file
	counts map[string]int // records of earlier files
}

// Open opens the records of a directory, which it creates if need be.
func Open(cfg Config) (*Log, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Retry == 0 {
		cfg.Retry = time.Second
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	l := &Log{cfg: cfg, path: filepath.Join(cfg.Dir, "audit.log"), counts: make(map[string]int)}
	if err := l.restorePosition(); err != nil {
		return nil, err
	}
	var err error
	l.file, err = rotate.Open(l.path, cfg.MaxSize, cfg.Keep)
	return l, err
}

// restorePosition finds out up to where changes are recorded: the position is
// written now and then, records say it to the last.
func (l *Log) restorePosition() error {
	text, err := os.ReadFile(l.positionFile())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	l.saved, _ = strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64) // an unreadable one counts as none
	l.index = l.saved
	for r, err := range l.Newest(context.Background()) {
		if err != nil {
			return err
		}
		// Its entry of the log may have more changes that have no records yet.
		l.index, l.last = max(l.index, r.Index-1), *r
		break
	}
	return nil
}

func (l *Log) positionFile() string { return filepath.Join(l.cfg.Dir, "position") }

// savePosition writes the position down and has the disk keep the records.
func (l *Log) savePosition() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == l.saved || l.file == nil {
		return nil
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	next := l.positionFile() + ".new"
	if err := os.WriteFile(next, []byte(strconv.FormatUint(l.index, 10)+"\n"), 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, l.positionFile()); err != nil {
		return err
	}
	l.saved = l.index
	return nil
}

// Index returns up to which index of the log changes are recorded.
func (l *Log) Index() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index
}

// Missed returns how many entries of the log have no records, because the disk
// took none for too long. Failed returns how often a write has failed.
func (l *Log) Missed() uint64 { return l.missed.Load() }

// Failed returns how many writes have failed.
func (l *Log) Failed() uint64 { return l.failed.Load() }

// Changes gives the changes of the state: *state.Store.
type Changes interface {
	View() *state.View
	Changes(after uint64, v *state.View) ([]state.Change, bool)
}

// saveEvery is how often the position is written.
const saveEvery = time.Second

// Follow records the changes of the state, from where the records end, until
// ctx ends. It never keeps a change waiting: what cannot be written is tried
// again as long as the state remembers it, and counted when it does not. hold
// keeps what has no record yet known; Follow releases it.
func (l *Log) Follow(ctx context.Context, s Changes, hold *state.Hold) {
	defer hold.Release()
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	down := false
	for {
		view := s.View()
		err := l.catchUp(s, view)
		hold.Seen(l.Index())
		l.tell(err, &down)
		var changed <-chan struct{}
		var again <-chan time.Time
		if err == nil {
			changed = view.Changed()
		} else {
			again = time.After(l.cfg.Retry)
		}
		for waiting := true; waiting; {
			select {
			case <-changed:
				waiting = false
			case <-again:
				waiting = false
			case <-tick.C:
				l.tell(l.savePosition(), &down)
			case <-ctx.Done():
				l.tell(l.catchUp(s, s.View()), &down)
				l.tell(l.savePosition(), &down)
				return
			}
		}
	}
}

// tell logs when the disk begins or ceases to take records.
func (l *Log) tell(err error, down *bool) {
	switch {
	case err != nil:
		l.failed.Add(1)
		if !*down {
			l.cfg.Log.Error("changes are not recorded in the audit", "error", err, "remedy", "make room on the disk of "+l.cfg.Dir+"; what is missing is recorded then")
			if l.cfg.Failed != nil {
				l.cfg.Failed(err)
			}
		}
		*down = true
	case *down && l.Index() > 0:
		l.cfg.Log.Info("changes are recorded in the audit again", "missed", l.Missed())
		*down = false
	}
}

// catchUp records the changes up to a view.
func (l *Log) catchUp(s Changes, view *state.View) error {
	from := l.Index()
	changes, ok := s.Changes(from, view)
	switch {
	case !ok && from == 0: // the first records of a network that exists
	case !ok:
		n := view.Index() - from
		gap := &Record{ID: fmt.Sprintf("%d-missed", view.Index()), Index: view.Index(), At: time.Now().UTC(), AuthorType: "controller", Action: Missed, Count: n}
		if err := l.append(gap); err != nil {
			return err
		}
		l.missed.Add(n)
		l.cfg.Log.Error("changes have no records in the audit: the state does not remember them", "entries", n, "after", from)
	}
	var last uint64
	ordinal := 0
	for i := range changes {
		c := &changes[i]
		if c.Index != last { // those before are whole
			l.reached(last)
			last, ordinal = c.Index, -1
		}
		ordinal++
		r, err := Of(c, ordinal)
		if err != nil {
			return err
		}
		if r == nil || r.Index == l.last.Index && ordinal <= l.last.ordinal() {
			continue
		}
		if err := l.append(r); err != nil {
			return err
		}
		l.last = *r
	}
	l.reached(view.Index())
	return nil
}

func (l *Log) reached(index uint64) {
	l.mu.Lock()
	l.index = max(l.index, index)
	l.mu.Unlock()
}

// append writes a record.
func (l *Log) append(r *Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	if l.file == nil {
		err = os.ErrClosed
	} else {
		_, err = l.file.Write(append(text, '\n'))
	}
	l.mu.Unlock()
	if err == nil && l.cfg.Written != nil {
		l.cfg.Written(r)
	}
	return err
}

// Close closes the file. Follow has ended before.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.file.Close()
	l.file = nil
	return err
}
