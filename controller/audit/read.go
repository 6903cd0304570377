package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"slices"

	"github.com/weftnet/weft/controller/rotate"
)

// files returns the files of records, the newest first.
func (l *Log) files() ([]string, error) {
	names, err := rotate.Earlier(l.path)
	if err != nil {
		return nil, err
	}
	slices.Reverse(names)
	return append([]string{l.path}, names...), nil
}

// read returns a file of records; a file that has gone meanwhile is empty.
func read(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Newest returns the records, the newest first. Lines that are none, such as one
// that a crash has cut off, are left out. It ends with the error of ctx.
func (l *Log) Newest(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		files, err := l.files()
		if err != nil {
			yield(nil, err)
			return
		}
		for _, path := range files {
			text, err := read(path)
			if err != nil {
				yield(nil, err)
				return
			}
			if !backwards(ctx, text, yield) {
				return
			}
		}
	}
}

// backwards yields the records of a text, the last one first.
func backwards(ctx context.Context, text []byte, yield func(*Record, error) bool) bool {
	for len(text) > 0 {
		text = bytes.TrimSuffix(text, []byte("\n"))
		begin := bytes.LastIndexByte(text, '\n') + 1
		line := text[begin:]
		text = text[:begin]
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		r := new(Record)
		if json.Unmarshal(line, r) != nil || r.ID == "" {
			continue
		}
		if !yield(r, nil) {
			return false
		}
	}
	return true
}

// Len returns how many records there are. Lines that are none count.
func (l *Log) Len() (int, error) {
	files, err := l.files()
	if err != nil {
		return 0, err
	}
	total := 0
	for i, path := range files {
		l.mu.Lock()
		n, known := l.counts[path]
		l.mu.Unlock()
		if !known || i == 0 {
			text, err := read(path)
			if err != nil {
				return 0, err
			}
			if n = bytes.Count(text, []byte("\n")); i > 0 {
				l.mu.Lock()
				l.counts[path] = n
				l.mu.Unlock()
			}
		}
		total += n
	}
	return total, nil
}
