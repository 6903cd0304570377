package observe

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	var out bytes.Buffer
	levels := NewLevels(slog.LevelInfo)
	log := NewLog(&out, LogConfig{Levels: levels}).With("router", "r1")
	written := func() bool {
		t.Helper()
		out.Reset()
		log.Debug("line")
		return strings.Contains(out.String(), `"router":"r1"`)
	}
	for _, tt := range []struct {
		name   string
		change func()
		want   bool
	}{
		{"info", func() {}, false},
		{"another part", func() { levels.SetPart("router/edge", slog.LevelDebug) }, false},
		{"this part", func() { levels.SetPart("observe", slog.LevelDebug) }, true},
		{"this part is louder", func() { levels.SetPart("observe", slog.LevelError) }, false},
		{"everything, but not this part", func() { levels.SetAll(LevelTrace) }, false},
		{"no part", func() { levels.ClearPart("observe") }, true},
		{"none at all", func() { levels.ClearPart(""); levels.SetAll(slog.LevelWarn) }, false},
	} {
		tt.change()
		if written() != tt.want {
			t.Errorf("%s: written %v", tt.name, !tt.want)
		}
	}
	if names := levels.PartNames(); len(names) != 0 {
		t.Errorf("parts: %v", names)
	}
}

func TestPartOf(t *testing.T) {
	levels := NewLevels(slog.LevelInfo)
	levels.SetPart("observe/deep", slog.LevelDebug)
	var out bytes.Buffer
	log := NewLog(&out, LogConfig{Levels: levels})
	func() { log.Debug("hidden") }()
	if out.Len() != 0 {
		t.Errorf("a room is no part of its packages: %s", &out)
	}
	levels.SetPart("observe", slog.LevelDebug)
	func() { log.Debug("shown") }()
	if out.Len() == 0 {
		t.Error("a line of a closure belongs to its package")
	}
}
