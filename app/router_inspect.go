package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftnet/weft/router/edge"
	"github.com/weftnet/weft/router/forward"
)

// inspect returns the values of the keys that the router knows, as texts; all
// but a few are JSON. The case of keys does not count, and unknown ones yield
// nothing.
func (r *Router) inspect(ctx context.Context, keys []string) map[string]string {
	out := make(map[string]string)
	for _, key := range keys {
		if value := r.inspectKey(ctx, key); value != nil {
			out[key] = valueText(value)
		}
	}
	return out
}

// maxAnswer bounds what a router answers to a controller's inspection, in bytes:
// its connection has other things to carry.
const maxAnswer = 16 << 20

// inspectFor is inspect for a controller: values that make the answer too large
// are left to the agent.
func (r *Router) inspectFor(ctx context.Context, keys []string) map[string]string {
	out, total := r.inspect(ctx, keys), 0
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if total += len(out[key]); total > maxAnswer {
			total -= len(out[key])
			out[key] = fmt.Sprintf("%d bytes are too many to be sent to a controller; use `weft agent inspect %s` on the router's machine", len(out[key]), key)
		}
	}
	return out
}

// valueText is a text as it is, and JSON of everything else.
func valueText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	b, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// inspectKey returns the value of a key, nil if there is no such key.
func (r *Router) inspectKey(ctx context.Context, key string) any {
	name, argument, _ := strings.Cut(key, ":")
	switch strings.ToLower(name) {
	case "metrics":
		return r.inspectMetrics()
	case "stackdump":
		return stacks()
	case "config":
		return configValue(r.o.Config)
	case "links":
		return r.inspectLinks()
	case "circuits":
		return strconv.Itoa(r.table.Len())
	case "sessions":
		return strconv.Itoa(r.status().Sessions)
	case "router-circuits":
		return routerCircuits{r.table.Counters(), r.routes()}
	case "circuit":
		return r.inspectCircuit(argument, false)
	case "circuitandstacks":
		return r.inspectCircuit(argument, true)
	case "router-controllers":
		return r.inspectControllers()
	case "router-data-model":
		return r.uplink.Describe(true)
	case "router-data-model-index":
		m := r.uplink.Describe(false)
		return map[string]any{"index": m.Index, "filled": m.Filled}
	}
	return r.inspectEdge(ctx, strings.ToLower(name), argument)
}

// routerCircuits is the value of router-circuits.
type routerCircuits struct {
	Counters forward.Counters      `json:"counters"`
	Circuits []forward.Description `json:"circuits"`
}

// inspectCircuit describes one circuit; there is no value for one that the
// router does not carry.
func (r *Router) inspectCircuit(id string, withStacks bool) any {
	c := r.table.Get([]byte(id))
	if c == nil {
		return nil
	}
	out := struct {
		forward.Description
		Ends   []edge.CircuitOverview `json:"edgeEnds"`
		Stacks string                 `json:"stacks,omitempty"`
	}{Description: c.Describe(), Ends: []edge.CircuitOverview{}}
	if r.edge != nil {
		for _, client := range r.edge.Clients() {
			for _, end := range client.Circuits {
				if end.CircuitID == id {
					out.Ends = append(out.Ends, end)
				}
			}
		}
	}
	if withStacks {
		out.Stacks = stacks()
	}
	return out
}

// inspectControllers is the value of router-controllers.
func (r *Router) inspectControllers() any {
	known := make(map[string]controllerLine)
	leader := ""
	for _, c := range r.controllerLines() {
		if c.ID != "" {
			known[c.ID] = c
			leader = c.ID
		}
	}
	return map[string]any{"controllers": known, "leaderId": leader}
}

// inspectEdge returns what the edge knows.
func (r *Router) inspectEdge(ctx context.Context, name, argument string) any {
	if r.edge == nil {
		return nil
	}
	switch name {
	case "router-edge-circuits":
		return map[string]any{"circuits": edgeCircuits(r.edge.Clients())}
	case "router-sdk-circuits":
		return map[string]any{"circuits": r.edge.InspectClients(ctx, "circuits")}
	case "sdk-context":
		return sdkContext(r.edge.InspectClients(ctx, "context"), argument)
	case "sdk":
		return r.edge.InspectClients(ctx, argument)
	case "sdk-terminators":
		return map[string]any{"entries": r.edge.Hosted()}
	case "ert-terminators":
		return map[string]any{"entries": []any{}} // routers host nothing by themselves
	case "identity-connection-statuses":
		return map[string]any{"connections": identityConnections(r.edge.Clients())}
	}
	return nil
}

// edgeCircuit is one end of a circuit with the client that it belongs to.
type edgeCircuit struct {
	edge.CircuitOverview
	IdentityID string `json:"identityId"`
	SessionID  string `json:"apiSessionId"`
}

func edgeCircuits(clients []edge.ClientOverview) []edgeCircuit {
	out := []edgeCircuit{}
	for _, c := range clients {
		for _, circuit := range c.Circuits {
			out = append(out, edgeCircuit{circuit, c.IdentityID, c.SessionID})
		}
	}
	return out
}

// sdkContext keeps what the clients of one identity say, of all without one.
func sdkContext(answers []edge.ClientInspection, identityID string) any {
	return slices.DeleteFunc(answers, func(a edge.ClientInspection) bool { return identityID != "" && a.IdentityID != identityID })
}

// identityConnection is an identity with its connections.
type identityConnection struct {
	IdentityID  string   `json:"identityId"`
	Connected   bool     `json:"connected"`
	Connections []string `json:"connections,omitempty"` // API session and remote address, known to routers
}

func identityConnections(clients []edge.ClientOverview) []identityConnection {
	byID := make(map[string]*identityConnection)
	for _, c := range clients {
		i := byID[c.IdentityID]
		if i == nil {
			i = &identityConnection{IdentityID: c.IdentityID, Connected: true}
			byID[c.IdentityID] = i
		}
		i.Connections = append(i.Connections, fmt.Sprintf("%s %s", c.SessionID, c.Remote))
	}
	out := []identityConnection{}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		out = append(out, *byID[id])
	}
	return out
}
