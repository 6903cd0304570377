package conf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"listener", "options", "dialer"}
	for key, want := range map[string]string{"listner": "listener", "Options": "options", "zzz": "", "option": "options"} {
		if got := nearest(key, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for _, tt := range []struct {
		text, hostPort string
		ok             bool
	}{
		{"tls:0.0.0.0:1280", "0.0.0.0:1280", true},
		{"tls:[::1]:1280", "[::1]:1280", true},
		{"tcp:localhost:0", "localhost:0", true},
		{"tls:host", "", false},
		{"tls:host:65536", "", false},
		{"tls:::1:80", "", false},
		{"host", "", false},
		{"", "", false},
	} {
		a, err := ParseAddress(tt.text)
		if (err == nil) != tt.ok {
			t.Errorf("ParseAddress(%q): %v", tt.text, err)
			continue
		}
		if tt.ok && (a.HostPort() != tt.hostPort || a.String() != tt.text) {
			t.Errorf("ParseAddress(%q) = %v, %s", tt.text, a, a.HostPort())
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := LoadController(filepath.Join(dir, "none.yml"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	big := filepath.Join(dir, "big.yml")
	if err := os.WriteFile(big, []byte(strings.Repeat("# filler\n", maxFile/8)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := LoadRouter(big, nil)
	var problems Errors
	if !errors.As(err, &problems) || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a large file gives %v", err)
	}
}

func TestDefaultsOfEverySchemaAreValid(t *testing.T) {
	for name, out := range map[string]any{"controller": new(Controller), "router": new(Router)} {
		c, err := decode(name, []byte("v: 3\nidentity: {cert: a, key: b, ca: c}\n"), testEnv, out)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.problems {
			if strings.Contains(p.Text, "schema") {
				t.Error(p)
			}
		}
	}
}

func TestManyAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("v: 3\nweb:\n  - &s {name: a, apis: &a [{binding: fabric}], bindPoints: []}\n")
	for range 20_000 {
		b.WriteString("  - *s\n")
	}
	_, _, err := ParseController("bomb.yml", []byte(b.String()), testEnv)
	if err == nil || !strings.Contains(err.Error(), "too many values") {
		t.Errorf("got %.200v", err)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, r, err := ParseController("c.yml", data, testEnv); err == nil && (c == nil || r == nil) {
			t.Error("no controller and no error")
		}
		if c, r, err := ParseRouter("r.yml", data, testEnv); err == nil && (c == nil || r == nil) {
			t.Error("no router and no error")
		}
	})
}
