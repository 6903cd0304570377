package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/edge"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/link"
	"github.com/weftnet/weft/router/uplink"
)

// RouterOptions are the options of a router.
type RouterOptions struct {
	Config *conf.Router
	Build  Build
	Log    *slog.Logger
	Extend bool // renew the certificates at once
}

// Router is a running router.
type Router struct {
	o         RouterOptions
	id        string
	identity  *pki.Identity
	uplink    *uplink.Uplink
	table     *forward.Table
	budget    *forward.Budget // of messages that wait in the router, also for links
	links     *link.Manager   // nil without a link section
	edge      *edge.Server    // nil without an edge section
	ports     *ports
	listeners []*channel.Listener
	failed    chan error
	parts     parts
	operations
	rampParts
}

// StartRouter runs the router of a configuration and returns when its listeners
// are open; whether it has a controller yet tells Ready. The caller closes it.
func StartRouter(ctx context.Context, o RouterOptions) (*Router, error) {
	return startRouter(ctx, o, new(sockets))
}

// startRouter is StartRouter with ports that may be open already; they belong
// to the router from then on, also when it fails.
func startRouter(_ context.Context, o RouterOptions, open *sockets) (_ *Router, err error) {
	r := &Router{o: o, failed: make(chan error, 2), operations: operations{gauges: newGauges()}}
	r.ports = newPorts(open, channel.MuxConfig{HandshakeTimeout: o.Config.TLS.HandshakeTimeout}, o.Log)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	r.parts.add(r.ports.Close)
	if err := r.provision(); err != nil {
		return nil, err
	}
	r.run()
	return r, nil
}

// provision makes everything that the configuration names; nothing is served
// and no controller is called yet.
func (r *Router) provision() error {
	stopProfiles, err := startProfiles(r.o.Config.Profile)
	if err != nil {
		return err
	}
	r.parts.add(stopProfiles)
	if err := r.openTrace(); err != nil {
		return err
	}
	if err := r.finishRenewal(); err != nil {
		return err
	}
	if err := r.loadIdentity(); err != nil {
		return err
	}
	dial, err := localDialer(r.o.Config.Ctrl.Bind)
	if err != nil {
		return err
	}
	dial = proxied(dial, r.o.Config.Proxy)
	r.net = dial
	node := &routerNode{values: r.inspectFor, log: r.o.Log}
	r.table = forward.NewTable(func(circuit string) { r.uplink.CircuitEnded(circuit) })
	r.table.SetFaults(r.circuitFault)
	r.table.SetCloseCheck(r.o.Config.Forwarder.XgressCloseCheck)
	r.budget = forward.NewBudget(forward.DefaultBudget)
	uplinkConfig := r.uplinkConfig(node, dial)
	if err := r.addLinks(&uplinkConfig); err != nil {
		return err
	}
	r.uplink = uplink.New(uplinkConfig)
	node.table = r.table
	r.addEgress()
	if r.o.Config.Edge != nil {
		directory := &directory{uplink: r.uplink, routerID: r.id, patience: r.lookupTimeout(), refused: r.tokenRefused}
		r.edge = edge.New(edge.Config{
			RouterID: r.id, Version: r.version(), Directory: directory, Table: r.table, Budget: r.budget, Log: r.o.Log,
			Hosts: hostTuning(r.o.Config.Dialers), ServicePatience: r.serviceTimeout(), DataDelay: r.dataDelay(),
			Controller: controllers{r.uplink, r.o.Config.Ctrl.DefaultRequestTimeout},
		})
		node.edge = r.edge
		r.parts.add(func() error { r.edge.Close(); return nil })
	}
	if err := r.provisionOperations(); err != nil {
		return err
	}
	if err := r.openRamps(); err != nil {
		return err
	}
	if err := r.openCtrlListeners(); err != nil {
		return err
	}
	return r.openListeners()
}

// run starts the uplink and the listeners.
func (r *Router) run() {
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	r.parts.add(func() error { stop(); work.Wait(); return nil })
	work.Go(func() {
		if err := r.uplink.Run(ctx); err != nil {
			r.failed <- err
		}
	})
	work.Go(func() { r.watchStart(ctx) })
	r.runLinks(ctx, &work)
	r.startOperations(ctx, &work)
	work.Go(func() { r.tellTunnel(ctx) })
	if every := r.o.Config.Forwarder.IdleTxInterval; every > 0 {
		idle := idleWatch{table: r.table, uplink: r.uplink, every: every, timeout: r.o.Config.Forwarder.IdleCircuitTimeout, log: r.o.Log}
		work.Go(func() { idle.run(ctx) })
	}
	r.parts.add(watchIdentity(ctx, stop, r.identity, r.o.Log))
	for _, l := range r.listeners {
		go l.Serve() // Close of the listener waits for it
	}
	r.serveRamps()
	r.ports.serve()
	r.o.Log.Info("router running", "router", r.id, "version", r.o.Build.Version, "edge", r.edge != nil)
}

// watchStart reports a failure when there is neither a controller nor a stored
// slice for the start-up time.
func (r *Router) watchStart(ctx context.Context) {
	limit := r.o.Config.Ctrl.StartupTimeout
	if limit <= 0 || r.uplink.Filled() {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoStart)
	defer cancel()
	if err := r.Ready(ctx); errors.Is(err, errNoStart) {
		r.failed <- err
	}
}

var errNoStart = problem("check ctrl.endpoint and that the router is enrolled", "unable to connect to any controllers before timeout, and nothing usable is stored")

// Ready returns when a controller is connected and the router knows its
// network, or with the cause of ctx.
func (r *Router) Ready(ctx context.Context) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if r.uplink.Status().Connected && r.uplink.Filled() {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// Failed receives the reason when the router cannot go on.
func (r *Router) Failed() <-chan error { return r.failed }

// Close stops the router and waits for everything that it started. Its circuits
// end.
func (r *Router) Close() error { return r.parts.Close() }

// CheckRouter tests what a configuration names, beyond what reading it does:
// keys, certificates and advertised addresses. It changes nothing.
func CheckRouter(cfg *conf.Router, log *slog.Logger) error {
	r := &Router{o: RouterOptions{Config: cfg, Log: log}}
	if err := r.loadIdentity(); err != nil {
		return err
	}
	if _, err := localDialer(cfg.Ctrl.Bind); err != nil {
		return err
	}
	if err := checkLinks(cfg); err != nil {
		return err
	}
	if _, err := os.Stat(endpointsFile(cfg.Ctrl.EndpointsFile)); err != nil && len(cfg.Ctrl.Endpoints)+len(cfg.Ctrl.Listeners) == 0 {
		return problem("set ctrl.endpoint, or enroll the router, which writes the endpoints file", "no controller is named")
	}
	return nil
}
