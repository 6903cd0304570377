package network

import (
	"time"

	"github.com/weftnet/weft/model"
)

// Event is something that happened in the network: *CircuitEvent, *LinkEvent,
// *RouterEvent or *TerminatorEvent. Events are shared, nobody changes them.
type Event interface{ event() }

// Types of events, as the ecosystem names them.
const (
	CircuitCreated     = "created"
	CircuitPathUpdated = "pathUpdated"
	CircuitDeleted     = "deleted"
	CircuitFailed      = "failed" // it could not be created

	LinkNew                = "routerLinkNew"
	LinkKnown              = "routerLinkKnown" // reported by its second end, or again after a reconnect
	LinkFault              = "fault"
	LinkDuplicate          = "duplicate"
	LinkDisconnectedDest   = "routerLinkDisconnectedDest" // reported while the router at its other end is offline
	LinkConnectionsChanged = "connectionsChanged"

	RouterOnline  = "router-online"
	RouterOffline = "router-offline"

	TerminatorCreated       = "created"
	TerminatorUpdated       = "updated"
	TerminatorDeleted       = "deleted"
	TerminatorRouterOnline  = "router-online"
	TerminatorRouterOffline = "router-offline"
)

// CircuitEvent is about a circuit.
type CircuitEvent struct {
	At      time.Time
	Type    string
	Circuit *Circuit      // as it is after the event; with CircuitFailed as far as it came
	Took    time.Duration // to create it, with CircuitCreated and CircuitPathUpdated
	Lasted  time.Duration // with CircuitDeleted and CircuitFailed
	// Cause of CircuitFailed: a code of a refusal, or ROUTER_ERR_… or
	// ROUTER_RESPONSE_TIMEOUT for what happened at a router.
	Cause  string
	Code   string // why the circuit has ended, with CircuitDeleted; may be empty
	Reason string // the same in words
}

// LinkEvent is about a link.
type LinkEvent struct {
	At   time.Time
	Type string
	Link *Link // as it is after the event, or was before it went
}

// RouterEvent tells that a router has connected or is gone.
type RouterEvent struct {
	At       time.Time
	Type     string
	RouterID string
	Online   bool
}

// TerminatorEvent is about a terminator.
type TerminatorEvent struct {
	At           time.Time
	Type         string
	Terminator   *model.Terminator // with TerminatorDeleted as it was
	RouterOnline bool
	DynamicCost  int
	// Terminators of the service; all -1 if it is gone.
	Total, UsableDefault, UsableRequired int
}

func (*CircuitEvent) event()    {}
func (*LinkEvent) event()       {}
func (*RouterEvent) event()     {}
func (*TerminatorEvent) event() {}
