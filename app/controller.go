package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/database"
	"github.com/weftnet/weft/controller/enroll"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/metrics"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/pki"
)

// ControllerOptions are the options of a controller.
type ControllerOptions struct {
	Config *conf.Controller
	Build  Build
	Log    *slog.Logger
}

// Controller is a running controller.
type Controller struct {
	o         ControllerOptions
	id        string
	identity  *pki.Identity
	servers   []*pki.Identity // of the web servers, that of the process where they have none
	signer    *signer
	store     *store
	feed      *routers.Feed
	auth      *auth.Auth
	enroller  *enroll.Enroller
	network   *network.Network
	database  *database.Database
	registry  *routers.Registry
	control   *routers.Listener
	activity  *activity
	observers *observers
	statuses  *statuses
	watcher   *chttp.Watcher
	listeners listenerWrites
	dialer    *routers.Dialer // nil if routers are not called
	trace     *tracing        // nil if nobody traces
	ports     *ports
	web       *webServers
	failed    chan error
	parts     parts

	instruments *observe.Instruments
	exporter    *metrics.Exporter
	handshakes  *limit.Window // nil without tls.rateLimiter
}

// StartController runs the controller of a configuration and returns when its
// APIs answer. With a cluster section and no data it waits, with no port open,
// until the data is there or ctx ends. The caller closes it.
func StartController(ctx context.Context, o ControllerOptions) (*Controller, error) {
	return startController(ctx, o, new(sockets))
}

// startController is StartController with ports that may be open already; they
// belong to the controller from then on, also when it fails.
func startController(ctx context.Context, o ControllerOptions, open *sockets) (_ *Controller, err error) {
	c := &Controller{o: o, failed: make(chan error, 1), instruments: observe.NewInstruments(nil)}
	mux := muxConfig(o.Config, c.instruments)
	c.handshakes = mux.Handshakes
	c.ports = newPorts(open, mux, o.Log)
	defer func() {
		if err != nil {
			err = errors.Join(placed(o.Config.Lines, err), c.Close())
		}
	}()
	c.parts.add(c.ports.Close)
	if err := c.provision(ctx); err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Failed receives the reason when the controller cannot go on.
func (c *Controller) Failed() <-chan error { return c.failed }

// Close stops the controller and waits for everything that it started.
func (c *Controller) Close() error { return c.parts.Close() }
