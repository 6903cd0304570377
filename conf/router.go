package conf

import "time"

// Router is the configuration of a router.
type Router struct {
	Lines Lines // where the keys stand, for messages

	V                  int                `conf:"v" required:"true" oneof:"3" doc:"version of the format"`
	Identity           Identity           `conf:"identity" required:"true" doc:"key material; enrollment creates the files"`
	Ctrl               RouterCtrl         `conf:"ctrl" required:"true" doc:"connection to the controllers"`
	RootCSR            *CSR               `conf:"csr" doc:"values of certificate requests; wins over edge.csr"`
	Edge               *RouterEdge        `conf:"edge" doc:"its presence lets SDKs connect"`
	Listeners          []Listener         `conf:"listeners" doc:"where clients come in"`
	Dialers            []Dialer           `conf:"dialers" doc:"bindings that may be dialed; without the section there is no egress"`
	Link               Links              `conf:"link" doc:"links to other routers"`
	Forwarder          Forwarder          `conf:"forwarder" doc:"bounds on circuits and dials"`
	Metrics            RouterMetrics      `conf:"metrics" doc:"reports to the controllers"`
	HealthChecks       RouterHealth       `conf:"healthChecks" doc:"what the health-checks API reports"`
	ConnectEvents      RouterConnect      `conf:"connectEvents" doc:"reports of connected identities"`
	InterfaceDiscovery InterfaceDiscovery `conf:"interfaceDiscovery" doc:"reports of network interfaces"`
	Web                []WebServer        `conf:"web" doc:"HTTPS servers"`
	Transport          Transport          `conf:"transport" doc:"underlay tuning"`
	Proxy              *Proxy             `conf:"proxy" doc:"HTTP CONNECT proxy for connections to controllers and other routers"`
	TLS                TLS                `conf:"tls" doc:"limits on TLS handshakes"`
	Trace              *Trace             `conf:"trace" doc:"trace of messages"`
	Profile            *Profile           `conf:"profile" doc:"profiles of the process"`
	EnableDebugOps     bool               `conf:"enableDebugOps" default:"false" doc:"allow operations of the agent that break things"`
	_                  any                `conf:"plugins" refused:"plugins would run foreign code inside the router"`
	_                  any                `conf:"managedConfig" inert:"controllers push no configuration"`
}

// CSR returns the values for certificate requests: the root section, else
// that of edge, else none.
func (r *Router) CSR() CSR {
	switch {
	case r.RootCSR != nil:
		return *r.RootCSR
	case r.Edge != nil && r.Edge.CSR != nil:
		return *r.Edge.CSR
	}
	return CSR{}
}

// RouterCtrl is the connection to the controllers.
type RouterCtrl struct {
	Endpoint              Address          `conf:"endpoint" types:"tls" doc:"a controller's address; wins over endpoints"`
	Endpoints             []Address        `conf:"endpoints" types:"tls" doc:"controllers' addresses"`
	Bind                  string           `conf:"bind" doc:"interface or local IP for outgoing connections"`
	DefaultRequestTimeout time.Duration    `conf:"defaultRequestTimeout" default:"5s" min:"1ms" doc:"time for a controller to answer"`
	StartupTimeout        time.Duration    `conf:"startupTimeout" default:"30s" doc:"time to reach a controller when there is no usable snapshot; 0 waits for ever"`
	EndpointsFile         string           `conf:"endpointsFile" doc:"file of the known controllers; default endpoints beside this file"`
	Options               UplinkOptions    `conf:"options" doc:"options of control connections"`
	Heartbeats            RouterHeartbeats `conf:"heartbeats" doc:"how a slow or dead controller is noticed"`
	RateLimiter           RouterWindow     `conf:"rateLimiter" doc:"limit on changes of terminators that wait for the controller's answer; it adapts"`
	Listeners             []CtrlListener   `conf:"listeners" doc:"where controllers call the router, if it cannot call them; see ctrl.dialer of the controller"`
}

// UplinkOptions tune the connections to controllers.
type UplinkOptions struct {
	OutQueueSize   float64       `conf:"outQueueSize" default:"4" min:"0" max:"1000000" doc:"messages that wait in front of a connection, at least 256, for so many answers may be due at once; 0 and 4, which generated files have, leave it at 8 MiB of them, which holds in any case"`
	_              int           `conf:"maxQueuedConnects" min:"1" max:"5000" inert:"it is for listeners; the router dials"`
	_              int           `conf:"maxOutstandingConnects" min:"1" max:"1000" inert:"it is for listeners; the router dials"`
	ConnectTimeout time.Duration `conf:"connectTimeoutMs" default:"5000" min:"30" max:"60000" unit:"ms" doc:"time for connection, handshake and hello"`
	WriteTimeout   time.Duration `conf:"writeTimeout" default:"20s" min:"0s" doc:"a write that takes longer closes the connection; 0 is 20 s"`
}

// Queue returns the bound of the send queue in messages, 0 for none.
func (o UplinkOptions) Queue() int { return queue(o.OutQueueSize, 256) }

// RouterHeartbeats set how a dead controller is noticed.
type RouterHeartbeats struct {
	Heartbeats
	UnresponsiveAfter time.Duration `conf:"unresponsiveAfter" default:"5s" min:"10ms" doc:"round trip above which a controller counts as unresponsive"`
}

// RouterWindow is the adaptive limit on terminator requests.
type RouterWindow struct {
	Enabled               bool          `conf:"enabled" default:"true" doc:"whether the limit applies"`
	MinSize               int           `conf:"minSize" default:"1" min:"1" max:"1000" doc:"smallest window"`
	MaxSize               int           `conf:"maxSize" default:"250" min:"5" max:"1000" doc:"largest window, and the first"`
	Timeout               time.Duration `conf:"timeout" default:"30s" min:"1ms" doc:"time after which a request counts as too slow"`
	SuccessThreshold      float64       `conf:"successThreshold" default:"0.9" min:"0" max:"1" doc:"success rate above which the window grows"`
	IncreaseFactor        float64       `conf:"increaseFactor" default:"1.02" min:"1" doc:"growth of the window"`
	DecreaseFactor        float64       `conf:"decreaseFactor" default:"0.9" min:"0.0001" max:"0.9999" doc:"shrinking of the window"`
	IncreaseCheckInterval int           `conf:"increaseCheckInterval" default:"10" min:"1" doc:"successes between two growths"`
	DecreaseCheckInterval int           `conf:"decreaseCheckInterval" default:"10" min:"1" doc:"slow results between two shrinkings"`
}

func (w *RouterWindow) check(c *Checker, path string) {
	if w.MaxSize < w.MinSize {
		c.Refuse(path+".maxSize", "is smaller than minSize", "make it at least as large")
	}
}

// RouterEdge sets what lets SDKs connect.
type RouterEdge struct {
	CSR            *CSR          `conf:"csr" doc:"values of certificate requests"`
	DB             string        `conf:"db" doc:"snapshot of what the router knows; default this file's path and .proto.gzip"`
	DBSaveInterval time.Duration `conf:"dbSaveIntervalSeconds" default:"30" min:"30" clamp:"bound" unit:"s" doc:"time between two snapshots"`
	Heartbeat      time.Duration `conf:"heartbeatIntervalSeconds" default:"0" min:"10" max:"60" clamp:"default" unit:"s" doc:"time between two reports of the API sessions that are connected, which keeps these alive; 0, which it also is outside of its bounds: what the controller wants, 10 s"`
	APIProxy       *APIProxy     `conf:"apiProxy" doc:"passes the edge APIs on to a controller"`
	ReportChunk    int           `conf:"sessionValidateChunkSize" default:"1000" min:"1" max:"10000" doc:"sessions per message when a controller is told, after the router has connected to it, which are connected"`
	ReportMinPause time.Duration `conf:"sessionValidateMinInterval" default:"250ms" min:"0s" doc:"shortest pause between two such messages; it is random"`
	ReportMaxPause time.Duration `conf:"sessionValidateMaxInterval" default:"1500ms" min:"0s" doc:"longest pause between two such messages"`
}

func (e *RouterEdge) check(c *Checker, path string) {
	if e.ReportMaxPause < e.ReportMinPause {
		c.Refuse(path+".sessionValidateMaxInterval", "is shorter than sessionValidateMinInterval", "make it at least "+e.ReportMinPause.String())
	}
}

// APIProxy passes the edge APIs on to a controller.
type APIProxy struct {
	Listener HostPort `conf:"listener" required:"true" doc:"host:port to listen on"`
	Upstream HostPort `conf:"upstream" required:"true" doc:"host:port of the APIs"`
}

// Forwarder bounds circuits and dials.
type Forwarder struct {
	XgressDialDwellTime   time.Duration `conf:"xgressDialDwellTime" default:"0" min:"0" unit:"ms" doc:"wait before an egress dial"`
	XgressDialQueueLength int           `conf:"xgressDialQueueLength" default:"1000" min:"1" max:"10000" doc:"egress dials that wait"`
	XgressDialWorkerCount int           `conf:"xgressDialWorkerCount" default:"128" min:"1" max:"10000" doc:"egress dials at once"`
	LinkDialQueueLength   int           `conf:"linkDialQueueLength" default:"1000" min:"1" max:"10000" doc:"link dials that wait"`
	LinkDialWorkerCount   int           `conf:"linkDialWorkerCount" default:"32" min:"1" max:"10000" doc:"link dials at once"`
	RateLimitedQueue      int           `conf:"rateLimitedQueueLength" default:"5000" min:"1" max:"50000" doc:"terminators that wait to be sent to the controller; more are refused"`
	RateLimitedWorkers    int           `conf:"rateLimitedWorkerCount" default:"5" min:"1" max:"10000" doc:"messages with changes of terminators under way at once"`
	FaultTxInterval       time.Duration `conf:"faultTxInterval" default:"15000" min:"0" unit:"ms" doc:"time between two reports of faulted circuits, the first of a while is sent at once; 0 never"`
	IdleCircuitTimeout    time.Duration `conf:"idleCircuitTimeout" default:"60000" min:"0" unit:"ms" doc:"silence after which the router asks a controller whether a circuit still exists"`
	IdleTxInterval        time.Duration `conf:"idleTxInterval" default:"60000" min:"0" unit:"ms" doc:"time between two such questions, and longest time between two looks for circuits that are silent for longer than their service allows; 0 never"`
	XgressCloseCheck      time.Duration `conf:"xgressCloseCheckInterval" default:"5000" min:"0" unit:"ms" doc:"a circuit that a controller ends with delivery goes on until nothing has arrived for so long"`
	_                     any           `conf:"latencyProbeInterval" inert:"latency is measured by heartbeats"`
	_                     any           `conf:"unresponsiveLinkTimeout" inert:"links have their own heartbeats"`
}

// RouterMetrics sets reports to the controllers.
type RouterMetrics struct {
	ReportInterval       time.Duration `conf:"reportInterval" default:"1m" min:"1s" doc:"time between two reports"`
	IntervalAgeThreshold time.Duration `conf:"intervalAgeThreshold" default:"80s" min:"0s" doc:"least age of a reported interval"`
	MessageQueueSize     int           `conf:"messageQueueSize" default:"10" min:"1" doc:"reports that wait"`
	EventQueueSize       int           `conf:"eventQueueSize" default:"256" min:"1" doc:"events that wait"`
	DataDelay            bool          `conf:"enableDataDelayMetric" default:"false" doc:"measure xgress_edge.long_data_queue_time: how long messages of clients without flow control of their own wait in the router, from 5 ms on"`
}

// RouterHealth sets the checks of a router's health-checks API.
type RouterHealth struct {
	CtrlPingCheck CtrlPingCheck `conf:"ctrlPingCheck" doc:"pings of the controllers"`
	LinkCheck     LinkCheck     `conf:"linkCheck" doc:"count of the links"`
}

// CtrlPingCheck pings the controllers.
type CtrlPingCheck struct {
	Interval     time.Duration `conf:"interval" default:"30s" min:"10ms" doc:"time between two pings"`
	Timeout      time.Duration `conf:"timeout" default:"15s" min:"10ms" doc:"time for an answer"`
	InitialDelay time.Duration `conf:"initialDelay" default:"15s" min:"0s" doc:"wait before the first ping"`
}

// LinkCheck counts the links.
type LinkCheck struct {
	Interval     time.Duration `conf:"interval" default:"5s" min:"10ms" doc:"time between two looks"`
	InitialDelay time.Duration `conf:"initialDelay" default:"1s" min:"0s" doc:"wait before the first look"`
	MinLinks     int           `conf:"minLinks" default:"0" min:"0" doc:"fewer links fail the check; 0 only reports"`
}

// RouterConnect sets reports of connected identities.
type RouterConnect struct {
	Enabled          bool          `conf:"enabled" default:"true" doc:"whether there are reports"`
	BatchInterval    time.Duration `conf:"batchInterval" default:"3s" min:"250ms" max:"10m" clamp:"bound" doc:"time between two reports of changes"`
	FullSyncInterval time.Duration `conf:"fullSyncInterval" default:"5m" min:"1s" max:"24h" clamp:"bound" doc:"time between two full reports"`
	MaxQueuedEvents  int           `conf:"maxQueuedEvents" default:"100000" min:"0" max:"10000000" clamp:"bound" doc:"details that are kept"`
}

// InterfaceDiscovery sets reports of network interfaces.
type InterfaceDiscovery struct {
	Disabled          bool          `conf:"disabled" default:"false" doc:"whether there are none"`
	CheckInterval     time.Duration `conf:"checkInterval" default:"1m" min:"1s" doc:"time between two looks"`
	MinReportInterval time.Duration `conf:"minReportInterval" default:"24h" min:"1s" doc:"time between two reports without a change"`
}

// Transport tunes the underlay.
type Transport struct {
	WSS   WSS    `conf:"wss" doc:"WebSocket listeners"`
	Proxy *Proxy `conf:"proxy" doc:"HTTP CONNECT proxy of egress over TCP and TLS"`
	_     any    `conf:"dtls" refused:"datagram TLS is not supported; links run over TLS"`
	_     any    `conf:"ws" inert:"WebSocket listeners are set up under transport.wss"`
	_     any    `conf:"westworld3" inert:"the underlay is TCP"`
}

// WSS tunes WebSocket listeners.
type WSS struct {
	WriteTimeout      time.Duration `conf:"writeTimeout" default:"10" min:"0" unit:"s" doc:"a write that takes longer closes the connection; 0 never does"`
	ReadTimeout       time.Duration `conf:"readTimeout" default:"5" min:"0" unit:"s" doc:"time to read the request that becomes a WebSocket; 0 is no limit"`
	IdleTimeout       time.Duration `conf:"idleTimeout" default:"120" min:"0" unit:"s" doc:"silence after which a connection that is no WebSocket yet is closed; 0 never"`
	PongTimeout       time.Duration `conf:"pongTimeout" default:"60" min:"0" unit:"s" doc:"silence after which a WebSocket is closed; 0 never"`
	PingInterval      time.Duration `conf:"pingInterval" default:"54" min:"1" unit:"s" doc:"time between two pings; shorter than pongTimeout"`
	HandshakeTimeout  time.Duration `conf:"handshakeTimeout" default:"10" min:"1" unit:"s" doc:"time for each handshake inside the connection: WebSocket, then TLS"`
	ReadBufferSize    int           `conf:"readBufferSize" default:"4096" min:"256" max:"1048576" doc:"bytes per connection"`
	WriteBufferSize   int           `conf:"writeBufferSize" default:"4096" min:"256" max:"1048576" doc:"bytes; shared by connections that write"`
	EnableCompression bool          `conf:"enableCompression" default:"true" doc:"accept compressed messages; what the router sends is encrypted and is not compressed"`
	Identity          *Identity     `conf:"identity" doc:"key material; default that of the router"`
}

func (w *WSS) check(c *Checker, path string) {
	if w.PongTimeout > 0 && w.PingInterval >= w.PongTimeout {
		c.Refuse(path+".pingInterval", "is not shorter than pongTimeout, so that silent connections would close", "make it shorter, or pongTimeout longer")
	}
}

// Proxy is an HTTP CONNECT proxy.
type Proxy struct {
	Type     string   `conf:"type" required:"true" oneof:"none|http" doc:"kind of proxy"`
	Address  HostPort `conf:"address" doc:"host:port of the proxy"`
	Username string   `conf:"username" doc:"user name"`
	Password string   `conf:"password" doc:"password"`
}

func (p *Proxy) check(c *Checker, path string) {
	switch {
	case p.Type == "http" && p.Address.IsZero() && !c.Has(path+".address"):
		c.Refuse(path+".address", "is missing", "add address: host:port")
	case p.Type == "http" && !p.Address.IsZero() && (p.Address.Host == "" || p.Address.Port == 0):
		c.Refuse(path+".address", "names no host and port to connect to", "add address: host:port")
	}
}
