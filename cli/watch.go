package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"time"
)

// follow shows a list until the command is interrupted. On a terminal a table
// is painted anew when something has changed; everywhere else the changes are
// written, the first entries as added ones.
func (l *lister[D]) follow(c *call, f *listFlags) error {
	out := c.cmd.OutOrStdout()
	paint := c.tool.output == formatTable && isTerminal(out)
	var before []seen
	tick := time.NewTicker(f.interval)
	defer tick.Stop()
	for first := true; ; first = false {
		now, err := l.look(c, f)
		if err != nil {
			return err
		}
		changes := compare(before, now)
		switch {
		case paint && (first || len(changes) > 0):
			err = c.repaint(out, l.headers, now)
		case !paint:
			err = c.writeChanges(out, l.headers, changes, first)
		}
		if err != nil {
			return err
		}
		before = now
		select {
		case <-c.Done():
			return c.Err()
		case <-tick.C:
		}
	}
}

// seen is an entry with its JSON, to see whether it has changed.
type seen struct {
	entry
	text []byte
}

func (l *lister[D]) look(c *call, f *listFlags) ([]seen, error) {
	now := []seen{}
	_, err := l.each(c, f, func(entries []entry) error {
		for _, e := range entries {
			b, err := json.Marshal(e.value)
			if err != nil {
				return err
			}
			now = append(now, seen{e, b})
		}
		return nil
	})
	return now, err
}

// difference is an entry that came, went or changed.
type difference struct {
	what string // added, changed or removed
	seen
}

func compare(before, now []seen) []difference {
	var out []difference
	old := map[string]seen{}
	for _, s := range before {
		old[s.id] = s
	}
	for _, s := range now {
		o, known := old[s.id]
		switch {
		case !known:
			out = append(out, difference{"added", s})
		case !bytes.Equal(o.text, s.text):
			out = append(out, difference{"changed", s})
		}
		delete(old, s.id)
	}
	for _, s := range before {
		if _, gone := old[s.id]; gone {
			out = append(out, difference{"removed", s})
		}
	}
	return out
}

// repaint clears the terminal and writes the table.
func (c *call) repaint(out io.Writer, headers []string, now []seen) error {
	var b bytes.Buffer
	b.WriteString("\x1b[H\x1b[2J")
	entries := make([]entry, len(now))
	for i, s := range now {
		entries[i] = s.entry
	}
	w := listWriter{style: &c.tool.style, w: &b, headers: headers}
	if err := w.add(entries); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}

// writeChanges writes one line or document per change.
func (c *call) writeChanges(out io.Writer, headers []string, changes []difference, first bool) error {
	var b bytes.Buffer
	s := &c.tool.style
	var rows [][]string
	w := listWriter{style: s, headers: headers}
	for i, d := range changes {
		value := map[string]any{"change": d.what, "entity": d.value}
		switch s.output {
		case formatJSON:
			if err := printJSONLine(&b, value); err != nil {
				return err
			}
		case formatYAML:
			b.WriteString("---\n")
			if err := printYAML(&b, value); err != nil {
				return err
			}
		case formatName:
			b.WriteString(d.what + " " + printable(d.label) + "\n")
		default:
			_, row, err := w.choose([]entry{d.entry}, w.pick == nil && i == 0)
			if err != nil {
				return err
			}
			rows = append(rows, append([]string{d.what}, row[0]...))
		}
	}
	if s.output == formatTable || s.output == formatCSV {
		header := slices.Clone(headers)
		if len(s.columns) > 0 {
			header = upper(s.columns)
		}
		header = append([]string{"CHANGE"}, header...)
		if !first || s.noHeaders {
			header = nil
		}
		print := printTable
		if s.output == formatCSV {
			print = printCSV
		}
		if err := print(&b, header, rows); err != nil {
			return err
		}
	}
	_, err := out.Write(b.Bytes())
	return err
}
