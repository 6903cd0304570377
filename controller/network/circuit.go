package network

import (
	"time"
)

// Circuit is one circuit. It does not change: one that gets another path is
// another value.
type Circuit struct {
	ID           string
	IdentityID   string // who dialed, empty for an on-ramp of the router itself
	SessionID    string // API session of the dialing client
	ServiceID    string
	TerminatorID string
	HostID       string // identity that hosts, empty for an egress
	InstanceID   string // that was asked for
	Path         []Hop  // as far as it is known
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
	// Unconfirmed says that none of its routers is connected to the controller:
	// they may carry it or not. After ForgetWait it is forgotten.
	Unconfirmed CircuitState = "unconfirmed"
)

// first and last are the routers at the ends.
func (c *Circuit) first() string { return c.Path[0].RouterID }
func (c *Circuit) last() string  { return c.Path[len(c.Path)-1].RouterID }

// at returns the place of a router on the path, -1 if it is not there.
func (c *Circuit) at(routerID string) int {
	for i := range c.Path {
		if c.Path[i].RouterID == routerID {
			return i
		}
	}
	return -1
}

// isEnd reports whether a router is at either end.
func (c *Circuit) isEnd(routerID string) bool {
	return len(c.Path) > 0 && (c.first() == routerID || c.last() == routerID)
}

// held is a circuit with what it takes to keep it. The lock of the Network
// guards it.
type held struct {
	*Circuit // replaced, never changed

	number uint32          // highest that any path was given
	broken time.Time       // since when the path does not hold; zero if it does
	force  bool            // the path has to be made again, even the same one
	better bool            // there was a much better path at the last look
	moving bool            // a worker is at it
	again  bool            // and has to look once more
	moved  time.Time       // when the path was made again last
	stale  map[string]bool // routers off the path that may have been given the circuit
	denied int             // paths in a row that one of the ends has refused
	alone  time.Time       // since when none of its routers is connected; zero if one is

	reports map[string]*report // of its routers, while it is incomplete
	since   time.Time          // of the first of them
	routers [2]string          // at both ends, as they say; empty if nobody has said

	attempts int       // at creating it
	tried    []string  // terminators that failed meanwhile
	deadline time.Time // of creating it
}

// add and remove keep the tables, with the lock held.
func (n *Network) add(h *held) {
	n.circuits[h.ID] = h
	n.byIdentity[h.IdentityID]++
	n.index(h)
	n.costs.began(h.TerminatorID)
}

func (n *Network) remove(h *held) {
	delete(n.circuits, h.ID)
	n.left(h.IdentityID)
	n.unindex(h)
	delete(n.unwell, h.ID)
	n.costs.ended(h.TerminatorID)
}

// left counts a circuit or request of an identity off.
func (n *Network) left(identityID string) {
	if n.byIdentity[identityID]--; n.byIdentity[identityID] <= 0 {
		delete(n.byIdentity, identityID)
	}
}

func (n *Network) index(h *held) {
	for _, hop := range h.Path {
		put(n.byRouter, hop.RouterID, h)
		if hop.Link != "" {
			put(n.byLink, hop.Link, h)
		}
	}
	for id := range h.reports {
		put(n.byRouter, id, h)
	}
}

func (n *Network) unindex(h *held) {
	for _, hop := range h.Path {
		del(n.byRouter, hop.RouterID, h)
		del(n.byLink, hop.Link, h)
	}
	for id := range h.reports {
		del(n.byRouter, id, h)
	}
}

func put(m map[string]map[string]*held, key string, h *held) {
	of := m[key]
	if of == nil {
		of = make(map[string]*held)
		m[key] = of
	}
	of[h.ID] = h
}

func del(m map[string]map[string]*held, key string, h *held) {
	if of := m[key]; of != nil {
		if delete(of, h.ID); len(of) == 0 {
			delete(m, key)
		}
	}
}

// show replaces the circuit that others see, with the lock held.
func (n *Network) show(h *held, edit func(*Circuit)) {
	next := *h.Circuit
	edit(&next)
	n.unindex(h)
	h.Circuit = &next
	n.index(h)
}

// Circuits returns all circuits, in no order. The result is the caller's, the
// circuits are shared.
func (n *Network) Circuits() []*Circuit {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]*Circuit, 0, len(n.circuits))
	for _, h := range n.circuits {
		out = append(out, h.Circuit)
	}
	return out
}

// Circuit returns one circuit, nil if there is none.
func (n *Network) Circuit(id string) *Circuit {
	n.mu.Lock()
	defer n.mu.Unlock()
	if h := n.circuits[id]; h != nil {
		return h.Circuit
	}
	return nil
}
