package conf

import (
	"fmt"
	"time"
)

// Links sets the links to other routers.
type Links struct {
	Listeners    []LinkListener `conf:"listeners" doc:"where other routers connect"`
	Dialers      []LinkDialer   `conf:"dialers" doc:"how other routers are dialed"`
	Heartbeats   LinkHeartbeats `conf:"heartbeats" doc:"how a dead link is noticed"`
	PayloadQueue int            `conf:"payloadSenderQueueSize" default:"128" min:"1" doc:"messages that wait in front of a connection for payloads; what does not fit waits per circuit"`
	AckQueue     int            `conf:"ackSenderQueueSize" default:"64" min:"1" doc:"messages that wait in front of a connection for acknowledgements"`
}

// LinkHeartbeats set how a dead link is noticed.
type LinkHeartbeats struct {
	SendInterval             time.Duration `conf:"sendInterval" default:"10s" min:"10ms" doc:"how often an idle link is probed"`
	CheckInterval            time.Duration `conf:"checkInterval" default:"1s" min:"10ms" doc:"how often links are looked at, and how often a busy one is probed"`
	CloseUnresponsiveTimeout time.Duration `conf:"closeUnresponsiveTimeout" default:"60s" min:"10ms" doc:"silence after which the link is closed"`
	UnresponsiveAfter        time.Duration `conf:"unresponsiveAfter" default:"5s" min:"10ms" doc:"silence after which no circuit uses the link"`
}

// LinkListener is where other routers connect.
type LinkListener struct {
	Binding       string              `conf:"binding" required:"true" oneof:"transport" doc:"kind of link"`
	Bind          Address             `conf:"bind,address" required:"true" types:"tls" bare:"tls" doc:"address to listen on"`
	Advertise     Address             `conf:"advertise" required:"true" types:"tls" bare:"tls" doc:"address for other routers, with or without tls:"`
	BindInterface string              `conf:"bindInterface" doc:"interface; default the one that owns the address"`
	Groups        Strings             `conf:"groups" default:"default" doc:"groups of the listener"`
	CostTags      Strings             `conf:"costTags" doc:"passed to the controllers"`
	Options       LinkListenerOptions `conf:"options" doc:"how connections are made and kept"`
}

// LinkDialer says how other routers are dialed.
type LinkDialer struct {
	Binding               string            `conf:"binding" required:"true" oneof:"transport" doc:"kind of link"`
	Bind                  string            `conf:"bind" doc:"interface or local IP for outgoing connections"`
	Split                 bool              `conf:"split" default:"true" doc:"separate connections for payloads and acknowledgements"`
	MaxDefaultConnections int               `conf:"maxDefaultConnections" default:"3" min:"1" max:"100" doc:"connections for payloads"`
	MaxAckConnections     int               `conf:"maxAckConnections" default:"1" min:"0" max:"100" doc:"connections for acknowledgements"`
	StartupDelay          time.Duration     `conf:"startupDelay" default:"3s" min:"0s" doc:"wait before further connections"`
	Groups                Strings           `conf:"groups" default:"default" doc:"listener groups to dial"`
	HealthyDialBackoff    HealthyBackoff    `conf:"healthyDialBackoff" doc:"retries while the router is connected to the controller"`
	UnhealthyDialBackoff  UnhealthyBackoff  `conf:"unhealthyDialBackoff" doc:"retries while it is not"`
	Options               LinkDialerOptions `conf:"options" doc:"how connections are made and kept"`
}

// LinkOptions tune the connections of links.
type LinkOptions struct {
	OutQueueSize   float64       `conf:"outQueueSize" default:"4" min:"0" doc:"messages that wait in front of a connection; 0 and 4, which generated files have, leave it at payloadSenderQueueSize and ackSenderQueueSize"`
	ConnectTimeout time.Duration `conf:"connectTimeoutMs" default:"5000" min:"30" max:"60000" unit:"ms" doc:"time from the call to the answer of the other router; listeners: from the TLS handshake to the answer"`
	WriteTimeout   time.Duration `conf:"writeTimeout" default:"0s" min:"0s" doc:"a write that takes longer closes the connection; 0 never does"`
	_              any           `conf:"mtu" inert:"links run over a stream"`
}

// Queue returns the bound of a send queue in messages, 0 for that of the link
// section.
func (o LinkOptions) Queue() int {
	if o.OutQueueSize == 4 {
		return 0
	}
	return int(o.OutQueueSize)
}

// LinkListenerOptions tune the connections that other routers make.
type LinkListenerOptions struct {
	LinkOptions
	MaxQueuedConnects      int `conf:"maxQueuedConnects" default:"1" min:"1" max:"5000" doc:"hellos that may be due besides maxOutstandingConnects"`
	MaxOutstandingConnects int `conf:"maxOutstandingConnects" default:"16" min:"1" max:"1000" doc:"hellos in progress at once; above it and maxQueuedConnects further ones wait, and after 1 s take the place of the oldest; 16 with maxQueuedConnects 1, which generated files have, leaves it at 256 altogether"`
}

// LinkDialerOptions tune the connections to other routers.
type LinkDialerOptions struct {
	LinkOptions
	_ int `conf:"maxQueuedConnects" min:"1" max:"5000" inert:"it is for listeners"`
	_ int `conf:"maxOutstandingConnects" min:"1" max:"1000" inert:"it is for listeners"`
}

// Hellos returns how many hellos may be due at once.
func (o LinkListenerOptions) Hellos() int {
	return hellos(o.MaxOutstandingConnects, o.MaxQueuedConnects)
}

// check refuses what the bounds of single keys let pass.
func (l *Links) check(c *Checker, path string) {
	if l.Heartbeats.CloseUnresponsiveTimeout < l.Heartbeats.UnresponsiveAfter && c.Has(path+".heartbeats.unresponsiveAfter") {
		c.Refuse(path+".heartbeats.closeUnresponsiveTimeout", "is shorter than unresponsiveAfter", "make it at least as long")
	}
	for i, listener := range l.Listeners {
		if listener.Advertise.Port == 0 && !listener.Advertise.IsZero() {
			c.Refuse(fmt.Sprintf("%s.listeners[%d].advertise", path, i), "has no port that others could call", "write the port")
		}
	}
}

// HealthyBackoff is the retry policy for a router that a controller sees.
type HealthyBackoff struct {
	MinRetryInterval   time.Duration `conf:"minRetryInterval" default:"5s" min:"10ms" max:"24h" doc:"first wait"`
	MaxRetryInterval   time.Duration `conf:"maxRetryInterval" default:"5m" min:"10ms" max:"24h" doc:"longest wait"`
	RetryBackoffFactor float64       `conf:"retryBackoffFactor" default:"1.5" min:"1" max:"100" doc:"growth from wait to wait"`
}

func (b *HealthyBackoff) check(c *Checker, path string) {
	checkBackoff(c, path, b.MinRetryInterval, b.MaxRetryInterval)
}

// UnhealthyBackoff is the retry policy for a router that no controller sees.
type UnhealthyBackoff struct {
	MinRetryInterval   time.Duration `conf:"minRetryInterval" default:"1m" min:"10ms" max:"24h" doc:"first wait"`
	MaxRetryInterval   time.Duration `conf:"maxRetryInterval" default:"1h" min:"10ms" max:"24h" doc:"longest wait"`
	RetryBackoffFactor float64       `conf:"retryBackoffFactor" default:"10" min:"1" max:"100" doc:"growth from wait to wait"`
}

func (b *UnhealthyBackoff) check(c *Checker, path string) {
	checkBackoff(c, path, b.MinRetryInterval, b.MaxRetryInterval)
}

func checkBackoff(c *Checker, path string, least, most time.Duration) {
	if most < least {
		c.Refuse(path+".maxRetryInterval", "is shorter than minRetryInterval", "make it at least "+least.String())
	}
}
