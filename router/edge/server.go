package edge

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// Binding is the binding of terminators that SDKs host.
const Binding = "edge"

// Config is what a Server needs. The times and sizes have defaults.
type Config struct {
	RouterID   string
	Version    edge.Version
	Directory  Directory
	Controller Controller
	Table      *forward.Table
	Budget     *forward.Budget // of messages that wait for clients, its own by default
	Log        *slog.Logger

	Hosts Tuning // of circuits to hosts without a window of their own

	// ServicePatience is how long a dial or bind waits for the key that signed its
	// service session, and up to 1 s of it for a policy made a moment ago; 0 is not at
	// all. It takes a Directory that is a Watcher.
	ServicePatience time.Duration
	// DataDelay, if not nil, is told how long a message of a client without a window
	// of its own has waited to get into its circuit, from 5 ms on. It must not block.
	DataDelay func(time.Duration)

	CircuitTimeout time.Duration // for a dial as a whole, 30 s
	DialTimeout    time.Duration // for a host's answer, 5 s
	InspectPeriod  time.Duration // between questions to a listener, 10 s
	InspectLimit   time.Duration // an unanswered listener is removed after it, 10 min
	RetryPeriod    time.Duration // after a refused terminator, 30 s

	SpillPerCircuit int // bytes stored for a client without a window of its own, 4 MiB
	SpillTotal      int // bytes stored for all such clients of the router, 256 MiB

	leave time.Duration // leavePatience, unless a test has less
}

func (c Config) withDefaults() Config {
	duration := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	duration(&c.CircuitTimeout, 30*time.Second)
	duration(&c.DialTimeout, 5*time.Second)
	duration(&c.InspectPeriod, 10*time.Second)
	duration(&c.InspectLimit, 10*time.Minute)
	duration(&c.RetryPeriod, 30*time.Second)
	duration(&c.leave, leavePatience)
	if c.SpillPerCircuit == 0 {
		c.SpillPerCircuit = 4 << 20
	}
	if c.SpillTotal == 0 {
		c.SpillTotal = 256 << 20
	}
	if c.Budget == nil {
		c.Budget = forward.NewBudget(forward.DefaultBudget)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Server serves the SDKs of one router. Its methods may be called concurrently.
type Server struct {
	cfg    Config
	log    *slog.Logger
	counts counters
	spill  *forward.Budget // of clients without a window of their own

	mu          sync.Mutex
	clients     map[*client]struct{}
	terminators map[string]*terminator // by id
	listeners   map[listenerKey]*terminator
	closed      bool

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// New returns a server and registers its dialer with the table.
func New(cfg Config) *Server {
	s := &Server{
		cfg:         cfg.withDefaults(),
		clients:     make(map[*client]struct{}),
		terminators: make(map[string]*terminator),
		listeners:   make(map[listenerKey]*terminator),
	}
	s.log = s.cfg.Log
	s.spill = forward.NewBudget(int64(s.cfg.SpillTotal))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.cfg.Table.Register(Binding, s)
	s.cfg.Table.SetRouterID(s.cfg.RouterID)
	return s
}

// ListenerConfig returns how a channel.Listener serves this edge. Its ALPN
// names are `ziti-edge` and none.
func (s *Server) ListenerConfig() channel.ListenerConfig {
	return channel.ListenerConfig{
		Accept: s.accept,
		Groups: true,
		Options: channel.Options{
			IsControl: edge.IsControl,
			Limits:    message.Limits{Headers: 64 << 10, Body: 16 << 20},
			Log:       s.log,
		},
	}
}

var errNoToken = errors.New("the hello carries no session token")

// accept judges a hello: the session must be good and belong to the certificate.
func (s *Server) accept(ctx context.Context, p *channel.Peer) (*channel.Accepted, error) {
	token := p.Headers.String(edge.HeaderSessionToken)
	if token == "" {
		return nil, errNoToken
	}
	session, err := s.cfg.Directory.Session(ctx, token, p.Certs)
	if err != nil {
		s.counts.refused.Add(1)
		return nil, err
	}
	var h message.Headers
	h.PutString(edge.HeaderID, s.cfg.RouterID)
	h.PutString(edge.HeaderHelloVersion, s.cfg.Version.String())
	h.PutBool(edge.HeaderSupportsBindSuccess, true)
	return &channel.Accepted{Headers: h, Handler: newClient(s, session)}, nil
}

// add notes a connected client; false if the server is closed.
func (s *Server) add(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.clients[c] = struct{}{}
	}
	return !s.closed
}

func (s *Server) remove(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c)
}

func (s *Server) allClients() []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*client, 0, len(s.clients))
	for c := range s.clients {
		out = append(out, c)
	}
	return out
}

func (s *Server) allTerminators() []*terminator {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*terminator, 0, len(s.terminators))
	for _, t := range s.terminators {
		out = append(out, t)
	}
	return out
}

// Sessions returns the ids of the API sessions with a live connection, each once.
func (s *Server) Sessions() []string {
	seen := make(map[string]struct{})
	var out []string
	for _, c := range s.allClients() {
		if _, ok := seen[c.session.ID]; !ok {
			seen[c.session.ID] = struct{}{}
			out = append(out, c.session.ID)
		}
	}
	return out
}

// Terminators describes what the connected clients host, for the report to a
// controller.
func (s *Server) Terminators() []*ctrl.Terminator {
	all := s.allTerminators()
	out := make([]*ctrl.Terminator, len(all))
	for i, t := range all {
		out[i] = t.report()
	}
	return out
}

// Close ends all connections and waits for what runs for them. The listener
// must be closed before.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	for _, c := range s.allClients() {
		c.ch.Close()
	}
	s.work.Wait()
}
