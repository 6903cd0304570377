package auth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Prefixes of the keys in the journal.
const (
	keySession  = "a/" // record by session id
	keyService  = "s/" // serviceRecord by service session id
	keyPending  = "r/" // ends of sessions to be written to the log, by session id
	keyAttempts = "f/" // failed logins by authenticator id
	keyUsedCode = "c/" // time step of the last one-time code by id of the MFA enrolment
	keyMistakes = "w/" // wrong one-time codes by identity id
)

// syncEvery is the longest time, while there are changes, between two calls of
// fsync: what a power failure may lose. A crash of the process loses less.
const syncEvery = time.Second

// compactFrom is the size in bytes below which the journal is never compacted.
const compactFrom = 256 << 10

// line is one line of the file; a nil value says that the key is gone.
type line struct {
	Key   string          `json:"k"`
	Value json.RawMessage `json:"v,omitempty"`
}

// journal is a local key-value file, written by appending. Changes are handed
// over in memory and written by one goroutine, so no caller waits for the disk;
// several changes of one key while a write is under way become one line, which
// bounds the memory by the number of keys. A write that fails is logged and
// tried again with the next change.
type journal struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	pending map[string]json.RawMessage
	flushed chan struct{} // closed when everything handed over before is written
	wake    chan struct{}
	stop    chan struct{}
	ended   chan error

	file *os.File // from here on: the writer's only
	size int64
	base int64 // size after the last compaction
}

// openJournal reads the file, writes it anew without what is superseded, and
// starts the writer. A torn last line, which a crash can leave, is dropped.
func openJournal(path string, log *slog.Logger) (*journal, map[string]json.RawMessage, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	entries, err := readJournal(path, log)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{
		path: path, log: log, pending: make(map[string]json.RawMessage), flushed: make(chan struct{}),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan error, 1),
	}
	if err := j.rewrite(entries); err != nil {
		return nil, nil, err
	}
	go j.run()
	return j, entries, nil
}

// lostSlack is more than a power failure can take from the end of the journal.
const lostSlack = time.Minute

// lostSince returns from when on a journal may lack entries: a little before
// its last write, or always when there is no journal.
func lostSince(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().Add(-lostSlack)
}

func readJournal(path string, log *slog.Logger) (map[string]json.RawMessage, error) {
	entries := make(map[string]json.RawMessage)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return entries, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(text) > 0 {
				log.Warn("session journal ends in the middle of a line; the line is dropped", "path", path, "line", n)
			}
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil || l.Key == "" {
			log.Warn("session journal has an unreadable line; it is dropped", "path", path, "line", n)
			continue
		}
		if l.Value == nil {
			delete(entries, l.Key)
		} else {
			entries[l.Key] = l.Value
		}
	}
}

// put hands a value over. It must be encodable as JSON.
func (j *journal) put(key string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		j.log.Error("session journal: value cannot be encoded", "key", key, "error", err)
		return
	}
	j.hand(key, raw)
}

// remove hands over that a key is gone.
func (j *journal) remove(key string) { j.hand(key, nil) }

func (j *journal) hand(key string, raw json.RawMessage) {
	j.mu.Lock()
	j.pending[key] = raw
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// flush waits until everything handed over so far is with the operating
// system, where a crash of this process cannot lose it.
func (j *journal) flush() {
	j.mu.Lock()
	done := j.flushed
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
	select {
	case <-done:
	case <-j.stop:
	}
}

func (j *journal) run() {
	timer := time.NewTimer(syncEvery)
	timer.Stop()
	defer timer.Stop()
	dirty := false
	for {
		select {
		case <-j.wake:
			if j.write() && !dirty {
				dirty = true
				timer.Reset(syncEvery)
			}
		case <-timer.C:
			dirty = false
			if err := j.file.Sync(); err != nil {
				j.log.Error("session journal cannot be synced", "path", j.path, "error", err)
			}
		case <-j.stop:
			j.write()
			j.ended <- errors.Join(j.file.Sync(), j.file.Close())
			return
		}
	}
}

// write appends what is pending and reports whether there was anything.
func (j *journal) write() bool {
	j.mu.Lock()
	batch, done := j.pending, j.flushed
	j.pending, j.flushed = make(map[string]json.RawMessage), make(chan struct{})
	j.mu.Unlock()
	defer close(done)
	if len(batch) == 0 {
		return false
	}
	var b bytes.Buffer
	for k, v := range batch {
		if err := appendLine(&b, k, v); err != nil {
			j.log.Error("session journal", "error", err)
		}
	}
	n, err := j.file.Write(b.Bytes())
	j.size += int64(n)
	if err != nil {
		j.log.Error("session journal cannot be written", "path", j.path, "error", err)
		j.again(batch)
		return true
	}
	if j.size > compactFrom && j.size > 4*j.base {
		if err := j.compact(); err != nil {
			j.log.Error("session journal cannot be compacted", "path", j.path, "error", err)
		}
	}
	return true
}

// again puts back what could not be written, unless something newer is there.
func (j *journal) again(batch map[string]json.RawMessage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k, v := range batch {
		if _, newer := j.pending[k]; !newer {
			j.pending[k] = v
		}
	}
}

func appendLine(b *bytes.Buffer, key string, value json.RawMessage) error {
	raw, err := json.Marshal(line{Key: key, Value: value})
	if err != nil {
		return err
	}
	b.Write(raw)
	return b.WriteByte('\n')
}

func (j *journal) compact() error {
	entries, err := readJournal(j.path, j.log)
	if err != nil {
		return err
	}
	return j.rewrite(entries)
}

// rewrite replaces the file by one with only the given entries, atomically.
func (j *journal) rewrite(entries map[string]json.RawMessage) error {
	var b bytes.Buffer
	for k, v := range entries {
		if err := appendLine(&b, k, v); err != nil {
			return err
		}
	}
	next := j.path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), os.Rename(next, j.path)); err != nil {
		return errors.Join(err, f.Close())
	}
	if j.file != nil {
		if err := j.file.Close(); err != nil {
			j.log.Warn("session journal: old file", "error", err)
		}
	}
	j.file, j.size, j.base = f, int64(b.Len()), int64(b.Len())
	return syncDir(filepath.Dir(j.path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// close writes what is pending and closes the file.
func (j *journal) close() error {
	close(j.stop)
	if err := <-j.ended; err != nil {
		return fmt.Errorf("session journal: %w", err)
	}
	return nil
}
