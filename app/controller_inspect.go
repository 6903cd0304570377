package app

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// inspect returns the values of the keys that the controller itself knows, as
// texts; all but the stacks are JSON. The case of keys does not count, and
// unknown ones yield nothing.
func (c *Controller) inspect(_ context.Context, keys []string) map[string]string {
	out := make(map[string]string)
	for _, key := range keys {
		if value := c.inspectKey(strings.ToLower(key)); value != nil {
			out[key] = valueText(value)
		}
	}
	return out
}

func (c *Controller) inspectKey(key string) any {
	switch key {
	case "stackdump":
		return stacks()
	case "config":
		return configValue(c.o.Config)
	case "cluster-config":
		return configValue(c.o.Config.Cluster)
	case "connected-routers":
		return c.connectedRouters()
	case "connected-peers":
		return c.connectedPeers()
	case "terminator-costs":
		return map[string]any{"terminators": c.terminatorCosts()}
	case "identity-connection-statuses":
		return map[string]any{"connections": c.identityConnections()}
	case "metrics":
		return c.inspectMetrics()
	case "metrics:prometheus":
		return c.inspectPrometheus()
	case "links":
		return map[string]any{"links": c.networkLinks()}
	case "router-messaging":
		return routerMessaging{[]string{}, []string{}}
	case "router-data-model":
		return c.dataModel()
	case "ctrl-dialer":
		return c.called()
	case "data-model-index", "router-data-model-index":
		return map[string]any{"index": c.store.View().Index()}
	}
	return nil
}

// connectedRouter is an entry of connected-routers.
type connectedRouter struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	ConnectTime time.Time      `json:"connectTime"`
	Underlays   map[string]int `json:"underlays"`
}

func (c *Controller) connectedRouters() []connectedRouter {
	out := []connectedRouter{}
	for r := range state.All[model.EdgeRouter](c.store.View()) {
		s := c.registry.Status(r.ID)
		if !s.Online {
			continue
		}
		version, _, _ := strings.Cut(s.Version, "|")
		out = append(out, connectedRouter{ID: r.ID, Name: r.Name, Version: version, ConnectTime: s.Since, Underlays: map[string]int{"ctrl.default": 1}})
	}
	return out
}

// networkLink is an entry of links at a controller.
type networkLink struct {
	ID              string    `json:"id"`
	Key             string    `json:"key"`
	Dialer          string    `json:"dialerId"`
	Acceptor        string    `json:"acceptorId"`
	Protocol        string    `json:"protocol"`
	Address         string    `json:"dialAddress"`
	Iteration       uint32    `json:"iteration"`
	State           string    `json:"state"`
	Usable          bool      `json:"usable"`
	Down            bool      `json:"down"`
	StaticCost      int       `json:"staticCost"`
	Cost            int       `json:"cost"`
	DialerLatency   string    `json:"dialerLatency"`
	AcceptorLatency string    `json:"acceptorLatency"`
	Connections     int       `json:"connections"`
	Since           time.Time `json:"since"`
}

func (c *Controller) networkLinks() []networkLink {
	out := []networkLink{}
	for _, l := range c.network.Links() {
		out = append(out, networkLink{
			ID: l.ID, Key: l.Key, Dialer: l.DialerID, Acceptor: l.AcceptorID, Protocol: l.Protocol, Address: l.Address, Iteration: l.Iteration,
			State: string(l.State), Usable: l.Usable(), Down: l.Down, StaticCost: l.StaticCost, Cost: l.Cost(),
			DialerLatency: l.DialerLatency.String(), AcceptorLatency: l.AcceptorLatency.String(), Connections: len(l.Connections), Since: l.Since,
		})
	}
	slices.SortFunc(out, func(a, b networkLink) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// connectedPeer is an entry of connected-peers.
type connectedPeer struct {
	ID          string `json:"id"`
	Address     string `json:"addr"`
	Voter       bool   `json:"isVoter"`
	Leader      bool   `json:"isLeader"`
	Version     string `json:"version"`
	IsConnected bool   `json:"isConnected"`
	Preferred   bool   `json:"isPreferredLeader"`
}

// connectedPeers are the other members of the cluster.
func (c *Controller) connectedPeers() []connectedPeer {
	out := []connectedPeer{}
	leader, _ := c.store.node.Leader()
	for _, m := range c.store.node.Members() {
		if m.ID != c.id {
			out = append(out, connectedPeer{ID: m.ID, Address: m.Address, Voter: m.Voter, Leader: m.ID == leader})
		}
	}
	return out
}

// identityConnections are the identities with a connection to a router, as
// routers last reported.
func (c *Controller) identityConnections() []identityConnection {
	out := []identityConnection{}
	for i := range state.All[model.Identity](c.store.View()) {
		if connected, _ := c.statuses.of(i.ID); connected {
			out = append(out, identityConnection{IdentityID: i.ID, Connected: true})
		}
	}
	return out
}

// terminatorCosts are the dynamic costs of terminators, by id.
func (c *Controller) terminatorCosts() []network.TerminatorCost {
	out := c.network.TerminatorCosts()
	slices.SortFunc(out, func(a, b network.TerminatorCost) int { return strings.Compare(a.TerminatorID, b.TerminatorID) })
	return out
}

// inspected is one value of the agent's inspect, in the form of the API.
type inspected struct {
	AppID string `json:"appId"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// inspect answers the operation of the agent: what both halves know.
func (s *supervisor) inspect(ctx context.Context, args agent.Args) (any, error) {
	keys := strings.Fields(args["keys"])
	out := []inspected{}
	add := func(id string, values map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			out = append(out, inspected{id, name, values[name]})
		}
	}
	if s.controller != nil {
		add(s.controller.id, s.controller.inspect(ctx, keys))
	}
	if s.router != nil {
		add(s.router.id, s.router.inspect(ctx, keys))
	}
	if len(out) == 0 {
		return nil, &agent.Error{Code: "NOT_FOUND", Message: "the process knows no value of that name", Remedy: "weft agent inspect --help lists the values of controllers and routers"}
	}
	return map[string]any{"values": out}, nil
}
