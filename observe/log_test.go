package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	level := new(slog.LevelVar)
	log := NewLog(&out, LogConfig{Level: level})
	log.Warn("router disconnected", "router", "r1", "after", 1500*time.Millisecond, "error", errors.New("reset"),
		"remote", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3022})
	log.Debug("hidden")
	level.Set(slog.LevelDebug)
	log.Debug("shown")

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("lines: %q", lines)
	}
	if !regexp.MustCompile(`^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"warning","msg":"router disconnected",`).MatchString(lines[0]) {
		t.Errorf("line does not begin with time, level and msg: %s", lines[0])
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	if got["after"] != "1.5s" || got["error"] != "reset" || got["router"] != "r1" || got["remote"] != "127.0.0.1:3022" {
		t.Errorf("attributes: %v", got)
	}
	if !strings.Contains(lines[1], `"level":"debug"`) {
		t.Errorf("second line: %s", lines[1])
	}
}

func TestParseLevel(t *testing.T) {
	for name, want := range map[string]slog.Level{"trace": LevelTrace, "DEBUG": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "warning": slog.LevelWarn, "error": slog.LevelError} {
		if got, err := ParseLevel(name); err != nil || got != want {
			t.Errorf("ParseLevel(%q) = %v, %v", name, got, err)
		}
	}
	if _, err := ParseLevel("loud"); err == nil {
		t.Error("an unknown level has to be refused")
	}
}
