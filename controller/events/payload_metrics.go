package events

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// The forms of measurements and counters.

type serviceEvent struct {
	head
	Version    int    `json:"version"`
	Type       string `json:"event_type"`
	Terminator string `json:"terminator_id"`
	Service    string `json:"service_id"`
	Count      uint64 `json:"count"`
	Start      int64  `json:"interval_start_utc"` // Unix time
	Length     int64  `json:"interval_length"`    // seconds
}

func (e *ServiceCount) about() (kind, of string) { return "service", e.Type }

func (e *ServiceCount) forms(h head, _ *subscription) []any {
	return one(serviceEvent{h.when(e.At), 2, e.Type, e.TerminatorID, e.ServiceID, e.Count, e.Start.Unix(), int64(e.Length / time.Second)})
}

type usageEvent struct {
	head
	Version int               `json:"version"`
	Type    string            `json:"event_type"`
	Source  string            `json:"source_id"`
	Circuit string            `json:"circuit_id"`
	Usage   uint64            `json:"usage"`
	Start   int64             `json:"interval_start_utc"`
	Length  int64             `json:"interval_length"`
	Tags    map[string]string `json:"tags"`
}

// usageEventV3 has all counters of a circuit.
type usageEventV3 struct {
	head
	Version int               `json:"version"`
	Source  string            `json:"source_id"`
	Circuit string            `json:"circuit_id"`
	Usage   map[string]uint64 `json:"usage"`
	Start   int64             `json:"interval_start_utc"`
	Length  int64             `json:"interval_length"`
	Tags    map[string]string `json:"tags"`
}

func (e *Usage) about() (kind, of string) { return "usage", "" }

func (e *Usage) forms(h head, s *subscription) []any {
	h = h.when(e.At)
	start, length := e.Start.Unix(), int64(e.Length/time.Second)
	if s.version == 3 {
		kept := make(map[string]uint64)
		for name, n := range e.Bytes {
			if len(s.include) == 0 || slices.Contains(s.include, name) {
				kept[name] = n
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return one(usageEventV3{h, 3, e.SourceID, e.CircuitID, kept, start, length, e.Tags})
	}
	var out []any
	for _, name := range slices.Sorted(maps.Keys(e.Bytes)) {
		out = append(out, usageEvent{h, 2, "usage." + name, e.SourceID, e.CircuitID, e.Bytes[name], start, length, e.Tags})
	}
	return out
}

type metricEvent struct {
	head
	Kind     string            `json:"metric_type"`
	Source   string            `json:"source_id"`
	Entity   string            `json:"source_entity_id,omitempty"`
	Version  int               `json:"version"`
	Metric   string            `json:"metric"`
	Metrics  map[string]any    `json:"metrics"`
	Tags     map[string]string `json:"tags,omitempty"`
	ReportID string            `json:"source_event_id"`
}

func (e *Metrics) about() (kind, of string) { return "metrics", "" }

func (e *Metrics) forms(h head, s *subscription) []any {
	if !s.source.MatchString(e.SourceID) {
		return nil
	}
	h = h.when(e.At)
	var out []any
	for i := range e.Metrics {
		m := s.mapped(&e.Metrics[i])
		values := make(map[string]any)
		for key, v := range m.Values {
			if s.metric.MatchString(m.Name + "." + key) {
				values[key] = number(v)
			}
		}
		if len(values) > 0 {
			out = append(out, metricEvent{h, kindOf(&m), e.SourceID, m.EntityID, 3, m.Name, values, m.Tags, e.ReportID})
		}
	}
	return out
}

// number returns a whole number as such: floats of JSON lose their zeros, and
// some readers take 1e+06 for no count.
func number(v float64) any {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return int64(v)
	}
	return v
}

// kindOf returns the type of a metric by the ecosystem's name.
func kindOf(m *Metric) string {
	if m.Kind != "gauge" {
		return m.Kind
	}
	if v := m.Values["value"]; v == math.Trunc(v) {
		return "intValue"
	}
	return "floatValue"
}

// mapped takes the id out of the name of a metric of a router's control
// connection or of a link, and names the routers of a link.
func (s *subscription) mapped(m *Metric) Metric {
	out := *m
	if m.EntityID != "" {
		return out
	}
	name, id, found := strings.Cut(m.Name, ":")
	switch {
	case found && strings.HasPrefix(name, "ctrl."):
		out.Name, out.EntityID = name, id
	case found && strings.HasPrefix(name, "link."):
		out.Name, out.EntityID = name, id
	case strings.HasPrefix(m.Name, "link."):
		id, rest, ok := strings.Cut(strings.TrimPrefix(m.Name, "link."), ".")
		if !ok {
			return out
		}
		src, dst, known := s.link(id)
		if !known && len(id) < 16 { // such as link.dialer.queue_size
			return out
		}
		out.Name, out.EntityID = "link."+rest, id
		return tagged(out, src, dst, known)
	}
	if strings.HasPrefix(out.Name, "link.") && out.EntityID != "" {
		src, dst, known := s.link(out.EntityID)
		return tagged(out, src, dst, known)
	}
	return out
}

func tagged(m Metric, src, dst string, known bool) Metric {
	if known {
		tags := map[string]string{"sourceRouterId": src, "targetRouterId": dst}
		maps.Copy(tags, m.Tags)
		m.Tags = tags
	}
	return m
}

func (s *subscription) link(id string) (src, dst string, ok bool) {
	if s.hub.cfg.Link == nil {
		return "", "", false
	}
	return s.hub.cfg.Link(id)
}
