package app

import (
	"context"
	"net"

	"github.com/weftnet/weft/api"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// mesh shows the network to the fabric API.
type mesh struct{ *network.Network }

// Links returns all links.
func (m mesh) Links() []*chttp.Link { return converted(m.Network.Links(), linkOf) }

// Link returns one link, nil if there is none.
func (m mesh) Link(id string) *chttp.Link { return linkOf(m.Network.Link(id)) }

// unresponsive is the state of a link that exists and gives no sign of life.
const unresponsive = "Unresponsive"

func linkOf(l *network.Link) *chttp.Link {
	if l == nil {
		return nil
	}
	out := &chttp.Link{ID: l.ID, DialerID: l.DialerID, AcceptorID: l.AcceptorID, Protocol: l.Protocol, Address: l.Address, State: string(l.State),
		Iteration: int64(l.Iteration), StaticCost: int64(l.StaticCost), Cost: int64(l.Cost()), Down: l.Down,
		DialerLatency: l.DialerLatency, AcceptorLatency: l.AcceptorLatency, Since: l.Since}
	if l.Unresponsive && l.State == topology.Connected {
		out.State = unresponsive
	}
	for _, c := range l.Connections {
		out.Connections = append(out.Connections, api.LinkConnection{Type: c.Kind, Source: c.Local, Dest: c.Remote})
	}
	return out
}

// ChangeLink sets what is not nil.
func (m mesh) ChangeLink(id string, staticCost *int64, down *bool) bool {
	var cost *int
	if staticCost != nil {
		c := int(*staticCost)
		cost = &c
	}
	return m.Network.ChangeLink(id, cost, down)
}

// Circuits returns all circuits.
func (m mesh) Circuits() []*chttp.Circuit { return converted(m.Network.Circuits(), circuitOf) }

// Circuit returns one circuit, nil if there is none.
func (m mesh) Circuit(id string) *chttp.Circuit { return circuitOf(m.Network.Circuit(id)) }

func circuitOf(c *network.Circuit) *chttp.Circuit {
	if c == nil {
		return nil
	}
	out := &chttp.Circuit{ID: c.ID, SessionID: c.SessionID, IdentityID: c.IdentityID, ServiceID: c.ServiceID, TerminatorID: c.TerminatorID,
		HostID: c.HostID, State: string(c.State), Path: pathOf(c.Path), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if out.UpdatedAt.IsZero() {
		out.UpdatedAt = c.CreatedAt
	}
	return out
}

// Path returns the way of new circuits between two routers.
func (m mesh) Path(from, to string) (*chttp.Path, error) {
	p, err := m.Network.Path(from, to)
	if err != nil {
		return nil, err
	}
	out := pathOf(p.Hops)
	out.Cost = int64(p.Cost)
	return &out, nil
}

func pathOf(hops []network.Hop) (p chttp.Path) {
	for _, h := range hops {
		p.Routers = append(p.Routers, h.RouterID)
		if h.Link != "" {
			p.Links = append(p.Links, h.Link)
		}
	}
	return p
}

func converted[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

// inspector asks this controller and its routers about themselves.
type inspector struct {
	c        *Controller
	registry *routers.Registry
}

// Processes returns this controller and the connected routers.
func (i inspector) Processes() []chttp.Process {
	out := []chttp.Process{{ID: i.c.id}}
	for r := range state.All[model.EdgeRouter](i.c.store.View()) {
		if i.registry.Online(r.ID) {
			out = append(out, chttp.Process{ID: r.ID, Name: r.Name})
		}
	}
	return out
}

// Inspect returns the values that a process knows.
func (i inspector) Inspect(ctx context.Context, id string, keys []string) (map[string]string, []string) {
	if id == i.c.id {
		return i.c.inspect(ctx, keys), nil
	}
	values, err := i.registry.Inspect(ctx, id, keys)
	if err != nil {
		return values, []string{id + ": " + err.Error()}
	}
	return values, nil
}

// linkListeners are the addresses at which a router accepts links.
func linkListeners(in []*ctrl.LinkListener) []api.RouterListener {
	return converted(in, func(l *ctrl.LinkListener) api.RouterListener {
		return api.RouterListener{Address: l.Address, Protocol: l.Protocol}
	})
}

// machineInterfaces are the network interfaces that a router reported.
func machineInterfaces(in []*ctrl.Interface) []model.Interface {
	return converted(in, func(n *ctrl.Interface) model.Interface {
		has := func(f net.Flags) bool { return net.Flags(n.Flags)&f != 0 }
		return model.Interface{Name: n.Name, HardwareAddress: n.Mac, MTU: int64(n.Mtu), Index: int64(n.Index), Addresses: n.Addresses,
			IsBroadcast: has(net.FlagBroadcast), IsLoopback: has(net.FlagLoopback), IsMulticast: has(net.FlagMulticast),
			IsRunning: has(net.FlagRunning), IsUp: has(net.FlagUp)}
	})
}
