package network

import (
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
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

// routerEvent tells that a router has connected or is gone, and what that means
// for its terminators.
func (n *Network) routerEvent(routerID string, online bool) {
	now := n.cfg.Now()
	e := &RouterEvent{At: now, Type: RouterOffline, RouterID: routerID, Online: online}
	kind := TerminatorRouterOffline
	if online {
		e.Type, kind = RouterOnline, TerminatorRouterOnline
	}
	n.cfg.Events(e)
	if n.quiet {
		return
	}
	view := n.cfg.State.View()
	counts := make(map[string]usable)
	for t := range state.ByIndex[model.Terminator](view, state.ByRouter, routerID) {
		u, ok := counts[t.ServiceID]
		if !ok {
			u = n.usable(view, t.ServiceID)
			counts[t.ServiceID] = u
		}
		n.cfg.Events(n.terminatorEvent(u, kind, t, online))
	}
}

// terminatorChanged tells that a terminator was made, changed or removed.
func (n *Network) terminatorChanged(c *state.Change) {
	kind := TerminatorUpdated
	t, _ := c.New.(*model.Terminator)
	old, _ := c.Old.(*model.Terminator)
	switch {
	case t == nil && old == nil:
		return
	case t == nil:
		kind, t = TerminatorDeleted, old
		n.costs.forget(t.ID)
	case old == nil:
		kind = TerminatorCreated
	}
	if n.quiet {
		return
	}
	n.cfg.Events(n.terminatorEvent(n.usable(n.cfg.State.View(), t.ServiceID), kind, t, n.Online(t.RouterID)))
}

func (n *Network) terminatorEvent(u usable, kind string, t *model.Terminator, online bool) *TerminatorEvent {
	return &TerminatorEvent{
		At: n.cfg.Now(), Type: kind, Terminator: t, RouterOnline: online, DynamicCost: n.DynamicCost(t.ID),
		Total: u.total, UsableDefault: u.byDefault, UsableRequired: u.required,
	}
}

// usable counts the terminators of a service; all -1 if it is gone.
type usable struct{ total, byDefault, required int }

func (n *Network) usable(view *state.View, serviceID string) usable {
	if state.Get[model.Service](view, serviceID) == nil {
		return usable{-1, -1, -1}
	}
	var u usable
	for t := range state.ByIndex[model.Terminator](view, state.ByService, serviceID) {
		u.total++
		switch {
		case !n.Online(t.RouterID):
		case t.Precedence == model.PrecedenceRequired:
			u.required++
		case t.Precedence == model.PrecedenceDefault || t.Precedence == "":
			u.byDefault++
		}
	}
	return u
}
