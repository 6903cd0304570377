package topology

import "time"

// State is how a link is.
type State string

// The states of links.
const (
	Connected State = "Connected"
	Failed    State = "Failed"    // one of its ends has lost it, the other one has not said so yet
	Duplicate State = "Duplicate" // its ends have another one with the same key
)

// DefaultStaticCost is the static cost of a link that nobody has given another.
const DefaultStaticCost = 1

// MaxStaticCost is the most that a link can be given.
const MaxStaticCost = 1 << 30

// Link is a link between two routers. It does not change: a link that changes
// is another value.
type Link struct {
	ID, Key              string
	DialerID, AcceptorID string // routers
	Protocol             string
	Address              string // that was dialed, tls:host:port
	Iteration            uint32 // of the dialer's attempts at this link
	StaticCost           int
	Down                 bool // taken out of use by an operator
	Unresponsive         bool // one of its ends gets no sign of life at the moment
	State                State
	// Mean round trips and waits in the send queue, as measured at either end;
	// what is not measured counts as the latency of a new link.
	DialerLatency, AcceptorLatency time.Duration
	Connections                    []Connection
	Since                          time.Time // of the first report of this iteration
}

// Connection is one of the connections that make up a link.
type Connection struct {
	Kind   string // link.default or link.ack
	Local  string // of the end that reported it, tcp:ip:port
	Remote string
}

// Cost is the static cost and the latencies of both ends in milliseconds.
func (l *Link) Cost() int {
	return l.StaticCost + int(l.DialerLatency/time.Millisecond) + int(l.AcceptorLatency/time.Millisecond)
}

// Usable reports whether paths may lead over the link.
func (l *Link) Usable() bool { return l.State == Connected && !l.Down && !l.Unresponsive }

// Joins reports whether the link connects two routers, in either direction.
func (l *Link) Joins(a, b string) bool {
	return l.DialerID == a && l.AcceptorID == b || l.DialerID == b && l.AcceptorID == a
}

// Other returns the router at the other end, empty if the given one is at
// neither.
func (l *Link) Other(routerID string) string {
	switch routerID {
	case l.DialerID:
		return l.AcceptorID
	case l.AcceptorID:
		return l.DialerID
	}
	return ""
}

// Hop is one router of a path, from the initiator to the terminator.
type Hop struct {
	RouterID string
	Link     string // to the next router, empty at the last one
}

// Path is a way from one router to another.
type Path struct {
	Hops []Hop // at least one
	Cost int   // 0 where both ends are the same router
}

// Router is what paths depend on of a router.
type Router struct {
	Cost        int  // 0..65535
	NoTraversal bool // only the first or the last of a path
}
