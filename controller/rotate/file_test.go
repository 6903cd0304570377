package rotate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var moment = time.Date(2026, 11, 20, 12, 21, 46, 137592081, time.UTC)

// TestFailingHandler: what cannot be written is counted, and the handler goes
// on when it can be written again.
func TestFailingHandler(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := Open(filepath.Join(dir, "e.log"), 60, 0)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 49) + "\n")
	write := func() error { _, err := f.Write(line); return err }
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := write(); err == nil { // it has to begin a new file, which it cannot
		t.Error("a line into a directory that is gone")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("the directory is back: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events.log")
	if err := os.WriteFile(filepath.Join(dir, "events-old.log"), nil, 0o600); err != nil { // of somebody else
		t.Fatal(err)
	}
	f, err := Open(path, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	f.now = func() time.Time { return moment }
	for i := range 9 {
		line := strings.Repeat(string(rune('a'+i)), 49) + "\n"
		if n, err := f.Write([]byte(line)); err != nil || n != 50 {
			t.Fatal(n, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for line := range strings.Lines(string(b)) {
			first = append(first, line[:1])
		}
		got[e.Name()] = strings.Join(first, "")
	}
	want := map[string]string{
		"events.log": "i", "events-old.log": "",
		"events-2026-11-20T12-21-46.139.log": "ef", "events-2026-11-20T12-21-46.140.log": "gh",
	}
	if len(got) != len(want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("files %v, want %v", got, want)
			break
		}
	}
}

// TestCutOffLine: a line that a crash has cut off does not spoil the next one.
func TestCutOffLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte("one\ntw"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("three\n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one\ntw\nthree\n" {
		t.Error(string(b), err)
	}
}
