package http

import (
	"context"
	"time"

	"github.com/weftnet/weft/api"
)

// Link is a link between two routers as it is now. The values are copies.
type Link struct {
	ID, DialerID, AcceptorID       string
	Protocol, Address, State       string
	Iteration, StaticCost, Cost    int64
	Down                           bool
	DialerLatency, AcceptorLatency time.Duration // round trips, 0 if not measured
	Connections                    []api.LinkConnection
	Since                          time.Time
}

// Circuit is one circuit as it is now. The values are copies.
type Circuit struct {
	ID, SessionID, IdentityID       string
	ServiceID, TerminatorID, HostID string
	State                           string
	Path                            Path
	CreatedAt, UpdatedAt            time.Time
}

// Path is a way through the mesh: the ids of its routers and those of the links
// between them.
type Path struct {
	Routers, Links []string
	Cost           int64
}

// Mesh is the links and circuits that this controller knows. Safe for
// concurrent use, never waits.
type Mesh interface {
	Links() []*Link       // in no order
	Link(id string) *Link // nil if there is none
	// ChangeLink sets what is not nil; false if there is no such link.
	ChangeLink(id string, staticCost *int64, down *bool) bool
	RemoveLink(id, reason string) bool
	Circuits() []*Circuit       // in no order
	Circuit(id string) *Circuit // nil if there is none
	EndCircuit(id, reason string) bool
	// Path returns the way of new circuits between two routers; the error says
	// why there is none, a *fault.Error also what would help.
	Path(from, to string) (*Path, error)
	// RouterCost returns what a router adds to the cost of a path.
	RouterCost(id string) int
}

// Process is one that can be asked about itself.
type Process struct{ ID, Name string }

// Inspector asks processes about themselves: this controller and the connected
// routers. Safe for concurrent use.
type Inspector interface {
	Processes() []Process
	// Inspect returns the values of the keys that the process knows, and what
	// went wrong. It ends with ctx.
	Inspect(ctx context.Context, id string, keys []string) (values map[string]string, errors []string)
}
