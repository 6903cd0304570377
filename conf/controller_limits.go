package conf

import "time"

// Command limits model changes of a controller without a cluster section.
type Command struct {
	RateLimiter CommandLimit      `conf:"rateLimiter" doc:"changes that wait"`
	_           BackgroundCommand `conf:"background" inert:"no change is put off: all wait in one queue, in which many share a write of the log"`
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

// HandshakeLimit is an adaptive limit on TLS handshakes under way: those that
// take longer than timeout make it smaller. A connection beyond it is closed.
type HandshakeLimit struct {
	Enabled               bool          `conf:"enabled" default:"false" doc:"whether the limit applies; without it 256 handshakes may be under way, and the oldest makes room"`
	MinSize               int           `conf:"minSize" default:"5" min:"5" max:"10000" doc:"smallest window"`
	MaxSize               int           `conf:"maxSize" default:"2500" min:"5" max:"10000" doc:"largest window, and the first"`
	Timeout               time.Duration `conf:"timeout" default:"7s" min:"1ms" doc:"time after which a handshake counts as too slow; default handshakeTimeout and 2 s, so that only those that handshakeTimeout ends count"`
	SuccessThreshold      float64       `conf:"successThreshold" default:"0.9" min:"0" max:"1" doc:"success rate above which the window grows"`
	IncreaseFactor        float64       `conf:"increaseFactor" default:"1.02" min:"1" doc:"growth of the window"`
	DecreaseFactor        float64       `conf:"decreaseFactor" default:"0.9" min:"0.0001" max:"0.9999" doc:"shrinking of the window"`
	IncreaseCheckInterval int           `conf:"increaseCheckInterval" default:"10" min:"1" doc:"successes between two growths"`
	DecreaseCheckInterval int           `conf:"decreaseCheckInterval" default:"10" min:"1" doc:"slow results between two shrinkings"`
}

func (l *HandshakeLimit) check(c *Checker, path string) {
	if l.MaxSize < l.MinSize {
		c.Refuse(path+".maxSize", "is smaller than minSize", "make it at least as large")
	}
}

func (t *ControllerTLS) check(c *Checker, path string) {
	if t.RateLimiter != nil && !c.Has(path+".rateLimiter.timeout") {
		t.RateLimiter.Timeout = t.HandshakeTimeout + 2*time.Second
	}
}

// RouterDataModel sets how far back routers can catch up by changes.
type RouterDataModel struct {
	LogSize int `conf:"logSize" default:"10000" min:"10" max:"10000000" doc:"changes of the state that are kept, so that a router which was away gets what has changed instead of everything"`
	_       int `conf:"listenerBufferSize" min:"0" inert:"changes wait in the send queue of the router's connection (ctrl.options.outQueueSize); a router that does not take them is disconnected and catches up when it is back"`
}
