package events

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// file is a file that begins anew when it is full. It belongs to one
// goroutine.
type file struct {
	path string
	most int64 // bytes
	keep int   // earlier files, 0 for all
	f    *os.File
	size int64
	now  func() time.Time
	last time.Time // in the name of the newest earlier file

	untidy error // why earlier files are still there, for Close
}

// openFile opens a file for appending.
func openFile(path string, most int64, keep int) (*file, error) {
	f := &file{path: path, most: most, keep: keep, now: time.Now}
	return f, f.open()
}

func (f *file) open() error {
	opened, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	info, err := opened.Stat()
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	f.f, f.size = opened, info.Size()
	return nil
}

// Write appends a line, to a new file if it does not fit into this one. A file
// that could not be opened is tried again with every line.
func (f *file) Write(line []byte) (int, error) {
	if f.f == nil {
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	if f.size > 0 && f.size+int64(len(line)) > f.most {
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := f.f.Write(line)
	f.size += int64(n)
	return n, err
}

// stamp is the time in the names of earlier files.
const stamp = "2006-01-02T15-04-05.000"

// rotate gives the file a name with the time and begins a new one.
func (f *file) rotate() error {
	err := f.f.Close()
	f.f = nil
	if err != nil {
		return err
	}
	ext := filepath.Ext(f.path)
	base := strings.TrimSuffix(f.path, ext)
	at := f.now()
	if !at.After(f.last) {
		at = f.last.Add(time.Millisecond)
	}
	for {
		name := base + "-" + at.Format(stamp) + ext
		if _, err := os.Lstat(name); err != nil { // nothing is replaced
			if err := os.Rename(f.path, name); err != nil {
				return err
			}
			f.last = at
			break
		}
		at = at.Add(time.Millisecond)
	}
	if err := f.tidy(base, ext); err != nil {
		f.untidy = err
	}
	return f.open()
}

// tidy removes the oldest of the earlier files beyond the number to keep.
func (f *file) tidy(base, ext string) error {
	if f.keep == 0 {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	form := regexp.MustCompile(`^` + regexp.QuoteMeta(filepath.Base(base)) + `-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}` + regexp.QuoteMeta(ext) + `$`)
	var earlier []string
	for _, e := range entries {
		if form.MatchString(e.Name()) {
			earlier = append(earlier, e.Name())
		}
	}
	slices.Sort(earlier) // by time
	var errs []error
	for i := range len(earlier) - f.keep {
		errs = append(errs, os.Remove(filepath.Join(filepath.Dir(f.path), earlier[i])))
	}
	return errors.Join(errs...)
}

// Close closes the file.
func (f *file) Close() error {
	if f.f == nil {
		return f.untidy
	}
	return errors.Join(f.f.Close(), f.untidy)
}
