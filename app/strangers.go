package app

import (
	"container/list"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/api"
	chttp "github.com/weftnet/weft/controller/http"
)

// mostStrangers bounds the connections of a web server on which nobody has
// authenticated.
const mostStrangers = 4096

// strangersLine is the least time between two lines of the log.
const strangersLine = 10 * time.Second

// strangers bounds the connections of a web server on which nobody has
// authenticated: the one that has waited longest makes room for a new one, one
// with a request in progress only if all have. Connections on which somebody
// has authenticated are never closed.
type strangers struct {
	most   int
	server string
	log    *slog.Logger

	mu      sync.Mutex
	guests  map[net.Conn]*guest // strangers only
	waiting *list.List          // *guest, longest first: between requests, or before the first one
	busy    *list.List          // with a request in progress
	closed  int                 // since the last line of the log
	told    time.Time           // the last line of the log
}

// guest is the connection of a stranger.
type guest struct {
	all  *strangers
	conn net.Conn
	in   *list.List
	at   *list.Element
}

type guestKey struct{}

// strangersWithin is the bound that leaves the process most of its files.
func strangersWithin() int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return mostStrangers
	}
	return int(min(mostStrangers, max(files.Cur/4, 16)))
}

// watchStrangers bounds the strangers of a server that does not run yet.
func watchStrangers(server *http.Server, name string, most int, log *slog.Logger) {
	s := &strangers{
		most: most, server: name, log: log,
		guests: make(map[net.Conn]*guest), waiting: list.New(), busy: list.New(),
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, guestKey{}, s.arrive(c))
	}
	server.ConnState = s.changed
}

func (s *strangers) arrive(c net.Conn) *guest {
	g := &guest{all: s, conn: c, in: s.waiting}
	s.mu.Lock()
	var victim *guest
	if len(s.guests) >= s.most {
		oldest := s.waiting.Front()
		if oldest == nil {
			oldest = s.busy.Front()
		}
		victim = oldest.Value.(*guest)
		s.forget(victim)
		s.closed++
	}
	g.at = s.waiting.PushBack(g)
	s.guests[c] = g
	closed := s.closed
	if now := time.Now(); victim != nil && now.Sub(s.told) >= strangersLine {
		s.closed, s.told = 0, now
	} else {
		closed = 0
	}
	s.mu.Unlock()
	if victim != nil {
		victim.hangUp()
	}
	if closed > 0 {
		s.log.Warn("too many connections without login, the oldest are closed", "server", s.server, "most", s.most, "closed", closed,
			"remote", victim.conn.RemoteAddr().String())
	}
	return g
}

// hangUp closes at once; a farewell by TLS could wait for the other side.
func (g *guest) hangUp() {
	if t, ok := g.conn.(*tls.Conn); ok {
		t.NetConn().Close()
		return
	}
	g.conn.Close()
}

func (s *strangers) forget(g *guest) {
	if s.guests[g.conn] == g {
		delete(s.guests, g.conn)
		g.in.Remove(g.at)
	}
}

// changed is http.Server.ConnState.
func (s *strangers) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guests[c]
	if g == nil {
		return
	}
	switch state {
	case http.StateActive:
		s.move(g, s.busy)
	case http.StateIdle:
		s.move(g, s.waiting)
	case http.StateClosed, http.StateHijacked:
		s.forget(g)
	}
}

func (s *strangers) move(g *guest, to *list.List) {
	g.in.Remove(g.at)
	g.in, g.at = to, to.PushBack(g)
}

// acquainted notes that somebody has authenticated on the connection of r.
func acquainted(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.all.mu.Lock()
		g.all.forget(g)
		g.all.mu.Unlock()
	}
}

// acquainting tells the web server which connections have authenticated.
type acquainting struct{ chttp.Authenticator }

// Authenticate resolves the session of a request.
func (a acquainting) Authenticate(r *http.Request) (*chttp.Caller, error) {
	caller, err := a.Authenticator.Authenticate(r)
	if err == nil {
		acquainted(r)
	}
	return caller, err
}

// acquaintingLogin is acquainting for logins.
type acquaintingLogin struct{ login chttp.Login }

// Login makes a session from credentials.
func (a acquaintingLogin) Login(r *http.Request, method string, in *api.Authenticate) (*chttp.APISession, error) {
	session, err := a.login.Login(r, method, in)
	if err == nil {
		acquainted(r)
	}
	return session, err
}
