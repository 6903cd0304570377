package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The formats of -o.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatName  = "name"
)

var formats = []string{formatTable, formatJSON, formatName}

func (t *tool) checkFormat() error {
	if !slices.Contains(formats, t.output) {
		return usageError("choose one of "+strings.Join(formats, ", "), "unknown output format %q", t.output)
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printTable writes rows under their headers; columns are padded with blanks.
func printTable(w io.Writer, headers []string, rows [][]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if headers != nil {
		fmt.Fprintln(tw, strings.Join(headers, "\t"))
	}
	for _, r := range rows {
		for i, cell := range r {
			r[i] = printable(cell)
		}
		fmt.Fprintln(tw, strings.Join(r, "\t"))
	}
	return tw.Flush()
}

// printMembers writes the members of an entity, one per line, without links.
func printMembers(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	var rows [][]string
	for name, value := range members {
		if name == "_links" {
			continue
		}
		rows = append(rows, []string{name, memberText(value)})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return printTable(w, nil, rows)
}

// memberText shows a reference by its name and other values as JSON.
func memberText(value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case string:
		return value
	case map[string]any:
		if value["entity"] != nil {
			name, _ := value["name"].(string)
			id, _ := value["id"].(string)
			return cmp.Or(name, id)
		}
	}
	b, err := json.Marshal(plain(value))
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

// plain replaces the references in a value by their names.
func plain(value any) any {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = plain(v)
		}
		return out
	case map[string]any:
		if value["entity"] != nil {
			return memberText(value)
		}
		out := make(map[string]any, len(value))
		for k, v := range value {
			out[k] = plain(v)
		}
		return out
	}
	return value
}

// printable keeps a cell on one line and control characters off the terminal.
func printable(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func words(list []string) string { return strings.Join(list, " ") }

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
