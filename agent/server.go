package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Info is what a process says of itself.
type Info struct {
	App       string    `json:"app"` // controller, router, up
	ID        string    `json:"id"`  // of the controller or router
	Alias     string    `json:"alias,omitempty"`
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt"`
}

// Config describes a Server.
type Config struct {
	Info       Info   // PID and StartedAt are filled in
	Address    string // unix:PATH; empty for a name in the user's directory
	Operations []Operation
	DebugOps   bool // allow debug operations
	Log        *slog.Logger
}

// maxAtOnce bounds the requests in progress; further ones are refused.
const maxAtOnce = 16

// Server serves the operations of a process. Close it.
type Server struct {
	cfg        Config
	path       string
	operations map[string]*Operation
	slots      chan struct{}
	http       *http.Server
	done       chan struct{}
	closing    sync.Once
	cancel     context.CancelFunc
}

// Listen opens the socket and serves it until Close.
func Listen(cfg Config) (*Server, error) {
	cfg.Info.PID, cfg.Info.StartedAt = os.Getpid(), time.Now().UTC()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	path, err := placeOf(cfg)
	if err != nil {
		return nil, err
	}
	listener, err := listen(path)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, path: path, operations: make(map[string]*Operation),
		slots: make(chan struct{}, maxAtOnce), done: make(chan struct{}),
	}
	for i := range cfg.Operations {
		s.operations[cfg.Operations[i].Name] = &cfg.Operations[i]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.describe)
	mux.HandleFunc("POST /{operation}", s.run)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog:    slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ownOnly{listener, cfg.Log}) // ends by Close
	}()
	return s, nil
}

// placeOf returns the path of the socket.
func placeOf(cfg Config) (string, error) {
	name, err := fileName(cfg.Info.App, cfg.Info.PID, cfg.Info.Alias)
	if err != nil || cfg.Address != "" {
		if err != nil {
			return "", err
		}
		return socketPath(cfg.Address)
	}
	dir, err := makeDir()
	if err != nil {
		return "", &Error{Code: CodeFailed, Message: "no directory for the agent's socket: " + err.Error(),
			Remedy: "remove it, or set XDG_RUNTIME_DIR, or give --cli-agent-addr unix:PATH"}
	}
	sweep(dir)
	return filepath.Join(dir, name), nil
}

// sweep removes the sockets of processes that have gone without removing them.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, ok := parseFileName(e.Name()); ok && e.Type() == fs.ModeSocket && ended(info.PID) && abandoned(filepath.Join(dir, e.Name())) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // somebody else was faster
		}
	}
}

// listen opens a socket that only this user can open, replacing one that
// nobody serves.
func listen(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket || !abandoned(path) {
			return nil, &Error{Code: CodeFailed, Message: path + " is there already and in use", Remedy: "give another path with --cli-agent-addr"}
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: fmt.Sprintf("the agent's socket %s: %s", path, err), Remedy: "the path may have about 100 characters, and its directory must be writable"}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// ownOnly lets in connections of this user and of root, whatever the modes of
// the directories above say.
type ownOnly struct {
	net.Listener
	log *slog.Logger
}

// Accept returns the next connection of this user or root.
func (l ownOnly) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peerUID(c)
		if err == nil && (uid == 0 || uid == os.Getuid()) {
			return c, nil
		}
		l.log.Warn("agent: connection of another user refused", "uid", uid, "error", err)
		_ = c.Close() // of a stranger
	}
}

// Path is the path of the socket.
func (s *Server) Path() string { return s.path }

// Close removes the socket and ends what is in progress, after a moment for
// answers that are on their way. Further calls do nothing.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		s.cancel()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err = s.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = s.http.Close()
		}
		<-s.done
	})
	return err
}

// Description is the answer to GET /.
type Description struct {
	Info
	Operations []Described `json:"operations"`
}

// Described is an operation without its code.
type Described struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Params []Param `json:"params,omitempty"`
	Debug  bool    `json:"debug,omitempty"`
	Off    bool    `json:"off,omitempty"` // refused, because debug operations are not allowed
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	d := Description{Info: s.cfg.Info, Operations: []Described{}}
	for _, o := range s.cfg.Operations {
		d.Operations = append(d.Operations, Described{o.Name, o.Doc, o.Params, o.Debug, o.Debug && !s.cfg.DebugOps})
	}
	writeJSON(w, http.StatusOK, d)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the caller has gone
}
