package state

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/weftnet/weft/model"
)

// snapshotFormat is the version of the snapshot format: one JSON value per
// line, first a snapshotHead, then a snapshotEntity per entity, last a
// snapshotTail.
const snapshotFormat = 1

type (
	snapshotHead struct {
		Format int    `json:"weftState"`
		Index  uint64 `json:"index"`
	}
	snapshotEntity struct {
		Kind   model.Kind      `json:"kind,omitempty"`
		Entity json.RawMessage `json:"entity,omitempty"`
		Count  *int            `json:"count,omitempty"` // tail: number of entities
	}
)

// WriteTo writes the view as a snapshot that Restore reads. It implements
// io.WriterTo.
func (v *View) WriteTo(w io.Writer) (int64, error) {
	counter := &countingWriter{w: w}
	buf := bufio.NewWriterSize(counter, 64<<10)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(snapshotHead{snapshotFormat, v.index}); err != nil {
		return counter.n, err
	}
	count := 0
	for _, k := range model.Kinds() {
		prefix := entityPrefix(k)
		for e := range v.All(k) {
			raw, err := json.Marshal(e)
			if err != nil {
				return counter.n, fmt.Errorf("snapshot: %s %s: %w", k, e.Meta().ID, err)
			}
			buf.Write(prefix) // errors stay with the buffer
			buf.Write(raw)
			if _, err := buf.WriteString("}\n"); err != nil {
				return counter.n, err
			}
			count++
		}
	}
	if err := enc.Encode(snapshotEntity{Count: &count}); err != nil {
		return counter.n, err
	}
	err := buf.Flush()
	return counter.n, err
}

// entityPrefix is how the line of an entity begins, up to the entity itself.
func entityPrefix(k model.Kind) []byte { return fmt.Appendf(nil, `{"kind":%q,"entity":`, k) }

// Restore replaces the whole state by a snapshot. On an error the state stays
// as it was. Readers of Changes have to start again from the new view, whose
// index is always higher than that of the one before.
func (s *Store) Restore(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var head snapshotHead
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = strict(line, &head)
	}
	if err != nil {
		return fmt.Errorf("snapshot: head: %w", err)
	}
	if head.Format != snapshotFormat {
		return fmt.Errorf("snapshot: format %d: this build reads format %d", head.Format, snapshotFormat)
	}
	v := &View{data: newData(), index: head.Index, counts: map[model.Kind]int{}, touched: map[model.Kind]uint64{}, changed: make(chan struct{})}
	by := new(edit)
	if err := restoreEntities(in, func(e model.Entity) {
		v.data.put(by, e)
		v.counts[e.Kind()]++
	}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.view.Load()
	if v.index <= old.index { // an older state on purpose: readers still have to notice
		v.index = old.index + 1
	}
	for k := range v.counts {
		v.touched[k] = v.index
	}
	for k := range old.counts {
		v.touched[k] = v.index
	}
	s.feed.reset(v.index)
	s.view.Store(v)
	close(old.changed)
	return nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// At returns the view under another index, for a snapshot that is to replace a
// newer state.
func (v *View) At(index uint64) *View {
	out := *v
	out.index = index
	return &out
}
