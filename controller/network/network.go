package network

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Writer puts commands into the replicated log: cluster.Node.
type Writer interface {
	// Propose returns when the command is applied here; err is its refusal or a
	// failure to write.
	Propose(ctx context.Context, command []byte) (index uint64, result any, err error)
}

// State gives the current state: state.Store.
type State interface{ View() *state.View }

// Node is a connected router: control.ControllerEnd.
type Node interface {
	// Route makes the router a node of a path and waits for its answer.
	Route(context.Context, *ctrl.Route) (*ctrl.RouteResult, error)
	// Unroute ends circuits at the router. It does not wait.
	Unroute(*ctrl.Unroute)
	// CloseLink has the router close a link. It does not wait.
	CloseLink(*ctrl.CloseLink)
}

// Config describes a Network. State, Policy and Writer are required.
type Config struct {
	ControllerID string
	State        State
	Policy       func() *policy.View
	Writer       Writer
	Attempts     int // at one circuit, 2 by default
	MaxCircuits  int // of one dialing identity, 50,000 by default
	// SessionAlive reports whether an API session of an identity goes on; nil
	// means all do that are not revoked.
	SessionAlive func(id, identityID string) bool
	// Events, if not nil, is told what happens. It is called from many
	// goroutines and must not block.
	Events func(Event)

	RouteTimeout       time.Duration // for the routers of a circuit to answer, 10 s by default
	Cycle              time.Duration // between two looks at all paths, 1 min by default
	PendingLinkTimeout time.Duration // for a link to be reported by its second end, 10 s by default
	InitialLinkLatency time.Duration // of an end of a link that has not measured it
	MinRouterCost      int           // least cost of a router on a path
	Smart              Smart

	Log *slog.Logger
	Now func() time.Time
}

// Smart bounds how many circuits move to better paths per cycle.
type Smart struct {
	Fraction float64 // of all circuits, but at least one
	Cap      int     // most of them; 0 for none
	MinDelta int     // least improvement of the cost of a path
}

const (
	defaultAttempts     = 2
	defaultMaxCircuits  = 50_000
	defaultRouteTimeout = 10 * time.Second
	defaultCycle        = time.Minute
	defaultPending      = 10 * time.Second
)

func (c *Config) setDefaults() {
	c.Attempts = cmp.Or(c.Attempts, defaultAttempts)
	c.MaxCircuits = cmp.Or(c.MaxCircuits, defaultMaxCircuits)
	c.RouteTimeout = cmp.Or(c.RouteTimeout, defaultRouteTimeout)
	c.Cycle = cmp.Or(c.Cycle, defaultCycle)
	c.PendingLinkTimeout = cmp.Or(c.PendingLinkTimeout, defaultPending)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Events == nil {
		c.Events = func(Event) {}
	}
}

// Network is the circuits, links and terminators of this controller. All
// methods are safe for concurrent use.
type Network struct {
	cfg   Config
	topo  *topology.Topology
	costs *costs
	jobs  *jobs
	work  *work
	moves *moves
	quiet bool // nobody listens to events

	changed chan struct{} // paths may be possible that were not

	mu       sync.Mutex
	nodes    map[string]Node             // connected routers by id
	quiesced map[string]bool             // routers that take no new circuits
	circuits map[string]*held            // by id
	requests map[string]*request         // circuits that are being created, by id
	byRouter map[string]map[string]*held // circuits whose path touches a router
	byLink   map[string]map[string]*held // circuits whose path uses a link
	unwell   map[string]*held            // circuits without a path, or incomplete

	byIdentity map[string]int // circuits and requests that an identity dialed
	asking     map[string]int // requests by the router that asks
}

// New returns a Network without circuits. Run does what takes time.
func New(cfg Config) *Network {
	quiet := cfg.Events == nil
	cfg.setDefaults()
	return &Network{
		cfg: cfg, quiet: quiet, costs: newCosts(cfg.Now), jobs: newJobs(), work: newWork(), moves: newMoves(), changed: make(chan struct{}, 1),
		topo: topology.New(topology.Config{
			MinRouterCost: cfg.MinRouterCost, InitialLatency: cfg.InitialLinkLatency, Now: cfg.Now,
		}),
		nodes:    make(map[string]Node),
		quiesced: make(map[string]bool),
		circuits: make(map[string]*held),
		requests: make(map[string]*request),
		byRouter: make(map[string]map[string]*held),
		byLink:   make(map[string]map[string]*held),
		unwell:   make(map[string]*held),

		byIdentity: make(map[string]int),
		asking:     make(map[string]int),
	}
}

// Run writes what routers ask for, and keeps circuits on paths that hold, until
// ctx ends. Then nothing of the Network runs any more.
func (n *Network) Run(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { n.jobs.run(ctx, n) })
	parts.Go(func() { n.maintain(ctx) })
	parts.Wait()
	n.work.close()
}

// Online reports whether a router is connected.
func (n *Network) Online(routerID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nodes[routerID] != nil
}

// node returns a connected router, nil if it is not.
func (n *Network) node(routerID string) Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nodes[routerID]
}

// DynamicCost is what circuits and failures add to the cost of a terminator,
// at most 65535.
func (n *Network) DynamicCost(terminatorID string) int { return int(n.costs.of(terminatorID)) }
