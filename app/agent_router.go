package app

import (
	"context"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// routerStatus is what an agent says of a router.
type routerStatus struct {
	ID          string           `json:"id"`
	Quiesced    bool             `json:"quiesced"`
	Controllers []controllerLine `json:"controllers"`
	DataModel   uint64           `json:"dataModelIndex"`
	Links       int              `json:"links"`
	Circuits    int              `json:"circuits"`
	Sessions    int              `json:"sessions"` // API sessions with a connection
	Clients     int              `json:"clients"`  // their connections
	Terminators int              `json:"terminators"`
	Dropped     uint64           `json:"droppedMessages"`
	Strays      uint64           `json:"strayMessages"`
	BudgetUsed  int64            `json:"budgetUsedBytes"` // of messages that wait in the router
	Budget      int64            `json:"budgetBytes"`
	Spilled     int64            `json:"spilledBytes"` // wait for clients and hosts without flow control of their own
	SpillMost   int64            `json:"spillBytes"`
}

// controllerLine is a controller as a router sees it.
type controllerLine struct {
	ID         string    `json:"controllerId"`
	Address    string    `json:"address"`
	Version    string    `json:"version"`
	Connected  bool      `json:"connected"`
	Responsive bool      `json:"responsive"`
	Latency    string    `json:"latency"` // of the connection, empty if not measured
	Since      time.Time `json:"since"`   // of the current state
}

func (r *Router) status() routerStatus {
	counters := r.table.Counters()
	s := routerStatus{
		ID: r.id, Quiesced: r.table.Quiesced(), Controllers: r.controllerLines(), DataModel: r.uplink.Describe(false).Index,
		Links: len(r.linkReports()), Circuits: counters.Circuits, Dropped: counters.Drops, Strays: counters.Strays,
		BudgetUsed: r.budget.Used(), Budget: forward.DefaultBudget,
	}
	if r.edge != nil {
		s.Sessions, s.Clients, s.Terminators = len(r.edge.Sessions()), len(r.edge.Clients()), len(r.edge.Hosted())
		s.Spilled, s.SpillMost = r.edge.SpillUse()
	}
	return s
}

func (r *Router) controllerLines() []controllerLine {
	s := r.uplink.Status()
	line := controllerLine{ID: s.ControllerID, Address: s.Address, Version: s.ControllerVersion, Connected: s.Connected, Responsive: s.Responsive, Since: s.Since}
	if s.Connected && s.RoundTrip > 0 {
		line.Latency = s.RoundTrip.String()
	}
	return []controllerLine{line}
}

// routes returns the forwarding tables.
func (r *Router) routes() []forward.Description { return r.table.Describe() }

// quiesce has the router take no new circuits, or take them again. It holds
// until the process ends.
func (r *Router) quiesce(on bool) {
	if r.table.Quiesced() != on {
		r.o.Log.Warn("quiesced at the wish of the operator", "quiesced", on, "circuits", r.table.Len())
	}
	r.table.Quiesce(on)
	r.uplink.SetState(&ctrl.RouterState{Quiesced: on})
}

// quiescence is the answer of quiesce and dequiesce.
type quiescence struct {
	Quiesced  bool `json:"quiesced"`
	Circuits  int  `json:"circuits"`  // that go on
	Connected bool `json:"connected"` // a controller hears of it at once
}

// operationsOfAgent returns what the agent of a router can do in addition.
func (r *Router) operationsOfAgent() []agent.Operation {
	quiesce := func(on bool) func(context.Context, agent.Args) (any, error) {
		return func(context.Context, agent.Args) (any, error) {
			r.quiesce(on)
			return quiescence{r.table.Quiesced(), r.table.Len(), r.uplink.Status().Connected}, nil
		}
	}
	id := []agent.Param{{Name: "id", Doc: "of the link or circuit", Required: true}}
	return []agent.Operation{
		{Name: "links", Doc: "links to other routers", Do: func(context.Context, agent.Args) (any, error) { return r.inspectLinks(), nil }},
		{Name: "circuits", Doc: "circuits that the router carries", Do: func(context.Context, agent.Args) (any, error) { return r.routes(), nil }},
		{Name: "routes", Doc: "forwarding tables", Do: func(context.Context, agent.Args) (any, error) { return r.routes(), nil }},
		{Name: "quiesce", Doc: "take no new circuits; existing ones go on", Do: quiesce(true)},
		{Name: "dequiesce", Doc: "take new circuits again", Do: quiesce(false)},
		{Name: "extend", Doc: "renew the certificates now", Do: r.extend},
		{Name: "close-link", Doc: "close a link; its dialer makes it anew", Debug: true, Params: id, Do: r.debugCloseLink},
		{Name: "end-circuit", Doc: "end a circuit", Debug: true, Params: id, Do: r.debugEndCircuit},
		{Name: "disconnect", Doc: "drop the connection to the controller; the router calls again", Debug: true, Do: r.debugDisconnect},
	}
}

// debugReason is told to whom a debug operation hits.
const debugReason = "a debug operation of the operator"

func (r *Router) debugEndCircuit(_ context.Context, args agent.Args) (any, error) {
	c := r.table.Get([]byte(args["id"]))
	if c == nil {
		return nil, notThere("circuit", args["id"])
	}
	c.EndBecause(forward.Removed, debugReason, "", true)
	return map[string]string{"ended": args["id"]}, nil
}

func (r *Router) debugCloseLink(_ context.Context, args agent.Args) (any, error) {
	if !r.closeLink(args["id"], debugReason) {
		return nil, notThere("link", args["id"])
	}
	return map[string]string{"closed": args["id"]}, nil
}

func (r *Router) debugDisconnect(context.Context, agent.Args) (any, error) {
	return map[string]bool{"disconnected": r.uplink.Disconnect()}, nil
}

func notThere(kind, id string) error {
	return &agent.Error{Code: "NOT_FOUND", Message: "this router has no " + kind + " " + id, Remedy: "see weft agent " + kind + "s"}
}
