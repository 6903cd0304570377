package conf

import "time"

// Controller is the configuration of a controller.
type Controller struct {
	V                      int              `conf:"v" required:"true" oneof:"3" doc:"version of the format"`
	Identity               Identity         `conf:"identity" required:"true" doc:"key material"`
	TrustDomain            string           `conf:"trustDomain" doc:"trust domain of SPIFFE ids, if the certificates name none"`
	AdditionalTrustDomains Strings          `conf:"additionalTrustDomains" later:"further trust domains" doc:"trust domains accepted while migrating"`
	DB                     string           `conf:"db" doc:"path beside which a single controller keeps its data"`
	Cluster                *Cluster         `conf:"cluster" doc:"raft settings of a controller that is or joins a cluster"`
	Ctrl                   ControllerCtrl   `conf:"ctrl" required:"true" doc:"listener for routers and controllers"`
	Web                    []WebServer      `conf:"web" doc:"HTTPS servers"`
	Edge                   *ControllerEdge  `conf:"edge" doc:"edge APIs, enrollment and sessions"`
	Network                Network          `conf:"network" doc:"circuits and paths"`
	HealthChecks           ControllerHealth `conf:"healthChecks" doc:"what the health-checks API reports"`
	Command                Command          `conf:"command" doc:"limits on model changes"`
	CommandRateLimiter     CommandLimit     `conf:"commandRateLimiter" doc:"older spelling of command.rateLimiter"`
	ConnectEvents          ConnectEvents    `conf:"connectEvents" later:"connect events" doc:"reports of connected identities"`
	TLS                    ControllerTLS    `conf:"tls" doc:"limits on TLS handshakes"`
	RouterDataModel        RouterDataModel  `conf:"routerDataModel" doc:"change sets kept for routers"`
	Events                 EventSubscribers `conf:"events" doc:"who gets which events, by any names"`
	Audit                  Audit            `conf:"audit" doc:"record of every change"`
	Trace                  *Trace           `conf:"trace" later:"message traces" doc:"trace of messages"`
	Profile                *Profile         `conf:"profile" doc:"profiles of the process"`
	_                      any              `conf:"raft" refused:"is called cluster since version 2.0" doc:"rename it to cluster"`
	_                      any              `conf:"metrics" inert:"metrics are pulled from the metrics API"`
	_                      any              `conf:"mgmt" inert:"there is no separate management listener"`
	_                      any              `conf:"example" inert:"it belongs to a demonstration"`
}

// ControllerCtrl is the listener for routers and controllers.
type ControllerCtrl struct {
	Listener Address     `conf:"listener" required:"true" types:"tls" doc:"address to listen on; may share its port with a web server"`
	Options  CtrlOptions `conf:"options" doc:"how connections are made and kept"`
	Dialer   CtrlDialer  `conf:"dialer" later:"dialing routers from the controller" doc:"routers that the controller dials"`
	_        any         `conf:"maxQueuedConnects" inert:"it is read under ctrl.options"`
	_        any         `conf:"maxOutstandingConnects" inert:"it is read under ctrl.options"`
	_        any         `conf:"connectTimeoutMs" inert:"it is read under ctrl.options"`
}

// CtrlOptions tune the control listener.
type CtrlOptions struct {
	ControlOptions
	AdvertiseAddress Address    `conf:"advertiseAddress" types:"tls" doc:"address at which routers and controllers reach this one"`
	NewListener      Address    `conf:"newListener" types:"tls" later:"moving routers to a new address" doc:"address that routers should move to"`
	_                Heartbeats `conf:"routerHeartbeats" inert:"control connections are probed every 10 s and closed after 20 s without an answer"`
	PeerHeartbeats   Heartbeats `conf:"peerHeartbeats,peerHeartbeatOptions" later:"clusters of several controllers" doc:"heartbeats between controllers"`
}

// CtrlDialer lets the controller dial routers that advertise listeners.
type CtrlDialer struct {
	Enabled            bool          `conf:"enabled" default:"false" doc:"whether routers are dialed"`
	Groups             Strings       `conf:"groups" default:"default" doc:"listener groups to dial"`
	DialDelay          time.Duration `conf:"dialDelay" default:"30s" min:"0s" doc:"wait after the start"`
	MinRetryInterval   time.Duration `conf:"minRetryInterval" default:"1s" min:"1ms" doc:"first wait"`
	MaxRetryInterval   time.Duration `conf:"maxRetryInterval" default:"5m" min:"1ms" doc:"longest wait"`
	RetryBackoffFactor float64       `conf:"retryBackoffFactor" default:"1.5" min:"1" max:"100" doc:"growth from wait to wait"`
	FastFailureWindow  time.Duration `conf:"fastFailureWindow" default:"5s" min:"0s" doc:"a connection lost within it counts as failed"`
	QueueSize          int           `conf:"queueSize" default:"32" min:"1" doc:"dials that wait"`
	MaxWorkers         int           `conf:"maxWorkers" default:"10" min:"1" doc:"dials at once"`
}

// Cluster holds the raft settings.
type Cluster struct {
	DataDir               string         `conf:"dataDir" required:"true" doc:"directory of raft.db and snapshots"`
	PreferredLeader       bool           `conf:"preferredLeader" default:"false" later:"clusters of several controllers" doc:"whether this controller should lead"`
	RestartSelfOnSnapshot bool           `conf:"restartSelfOnSnapshot" default:"false" later:"clusters of several controllers" doc:"start again after a snapshot of the leader"`
	SnapshotInterval      time.Duration  `conf:"snapshotInterval" default:"2m" min:"10ms" doc:"time between two looks at the log"`
	SnapshotThreshold     int            `conf:"snapshotThreshold" default:"500" min:"1" doc:"log entries that make a snapshot due"`
	TrailingLogs          int            `conf:"trailingLogs" default:"500" min:"0" doc:"log entries kept behind a snapshot"`
	MaxAppendEntries      int            `conf:"maxAppendEntries" default:"64" min:"1" max:"1024" doc:"log entries per message"`
	CommitTimeout         time.Duration  `conf:"commitTimeout" default:"50ms" min:"1ms" doc:"time without a message after which commits are announced"`
	ElectionTimeout       time.Duration  `conf:"electionTimeout" default:"5s" min:"5ms" doc:"time without a leader after which an election starts"`
	HeartbeatTimeout      time.Duration  `conf:"heartbeatTimeout" default:"3s" min:"5ms" doc:"time without a heartbeat after which the leader is missed"`
	LeaderLeaseTimeout    time.Duration  `conf:"leaderLeaseTimeout" default:"3s" min:"5ms" doc:"time without a majority after which a leader steps down"`
	ApplyTimeout          time.Duration  `conf:"applyTimeout" default:"5s" min:"1ms" doc:"time for a change to be queued"`
	WarnWhenLeaderlessFor time.Duration  `conf:"warnWhenLeaderlessFor" default:"1m" min:"10s" clamp:"default" later:"clusters of several controllers" doc:"time without a leader that is worth a warning"`
	LogLevel              string         `conf:"logLevel" oneof:"trace|debug|info|warn|error|off" doc:"level of raft's log; default that of the process"`
	LogFile               string         `conf:"logFile" doc:"file for raft's log; default that of the process"`
	CommandHandler        CommandHandler `conf:"commandHandler" later:"clusters of several controllers" doc:"changes that followers forward"`
	RateLimiter           Window         `conf:"rateLimiter" doc:"limit on changes in flight"`
}

func (cl *Cluster) check(c *Checker, path string) {
	if cl.LeaderLeaseTimeout > cl.HeartbeatTimeout {
		c.Refuse(path+".leaderLeaseTimeout", "is longer than heartbeatTimeout", "make it at most "+cl.HeartbeatTimeout.String())
	}
	if cl.ElectionTimeout < cl.HeartbeatTimeout {
		c.Refuse(path+".electionTimeout", "is shorter than heartbeatTimeout", "make it at least "+cl.HeartbeatTimeout.String())
	}
}

// CommandHandler bounds changes that other controllers forward.
type CommandHandler struct {
	MaxQueueSize int `conf:"maxQueueSize" default:"250" min:"1" doc:"changes that wait at the leader"`
}

// Network sets how circuits are made.
type Network struct {
	RouteTimeout            time.Duration   `conf:"routeTimeoutSeconds" default:"10" min:"1" max:"600" unit:"s" doc:"time for the routers of a circuit to answer"`
	CreateCircuitRetries    int             `conf:"createCircuitRetries" default:"2" min:"0" max:"100" doc:"attempts at routing a circuit; 0 counts as 1"`
	Cycle                   time.Duration   `conf:"cycleSeconds" default:"60" min:"1" unit:"s" doc:"time between two looks at paths"`
	PendingLinkTimeout      time.Duration   `conf:"pendingLinkTimeoutSeconds" default:"10" min:"1" unit:"s" doc:"time for the second end of a link to report it; then it is closed"`
	InitialLinkLatency      time.Duration   `conf:"initialLinkLatency" default:"65s" min:"0s" doc:"latency of a link before it is measured"`
	MinRouterCost           int             `conf:"minRouterCost" default:"10" min:"0" max:"65535" doc:"cost of every router on a path"`
	RouterConnectChurnLimit time.Duration   `conf:"routerConnectChurnLimit" default:"1m" min:"0s" doc:"age from which a live connection of a router may be replaced by a new one"`
	MetricsReportInterval   time.Duration   `conf:"metricsReportInterval" default:"1m" min:"1s" later:"metrics events" doc:"time between two metrics events"`
	IntervalAgeThreshold    time.Duration   `conf:"intervalAgeThreshold" default:"0s" min:"0s" later:"metrics events" doc:"least age of a reported interval"`
	Smart                   SmartReroute    `conf:"smart" doc:"moving circuits to better paths"`
	RouterMessaging         RouterMessaging `conf:"routerMessaging" doc:"telling routers of each other"`
}

// SmartReroute bounds how many circuits move per cycle.
type SmartReroute struct {
	RerouteFraction float64 `conf:"rerouteFraction" default:"0.02" min:"0" max:"1" doc:"share of circuits per cycle"`
	RerouteCap      int     `conf:"rerouteCap" default:"4" min:"0" doc:"most circuits per cycle"`
	MinCostDelta    int     `conf:"minCostDelta" default:"15" min:"0" doc:"least improvement"`
}

// RouterMessaging bounds how routers are told of each other.
type RouterMessaging struct {
	QueueSize  int `conf:"queueSize" default:"100" min:"0" max:"1000000" doc:"routers that wait for a message; beyond it changes gather"`
	MaxWorkers int `conf:"maxWorkers" default:"100" min:"1" max:"10000" doc:"messages made at once"`
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

// Command limits model changes of a controller without a cluster section.
type Command struct {
	RateLimiter CommandLimit      `conf:"rateLimiter" doc:"changes that wait"`
	_           BackgroundCommand `conf:"background" inert:"there is no queue of background changes"`
}

// CommandLimit bounds changes in flight.
type CommandLimit struct {
	Enabled   bool `conf:"enabled" default:"true" doc:"whether the limit applies"`
	MaxQueued int  `conf:"maxQueued" default:"100" min:"10" doc:"changes in flight before further ones are refused"`
}

// BackgroundCommand is known for files of the ecosystem.
type BackgroundCommand struct {
	Enabled        bool          `conf:"enabled" default:"true" doc:"whether there is a queue"`
	QueueSize      int           `conf:"queueSize" default:"1000" min:"10" max:"1073741823" doc:"changes that wait"`
	DropWhenFull   bool          `conf:"dropWhenFull" default:"false" doc:"drop or wait"`
	DelayThreshold time.Duration `conf:"delayThreshold" default:"50ms" doc:"least delay"`
}

// ConnectEvents sets reports of connected identities.
type ConnectEvents struct {
	QueueSize int           `conf:"queueSize" default:"5" min:"1" doc:"reports that wait per router"`
	IdleTime  time.Duration `conf:"idleTime" default:"30s" min:"0s" doc:"time after which a queue is dropped"`
}

// ControllerTLS bounds TLS handshakes.
type ControllerTLS struct {
	TLS
	RateLimiter *HandshakeLimit `conf:"rateLimiter" doc:"limit on handshakes at once"`
}

// HandshakeLimit is a limit on TLS handshakes.
type HandshakeLimit struct {
	Enabled bool          `conf:"enabled" default:"false" doc:"whether maxSize applies; 256 otherwise"`
	MaxSize int           `conf:"maxSize" default:"2500" min:"5" max:"10000" doc:"handshakes at once"`
	_       int           `conf:"minSize" inert:"the limit does not adapt"`
	_       time.Duration `conf:"timeout" inert:"tls.handshakeTimeout bounds a handshake"`
	_       float64       `conf:"successThreshold" inert:"the limit does not adapt"`
	_       float64       `conf:"increaseFactor" inert:"the limit does not adapt"`
	_       float64       `conf:"decreaseFactor" inert:"the limit does not adapt"`
	_       int           `conf:"increaseCheckInterval" inert:"the limit does not adapt"`
	_       int           `conf:"decreaseCheckInterval" inert:"the limit does not adapt"`
}

// RouterDataModel sets how far back routers can catch up by changes.
type RouterDataModel struct {
	_ int `conf:"logSize" min:"10" inert:"the number of changes kept is fixed"`
	_ int `conf:"listenerBufferSize" inert:"routers read the change log at their own pace"`
}
