package http

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// Config is what a Server needs. All of it must be set unless it says otherwise.
type Config struct {
	Build     Build
	State     func() *state.View    // the current state
	Policies  func() *policy.View   // the current policies, in step with the state when a write returns
	Fork      func() *policy.Engine // an engine of its own that begins with the current policies
	Writer    Writer
	Auth      Authenticator
	Login     Login
	Sessions  APISessions
	Services  ServiceSessions
	Enroller  Enroller
	Factors   Factors
	Postures  Postures
	Live      Live
	Mesh      Mesh
	Inspector Inspector
	Observed  Observed
	Database  Database
	Cluster   Cluster
	Now       func() time.Time
	Log       *slog.Logger

	// Watcher takes refusals and traces; one of its own by default.
	Watcher *Watcher
	// Posture and Keys may be nil: nothing is known, and every address will do.
	Posture PostureSource
	Keys    KeySource

	// RevokeFor is how long the revocation of an identity lasts;
	// token.RevocationLife by default.
	RevokeFor time.Duration

	// Instruments take how long the operations take; may be nil.
	Instruments *observe.Instruments

	// InspectTime is how long an inspection waits for answers; 10 s by default.
	InspectTime time.Duration

	// Hosted are the APIs that listeners of this controller host, in the order of
	// the configuration.
	Hosted []Hosted
	// APIAddress is host:port of the client API as clients reach it.
	APIAddress string
	// TrustAnchors is the degenerate PKCS#7 of the trust anchors in base64.
	TrustAnchors func() string
	// InstanceID is new for every start of the process.
	InstanceID string
	StartedAt  time.Time
}

// Build identifies the program.
type Build struct{ Version, Revision, Date string }

// Hosted is one API at one address.
type Hosted struct {
	Binding string // such as edge-client
	Address string // host:port as clients reach it
	Path    string // base path
}

// Server serves the edge and fabric APIs. It is safe for concurrent use and holds nothing
// that needs closing.
type Server struct {
	cfg         Config
	log         *slog.Logger
	serverName  []string
	instance    []string
	compressors *compressors
	bodies      budgets
	maxSteps    int // of one list
	calls       sync.Pool
	trees       map[api.API]*node
	version     []byte // the version document
	links       linkSets
	authorities thirdparty.Authorities
	specs       specifications
	entities
	declaring *declarations
}

// New builds a server. It fails if an operation of the table has no handler.
func New(cfg Config) (*Server, error) {
	if cfg.RevokeFor == 0 {
		cfg.RevokeFor = token.RevocationLife
	}
	if cfg.Watcher == nil {
		cfg.Watcher = NewWatcher(cfg.Log, cfg.Now)
	}
	if cfg.InspectTime == 0 {
		cfg.InspectTime = writeTimeout
	}
	s := &Server{
		cfg: cfg, log: cfg.Log,
		serverName:  []string{"weft-controller/" + cfg.Build.Version},
		instance:    []string{cfg.InstanceID},
		compressors: newCompressors(),
		bodies:      newBudgets(),
		maxSteps:    maxSteps,
		trees:       map[api.API]*node{api.Client: {}, api.Management: {}, api.Fabric: {}},
	}
	s.calls.New = func() any { return new(call) }
	s.version = versionDocument(cfg)
	s.specs = newSpecifications(cfg.Build.Version)
	s.declare()
	byID := map[api.API]handlers{api.Client: s.clientHandlers(), api.Management: s.managementHandlers(), api.Fabric: s.fabricHandlers()}
	for _, a := range []api.API{api.Client, api.Management, api.Fabric} {
		for _, op := range api.Of(a) {
			e, err := newEndpoint(op, byID[a][op.ID])
			if err != nil {
				return nil, err
			}
			e.timers, e.polls = timersOf(cfg.Instruments, op), pollsOf(cfg.Instruments, op)
			s.trees[a].add(op.Path, op.Method, e)
		}
	}
	return s, nil
}

func newEndpoint(op api.Operation, h handler) (*endpoint, error) {
	e := &endpoint{op: &op, handle: h}
	if op.Access.Rule == api.NotImplemented {
		e.handle = notImplemented
	}
	if e.handle == nil {
		return nil, fmt.Errorf("operation %s %s (%s) has no handler", op.Method, op.Path, op.ID)
	}
	if op.Body != nil {
		e.check = api.NewValidator(op.Body)
	}
	if op.Result.Type != nil {
		e.encode = api.NewEncoder(op.Result.Type)
	}
	e.needs = [2]string{op.Access.Entity, op.Access.Entity + "." + op.Access.Action}
	return e, nil
}

// Client returns the binding of the client API.
func (s *Server) Client() Binding {
	return Binding{Name: "edge-client", Prefix: api.ClientBase, Exact: rootPaths(), Default: true,
		Handler: s.handler(api.Client, api.ClientBase, clientPath)}
}

// Management returns the binding of the management API.
func (s *Server) Management() Binding {
	return Binding{Name: "edge-management", Prefix: api.ManagementBase, Exact: rootPaths(),
		Handler: s.handler(api.Management, api.ManagementBase, managementPath)}
}

func (s *Server) handler(a api.API, base string, alias func(base, path string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.calls.Get().(*call)
		defer func() { c.reset(); s.calls.Put(c) }()
		start := time.Now()
		c.s, c.w, c.r, c.api = s, w, unproxied(r), a
		h := w.Header()
		h["Server"] = s.serverName
		h["Ziti-Instance-Id"] = s.instance
		if r.Header["Origin"] != nil {
			h["Access-Control-Allow-Origin"] = []string{"*"}
		}
		s.dispatch(c, base, alias(base, r.URL.Path))
		if c.ep != nil {
			c.ep.took(time.Since(start))
		}
	})
}

// headerProxied is in the requests that a router passes on for others.
const headerProxied = "X-Edge-Router-Proxy-Request"

// unproxied returns a request without the certificate of its connection if that
// is a router's which passes it on for somebody else.
func unproxied(r *http.Request) *http.Request {
	if r.TLS == nil || r.Header.Get(headerProxied) == "" {
		return r
	}
	state := *r.TLS
	state.PeerCertificates, state.VerifiedChains = nil, nil
	out := *r
	out.TLS = &state
	return &out
}

func (s *Server) dispatch(c *call, base, path string) {
	if c.r.Method == http.MethodOptions {
		preflight(c)
		return
	}
	rest, ok := strings.CutPrefix(path, base)
	var n *node
	if ok && (rest == "" || rest[0] == '/') {
		n = s.trees[c.api].find(rest, &c.params)
	}
	if n != nil {
		c.ep = n.methods[c.r.Method]
	}
	if limit := c.ep.maxBody(); c.r.ContentLength > limit {
		c.w.Header()["Connection"] = []string{"close"} // the rest is not read
		c.fail(tooLarge(limit))
		return
	}
	if n == nil {
		c.fail(fault.NotFound.Errorf("path %s was not found", path))
		return
	}
	if c.ep == nil {
		c.fail(fault.MethodNotAllowed.Errorf("method %s is not allowed, but [%s] are", c.r.Method, n.allowed()))
		return
	}
	c.serve()
}

// preflight answers OPTIONS on any path.
func preflight(c *call) {
	h := c.w.Header()
	if c.r.Header["Origin"] != nil {
		h["Access-Control-Allow-Credentials"] = []string{"true"}
		h["Access-Control-Allow-Headers"] = []string{"content-type, accept, authorization, zt-session"}
		h["Access-Control-Allow-Methods"] = []string{"GET, HEAD, POST, PUT, PATCH, DELETE"}
	}
	h["Content-Length"] = []string{"0"}
	c.w.WriteHeader(http.StatusOK)
}
