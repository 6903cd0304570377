package events

import (
	"cmp"
	"time"

	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
)

// Network returns an event of the network as it is published.
func Network(e network.Event) Event { return fromNetwork{e} }

// fromNetwork is an event of package network.
type fromNetwork struct{ network.Event }

func (e fromNetwork) about() (kind, of string) {
	switch e := e.Event.(type) {
	case *network.CircuitEvent:
		return "circuit", e.Type
	case *network.LinkEvent:
		return "link", e.Type
	case *network.RouterEvent:
		return "router", e.Type
	case *network.TerminatorEvent:
		return "terminator", e.Type
	}
	return "", ""
}

func (e fromNetwork) forms(h head, _ *subscription) []any {
	switch e := e.Event.(type) {
	case *network.CircuitEvent:
		return one(circuitOf(e, h.when(e.At)))
	case *network.LinkEvent:
		return one(linkOf(e, h.when(e.At)))
	case *network.RouterEvent:
		return one(routerEvent{h.Namespace, at(e.At), h.Source, e.Type, e.RouterID, e.Online})
	case *network.TerminatorEvent:
		return one(terminatorOf(e, h.when(e.At)))
	}
	return nil
}

func one(form any) []any { return []any{form} }

func at(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// head begins most events.
type head struct {
	Namespace string `json:"namespace"`
	Source    string `json:"event_src_id"`
	Timestamp string `json:"timestamp"`
}

// when returns the head with a time.
func (h head) when(t time.Time) head {
	h.Timestamp = at(t)
	return h
}

type circuitEvent struct {
	head
	Version    int               `json:"version"`
	Type       string            `json:"event_type"`
	Circuit    string            `json:"circuit_id"`
	Client     string            `json:"client_id"` // API session of the dialer
	Service    string            `json:"service_id"`
	Terminator string            `json:"terminator_id"`
	Instance   string            `json:"instance_id"`
	Creation   *int64            `json:"creation_timespan,omitempty"` // nanoseconds
	Path       circuitPath       `json:"path"`
	LinkCount  int               `json:"link_count"`
	Cost       *uint32           `json:"path_cost,omitempty"`
	Cause      string            `json:"failure_cause,omitempty"`
	Duration   *int64            `json:"duration,omitempty"` // nanoseconds
	Tags       map[string]string `json:"tags"`
	// Beyond the ecosystem: why a circuit has ended or failed.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type circuitPath struct {
	Nodes   []string `json:"nodes"`
	Links   []string `json:"links"`
	Ingress string   `json:"ingress_id"`
	Egress  string   `json:"egress_id"`
}

func circuitOf(e *network.CircuitEvent, h head) circuitEvent {
	c := e.Circuit
	out := circuitEvent{
		head: h, Version: 2, Type: e.Type, Circuit: c.ID, Client: c.SessionID, Service: c.ServiceID,
		Terminator: c.TerminatorID, Instance: c.InstanceID, Cause: e.Cause, Code: e.Code, Reason: e.Reason,
		Tags: map[string]string{"clientId": c.IdentityID, "serviceId": c.ServiceID},
	}
	if c.HostID != "" {
		out.Tags["hostId"] = c.HostID
	}
	for _, h := range c.Path {
		out.Path.Nodes = append(out.Path.Nodes, h.RouterID)
		if h.Link != "" {
			out.Path.Links = append(out.Path.Links, h.Link)
		}
	}
	out.LinkCount = len(out.Path.Links)
	switch e.Type {
	case network.CircuitCreated, network.CircuitPathUpdated:
		out.Creation, out.Cost = nanos(e.Took), &c.Cost
	case network.CircuitFailed:
		out.Creation = nanos(max(e.Took, e.Lasted))
	case network.CircuitDeleted:
		out.Duration = nanos(e.Lasted)
	}
	return out
}

func nanos(d time.Duration) *int64 {
	n := d.Nanoseconds()
	return &n
}

type linkEvent struct {
	head
	Type        string           `json:"event_type"`
	Link        string           `json:"link_id"`
	Src         string           `json:"src_router_id,omitempty"`
	Dst         string           `json:"dst_router_id,omitempty"`
	Protocol    string           `json:"protocol,omitempty"`
	Address     string           `json:"dial_address,omitempty"`
	Cost        int              `json:"cost,omitempty"`
	Connections []linkConnection `json:"connections,omitempty"`
}

type linkConnection struct {
	ID     string `json:"id"`
	Local  string `json:"local_addr"`
	Remote string `json:"remote_addr"`
}

func linkOf(e *network.LinkEvent, h head) linkEvent {
	l := e.Link
	out := linkEvent{
		head: h, Type: e.Type, Link: l.ID, Src: l.DialerID, Dst: l.AcceptorID,
		Protocol: l.Protocol, Address: l.Address, Cost: l.Cost(),
	}
	for _, c := range l.Connections {
		out.Connections = append(out.Connections, linkConnection{c.Kind, c.Local, c.Remote})
	}
	return out
}

// routerEvent has its time before its source, unlike the others.
type routerEvent struct {
	Namespace string `json:"namespace"`
	Timestamp string `json:"timestamp"`
	Source    string `json:"event_src_id"`
	Type      string `json:"event_type"`
	Router    string `json:"router_id"`
	Online    bool   `json:"router_online"`
}

type terminatorEvent struct {
	head
	Type           string `json:"event_type"`
	Service        string `json:"service_id"`
	Terminator     string `json:"terminator_id"`
	Router         string `json:"router_id"`
	Host           string `json:"host_id"`
	Instance       string `json:"instance_id"`
	Online         bool   `json:"router_online"`
	Precedence     string `json:"precedence"`
	StaticCost     int    `json:"static_cost"`
	DynamicCost    int    `json:"dynamic_cost"`
	Total          int    `json:"total_terminators"`
	UsableDefault  int    `json:"usable_default_terminators"`
	UsableRequired int    `json:"usable_required_terminators"`
}

func terminatorOf(e *network.TerminatorEvent, h head) terminatorEvent {
	t := e.Terminator
	return terminatorEvent{
		head: h, Type: e.Type, Service: t.ServiceID, Terminator: t.ID, Router: t.RouterID, Host: t.HostID,
		Instance: t.InstanceID, Online: e.RouterOnline, Precedence: cmp.Or(string(t.Precedence), string(model.PrecedenceDefault)), StaticCost: int(t.Cost), DynamicCost: e.DynamicCost,
		Total: e.Total, UsableDefault: e.UsableDefault, UsableRequired: e.UsableRequired,
	}
}
