package conf

import "time"

// Network sets how circuits are made.
type Network struct {
	RouteTimeout            time.Duration   `conf:"routeTimeoutSeconds" default:"10" min:"1" max:"600" unit:"s" doc:"time for the routers of a circuit to answer"`
	CreateCircuitRetries    int             `conf:"createCircuitRetries" default:"2" min:"0" max:"100" doc:"attempts at routing a circuit; 0 counts as 1"`
	Cycle                   time.Duration   `conf:"cycleSeconds" default:"60" min:"1" unit:"s" doc:"time between two looks at paths"`
	PendingLinkTimeout      time.Duration   `conf:"pendingLinkTimeoutSeconds" default:"10" min:"1" unit:"s" doc:"time for the second end of a link to report it; then it is closed"`
	InitialLinkLatency      time.Duration   `conf:"initialLinkLatency" default:"65s" min:"0s" doc:"latency of a link before it is measured"`
	MinRouterCost           int             `conf:"minRouterCost" default:"10" min:"0" max:"65535" doc:"cost of every router on a path"`
	RouterConnectChurnLimit time.Duration   `conf:"routerConnectChurnLimit" default:"1m" min:"0s" doc:"age from which a live connection of a router may be replaced by a new one"`
	MetricsReportInterval   time.Duration   `conf:"metricsReportInterval" default:"1m" min:"1s" doc:"time between two metrics events of the controller itself"`
	IntervalAgeThreshold    time.Duration   `conf:"intervalAgeThreshold" default:"0s" min:"0s" doc:"time after the end of an interval before its counts, of what happened to services, are told"`
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
