package rooms

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPage compares the tables of docs/architecture.md with the rules: every
// room has a row, and the row says what the room may import.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string][]string)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if name, ok := strings.CutSuffix(strings.Trim(cells[0], " `"), "/"); ok && len(cells) == 4 {
			rows[name] = []string{strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])}
		}
	}
	for name, r := range rooms {
		want := []string{oursOf(r.ours), othersOf(r.others)}
		if got, ok := rows[name]; !ok {
			t.Errorf("docs/architecture.md has no row for %s/", name)
		} else if !slices.Equal(got, want) {
			t.Errorf("docs/architecture.md says %q of %s/, the rules say %q", got, name, want)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("docs/architecture.md has a row for %s/, which is no room", name)
	}
}

// oursOf writes the rooms that a room may import.
func oursOf(rooms []string) string {
	var names []string
	if !slices.ContainsFunc(lower, func(l string) bool { return !slices.Contains(rooms, l) }) {
		names = append(names, "wire to api")
	}
	for _, r := range rooms {
		if len(names) == 0 || names[0] != "wire to api" || !slices.Contains(lower, r) {
			names = append(names, r)
		}
	}
	return strings.Join(names, ", ")
}

// othersOf writes the libraries that a room may import, without their hosts.
func othersOf(paths []string) string {
	var names []string
	for _, p := range paths {
		for _, host := range []string{"github.com/", "google.golang.org/", "golang.org/", "go.yaml.in/", "go.etcd.io/"} {
			p = strings.TrimPrefix(p, host)
		}
		names = append(names, p)
	}
	return strings.Join(names, ", ")
}
