package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		os.Exit(crashChild(dir))
	}
	goleak.VerifyTestMain(m)
}

var errPoison = errors.New("unknown command")

// list is a state machine that remembers its commands.
type list struct {
	mu    sync.Mutex
	items []string
	calls int // of Apply
}

func (l *list) Apply(_ []uint64, commands [][]byte) ([]any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	out := make([]any, len(commands))
	for i, c := range commands {
		switch string(c) {
		case "poison":
			return nil, errPoison
		case "refuse":
			out[i] = io.ErrUnexpectedEOF
		default:
			l.items = append(l.items, string(c))
			out[i] = len(l.items)
		}
	}
	return out, nil
}

func (l *list) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.items...)
}

func (l *list) Snapshot() (io.WriterTo, error) { return frozen(l.all()), nil }

func (l *list) Restore(r io.Reader) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = nil
	return json.NewDecoder(r).Decode(&l.items)
}

type frozen []string

func (f frozen) WriteTo(w io.Writer) (int64, error) {
	b, err := json.Marshal([]string(f))
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

func testConfig(dir string) Config {
	return Config{ID: "ctrl1", Dir: dir, Bootstrap: true}
}

// open starts a node and waits until it is ready.
func open(t testing.TB, cfg Config) (*Node, *list) {
	t.Helper()
	l := new(list)
	n, err := Open(cfg, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := n.Ready(deadline(t)); err != nil {
		t.Fatal(err)
	}
	return n, l
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
