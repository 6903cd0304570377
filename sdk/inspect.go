package sdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
)

// connInspect describes a connection or listener to the router.
type connInspect struct {
	kind    edge.ConnType
	ID      uint32 `json:"id"`
	Service string `json:"serviceName"`
	Circuit string `json:"circuitId,omitempty"`
	Closed  bool   `json:"closed"`
	Encrypt bool   `json:"encryptionRequired"`
}

func (l *link) answerConnInspect(f *channel.Frame, id uint32, s sink) {
	r := edge.ConnInspectResponse{ConnID: id, Detail: "invalid conn id"}
	if s != nil {
		info := s.inspect()
		text, err := json.Marshal(info)
		if err != nil {
			return
		}
		r.Type, r.Detail = info.kind, string(text)
	}
	l.reply(&f.Message, r.Encode())
}

// answerInspect answers for one connection, or for the client if s is nil.
func (l *link) answerInspect(f *channel.Frame, s sink) {
	req, err := edge.ParseInspectRequest(&f.Message)
	if err != nil {
		return
	}
	r := edge.InspectResponse{ConnID: req.ConnID, Success: true, Values: map[string]json.RawMessage{}}
	for _, name := range req.Values {
		var v any
		switch {
		case s != nil:
			v = s.inspect()
		case strings.EqualFold(name, "circuits"):
			v = map[string]any{"circuits": l.r.c.circuits()}
		case strings.EqualFold(name, "context"):
			v = l.r.c.inspectContext()
		default:
			r.Errors = append(r.Errors, "unknown value "+name)
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		r.Values[name] = text
	}
	r.Success = len(r.Errors) == 0
	m, err := r.Encode()
	if err != nil {
		return
	}
	l.reply(&f.Message, m)
}

func (l *link) answerTrace(f *channel.Frame) {
	t, err := edge.ParseTraceRoute(&f.Message)
	if err != nil {
		return
	}
	l.post((&edge.TraceRouteResponse{ConnID: t.ConnID, Hops: max(t.Hops, 1) - 1, Timestamp: t.Timestamp, HopType: "sdk/weft",
		SourceRequestID: t.SourceRequestID, HasSource: t.HasSource}).Encode())
}

// liveLinks returns the live links of the client.
func (c *Client) liveLinks() []*link {
	c.mu.Lock()
	var routers []*router
	for _, r := range c.routers {
		routers = append(routers, r)
	}
	c.mu.Unlock()
	var list []*link
	for _, r := range routers {
		r.mu.Lock()
		for l := range r.links {
			list = append(list, l)
		}
		r.mu.Unlock()
	}
	return list
}

func (l *link) inspectSinks() []connInspect {
	l.mu.RLock()
	var sinks []sink
	for _, s := range l.sinks {
		sinks = append(sinks, s)
	}
	l.mu.RUnlock()
	list := []connInspect{}
	for _, s := range sinks {
		list = append(list, s.inspect())
	}
	slices.SortFunc(list, func(a, b connInspect) int { return int(int64(a.ID) - int64(b.ID)) })
	return list
}

func (c *Client) circuits() map[string]connInspect {
	out := map[string]connInspect{}
	for _, l := range c.liveLinks() {
		for _, i := range l.inspectSinks() {
			if i.Circuit != "" {
				out[i.Circuit] = i
			}
		}
	}
	return out
}

func (c *Client) inspectContext() any {
	type routerInfo struct {
		Name    string        `json:"routerName"`
		Address string        `json:"routerAddr"`
		Conns   []connInspect `json:"virtualConns"`
	}
	id, name := c.Identity()
	routers := []routerInfo{}
	for _, l := range c.liveLinks() {
		routers = append(routers, routerInfo{l.r.name, l.r.address, l.inspectSinks()})
	}
	type listenerInfo struct {
		Service string `json:"serviceName"`
		Max     int    `json:"maxTerminators"`
		Count   int    `json:"listenerCount"`
	}
	c.mu.Lock()
	var all []*Listener
	for l := range c.listeners {
		all = append(all, l)
	}
	c.mu.Unlock()
	listeners := []listenerInfo{}
	for _, l := range all {
		listeners = append(listeners, listenerInfo{l.service, l.opts.MaxTerminators, l.Terminators()})
	}
	return map[string]any{"identity": map[string]string{"id": id, "name": name}, "routerConnections": routers, "listeners": listeners}
}
