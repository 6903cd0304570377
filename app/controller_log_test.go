package app

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/weftnet/weft/observe"
)

// TestLogOfAController looks for the lines that operators watch for, with their
// levels and fields.
func TestLogOfAController(t *testing.T) {
	log, level := &lines{}, new(slog.LevelVar)
	level.Set(slog.LevelDebug)
	o := testUp(t)
	o.Log = observe.NewLog(log, observe.LogConfig{Level: level})
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := up.router.Close(); err != nil {
		t.Error(err)
	}
	until(t, "the log says that the router is gone", func() bool { return log.count(`"router disconnected"`) > 0 })
	if err := up.Close(); err != nil {
		t.Error(err)
	}
	for _, want := range []struct {
		level, message string
		fields         []string
	}{
		{"info", "raft cluster bootstrap complete", []string{"id", "address"}},
		{"debug", "applying log", []string{"index", "cmdType"}},
		{"info", "controller running", []string{"controller", "version", "api", "ctrl"}},
		{"info", "accepted new router connection", []string{"router", "name", "address", "version", "circuits", "links"}},
		{"info", "router disconnected", []string{"router", "error"}},
	} {
		line := log.line(t, want.message)
		if line["level"] != want.level || line["time"] == nil {
			t.Errorf("%s: %v", want.message, line)
		}
		for _, f := range want.fields {
			if _, ok := line[f]; !ok {
				t.Errorf("%s has no field %s: %v", want.message, f, line)
			}
		}
	}
	if line := log.line(t, "applying log"); !strings.Contains(line["cmdType"].(string), "create ") {
		t.Errorf("what is applied is not said: %v", line)
	}
}

// line returns the first line with a message.
func (l *lines) line(t *testing.T, message string) map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for text := range strings.Lines(l.all.String()) {
		var out map[string]any
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if out["msg"] == message {
			return out
		}
	}
	t.Errorf("nothing says %q", message)
	return nil
}
