package ingress

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/ramp"
)

// Bindings of listeners that this package serves.
const (
	BindingProxy        = "proxy"
	BindingProxyUDP     = "proxy_udp"
	BindingTransport    = "transport"
	BindingTransportUDP = "transport_udp"
)

// Circuits makes circuits in the router's own name.
type Circuits interface {
	// Open is forward.Table.Open.
	Open(ctx context.Context, o forward.Own) (*forward.Circuit, *forward.Established, error)
}

// Config is what an on-ramp needs. Circuits is required.
type Config struct {
	Name     string // of the listener in the log
	RouterID string // for remedies
	Service  string // of every connection; empty: each names its own
	Circuits Circuits
	// CircuitTimeout bounds the making of a circuit, 30 s by default.
	CircuitTimeout time.Duration
	// RequestTimeout bounds the line that names the service, 5 s by default.
	RequestTimeout time.Duration
	Flow           *flow.Options   // of the circuits, nil for none
	Budget         *forward.Budget // of what the router holds, nil for no bound
	Gather         int             // payloads taken for a connection at once, 16 by default
	MaxPending     int             // connections without a circuit, 1,024 by default
	MaxSources     int             // sources of datagrams, 10,000 by default
	Idle           time.Duration   // silence that ends a source, 1 minute by default
	Look           time.Duration   // between two looks for silent sources, 10 s by default
	Log            *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.CircuitTimeout == 0 {
		c.CircuitTimeout = 30 * time.Second
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = 5 * time.Second
	}
	if c.MaxPending == 0 {
		c.MaxPending = 1024
	}
	if c.MaxSources == 0 {
		c.MaxSources = 10_000
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// ramps is what listeners for streams and for datagrams share.
type ramps struct {
	cfg     Config
	log     *slog.Logger
	set     *ramp.Set
	pending *limit.Slots
	ctx     context.Context
	stop    context.CancelFunc
	work    sync.WaitGroup
	quiet   quiet
}

func newRamps(cfg Config) *ramps {
	cfg = cfg.withDefaults()
	r := &ramps{
		cfg: cfg, log: cfg.Log.With("listener", cfg.Name), pending: limit.NewSlots(cfg.MaxPending),
		set: ramp.New(ramp.Config{Idle: cfg.Idle, Look: cfg.Look, Flow: cfg.Flow, Budget: cfg.Budget, Gather: cfg.Gather, Log: cfg.Log}),
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// close ends what the caller has not closed itself, and waits.
func (r *ramps) close() {
	r.stop()
	r.work.Wait()
	r.set.Close()
}

// open asks for a circuit within the time for it.
func (r *ramps) open(service string, attach func(*forward.Circuit) (forward.Destination, error)) (*forward.Circuit, error) {
	ctx, cancel := context.WithTimeout(r.ctx, r.cfg.CircuitTimeout)
	defer cancel()
	var failed error
	c, _, err := r.cfg.Circuits.Open(ctx, forward.Own{Service: service, Attach: func(c *forward.Circuit) forward.Destination {
		d, err := attach(c)
		if err != nil {
			failed = err
			cancel()
			return nowhere{}
		}
		return d
	}})
	if failed != nil && err == nil {
		c.End("on-ramp closed", true)
	}
	return c, errors.Join(failed, err)
}

// refused writes why a connection got no circuit. While the router stops that is
// no news.
func (r *ramps) refused(remote, service string, err error) {
	if r.ctx.Err() != nil {
		return
	}
	code, remedy := explain(err, r.cfg.RouterID)
	r.log.Warn("no circuit for a connection", "remote", remote, "service", service, "code", code, "reason", err, "remedy", remedy)
}
