package conf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// EventSubscribers are subscribers by their names.
type EventSubscribers map[string]EventSubscriber

// EventSubscriber is who gets events of which types, and how.
type EventSubscriber struct {
	Subscriptions []EventSubscription `conf:"subscriptions" required:"true" doc:"types of events"`
	Handler       EventHandler        `conf:"handler" required:"true" doc:"where the events go"`
}

// EventSubscription is one type of events. The options belong to some types
// only.
type EventSubscription struct {
	Type            string        `conf:"type" required:"true" doc:"circuit, link, router or terminator; further types of the ecosystem are understood and not active yet"`
	Include         Strings       `conf:"include" doc:"kinds of events of the type: for circuit created, pathUpdated, deleted and failed; default all"`
	PropagateAlways bool          `conf:"propagateAlways" default:"false" doc:"of terminator without effect: every controller tells what it sees"`
	ParentEvents    bool          `conf:"includeParentEvents" default:"false" later:"entity change events" doc:"of entityChange"`
	Interval        time.Duration `conf:"interval" default:"5m" min:"1s" later:"entity count events" doc:"of entityCount"`
	SourceFilter    string        `conf:"sourceFilter" later:"metrics events" doc:"of metrics: regular expression"`
	MetricFilter    string        `conf:"metricFilter" later:"metrics events" doc:"of metrics: regular expression"`
	Version         int           `conf:"version" default:"2" min:"2" max:"3" later:"usage events" doc:"of usage"`
}

// EventHandler is where events go.
type EventHandler struct {
	Type       string `conf:"type" required:"true" doc:"file or stdout"`
	Format     string `conf:"format" required:"true" oneof:"json|plain" doc:"one JSON object per line, or one line of text"`
	Path       string `conf:"path" doc:"file that events are appended to"`
	BufferSize int    `conf:"bufferSize" default:"10000" min:"1" max:"1000000" doc:"events that wait for the handler; further ones are dropped and counted in the log"`
	MaxSizeMB  int    `conf:"maxsizemb" default:"10" min:"1" max:"100000" doc:"size of the file in MiB at which a new one is begun"`
	MaxBackups int    `conf:"maxbackups" default:"0" min:"0" doc:"earlier files that are kept; 0 keeps all"`
}

// EventType is what is known of a type of events.
type EventType struct {
	Name    string // as events carry it
	Alias   string // older name; who subscribes by it gets it as the namespace
	include []string
	later   string
}

// eventTypes are all types, in alphabetical order.
var eventTypes = []EventType{
	{Name: "alert", later: "alert events"},
	{Name: "apiSession", Alias: "edge.apiSessions", include: []string{"created", "deleted"}, later: "session events"},
	{Name: "authentication", Alias: "edge.authentications", include: []string{"success", "fail"}, later: "authentication events"},
	{Name: "circuit", Alias: "fabric.circuits", include: []string{"created", "pathUpdated", "deleted", "failed"}},
	{Name: "cluster", later: "clusters of several controllers"},
	{Name: "connect", later: "connect events"},
	{Name: "entityChange", later: "entity change events"},
	{Name: "entityCount", Alias: "edge.entityCounts", later: "entity count events"},
	{Name: "link", Alias: "fabric.links"},
	{Name: "metrics", later: "metrics events"},
	{Name: "router", Alias: "fabric.routers"},
	{Name: "sdk", later: "SDK events"},
	{Name: "service", Alias: "services", later: "service events"},
	{Name: "session", Alias: "edge.sessions", include: []string{"created", "deleted"}, later: "session events"},
	{Name: "terminator", Alias: "fabric.terminators"},
	{Name: "usage", Alias: "fabric.usage", later: "usage events"},
}

// EventTypeOf returns the type of a name or an older name, nil for an unknown
// one and for one that is not active yet.
func EventTypeOf(name string) *EventType {
	if t := eventTypeOf(name); t != nil && t.later == "" {
		return t
	}
	return nil
}

func eventTypeOf(name string) *EventType {
	for i, t := range eventTypes {
		if name == t.Name || t.Alias != "" && name == t.Alias {
			return &eventTypes[i]
		}
	}
	return nil
}

func (s *EventSubscription) check(c *Checker, path string) {
	t := eventTypeOf(s.Type)
	if t == nil {
		var names []string
		for _, t := range eventTypes {
			names = append(names, t.Name)
		}
		c.Warn(path+".type", fmt.Sprintf("there is no event type %q, the subscription has no effect", s.Type), "use one of "+strings.Join(names, ", "))
		return
	}
	if t.later != "" {
		c.NotYet(path+".type", t.later)
	}
	if t.Name != "usage" && t.Name != "entityChange" { // they take names of entities and of counters
		for _, name := range s.Include {
			if !slices.Contains(t.include, name) {
				c.Refuse(path+".include", fmt.Sprintf("%s has no kind of events %q", s.Type, name), "use "+orNone(t.include))
			}
		}
	}
	for name, text := range map[string]string{"sourceFilter": s.SourceFilter, "metricFilter": s.MetricFilter} {
		if _, err := regexp.Compile(text); err != nil {
			c.Refuse(path+"."+name, "is no regular expression: "+err.Error(), "")
		}
	}
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (h *EventHandler) check(c *Checker, path string) {
	switch h.Type {
	case "stdout":
	case "file":
		if h.Path == "" {
			c.Refuse(path+".path", "is missing", "add path: FILE")
		}
	case "webhook":
		c.NotYet(path+".type", "webhooks of events")
	case "amqp", "servicebus":
		c.Refuse(path+".type", h.Type+" is not supported", "write a file and let a log shipper carry the events on")
	case "":
	default:
		c.Refuse(path+".type", fmt.Sprintf("there is no handler %q", h.Type), "use file or stdout")
	}
}
