package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// home gives the test a directory of its own for sockets and returns it.
func home(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("", "a") // t.TempDir() makes paths that are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", base)
	t.Setenv("TMPDIR", base) // the other place where processes are looked for
	return filepath.Join(base, "weft")
}

func start(t *testing.T, cfg Config) (*Server, *Client) {
	t.Helper()
	s, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient("unix:" + s.Path())
	t.Cleanup(func() {
		c.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

func router() Config {
	return Config{Info: Info{App: "router", ID: "r1", Version: "v1"}, Operations: []Operation{
		{Name: "links", Doc: "links", Do: func(context.Context, Args) (any, error) { return []string{"l1"}, nil }},
		{Name: "stack", Doc: "stacks", Do: func(context.Context, Args) (any, error) { return Text("goroutine 1\n"), nil }},
		{Name: "profile", Doc: "file", Do: func(context.Context, Args) (any, error) {
			return File(func(w io.Writer) error { _, err := io.WriteString(w, "\x00bytes"); return err }), nil
		}},
		{Name: "stop", Doc: "stop", Params: []Param{{Name: "within", Doc: "time"}}, Do: func(_ context.Context, a Args) (any, error) {
			d, err := a.Duration("within", time.Minute)
			return map[string]string{"within": d.String()}, err
		}},
		{Name: "refuse", Doc: "refuses", Do: func(context.Context, Args) (any, error) {
			return nil, &Error{Code: "NO", Message: "no", Remedy: "do not"}
		}},
		{Name: "inspect", Doc: "values", Params: []Param{{Name: "key", Doc: "key", Required: true}}, Do: func(_ context.Context, a Args) (any, error) { return a["key"], nil }},
		{Name: "drop", Doc: "breaks", Debug: true, Do: func(context.Context, Args) (any, error) { return "dropped", nil }},
	}}
}

func TestOperations(t *testing.T) {
	home(t)
	_, c := start(t, router())
	ctx := t.Context()

	d, err := c.Describe(ctx)
	if err != nil || d.App != "router" || d.ID != "r1" || d.PID != os.Getpid() || len(d.Operations) != 7 || !d.Operations[6].Off {
		t.Fatalf("description: %+v, %v", d, err)
	}
	var links []string
	if err := c.Read(ctx, "links", nil, &links); err != nil || len(links) != 1 {
		t.Errorf("links: %v, %v", links, err)
	}
	for op, want := range map[string]string{"stack": "goroutine 1\n", "profile": "\x00bytes"} {
		answer, err := c.Call(ctx, op, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(answer)
		if err != nil || string(b) != want || answer.JSON {
			t.Errorf("%s: %q, JSON %v, %v", op, b, answer.JSON, err)
		}
		answer.Close()
	}
	for text, want := range map[string]string{"": "1m0s", "5": "5s", "250ms": "250ms"} {
		var got map[string]string
		if err := c.Read(ctx, "stop", Args{"within": text}, &got); err != nil || got["within"] != want {
			t.Errorf("stop within %q: %v, %v", text, got, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	home(t)
	_, c := start(t, router())
	for _, tt := range []struct {
		op   string
		args Args
		code string
	}{
		{"unheard", nil, CodeUnknownOperation},
		{"links", Args{"x": "1"}, CodeBadArgument},
		{"inspect", nil, CodeBadArgument},
		{"stop", Args{"within": "soon"}, CodeBadArgument},
		{"stop", Args{"within": "-3s"}, CodeBadArgument},
		{"stop", Args{"within": strings.Repeat("9", maxArgs)}, CodeBadArgument},
		{"refuse", nil, "NO"},
		{"drop", nil, CodeDebugOff},
	} {
		if _, err := c.Call(t.Context(), tt.op, tt.args); code(err) != tt.code {
			t.Errorf("%s %.20v: %v, want %s", tt.op, tt.args, err, tt.code)
		}
	}
}

func TestDebugOps(t *testing.T) {
	home(t)
	cfg := router()
	cfg.DebugOps = true
	_, c := start(t, cfg)
	var got string
	if err := c.Read(t.Context(), "drop", nil, &got); err != nil || got != "dropped" {
		t.Errorf("debug operation: %q, %v", got, err)
	}
}

// TestBusy: requests beyond the bound are refused at once, and the caller who
// goes away ends the operation.
func TestBusy(t *testing.T) {
	home(t)
	entered := make(chan bool, maxAtOnce)
	ended := make(chan bool, maxAtOnce)
	_, c := start(t, Config{Info: Info{App: "router"}, Operations: []Operation{{Name: "wait", Do: func(ctx context.Context, _ Args) (any, error) {
		entered <- true
		<-ctx.Done()
		ended <- true
		return nil, ctx.Err()
	}}}})
	ctx, cancel := context.WithCancel(t.Context())
	for range maxAtOnce {
		go c.Call(ctx, "wait", nil)
		<-entered
	}
	if _, err := c.Call(t.Context(), "wait", nil); code(err) != CodeBusy {
		t.Errorf("one too many: %v", err)
	}
	cancel()
	for range maxAtOnce {
		<-ended
	}
}

func TestModes(t *testing.T) {
	dir := home(t)
	s, _ := start(t, router())
	for path, want := range map[string]os.FileMode{dir: 0o700, s.Path(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestUnsafeDirectory: a directory that others may write is not used, neither
// for a new socket nor to look for processes.
func TestUnsafeDirectory(t *testing.T) {
	dir := home(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if s, err := Listen(router()); err == nil {
		s.Close()
		t.Error("a socket in a directory that is open to others")
	}
	if _, err := Find(t.Context()); code(err) != CodeFailed {
		t.Errorf("search in a directory that is open to others: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if s, err := Listen(router()); err == nil {
		s.Close()
		t.Error("a socket behind a link")
	}
}

func TestFindAndPick(t *testing.T) {
	dir := home(t)
	a := router()
	a.Info.Alias = "east"
	start(t, a)
	start(t, Config{Info: Info{App: "controller", ID: "c1"}})
	stale(t, filepath.Join(dir, "router."+strconv.Itoa(gone(t))+".sock"))
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	all, err := Find(t.Context())
	if err != nil || len(all) != 2 || all[0].App != "controller" || all[1].Alias != "east" {
		t.Fatalf("found %+v, %v", all, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("the stale socket is still there: %v", entries)
	}
	for _, tt := range []struct {
		s    Selector
		want string
	}{
		{Selector{Alias: "east"}, "r1"},
		{Selector{App: "controller"}, "c1"},
		{Selector{ID: "c1", PID: os.Getpid()}, "c1"},
		{Selector{Operation: "links"}, "r1"},
		{Selector{}, CodeAmbiguous},
		{Selector{PID: os.Getpid()}, CodeAmbiguous},
		{Selector{Alias: "west"}, CodeNoProcess},
		{Selector{Operation: "unheard"}, CodeNoProcess},
	} {
		p, err := Pick(all, tt.s)
		got := code(err)
		if err == nil {
			got = p.ID
		}
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.s, got, tt.want)
		}
	}
	if _, err := Pick(nil, Selector{}); code(err) != CodeNoProcess {
		t.Errorf("none: %v", err)
	}
}

// TestSweep: a new process clears up behind those that were killed.
func TestSweep(t *testing.T) {
	dir := home(t)
	start(t, router())
	left := filepath.Join(dir, "up."+strconv.Itoa(gone(t))+".sock")
	stale(t, left)
	start(t, Config{Info: Info{App: "controller"}})
	if _, err := os.Stat(left); err == nil {
		t.Error("the socket of a process that is gone is still there")
	}
}

// stale leaves a socket that nobody serves.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// gone returns the number of a process that has ended.
func gone(t *testing.T) int {
	t.Helper()
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		t.Skip(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return p.Pid
}

// TestAddress: a path of one's own is used, a leftover there is replaced, and
// one that is in use, a file, or another kind of address is refused.
func TestAddress(t *testing.T) {
	home(t)
	path := filepath.Join(t.TempDir(), "own.sock")
	stale(t, path)
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	cfg := router()
	cfg.Address = "unix:" + path
	_, c := start(t, cfg)
	if _, err := c.Describe(t.Context()); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"unix:" + path, "unix:" + file, "tcp:127.0.0.1:7000", "unix:"} {
		cfg.Address = address
		if s, err := Listen(cfg); err == nil {
			s.Close()
			t.Errorf("%s is served", address)
		}
	}
	cfg = router()
	cfg.Info.Alias = "../up"
	if _, err := Listen(cfg); code(err) != CodeBadArgument {
		t.Errorf("alias: %v", err)
	}
}
