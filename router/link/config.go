package link

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// Config describes a Manager. RouterID, TLS, Trust, Receive and Budget are
// required.
type Config struct {
	RouterID string
	Version  string // version|revision|build date|os|arch
	// TLS is used to dial; it presents the client certificate of the router. Whom
	// it reaches is judged by Trust.
	TLS       *tls.Config
	Listeners []Listener
	Dialers   []Dialer
	// Heartbeats say when a link is measured and when it counts as dead.
	Heartbeats Heartbeats
	// PayloadQueue and AckQueue bound the messages that wait in front of one
	// connection, by its kind; 128 and 64 by default. What does not fit waits
	// per circuit.
	PayloadQueue, AckQueue int
	// DialQueue and DialWorkers bound the dials that wait and that are under way;
	// 1000 and 32 by default.
	DialQueue, DialWorkers int
	Trust                  Trust
	// Receive takes the messages of circuits, and their ownership, in order for
	// each connection and concurrently for several. It must not block.
	Receive func(linkID string, f *channel.Frame)
	// Lost is told of a link that is gone, before another one of the same id can
	// be found; may be nil, must not block.
	Lost func(linkID string)
	// Disturbed is told of a link that lives on but has lost connections, with what
	// was under way on them: the outlets that they stood for, or nil if it may
	// concern all circuits. It may be nil and must not block.
	Disturbed func(linkID string, outlets []*forward.Outlet)
	// Changed is told what the controller should know: links that are there, are
	// measured anew or gone. It is called by one goroutine and must not block; may
	// be nil.
	Changed func(*ctrl.LinkChanges)
	// Moved is told, at every look, what has moved on a link since the last one; may
	// be nil, must not block.
	Moved func(linkID string, m Moved)
	// DialTook is told how long a dial took, successful or not; the same.
	DialTook func(time.Duration)
	// Measured gets every measurement; may be nil, must not block.
	Measured func(linkID string, m channel.Round)
	Budget   *forward.Budget
	Log      *slog.Logger
	Clock    clock.Clock
}

// Listener is where other routers connect.
type Listener struct {
	Name      string // of its interface, "default" if it has none
	Advertise string // host:port for other routers
	Groups    []string
	CostTags  []string
	Options   Options
	// Accept yields connections after the TLS handshake, which must have demanded
	// a client certificate. The Manager closes it. It is nil for a listener that
	// is announced only.
	Accept net.Listener
}

// Dialer says how other routers are dialed.
type Dialer struct {
	Name   string // of its interface, "default" if it has none
	Groups []string
	// Split keeps payloads apart from acknowledgements and control messages, on
	// connections of their own.
	Split        bool
	MaxPayload   int // connections for payloads, at least 1
	MaxAck       int // connections for the rest; they exist with Split only
	StartupDelay time.Duration
	Healthy      Backoff // while the other router is connected to a controller
	Unhealthy    Backoff // while it is not
	Options      Options
	// Net makes the TCP connections; nil means a net.Dialer.
	Net func(ctx context.Context, network, address string) (net.Conn, error)
}

// Backoff says when a failed dial is tried again.
type Backoff struct {
	Min, Max time.Duration
	Factor   float64 // growth from pause to pause
}

// Options are those of the connections of a listener or dialer. Zero values
// mean the defaults.
type Options struct {
	Hello        time.Duration // from the call, or the end of the handshake, to the answer; 5 s by default
	WriteTimeout time.Duration // see channel.Options
	QueueBytes   int           // see channel.Options
	Queue        int           // wins over PayloadQueue and AckQueue
	MaxHellos    int           // see channel.ListenerConfig
}

// Heartbeats say when a link is measured and when it counts as dead. Zero
// values mean the defaults of the configuration file.
type Heartbeats struct {
	Send         time.Duration // between two probes of an idle connection
	Check        time.Duration // between two looks, and between two probes of a busy one
	Unresponsive time.Duration // silence after which a link is not to be used
	Close        time.Duration // silence after which it is closed
}

// Trust judges other routers by what this one knows of the network. Its
// methods are safe for concurrent use and return at once.
type Trust interface {
	// Client returns whose client certificate that is, leaf first, if the router
	// may connect. The error is a *Refusal where it has a code.
	Client(certs []*x509.Certificate) (routerID string, err error)
	// Server returns why that is not the certificate of the router's listeners,
	// leaf first, nil if it is.
	Server(certs []*x509.Certificate, routerID string) error
	// Enabled returns why a router may not have links, nil if it may.
	Enabled(routerID string) error
}

func (c Config) withDefaults() (Config, error) {
	if c.RouterID == "" || c.TLS == nil || c.Trust == nil || c.Receive == nil || c.Budget == nil {
		return c, errors.New("link: RouterID, TLS, Trust, Receive and Budget are required")
	}
	set(&c.Heartbeats.Send, 10*time.Second)
	set(&c.Heartbeats.Check, time.Second)
	set(&c.Heartbeats.Unresponsive, 5*time.Second)
	set(&c.Heartbeats.Close, time.Minute)
	set(&c.PayloadQueue, 128)
	set(&c.AckQueue, 64)
	set(&c.DialQueue, 1000)
	set(&c.DialWorkers, 32)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = clock.Real()
	}
	for i := range c.Dialers {
		set(&c.Dialers[i].MaxPayload, 1)
		set(&c.Dialers[i].Options.Hello, 5*time.Second)
	}
	for i := range c.Listeners {
		set(&c.Listeners[i].Options.Hello, 5*time.Second)
	}
	return c, nil
}

func set[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// shareGroup reports whether two lists have a group in common.
func shareGroup(a, b []string) bool {
	return slices.ContainsFunc(a, func(g string) bool { return slices.Contains(b, g) })
}
