// Package rotate writes files of lines that begin anew when they are full.
package rotate

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// File is a file of lines that begins anew when it is full. It belongs to one
// goroutine.
type File struct {
	path string
	most int64 // bytes
	keep int   // earlier files, 0 for all
	f    *os.File
	size int64
	now  func() time.Time
	last time.Time // in the name of the newest earlier file

	torn   bool  // the last write has left a part of a line
	untidy error // why earlier files are still there, for Close
}

// Open opens a file for appending. It begins anew before it is larger than most
// bytes; keep earlier ones stay, all if it is 0. A line that a crash has cut off
// is ended.
func Open(path string, most int64, keep int) (*File, error) {
	f := &File{path: path, most: most, keep: keep, now: time.Now}
	return f, f.open()
}

func (f *File) open() error {
	opened, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	info, err := opened.Stat()
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	f.f, f.size = opened, info.Size()
	return f.endLine()
}

// endLine ends a line without an end.
func (f *File) endLine() error {
	if f.size == 0 {
		return nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil // it may be written only: a pipe, or somebody else's
	}
	last := make([]byte, 1)
	_, err = in.ReadAt(last, f.size-1)
	if errors.Join(err, in.Close()) != nil || last[0] == '\n' {
		return nil
	}
	n, err := f.f.WriteString("\n")
	f.size += int64(n)
	return err
}

// Write appends a line, to a new file if it does not fit into this one. A file
// that could not be opened is tried again with every line.
func (f *File) Write(line []byte) (int, error) {
	if f.f == nil {
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	if f.torn {
		if _, err := f.f.WriteString("\n"); err != nil {
			return 0, err
		}
		f.torn = false
	}
	if f.size > 0 && f.size+int64(len(line)) > f.most {
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := f.f.Write(line)
	f.size += int64(n)
	f.torn = err != nil && n > 0 || f.torn && err != nil
	return n, err
}

// Sync has the disk keep what was written.
func (f *File) Sync() error {
	if f.f == nil {
		return nil
	}
	return f.f.Sync()
}

// Earlier returns the paths of the earlier files of a path, the oldest first.
func Earlier(path string) ([]string, error) {
	ext := filepath.Ext(path)
	names, err := earlier(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ext), ext)
	for i := range names {
		names[i] = filepath.Join(filepath.Dir(path), names[i])
	}
	return names, err
}

// earlier returns the names of earlier files, by time.
func earlier(dir, base, ext string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	form := regexp.MustCompile(`^` + regexp.QuoteMeta(base) + `-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}` + regexp.QuoteMeta(ext) + `$`)
	var out []string
	for _, e := range entries {
		if form.MatchString(e.Name()) {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// stamp is the time in the names of earlier files.
const stamp = "2006-01-02T15-04-05.000"

// rotate gives the file a name with the time and begins a new one.
func (f *File) rotate() error {
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
func (f *File) tidy(base, ext string) error {
	if f.keep == 0 {
		return nil
	}
	names, err := earlier(filepath.Dir(f.path), filepath.Base(base), ext)
	if err != nil {
		return err
	}
	var errs []error
	for i := range len(names) - f.keep {
		errs = append(errs, os.Remove(filepath.Join(filepath.Dir(f.path), names[i])))
	}
	return errors.Join(errs...)
}

// Close closes the file.
func (f *File) Close() error {
	if f.f == nil {
		return f.untidy
	}
	return errors.Join(f.f.Close(), f.untidy)
}
