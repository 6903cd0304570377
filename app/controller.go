package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/database"
	"github.com/weftnet/weft/controller/enroll"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/limit"
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
	c := &Controller{o: o, failed: make(chan error, 1)}
	c.ports = newPorts(open, muxConfig(o.Config), o.Log)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
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

func muxConfig(c *conf.Controller) channel.MuxConfig {
	out := channel.MuxConfig{HandshakeTimeout: c.TLS.HandshakeTimeout}
	if l := c.TLS.RateLimiter; l != nil && l.Enabled {
		out.Handshakes = limit.NewWindow(limit.WindowConfig{
			Min: l.MinSize, Max: l.MaxSize, Success: l.SuccessThreshold, Increase: l.IncreaseFactor, Decrease: l.DecreaseFactor,
			IncreaseEvery: l.IncreaseCheckInterval, DecreaseEvery: l.DecreaseCheckInterval, Timeout: l.Timeout,
		}, nil)
	}
	return out
}

// provision opens everything that the configuration names; nothing is served
// yet.
func (c *Controller) provision(ctx context.Context) error {
	cfg := c.o.Config
	stopProfiles, err := startProfiles(cfg.Profile)
	if err != nil {
		return err
	}
	c.parts.add(stopProfiles)
	if c.trace, err = startTrace(cfg.Trace, c.o.Log); err != nil {
		return err
	}
	if c.trace != nil {
		c.parts.add(c.trace.Close)
	}
	if err := c.loadKeys(); err != nil {
		return err
	}
	if err := awaitData(ctx, cfg, c.o.Log); err != nil {
		return err
	}
	if c.store, err = openStore(ctx, cfg, c.id, false, c.o.Log); err != nil {
		return err
	}
	c.parts.add(c.store.Close)
	if err := c.store.ensureInitial(ctx, time.Now()); err != nil {
		return err
	}
	c.feed = routers.NewFeed(c.store.Store, c.signer.bundle().PEM(), c.o.Log, nil)
	if cfg.Edge.DisablePostureChecks {
		c.o.Log.Warn("posture checks are disabled by edge.disablePostureChecks: policies grant access without them")
		c.feed.IgnorePosture()
	}
	c.makeDatabase()
	publish, err := c.makeEvents()
	if err != nil {
		return err
	}
	c.watcher = chttp.NewWatcher(c.o.Log, time.Now)
	c.network = network.New(c.networkConfig(watched(c.watcher, publish)))
	if err := c.makeEdge(); err != nil {
		return err
	}
	if err := c.makeControl(); err != nil {
		return err
	}
	return c.makeWeb()
}

// loadKeys loads the identity of the controller and the CA that it signs with.
func (c *Controller) loadKeys() (err error) {
	cfg := c.o.Config
	if c.identity, err = loadIdentity("identity", cfg.Identity); err != nil {
		return err
	}
	if c.id, err = commonName(c.identity); err != nil {
		return err
	}
	if cfg.Edge == nil {
		return problem("add an edge section with api and enrollment", "the configuration has no edge section: nobody could log in to such a controller")
	}
	for i, s := range cfg.Web {
		server := c.identity
		if s.Identity != nil {
			if server, err = loadIdentity(fmt.Sprintf("web[%d].identity", i), *s.Identity); err != nil {
				return err
			}
		}
		c.servers = append(c.servers, server)
		if err := checkAdvertised(i, s, server); err != nil {
			return err
		}
	}
	if err := checkCtrl(cfg.Ctrl, c.identity); err != nil {
		return err
	}
	c.signer, err = loadSigner(cfg.Edge.Enrollment.SigningCert, append(c.servers, c.identity))
	return err
}

// makeEdge makes authentication and enrolment.
func (c *Controller) makeEdge() (err error) {
	cfg := c.o.Config.Edge
	dir, _ := dataDir(c.o.Config)
	domain, err := pki.TrustDomain(chainOf(c.identity), c.identity.Bundle(), c.o.Config.TrustDomain)
	if err != nil {
		return err
	}
	authConfig := auth.Config{
		SessionTimeout: cfg.API.SessionTimeout, ActivityInterval: cfg.API.ActivityUpdateInterval,
		Journal: filepath.Join(dir, "sessions.journal"), Issuer: "https://" + cfg.API.Address.String(), TrustDomain: domain,
		TrustDomains: trustDomains(c.o.Config.AdditionalTrustDomains),
		TOTPIssuer:   cfg.TOTP.Hostname,
	}
	if l := cfg.AuthRateLimiter; l.Enabled {
		authConfig.LoginLimit = &limit.WindowConfig{Min: l.MinSize, Max: l.MaxSize, Timeout: l.Timeout}
	}
	c.auth, err = auth.New(authConfig, auth.Deps{
		Store: c.store.Store, Writer: c.store, Access: access{c.feed.Policy, c.network.Online}, Clock: clock.Real(), Log: c.o.Log,
		Bundle: c.signer.bundle, Signer: c.signer.authority, Notify: c.notice,
	})
	if err != nil {
		return err
	}
	c.parts.add(c.auth.Close)
	c.enroller, err = enroll.New(enroll.Config{
		Address: cfg.API.Address.String(), IdentityLife: cfg.Enrollment.EdgeIdentity.Duration,
		RouterLife: cfg.Enrollment.EdgeRouter.Duration, TrustDomain: domain,
	}, enroll.Deps{
		Store: c.store.Store, Writer: c.store, Passwords: c.auth.Passwords(), Sessions: c.auth, Clock: clock.Real(), Log: c.o.Log,
		Tokens: c.tokens(),
		Bundle: c.signer.bundle, Signer: c.signer.authority,
		ServerCertificate: c.apiCertificate, ControlAddresses: c.controlAddresses,
	})
	return err
}

// run starts what follows the state, then the APIs.
func (c *Controller) run(ctx context.Context) error {
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	c.parts.add(func() error { stop(); work.Wait(); return nil })
	c.observers.ready.Store(true)
	work.Go(func() { c.feed.Run(running) })
	work.Go(func() { c.network.Run(running) })
	if err := c.auth.Start(ctx); err != nil {
		return err
	}
	if err := c.registerSelf(ctx); err != nil {
		return err
	}
	work.Go(func() { c.statuses.run(running) })
	if cl := c.o.Config.Cluster; cl != nil {
		work.Go(func() { watchLeader(running, c.store.node, cl.WarnWhenLeaderlessFor, c.o.Log) })
	}
	if c.dialer != nil {
		work.Go(func() { c.dialer.Run(running) })
	}
	work.Go(func() { c.serveControl() })
	c.parts.add(c.control.Close)
	c.parts.add(c.web.Close)
	c.web.serve()
	c.ports.serve()
	for _, identity := range distinct(append(c.servers, c.identity)) {
		c.parts.add(watchIdentity(running, stop, identity, c.o.Log))
	}
	c.parts.add(c.watchNode(running, stop))
	c.o.Log.Info("controller running", "controller", c.id, "version", c.o.Build.Version, "api", c.o.Config.Edge.API.Address.String(), "ctrl", c.ctrlAddress())
	return nil
}

// watchNode reports when the log stops for good.
func (c *Controller) watchNode(ctx context.Context, stop func()) func() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-c.store.node.Failed():
			c.failed <- fmt.Errorf("the controller's log has stopped: %w", c.store.node.Err())
		case <-ctx.Done():
		}
	}()
	return func() error { stop(); <-done; return nil }
}

// Failed receives the reason when the controller cannot go on.
func (c *Controller) Failed() <-chan error { return c.failed }

// Close stops the controller and waits for everything that it started.
func (c *Controller) Close() error { return c.parts.Close() }

// CheckController tests what a configuration names, beyond what reading it
// does: keys, certificates and the data directory. It changes nothing.
func CheckController(cfg *conf.Controller, log *slog.Logger) error {
	c := &Controller{o: ControllerOptions{Config: cfg, Log: log}}
	if err := c.loadKeys(); err != nil {
		return err
	}
	if err := checkForeignDB(cfg.DB); err != nil {
		return err
	}
	dir, _ := dataDir(cfg)
	if _, err := os.Stat(filepath.Join(dir, "raft.db")); err != nil {
		log.Warn("no network in the data directory yet", "directory", dir, "remedy", "run `weft controller edge init` with this configuration")
	}
	return nil
}
