package conf

import (
	"fmt"
	"net/url"
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
	Type            string        `conf:"type" required:"true" doc:"type of events, or its older name: see events.md"`
	Include         Strings       `conf:"include" doc:"kinds of events of the type: such as created for circuit, the types of entities for entityChange, the counters for usage of version 3; default all"`
	PropagateAlways bool          `conf:"propagateAlways" default:"false" doc:"of entityChange and entityCount: on every controller, not on the leader alone"`
	ParentEvents    bool          `conf:"includeParentEvents" default:"false" doc:"of entityChange: edge services and edge routers as services and routers of the fabric, too"`
	Interval        time.Duration `conf:"interval" default:"5m" min:"1s" doc:"of entityCount: time between two events"`
	SourceFilter    string        `conf:"sourceFilter" doc:"of metrics: regular expression that the id of the process matches somewhere"`
	MetricFilter    string        `conf:"metricFilter" doc:"of metrics: regular expression that NAME.VALUE, such as link.latency.p99, matches somewhere"`
	Version         int           `conf:"version" default:"2" min:"2" max:"3" doc:"of usage: 2 for an event per counter, 3 for one per circuit"`
}

// EventHandler is where events go.
type EventHandler struct {
	Type       string            `conf:"type" required:"true" doc:"file, stdout or webhook"`
	Format     string            `conf:"format" required:"true" oneof:"json|plain" doc:"one JSON object per line, or one line of text"`
	Path       string            `conf:"path" doc:"of file: file that events are appended to"`
	BufferSize int               `conf:"bufferSize" default:"10000" min:"1" max:"1000000" doc:"events that wait for the handler; further ones are dropped and counted"`
	MaxSizeMB  int               `conf:"maxsizemb" default:"10" min:"1" max:"100000" doc:"of file: size in MiB at which a new one is begun"`
	MaxBackups int               `conf:"maxbackups" default:"0" min:"0" doc:"of file: earlier files that are kept; 0 keeps all"`
	URL        Secret            `conf:"url" doc:"of webhook: where events are posted, https:// or http://; the path may be a secret, so it is not shown"`
	Headers    map[string]Secret `conf:"headers" doc:"of webhook: headers of the requests, by their names"`
	Secret     Secret            `conf:"secret" doc:"of webhook: key of the signature X-Weft-Signature-256, sha256=HMAC of the body in hex"`
	CA         string            `conf:"ca" doc:"of webhook: file of the authorities that the server's certificate is checked with; default those of the system"`
	Batch      int               `conf:"batch" default:"1" min:"1" max:"10000" doc:"of webhook: most events of one request; above 1 the body is a JSON array"`
	Timeout    time.Duration     `conf:"timeout" default:"10s" min:"100ms" max:"5m" doc:"of webhook: for one request"`
	MinRetry   time.Duration     `conf:"minRetryInterval" default:"1s" min:"1ms" max:"1h" doc:"of webhook: wait after the first failure"`
	MaxRetry   time.Duration     `conf:"maxRetryInterval" default:"1m" min:"1ms" max:"24h" doc:"of webhook: longest wait; meanwhile events gather in the buffer"`
}

// Secret is a text that is used but not shown.
type Secret string

// String returns asterisks for a text.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// Audit is the record of every change.
type Audit struct {
	Enabled    bool   `conf:"enabled" default:"true" doc:"whether changes are recorded"`
	Dir        string `conf:"dir" doc:"directory of the records; default audit in the data directory"`
	MaxSizeMB  int    `conf:"maxsizemb" default:"10" min:"1" max:"1000" doc:"size of a file in MiB at which a new one is begun"`
	MaxBackups int    `conf:"maxbackups" default:"20" min:"0" doc:"earlier files that are kept; 0 keeps all"`
}

// EventType is what is known of a type of events.
type EventType struct {
	Name  string   // as events carry it
	Alias string   // older name; who subscribes by it gets it as the namespace
	Kinds []string // of its events that include can choose, empty if it cannot
}

// eventTypes are all types, in alphabetical order.
var eventTypes = []EventType{
	{Name: "alert"},
	{Name: "apiSession", Alias: "edge.apiSessions", Kinds: []string{"created", "deleted"}},
	{Name: "audit", Kinds: []string{"created", "updated", "deleted", "missed"}},
	{Name: "authentication", Alias: "edge.authentications", Kinds: []string{"success", "fail"}},
	{Name: "circuit", Alias: "fabric.circuits", Kinds: []string{"created", "pathUpdated", "deleted", "failed"}},
	{Name: "cluster"},
	{Name: "connect"},
	{Name: "entityChange", Kinds: []string{
		"apiSessions", "authPolicies", "authenticators", "cas", "configTypes", "configs", "controllers", "edgeRouterPolicies", "enrollments",
		"externalJwtSigners", "identities", "mfas", "postureChecks", "revocations", "routers", "serviceEdgeRouterPolicies", "servicePolicies",
		"services", "terminators", "apiSessionCertificates", "eventualEvents", "identityTypes", "postureCheckTypes", "sessions",
	}},
	{Name: "entityCount", Alias: "edge.entityCounts"},
	{Name: "link", Alias: "fabric.links"},
	{Name: "metrics"},
	{Name: "router", Alias: "fabric.routers"},
	{Name: "sdk"},
	{Name: "service", Alias: "services"},
	{Name: "session", Alias: "edge.sessions", Kinds: []string{"created", "deleted"}},
	{Name: "terminator", Alias: "fabric.terminators"},
	{Name: "trace", Kinds: []string{"sent", "received"}},
	{Name: "usage", Alias: "fabric.usage", Kinds: []string{"ingress.rx", "ingress.tx", "egress.rx", "egress.tx", "fabric.rx", "fabric.tx"}},
}

// EventTypes returns all types in alphabetical order. The result is shared.
func EventTypes() []EventType { return eventTypes }

// EventTypeOf returns the type of a name or an older name, nil for an unknown
// one.
func EventTypeOf(name string) *EventType {
	for i, t := range eventTypes {
		if name == t.Name || t.Alias != "" && name == t.Alias {
			return &eventTypes[i]
		}
	}
	return nil
}

func (s *EventSubscription) check(c *Checker, path string) {
	t := EventTypeOf(s.Type)
	if t == nil {
		var names []string
		for _, t := range eventTypes {
			names = append(names, t.Name)
		}
		c.Warn(path+".type", fmt.Sprintf("invalid event type %q, the subscription has no effect. valid types are %s", s.Type, strings.Join(names, ", ")), "use one of them, or remove the subscription")
		return
	}
	for _, name := range s.Include {
		if !slices.Contains(t.Kinds, name) {
			c.Refuse(path+".include", fmt.Sprintf("%s has no kind of events %q", s.Type, name), "use "+orNone(t.Kinds))
		}
	}
	if t.Name == "usage" && s.Version == 2 && len(s.Include) > 0 {
		c.Refuse(path+".include", "chooses counters of usage events of version 3 only", "add version: 3, or remove include")
	}
	s.checkFilters(c, path)
}

func (s *EventSubscription) checkFilters(c *Checker, path string) {
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
		h.checkWebhook(c, path)
	case "amqp", "servicebus":
		c.Refuse(path+".type", h.Type+" is not supported", "write a file and let a log shipper carry the events on, or post them with a webhook")
	case "":
	default:
		c.Refuse(path+".type", fmt.Sprintf("there is no handler %q", h.Type), "use file, stdout or webhook")
	}
}

func (h *EventHandler) checkWebhook(c *Checker, path string) {
	if h.URL == "" {
		c.Refuse(path+".url", "is missing", "add url: https://HOST/PATH")
		return
	}
	u, err := url.Parse(string(h.URL))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		c.Refuse(path+".url", "is no URL of a web server", "write https://HOST/PATH")
	} else if u.User != nil {
		c.Refuse(path+".url", "holds a password", "move it to headers, such as Authorization")
	} else if u.Scheme == "http" && h.CA != "" {
		c.Refuse(path+".ca", "is of no use without TLS", "write https:// in url, or remove ca")
	}
	if h.MaxRetry < h.MinRetry {
		c.Refuse(path+".maxRetryInterval", "is shorter than minRetryInterval", "make it at least "+h.MinRetry.String())
	}
	for name, value := range h.Headers {
		if !headerName.MatchString(name) || strings.ContainsAny(string(value), "\r\n") {
			c.Refuse(path+".headers", fmt.Sprintf("%q is no header of HTTP", name), "")
		}
	}
}

var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")
