package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/weftnet/weft/conf"
)

func TestRouterTrace(t *testing.T) {
	n := newTestNetwork(t)
	file := filepath.Join(t.TempDir(), "trace")
	n.restartWith(func(c *conf.Router) { c.Trace = &conf.Trace{Path: file} })
	until(t, "the slice has come", func() bool { return bytes.Contains(mustRead(t, file), []byte("SliceUpdate")) })
	n.stopRouter()
	names := make(map[string]bool)
	lines := bufio.NewScanner(bytes.NewReader(mustRead(t, file)))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e TraceEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		names[string(e.Direction)+" "+e.Name] = len(e.Body) > 0 && e.Bytes > 0
	}
	for _, want := range []string{"sent Register", "received Registered", "received SliceUpdate"} {
		if !names[want] {
			t.Errorf("not in the trace: %s; there is %v", want, names)
		}
	}
	n.startRouter()
}
