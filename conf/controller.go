package conf

import "time"

// Controller is the configuration of a controller.
type Controller struct {
	Lines Lines // where the keys stand, for messages

	V                      int              `conf:"v" required:"true" oneof:"3" doc:"version of the format"`
	Identity               Identity         `conf:"identity" required:"true" doc:"key material"`
	TrustDomain            string           `conf:"trustDomain" doc:"trust domain of SPIFFE ids, with or without spiffe:// in front, if the certificates name none; without one the fingerprint of the root CA"`
	AdditionalTrustDomains Strings          `conf:"additionalTrustDomains" doc:"further trust domains, with or without spiffe:// in front, whose SPIFFE ids count as this network's while it moves from one to another"`
	DB                     string           `conf:"db" doc:"path beside which a single controller keeps its data"`
	Cluster                *Cluster         `conf:"cluster" doc:"raft settings of a controller that is or joins a cluster"`
	Ctrl                   ControllerCtrl   `conf:"ctrl" required:"true" doc:"listener for routers and controllers"`
	Web                    []WebServer      `conf:"web" doc:"HTTPS servers"`
	Edge                   *ControllerEdge  `conf:"edge" doc:"edge APIs, enrollment and sessions"`
	Network                Network          `conf:"network" doc:"circuits and paths"`
	HealthChecks           ControllerHealth `conf:"healthChecks" doc:"what the health-checks API reports"`
	Command                Command          `conf:"command" doc:"limits on model changes"`
	CommandRateLimiter     CommandLimit     `conf:"commandRateLimiter" doc:"older spelling of command.rateLimiter"`
	_                      ConnectEvents    `conf:"connectEvents" inert:"reports of connected identities take effect as they arrive: none waits in a queue"`
	TLS                    ControllerTLS    `conf:"tls" doc:"limits on TLS handshakes"`
	RouterDataModel        RouterDataModel  `conf:"routerDataModel" doc:"changes kept for routers"`
	Events                 EventSubscribers `conf:"events" doc:"who gets which events, by any names"`
	Audit                  Audit            `conf:"audit" doc:"record of every change"`
	Trace                  *Trace           `conf:"trace" doc:"trace of the messages with routers, for weft ops trace"`
	Profile                *Profile         `conf:"profile" doc:"profiles of the process"`
	_                      any              `conf:"raft" refused:"is called cluster since version 2.0" doc:"rename it to cluster"`
	_                      any              `conf:"metrics" inert:"metrics are pulled from the metrics API"`
	_                      any              `conf:"mgmt" inert:"there is no separate management listener"`
	_                      any              `conf:"example" inert:"it belongs to a demonstration"`
}

// ControllerHealth sets the checks of the health-checks API.
type ControllerHealth struct {
	BoltCheck BoltCheck `conf:"boltCheck" doc:"reads of the log and the state"`
}

// BoltCheck is the check with the id bolt.read.
type BoltCheck struct {
	Interval     time.Duration `conf:"interval" default:"30s" min:"10ms" doc:"time between two checks"`
	Timeout      time.Duration `conf:"timeout" default:"20s" min:"10ms" doc:"time after which a check has failed"`
	InitialDelay time.Duration `conf:"initialDelay" default:"30s" min:"0s" doc:"wait before the first check"`
}
