package events

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
)

// kindOf returns the type of an event and which of the type it is.
func kindOf(e network.Event) (kind, of string) {
	switch e := e.(type) {
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

// encode returns an event as a JSON object in the form of the ecosystem.
func encode(e network.Event, namespace, source string) ([]byte, error) {
	switch e := e.(type) {
	case *network.CircuitEvent:
		return json.Marshal(circuitOf(e, namespace, source))
	case *network.LinkEvent:
		return json.Marshal(linkOf(e, namespace, source))
	case *network.RouterEvent:
		return json.Marshal(routerEvent{namespace, at(e.At), source, e.Type, e.RouterID, e.Online})
	case *network.TerminatorEvent:
		return json.Marshal(terminatorOf(e, namespace, source))
	}
	return nil, fmt.Errorf("events: no form for %T", e)
}

func at(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// head begins most events.
type head struct {
	Namespace string `json:"namespace"`
	Source    string `json:"event_src_id"`
	Timestamp string `json:"timestamp"`
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

func circuitOf(e *network.CircuitEvent, namespace, source string) circuitEvent {
	c := e.Circuit
	out := circuitEvent{
		head: head{namespace, source, at(e.At)}, Version: 2, Type: e.Type, Circuit: c.ID, Client: c.SessionID, Service: c.ServiceID,
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

func linkOf(e *network.LinkEvent, namespace, source string) linkEvent {
	l := e.Link
	out := linkEvent{
		head: head{namespace, source, at(e.At)}, Type: e.Type, Link: l.ID, Src: l.DialerID, Dst: l.AcceptorID,
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

func terminatorOf(e *network.TerminatorEvent, namespace, source string) terminatorEvent {
	t := e.Terminator
	return terminatorEvent{
		head: head{namespace, source, at(e.At)}, Type: e.Type, Service: t.ServiceID, Terminator: t.ID, Router: t.RouterID, Host: t.HostID,
		Instance: t.InstanceID, Online: e.RouterOnline, Precedence: cmp.Or(string(t.Precedence), string(model.PrecedenceDefault)), StaticCost: int(t.Cost), DynamicCost: e.DynamicCost,
		Total: e.Total, UsableDefault: e.UsableDefault, UsableRequired: e.UsableRequired,
	}
}
