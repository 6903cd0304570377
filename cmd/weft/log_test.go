package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/cli"
)

// TestLogFlags makes a network with each form of the log: at level warning there
// is nothing to say, with -v there are the commands that are applied.
func TestLogFlags(t *testing.T) {
	for _, tt := range []struct {
		flags []string
		want  string // in every line, empty for no line at all
		json  bool
	}{
		{nil, "", false},
		{[]string{"-v"}, `"level":"debug"`, true},
		{[]string{"--verbose", "--log-formatter", "json"}, `"level":"debug"`, true},
		{[]string{"-v", "--log-formatter", "text"}, "level=debug", false},
		{[]string{"-v", "--log-formatter=pfxlog"}, "level=debug", false},
		{[]string{"--log-level", "debug"}, `"level":"debug"`, true},
	} {
		h := newHome(t, time.Now())
		code, _, log := weft(t.Context(), append([]string{"controller", "edge", "init", h.file, "-u", "admin", "-p", "secret"}, tt.flags...)...)
		if code != cli.ExitOK {
			t.Fatalf("%v: %d %s", tt.flags, code, log)
		}
		if tt.want == "" {
			if log != "" {
				t.Errorf("without flags: %s", log)
			}
			continue
		}
		if !strings.Contains(log, "applying log") || !strings.Contains(log, "raft cluster bootstrap complete") || !strings.Contains(log, tt.want) {
			t.Errorf("%v: %s", tt.flags, log)
		}
		for line := range strings.Lines(log) {
			if json.Valid([]byte(line)) != tt.json {
				t.Errorf("%v: %s", tt.flags, line)
			}
		}
	}
	h := newHome(t, time.Now())
	if code, _, errs := weft(t.Context(), "controller", "check", "--log-formatter", "xml", h.file); code == cli.ExitOK || !strings.Contains(errs, "expected json or text") {
		t.Errorf("%d %s", code, errs)
	}
}
