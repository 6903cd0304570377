package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The formats of -o.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatCSV   = "csv"
	formatName  = "name"
)

var formats = []string{formatTable, formatJSON, formatYAML, formatCSV, formatName}

// style is how a command prints its answer. It is set by flags.
type style struct {
	output    string   // one of formats, or a file where a command allows one
	columns   []string // empty for those of the command
	noHeaders bool
	envelope  bool // -j: the answer of the controller as it came
}

func (s *style) flags(f *pflag.FlagSet) {
	f.StringVarP(&s.output, "output", "o", formatTable, "output: "+strings.Join(formats, ", "))
	f.BoolVarP(&s.envelope, "output-json", "j", false, "print the answer of the controller as it came, JSON with data and meta")
	f.StringSliceVar(&s.columns, "columns", nil, "columns of a table or csv: headers, or members such as roleAttributes or authPolicy.name")
	f.BoolVar(&s.noHeaders, "no-headers", false, "leave out the headers of a table or csv")
}

func (s *style) check() error {
	if !slices.Contains(formats, s.output) {
		return usageError("choose one of "+strings.Join(formats, ", "), "unknown output format %q", s.output)
	}
	if rows := s.output == formatTable || s.output == formatCSV; !rows && (len(s.columns) > 0 || s.noHeaders) || s.envelope && len(s.columns) > 0 {
		return usageError("choose -o table or -o csv", "the output %s has no columns", s.output)
	}
	return nil
}

// printout is the answer of a command in all formats.
type printout struct {
	value   any        // for json and yaml
	headers []string   // of table and csv; nil for rows without
	rows    [][]string // for table and csv; an empty cell is shown as - in a table
	names   []string   // for name, one per line; nil for the first cells of the rows
	// text writes the answer for people, instead of the table of the rows.
	text func(io.Writer) error
	// members are the JSON values behind the rows, for --columns; may be nil.
	members []any
}

// print writes the answer to standard output as the flags say. With -j it
// writes nothing: run writes what the controller answered.
func (c *call) print(p printout) error {
	if c.tool.envelope {
		return nil
	}
	return c.tool.style.print(c.cmd.OutOrStdout(), p)
}

func (s *style) print(w io.Writer, p printout) error {
	if s.output == formatJSON || s.envelope {
		return printJSON(w, p.value)
	}
	switch s.output {
	case formatYAML:
		return printYAML(w, p.value)
	case formatName:
		return printNames(w, p)
	case formatTable:
		if p.text != nil && len(s.columns) == 0 {
			return p.text(w)
		}
	}
	headers, rows, err := s.choose(p)
	if err != nil {
		return err
	}
	if s.noHeaders {
		headers = nil
	}
	if s.output == formatCSV {
		return printCSV(w, headers, rows)
	}
	return printTable(w, headers, rows)
}

func printNames(w io.Writer, p printout) error {
	names := p.names
	if names == nil {
		for _, r := range p.rows {
			names = append(names, r[0])
		}
	}
	for _, n := range names {
		if _, err := fmt.Fprintln(w, nameText(w, n)); err != nil {
			return err
		}
	}
	return nil
}

// nameText is a name as it is, but for a terminal without control characters.
func nameText(w io.Writer, name string) string {
	if isTerminal(w) {
		return printable(name)
	}
	return name
}

// choose applies --columns.
func (s *style) choose(p printout) ([]string, [][]string, error) {
	if len(s.columns) == 0 {
		return p.headers, p.rows, nil
	}
	pick, err := chooser(s.columns, p.headers, p.members)
	if err != nil {
		return nil, nil, err
	}
	headers := upper(s.columns)
	rows := make([][]string, len(p.rows))
	for i, row := range p.rows {
		var value any
		if i < len(p.members) {
			value = p.members[i]
		}
		rows[i] = pick(row, value)
	}
	return headers, rows, nil
}

// chooser returns the function that makes the row of the chosen columns.
func chooser(columns, headers []string, members []any) (func(row []string, value any) []string, error) {
	at := make([]int, len(columns))
	for i, name := range columns {
		at[i] = slices.IndexFunc(headers, func(h string) bool { return strings.EqualFold(h, name) })
		if at[i] >= 0 || len(members) == 0 && headers == nil {
			continue
		}
		if !slices.ContainsFunc(members, func(v any) bool { _, ok := member(v, name); return ok }) && (len(members) > 0 || !plausible(name)) {
			return nil, usageError("choose of "+strings.Join(headers, ", ")+", or members that -o json shows", "there is no column %q", name)
		}
	}
	return func(row []string, value any) []string {
		out := make([]string, len(columns))
		for i, n := range at {
			if n >= 0 {
				out[i] = row[n]
			} else if v, ok := member(value, columns[i]); ok && v != nil {
				out[i] = memberText(v)
			}
		}
		return out
	}, nil
}

// plausible reports whether a text may be the name of a member, where there is
// no entity to look at.
func plausible(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// member returns a member of the JSON of an entity by its path, such as
// authPolicy.name.
func member(value any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

func upper(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToUpper(n)
	}
	return out
}
