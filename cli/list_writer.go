package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/weftnet/weft/client"
)

// pageOf fetches a page of a list at a path.
func pageOf[D any](ctx context.Context, m *client.Management, path string, p *client.ListParams, query url.Values) (*client.Page[D], error) {
	raw, err := m.Any().List(ctx, path, p, query)
	if err != nil {
		return nil, err
	}
	page := &client.Page[D]{Items: make([]D, len(raw.Items)), Limit: raw.Limit, Offset: raw.Offset, TotalCount: raw.TotalCount}
	for i, item := range raw.Items {
		if err := json.Unmarshal(item, &page.Items[i]); err != nil {
			return nil, fmt.Errorf("%s: answer is not understood: %w", path, err)
		}
	}
	return page, nil
}

// listWriter prints the entries of a list as they come, in the format of the
// flags. Together they are one table, JSON array, YAML sequence or csv.
type listWriter struct {
	style   *style
	w       io.Writer
	headers []string
	pick    func([]string, any) []string // of --columns, nil without
	grid    grid
	begun   bool
}

func newListWriter(c *call, headers []string) *listWriter {
	w := c.cmd.OutOrStdout()
	if c.tool.envelope {
		w = io.Discard
	}
	return &listWriter{style: &c.tool.style, w: w, headers: headers}
}

func (l *listWriter) add(entries []entry) error {
	first := !l.begun
	l.begun = true
	var b bytes.Buffer
	var err error
	switch l.style.output {
	case formatJSON:
		err = l.json(&b, entries, first)
	case formatYAML:
		if len(entries) > 0 {
			err = printYAML(&b, values(entries))
		} else if first {
			l.begun = false
		}
	case formatName:
		for _, e := range entries {
			b.WriteString(nameText(l.w, e.label) + "\n")
		}
	default:
		err = l.rows(&b, entries, first)
	}
	if err != nil {
		return err
	}
	_, err = l.w.Write(b.Bytes())
	return err
}

func (l *listWriter) end() error {
	switch {
	case l.style.output == formatJSON && l.begun:
		return l.put("\n]\n")
	case l.style.output == formatJSON || l.style.output == formatYAML && !l.begun:
		return l.put("[]\n")
	}
	return nil
}

func (l *listWriter) put(text string) error {
	_, err := io.WriteString(l.w, text)
	return err
}

// json writes elements of an array as printJSON would.
func (l *listWriter) json(b *bytes.Buffer, entries []entry, first bool) error {
	if len(entries) == 0 && first {
		l.begun = false
	}
	for i, e := range entries {
		open := ",\n"
		if first && i == 0 {
			open = "[\n"
		}
		b.WriteString(open)
		var one bytes.Buffer
		if err := printJSON(&one, e.value); err != nil {
			return err
		}
		b.WriteString("  " + strings.ReplaceAll(strings.TrimSuffix(one.String(), "\n"), "\n", "\n  "))
	}
	return nil
}

func values(entries []entry) []any {
	out := make([]any, len(entries))
	for i, e := range entries {
		out[i] = e.value
	}
	return out
}

func (l *listWriter) rows(b *bytes.Buffer, entries []entry, first bool) error {
	headers, rows, err := l.choose(entries, first)
	if err != nil {
		return err
	}
	if l.style.noHeaders || !first {
		headers = nil
	}
	if l.style.output == formatCSV {
		return printCSV(b, headers, rows)
	}
	l.grid.write(b, headers, rows)
	return nil
}

// choose applies --columns; the names are checked with the first entries.
func (l *listWriter) choose(entries []entry, first bool) ([]string, [][]string, error) {
	rows := make([][]string, len(entries))
	for i, e := range entries {
		rows[i] = e.cells
	}
	if len(l.style.columns) == 0 {
		return l.headers, rows, nil
	}
	members := make([]any, len(entries))
	for i, e := range entries {
		var err error
		if members[i], err = plainJSON(e.value); err != nil {
			return nil, nil, err
		}
	}
	if first {
		var err error
		if l.pick, err = chooser(l.style.columns, l.headers, members); err != nil {
			return nil, nil, err
		}
	}
	for i := range rows {
		rows[i] = l.pick(rows[i], members[i])
	}
	return upper(l.style.columns), rows, nil
}

// grid writes rows whose columns are as wide as the widest cell so far.
type grid struct{ widths []int }

func (g *grid) write(b *bytes.Buffer, headers []string, rows [][]string) {
	all := rows
	if headers != nil {
		all = append([][]string{headers}, rows...)
	}
	for _, r := range all {
		for i, cell := range r {
			if i == len(g.widths) {
				g.widths = append(g.widths, 0)
			}
			g.widths[i] = max(g.widths[i], utf8.RuneCountInString(printable(cell)))
		}
	}
	for _, r := range all {
		for i, cell := range r {
			cell = printable(cell)
			b.WriteString(cell)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", g.widths[i]+2-utf8.RuneCountInString(cell)))
			}
		}
		b.WriteByte('\n')
	}
}
