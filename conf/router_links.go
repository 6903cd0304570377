package conf

import "time"

// Links sets the links to other routers.
type Links struct {
	Listeners  []LinkListener `conf:"listeners" doc:"where other routers connect"`
	Dialers    []LinkDialer   `conf:"dialers" doc:"how other routers are dialed"`
	Heartbeats LinkHeartbeats `conf:"heartbeats" doc:"heartbeats on links"`
	_          int            `conf:"payloadSenderQueueSize" inert:"links are bounded in bytes, not in messages"`
	_          int            `conf:"ackSenderQueueSize" inert:"links are bounded in bytes, not in messages"`
}

// LinkHeartbeats set how a dead link is noticed.
type LinkHeartbeats struct {
	SendInterval             time.Duration `conf:"sendInterval" default:"10s" min:"10ms" doc:"how often a heartbeat is sent"`
	CheckInterval            time.Duration `conf:"checkInterval" default:"1s" min:"10ms" doc:"how often answers are checked"`
	CloseUnresponsiveTimeout time.Duration `conf:"closeUnresponsiveTimeout" default:"60s" min:"10ms" doc:"silence after which the link is closed"`
	UnresponsiveAfter        time.Duration `conf:"unresponsiveAfter" default:"5s" min:"10ms" doc:"round trip above which the link counts as unresponsive"`
}

// LinkListener is where other routers connect.
type LinkListener struct {
	Binding       string      `conf:"binding" required:"true" oneof:"transport" doc:"kind of link"`
	Bind          Address     `conf:"bind,address" required:"true" types:"tls" bare:"tls" doc:"address to listen on"`
	Advertise     Address     `conf:"advertise" required:"true" types:"tls" bare:"tls" doc:"address for other routers, with or without tls:"`
	BindInterface string      `conf:"bindInterface" doc:"interface; default the one that owns the address"`
	Groups        Strings     `conf:"groups" default:"default" doc:"groups of the listener"`
	CostTags      Strings     `conf:"costTags" doc:"passed to the controllers"`
	Options       LinkOptions `conf:"options" doc:"how connections are made and kept"`
}

// LinkDialer says how other routers are dialed.
type LinkDialer struct {
	Binding               string           `conf:"binding" required:"true" oneof:"transport" doc:"kind of link"`
	Bind                  string           `conf:"bind" doc:"interface or local IP for outgoing connections"`
	Split                 bool             `conf:"split" default:"true" doc:"separate connections for payloads and acknowledgements"`
	MaxDefaultConnections int              `conf:"maxDefaultConnections" default:"3" min:"1" max:"100" doc:"connections for payloads"`
	MaxAckConnections     int              `conf:"maxAckConnections" default:"1" min:"0" max:"100" doc:"connections for acknowledgements"`
	StartupDelay          time.Duration    `conf:"startupDelay" default:"3s" min:"0s" doc:"wait before further connections"`
	Groups                Strings          `conf:"groups" default:"default" doc:"listener groups to dial"`
	HealthyDialBackoff    HealthyBackoff   `conf:"healthyDialBackoff" doc:"retries while the router is connected to the controller"`
	UnhealthyDialBackoff  UnhealthyBackoff `conf:"unhealthyDialBackoff" doc:"retries while it is not"`
	Options               LinkOptions      `conf:"options" doc:"how connections are made and kept"`
}

// LinkOptions tune the connections of links.
type LinkOptions struct {
	ChannelOptions
	_ any `conf:"mtu" inert:"links run over a stream"`
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
