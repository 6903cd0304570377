package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plainJSON makes maps, slices and scalars of a value, by way of its JSON.
// Numbers stay as they are written.
func plainJSON(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var out any
	err = d.Decode(&out)
	return out, err
}

// printJSON writes a value with its members in the order of their names, so
// that the text changes only where the value does.
func printJSON(w io.Writer, v any) error {
	v, err := plainJSON(v)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printJSONLine writes a value on one line.
func printJSONLine(w io.Writer, v any) error {
	v, err := plainJSON(v)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printYAML writes what printJSON writes as YAML.
func printYAML(w io.Writer, v any) error {
	v, err := plainJSON(v)
	if err != nil {
		return err
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(numbers(v)); err != nil {
		return err
	}
	return e.Close()
}

// numbers replaces the numbers in a value by what YAML writes as numbers.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

func printCSV(w io.Writer, headers []string, rows [][]string) error {
	out := csv.NewWriter(w)
	if headers != nil {
		if err := out.Write(headers); err != nil {
			return err
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	return out.Error()
}

// printTable writes rows under their headers; columns are padded with blanks.
func printTable(w io.Writer, headers []string, rows [][]string) error {
	if t, ok := w.(*tables); ok {
		return t.style.print(t.Writer, printout{headers: headers, rows: rows})
	}
	var b bytes.Buffer
	new(grid).write(&b, headers, rows)
	_, err := w.Write(b.Bytes())
	return err
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
