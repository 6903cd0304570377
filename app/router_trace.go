package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/control"
)

// TraceEntry is a line of a trace: a message between router and controller.
type TraceEntry struct {
	At        time.Time         `json:"at"`
	Router    string            `json:"router,omitempty"` // at the other end, in the trace of a controller
	Direction control.Direction `json:"direction"`
	Type      int32             `json:"type"`
	Name      string            `json:"name,omitempty"` // of the body, empty for a type that is not known
	Body      json.RawMessage   `json:"body,omitempty"`
	Bytes     int               `json:"bytes"` // of the body
}

// tracing writes messages to a file. What the disk is too slow for is left out.
type tracing struct {
	file    *os.File
	entries chan TraceEntry
	log     *slog.Logger

	mu     sync.Mutex
	missed int
	done   sync.WaitGroup
}

// maxTraced is how many messages wait for the disk.
const maxTraced = 1024

// startTrace writes a trace to the file of the configuration, which it empties;
// nil without one. Close ends it.
func startTrace(c *conf.Trace, log *slog.Logger) (*tracing, error) {
	if c == nil {
		return nil, nil
	}
	f, err := os.OpenFile(c.Path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, wrong("trace.path", fileRemedy, "%w", err)
	}
	t := &tracing{file: f, entries: make(chan TraceEntry, maxTraced), log: log}
	t.done.Go(t.write)
	return t, nil
}

// of returns what takes the messages of a router.
func (t *tracing) of(routerID string) control.Trace {
	return func(d control.Direction, contentType int32, body []byte) {
		t.take(TraceEntry{Router: routerID, Direction: d, Type: contentType, Bytes: len(body)}, body)
	}
}

// see takes a message. It does not block.
func (t *tracing) see(d control.Direction, contentType int32, body []byte) {
	t.take(TraceEntry{Direction: d, Type: contentType, Bytes: len(body)}, body)
}

func (t *tracing) take(e TraceEntry, body []byte) {
	e.At = time.Now().UTC()
	e.Name, e.Body = control.Describe(e.Type, body)
	select {
	case t.entries <- e:
	default:
		t.mu.Lock()
		t.missed++
		t.mu.Unlock()
	}
}

func (t *tracing) write() {
	out := bufio.NewWriter(t.file)
	encoder := json.NewEncoder(out)
	for e := range t.entries {
		err := encoder.Encode(e)
		if len(t.entries) == 0 {
			err = errors.Join(err, out.Flush())
		}
		if err != nil {
			t.log.Error("trace not written", "file", t.file.Name(), "error", err)
		}
	}
}

// Close writes what waits. Nothing may be traced any more.
func (t *tracing) Close() error {
	close(t.entries)
	t.done.Wait()
	if t.missed > 0 {
		t.log.Warn("messages left out of the trace: the disk is too slow", "messages", t.missed)
	}
	return t.file.Close()
}
