package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// memberRows returns the members of an entity as pairs of name and text,
// ordered by name, without links.
func memberRows(v any) ([][]string, error) {
	value, err := plainJSON(v)
	if err != nil {
		return nil, err
	}
	members, ok := value.(map[string]any)
	if !ok {
		return [][]string{{"value", memberText(value)}}, nil
	}
	var rows [][]string
	for name, value := range members {
		if name == "_links" {
			continue
		}
		text := "-"
		if value != nil {
			text = memberText(value)
		}
		rows = append(rows, []string{name, text})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return rows, nil
}

// memberText shows a reference by its name and other values as JSON.
func memberText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case map[string]any:
		if value["entity"] != nil {
			name, _ := value["name"].(string)
			id, _ := value["id"].(string)
			return cmp.Or(name, id)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(plain(value)) != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
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
