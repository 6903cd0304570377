package database

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weftnet/weft/state"
)

// magic begins every snapshot file. What follows is the state as the log's
// snapshots have it, compressed, and then the SHA-256 of all that.
const magic = "weft snapshot 1\n"

// ErrDamaged is the refusal of a file that is no snapshot, or not a whole one.
var ErrDamaged = errors.New("not a whole snapshot of Weft")

// expand replaces the place holders of a path, with and without underscores.
func expand(path, dir string, now time.Time, index uint64) string {
	if path == "" {
		path = "__DB_DIR__/__DB_FILE__-__DATE__-__TIME__"
	}
	for _, p := range [][2]string{{"RAFT_INDEX", strconv.FormatUint(index, 10)}, {"DB_DIR", dir}, {"DB_FILE", "state"},
		{"DATE", now.UTC().Format("20060102")}, {"TIME", now.UTC().Format("150405")}} {
		path = strings.ReplaceAll(path, "__"+p[0]+"__", p[1])
		path = strings.ReplaceAll(path, p[0], p[1])
	}
	return path
}

// WriteFile writes a view to a file that only this user can read: it holds keys
// and password hashes. The file appears when it is whole and on disk.
func WriteFile(path string, view io.WriterTo) (err error) {
	if err := replaceable(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".weft-snapshot-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = errors.Join(write(f, view), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// replaceable lets nothing be overwritten but snapshots. What is no file, such as
// a pipe or a device, is not even opened: that could wait for ever.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it exists and is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return errors.New("the file exists and is no snapshot")
	}
	return nil
}

func write(w io.Writer, view io.WriterTo) error {
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 256<<10)
	if _, err := out.WriteString(magic); err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := view.WriteTo(zip); err != nil {
		return err
	}
	if err := errors.Join(zip.Close(), out.Flush()); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// ReadFile returns the view that a snapshot file holds. The whole file is
// checked first; the error is ErrDamaged if it is not what was written.
func ReadFile(path string) (*state.View, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := verify(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := f.Seek(int64(len(magic)), io.SeekStart); err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(io.LimitReader(f, size-int64(len(magic))))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	s, err := state.New()
	if err != nil {
		return nil, err
	}
	if err := s.Restore(zip); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s.View(), nil
}

// verify compares the checksum and returns the size of what it covers.
func verify(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size() - sha256.Size
	if size < int64(len(magic)) {
		return 0, ErrDamaged
	}
	head := make([]byte, len(magic))
	if _, err := f.ReadAt(head, 0); err != nil || string(head) != magic {
		return 0, ErrDamaged
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return 0, err
	}
	want := make([]byte, sha256.Size)
	if _, err := f.ReadAt(want, size); err != nil {
		return 0, err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return 0, fmt.Errorf("%w: the checksum is wrong", ErrDamaged)
	}
	return size, nil
}
