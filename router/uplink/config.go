package uplink

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// Node is the part of the router that carries circuits. Its methods are safe
// for concurrent use and return soon.
type Node interface {
	// Circuits lists the circuits that the router carries or is about to.
	Circuits() []*ctrl.Circuit
	// EndCircuits ends circuits for a reason that the clients are told. Unknown
	// ids are ignored.
	EndCircuits(*ctrl.Unroute)
	// Route makes the router a node of a path, or moves a circuit to another one.
	// It may take as long as a dial.
	Route(context.Context, *ctrl.Route) *ctrl.RouteResult
	// AccessChanged asks to check the circuits, listeners and sessions that the
	// effects name against the current view.
	AccessChanged(*policy.Effects)
	// SessionsEnded asks to check all connections: some sessions have been
	// ended, for which Uplink.Alive returns an error from now on.
	SessionsEnded()
	// TerminatorRefused tells that a controller does not want a terminator
	// that was established before; it is forgotten.
	TerminatorRefused(id string, why *Refused)
	// LiveSessions lists the API sessions with a connection.
	LiveSessions() []string
	// Inspect returns the values of the keys it knows.
	Inspect(keys []string) map[string]string
}

// Links is what an Uplink asks of the router's links.
type Links interface {
	Listeners() []*ctrl.LinkListener
	Dialers() []*ctrl.LinkDialer
	Report() []*ctrl.Link
}

// Config describes an Uplink. Endpoints or EndpointsFile, TLS, Fingerprint and
// Node are required.
type Config struct {
	Endpoints     []string // host:port of controllers
	EndpointsFile string   // overrides Endpoints if it exists and names any
	SnapshotFile  string   // where the slice is kept, empty for nowhere
	SaveInterval  time.Duration
	TLS           *tls.Config
	Fingerprint   func() string // of the router's client certificate, SHA-1 in lower-case hex
	Version       string        // version|revision|build date|os|arch
	Hostname      string
	RunID         string
	Listeners     []*ctrl.Listener // what clients can connect to
	// CtrlListeners is where controllers may call the router, see ListenerConfig;
	// with any, it needs no endpoint.
	CtrlListeners []*ctrl.CtrlListener
	Node          Node
	// Links tells of the router's links, nil without any. A session begins with
	// all it says; changes go through ReportLinks.
	Links Links
	// Peers takes news of other routers, those of the snapshot when Run
	// begins; nil if nobody wants them. It must not block.
	Peers func(*ctrl.Peers)
	// CloseLink closes a link at a controller's wish; may be nil.
	CloseLink func(id, reason string)
	// OnEndpoints is told where controllers are, after the uplink has taken note;
	// may be nil.
	OnEndpoints func(*ctrl.Endpoints)
	// FaultInterval is the time between two reports of faulted circuits; the first
	// one of a while is sent at once. 0 means that none are reported.
	FaultInterval time.Duration
	Sessions      SessionReports
	Terminators   TerminatorLimits
	Heartbeats    control.Heartbeats
	Trace         control.Trace // sees every message; may be nil
	DialTimeout   time.Duration // for connection, handshake and hello, 15 s by default
	WriteTimeout  time.Duration // for a write, 20 s by default
	Queue         int           // messages that wait in front of a connection, 0 for no limit
	RetryMax      time.Duration // longest pause between attempts to connect, 15 s by default
	Net           func(ctx context.Context, network, address string) (net.Conn, error)
	Log           *slog.Logger
	Now           func() time.Time
}

func (c Config) withDefaults() Config {
	if c.SaveInterval == 0 {
		c.SaveInterval = 30 * time.Second
	}
	if c.RetryMax == 0 {
		c.RetryMax = 15 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// ErrNoController is returned while no controller is connected.
var ErrNoController = errors.New("no controller available")

// Refused is a refusal by a controller.
type Refused struct {
	Code    string // stable, see package controller/network
	Message string
	Remedy  string
}

// Error gives the message.
func (r *Refused) Error() string { return r.Message }

func refused(r *ctrl.Refusal) *Refused {
	return &Refused{Code: r.Code, Message: r.Message, Remedy: r.Remedy}
}
