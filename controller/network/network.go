package network

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/model"
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
	// SessionAlive reports whether an API session goes on; nil means all do that
	// are not revoked.
	SessionAlive func(id string) bool
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
	defaultAttempts    = 2
	defaultMaxCircuits = 50_000
)

// Network is the circuits and terminators of this controller. All methods are
// safe for concurrent use.
type Network struct {
	cfg   Config
	topo  *topology.Topology
	costs *costs
	jobs  *jobs

	mu       sync.Mutex
	nodes    map[string]Node                // connected routers by id
	circuits map[string]*Circuit            // by id
	byRouter map[string]map[string]*Circuit // circuits whose path touches a router

	byIdentity map[string]int // circuits that an identity dialed
}

// Circuit is one circuit. It does not change.
type Circuit struct {
	ID           string
	IdentityID   string
	SessionID    string // API session of the dialing client
	ServiceID    string
	TerminatorID string
	HostID       string // identity that hosts, empty for an egress
	Path         []Hop
	InstanceID   string // that was asked for
	PathNumber   uint32 // grows with every path that was tried
	State        CircuitState
	Cost         uint32 // of the terminator and the path when it was created, with the band of the precedence; 0 if it was adopted
	CreatedAt    time.Time
	UpdatedAt    time.Time // of the path
}

// CircuitState is how a circuit is.
type CircuitState string

// The states of circuits.
const (
	Active     CircuitState = "active"
	Waiting    CircuitState = "waiting"    // its path is broken and there is no other at the moment
	Incomplete CircuitState = "incomplete" // after a restart of the controller: not all of its routers have reported it yet
)

// New returns a Network without circuits. Run lets it write terminators.
func New(cfg Config) *Network {
	if cfg.Attempts == 0 {
		cfg.Attempts = defaultAttempts
	}
	if cfg.MaxCircuits == 0 {
		cfg.MaxCircuits = defaultMaxCircuits
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Network{
		cfg: cfg, topo: topology.New(topology.Config{MinRouterCost: cfg.MinRouterCost, InitialLatency: cfg.InitialLinkLatency, Now: cfg.Now}), costs: newCosts(cfg.Now), jobs: newJobs(),
		nodes:    make(map[string]Node),
		circuits: make(map[string]*Circuit),
		byRouter: make(map[string]map[string]*Circuit),

		byIdentity: make(map[string]int),
	}
}

// Run writes what routers ask for until ctx ends.
func (n *Network) Run(ctx context.Context) { n.jobs.run(ctx, n) }

// Attach makes a router known as connected and takes over the circuits that it
// reports. It returns those that the router has to end, because nobody may
// have them any more. Circuits that the router should have and does not report
// have ended.
func (n *Network) Attach(routerID string, node Node, reported []*ctrl.Circuit) (drop []string) {
	view := n.cfg.Policy()
	seen := make(map[string]bool, len(reported))
	n.mu.Lock()
	n.nodes[routerID] = node
	for _, r := range reported {
		seen[r.CircuitId] = true
		if n.byRouter[routerID][r.CircuitId] != nil {
			continue
		}
		c := adopted(routerID, r)
		if _, elsewhere := n.circuits[c.ID]; elsewhere || !allowed(view, c) {
			drop = append(drop, c.ID)
			continue
		}
		n.add(c)
	}
	var gone []*Circuit
	for id, c := range n.byRouter[routerID] {
		if !seen[id] {
			gone = append(gone, c)
			n.remove(c)
		}
	}
	n.mu.Unlock()
	n.ended(gone, routerID, "a router of the path no longer has the circuit")
	return drop
}

func adopted(routerID string, r *ctrl.Circuit) *Circuit {
	return &Circuit{
		ID: r.CircuitId, IdentityID: r.IdentityId, SessionID: r.SessionId, ServiceID: r.ServiceId,
		TerminatorID: r.TerminatorId, HostID: r.HostId, Path: []Hop{{RouterID: routerID}},
		CreatedAt: time.UnixMilli(r.CreatedMillis).UTC(),
	}
}

// allowed reports whether both ends of a circuit have access.
func allowed(view *policy.View, c *Circuit) bool {
	first, last := c.Path[0].RouterID, c.Path[len(c.Path)-1].RouterID
	if !view.Check(policy.Dial, c.IdentityID, c.ServiceID, first).Allowed() {
		return false
	}
	return c.HostID == "" || view.Check(policy.Bind, c.HostID, c.ServiceID, last).Allowed()
}

// Detach makes a router unknown, unless it has been attached anew with another
// node. Its circuits stay: the router carries them without a controller.
func (n *Network) Detach(routerID string, node Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.nodes[routerID] == node {
		delete(n.nodes, routerID)
	}
}

// Online reports whether a router is connected.
func (n *Network) Online(routerID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nodes[routerID] != nil
}

// add and remove keep the tables, with the lock held.
func (n *Network) add(c *Circuit) {
	n.circuits[c.ID] = c
	n.byIdentity[c.IdentityID]++
	for _, h := range c.Path {
		m := n.byRouter[h.RouterID]
		if m == nil {
			m = make(map[string]*Circuit)
			n.byRouter[h.RouterID] = m
		}
		m[c.ID] = c
	}
	n.costs.began(c.TerminatorID)
}

func (n *Network) remove(c *Circuit) {
	delete(n.circuits, c.ID)
	if n.byIdentity[c.IdentityID]--; n.byIdentity[c.IdentityID] <= 0 {
		delete(n.byIdentity, c.IdentityID)
	}
	for _, h := range c.Path {
		if m := n.byRouter[h.RouterID]; m != nil {
			if delete(m, c.ID); len(m) == 0 {
				delete(n.byRouter, h.RouterID)
			}
		}
	}
	n.costs.ended(c.TerminatorID)
}

// ended tells the routers of removed circuits, except one that knows.
func (n *Network) ended(cs []*Circuit, except, reason string) {
	byRouter := make(map[string][]string)
	for _, c := range cs {
		for _, h := range c.Path {
			if h.RouterID != except {
				byRouter[h.RouterID] = append(byRouter[h.RouterID], c.ID)
			}
		}
	}
	for routerID, ids := range byRouter {
		n.mu.Lock()
		node := n.nodes[routerID]
		n.mu.Unlock()
		if node != nil {
			node.Unroute(&ctrl.Unroute{CircuitIds: ids, Reason: reason})
		}
	}
}

// CircuitsEnded takes a router's word that circuits have ended.
func (n *Network) CircuitsEnded(routerID string, ids []string) {
	var gone []*Circuit
	n.mu.Lock()
	for _, id := range ids {
		if c := n.byRouter[routerID][id]; c != nil {
			gone = append(gone, c)
			n.remove(c)
		}
	}
	n.mu.Unlock()
	n.ended(gone, routerID, "ended")
}

// AccessChanged ends the circuits whose ends have lost access, and has their
// terminators removed.
func (n *Network) AccessChanged(effects *policy.Effects) {
	if effects == nil || effects.Empty() {
		return
	}
	view := n.cfg.Policy()
	var gone []*Circuit
	n.mu.Lock()
	for _, c := range n.circuits {
		concerned := effects.Pair(c.IdentityID, c.ServiceID) || c.HostID != "" && effects.Pair(c.HostID, c.ServiceID)
		if concerned && !allowed(view, c) {
			gone = append(gone, c)
			n.remove(c)
		}
	}
	n.mu.Unlock()
	n.ended(gone, "", "access was withdrawn")
	n.dropTerminators(effects, view)
}

// dropTerminators removes the terminators of hosts that may no longer bind.
func (n *Network) dropTerminators(effects *policy.Effects, view *policy.View) {
	if !effects.Loss() {
		return
	}
	var ids []string
	for t := range state.All[model.Terminator](n.cfg.State.View()) {
		if t.HostID != "" && effects.Pair(t.HostID, t.ServiceID) && !view.Check(policy.Bind, t.HostID, t.ServiceID, t.RouterID).Allowed() {
			ids = append(ids, t.ID)
		}
	}
	n.jobs.remove(ids)
}

// Circuits returns all circuits, in no order. The result is the caller's, the
// circuits are shared.
func (n *Network) Circuits() []*Circuit {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]*Circuit, 0, len(n.circuits))
	for _, c := range n.circuits {
		out = append(out, c)
	}
	return out
}

// Circuit returns one circuit, nil if there is none.
func (n *Network) Circuit(id string) *Circuit {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.circuits[id]
}

// EndCircuit ends a circuit everywhere; false if there is none.
func (n *Network) EndCircuit(id, reason string) bool {
	n.mu.Lock()
	c := n.circuits[id]
	if c != nil {
		n.remove(c)
	}
	n.mu.Unlock()
	if c != nil {
		n.ended([]*Circuit{c}, "", reason)
	}
	return c != nil
}

// EndSession ends the circuits of an API session.
func (n *Network) EndSession(sessionID string) {
	var gone []*Circuit
	n.mu.Lock()
	for _, c := range n.circuits {
		if c.SessionID == sessionID {
			gone = append(gone, c)
			n.remove(c)
		}
	}
	n.mu.Unlock()
	n.ended(gone, "", "the api session has ended")
}

// DynamicCost is what circuits and failures add to the cost of a terminator,
// at most 65535.
func (n *Network) DynamicCost(terminatorID string) int { return int(n.costs.of(terminatorID)) }
