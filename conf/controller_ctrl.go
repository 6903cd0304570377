package conf

import "time"

// ControllerCtrl is the listener for routers and controllers.
type ControllerCtrl struct {
	Listener Address     `conf:"listener" required:"true" types:"tls" doc:"address to listen on; may share its port with a web server"`
	Options  CtrlOptions `conf:"options" doc:"how connections are made and kept"`
	Dialer   CtrlDialer  `conf:"dialer" doc:"calls of routers that cannot call the controller; they have ctrl.listeners"`
	_        any         `conf:"maxQueuedConnects" inert:"it is read under ctrl.options"`
	_        any         `conf:"maxOutstandingConnects" inert:"it is read under ctrl.options"`
	_        any         `conf:"connectTimeoutMs" inert:"it is read under ctrl.options"`
}

// CtrlOptions tune the control listener.
type CtrlOptions struct {
	AdvertiseAddress       Address       `conf:"advertiseAddress" types:"tls" doc:"address at which routers and controllers reach this one; default edge.api.address with the port of the listener"`
	NewListener            Address       `conf:"newListener" types:"tls" doc:"address that routers are told instead of advertiseAddress: they keep it and call it from then on; its host has to be a name of the server certificate"`
	OutQueueSize           float64       `conf:"outQueueSize" default:"4" min:"0" max:"1000000" doc:"messages that wait in front of a connection, at least 256; 0 and 4, which generated files have, leave it at 64 MiB of them, which holds in any case"`
	MaxQueuedConnects      int           `conf:"maxQueuedConnects" default:"1" min:"1" max:"5000" doc:"hellos that may be due besides maxOutstandingConnects"`
	MaxOutstandingConnects int           `conf:"maxOutstandingConnects" default:"16" min:"1" max:"1000" doc:"hellos in progress at once; above it and maxQueuedConnects further ones wait, and after 1 s take the place of the oldest; 16 with maxQueuedConnects 1, which generated files have, leaves it at 256 altogether"`
	ConnectTimeout         time.Duration `conf:"connectTimeoutMs" default:"5000" min:"30" max:"60000" unit:"ms" doc:"time for a hello; also for connection, handshake and hello of a router that is called"`
	WriteTimeout           time.Duration `conf:"writeTimeout" default:"20s" min:"0s" doc:"a write that takes longer closes the connection; 0 is 20 s"`
	RouterHeartbeats       Heartbeats    `conf:"routerHeartbeats" doc:"how a dead router is noticed"`
	PeerHeartbeats         Heartbeats    `conf:"peerHeartbeats,peerHeartbeatOptions" later:"a second member of the cluster" doc:"heartbeats between controllers"`
}

// Queue returns the bound of the send queue in messages, 0 for none.
func (o CtrlOptions) Queue() int { return queue(o.OutQueueSize, 256) }

// Hellos returns how many hellos may be due at once.
func (o CtrlOptions) Hellos() int { return hellos(o.MaxOutstandingConnects, o.MaxQueuedConnects) }

// CtrlDialer lets the controller dial routers that advertise listeners.
type CtrlDialer struct {
	Enabled            bool          `conf:"enabled" default:"false" doc:"whether routers are dialed"`
	Groups             Strings       `conf:"groups" default:"default" doc:"listener groups to dial"`
	DialDelay          time.Duration `conf:"dialDelay" default:"30s" min:"0s" doc:"wait after the start"`
	MinRetryInterval   time.Duration `conf:"minRetryInterval" default:"1s" min:"1ms" doc:"first wait"`
	MaxRetryInterval   time.Duration `conf:"maxRetryInterval" default:"5m" min:"1ms" doc:"longest wait"`
	RetryBackoffFactor float64       `conf:"retryBackoffFactor" default:"1.5" min:"1" max:"100" doc:"growth from wait to wait, up to maxRetryInterval"`
	FastFailureWindow  time.Duration `conf:"fastFailureWindow" default:"5s" min:"0s" doc:"a connection lost within it counts as failed"`
	QueueSize          int           `conf:"queueSize" default:"32" min:"1" doc:"dials that wait"`
	MaxWorkers         int           `conf:"maxWorkers" default:"10" min:"1" doc:"dials at once"`
}

func (d *CtrlDialer) check(c *Checker, path string) {
	if d.MaxRetryInterval < d.MinRetryInterval {
		c.Refuse(path+".maxRetryInterval", "is shorter than minRetryInterval", "make it at least "+d.MinRetryInterval.String())
	}
}
