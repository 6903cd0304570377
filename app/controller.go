package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/enroll"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// ControllerOptions are the options of a controller.
type ControllerOptions struct {
	Config *conf.Controller
	Build  Build
	Log    *slog.Logger
}

// Controller is a running controller.
type Controller struct {
	o        ControllerOptions
	id       string
	identity *pki.Identity
	servers  []*pki.Identity // of the web servers, that of the process where they have none
	signer   *signer
	store    *store
	feed     *routers.Feed
	auth     *auth.Auth
	enroller *enroll.Enroller
	network  *network.Network
	registry *routers.Registry
	control  *routers.Listener
	activity *activity
	ports    *ports
	web      *webServers
	failed   chan error
	parts    parts
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
		out.MaxHandshakes = l.MaxSize
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
	c.network = network.New(network.Config{
		ControllerID: c.id, State: c.store, Policy: c.feed.Policy, Writer: c.store,
		Attempts: max(cfg.Network.CreateCircuitRetries, 1), Log: c.o.Log,
	})
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
		return problem("add an edge section with api and enrollment", "the configuration has no edge section: such a controller is managed by the fabric API alone, which is not active yet")
	}
	for i, s := range cfg.Web {
		server := c.identity
		if s.Identity != nil {
			if server, err = loadIdentity(fmt.Sprintf("web[%d].identity", i), *s.Identity); err != nil {
				return err
			}
		}
		c.servers = append(c.servers, server)
	}
	if a := cfg.Ctrl.Options.AdvertiseAddress; !a.IsZero() && c.identity.ServerCertificateValidFor(a.Host) == nil {
		return problem("advertise a name of the certificate, or replace the certificate",
			"identity.server_cert is not valid for ctrl.options.advertiseAddress, %s", a.Host)
	}
	c.signer, err = loadSigner(cfg.Edge.Enrollment.SigningCert, append(c.servers, c.identity))
	return err
}

// apiCertificate returns the certificate that the client API serves for a host,
// whose key signs enrolment tokens; nil when none is valid for it.
func (c *Controller) apiCertificate(host string) *tls.Certificate {
	for i, s := range c.o.Config.Web {
		for _, b := range s.BindPoints {
			if b.Address == c.o.Config.Edge.API.Address {
				return c.servers[i].ServerCertificateValidFor(host)
			}
		}
	}
	return c.identity.ServerCertificateValidFor(host)
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
	}
	if l := cfg.AuthRateLimiter; l.Enabled {
		authConfig.LoginLimit = &limit.WindowConfig{Min: l.MinSize, Max: l.MaxSize, Timeout: l.Timeout}
	}
	c.auth, err = auth.New(authConfig, auth.Deps{
		Store: c.store.Store, Writer: c.store, Access: access{c.feed.Policy, c.network.Online}, Clock: clock.Real(), Log: c.o.Log,
		Bundle: c.signer.bundle, Signer: c.signer.authority,
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
		Bundle: c.signer.bundle, Signer: c.signer.authority,
		ServerCertificate: c.apiCertificate, ControlAddresses: c.controlAddresses,
	})
	return err
}

// controlAddresses returns the control addresses of all controllers.
func (c *Controller) controlAddresses() []string {
	var out []string
	for e := range state.All[model.Controller](c.store.View()) {
		if e.CtrlAddress != "" {
			out = append(out, e.CtrlAddress)
		}
	}
	if len(out) == 0 {
		out = append(out, c.ctrlAddress())
	}
	return out
}

// ctrlAddress returns the control address that this controller advertises.
func (c *Controller) ctrlAddress() string {
	if a := c.o.Config.Ctrl.Options.AdvertiseAddress; !a.IsZero() {
		return a.String()
	}
	a := c.o.Config.Ctrl.Listener
	a.Host = c.o.Config.Edge.API.Address.Host
	return a.String()
}

// activityInterval is how often routers report which sessions are connected.
const activityInterval = 10 * time.Second

// makeControl makes the listener for routers.
func (c *Controller) makeControl() error {
	b := c.o.Build
	c.activity = newActivity(c.auth, 2*activityInterval+activityInterval/2)
	c.registry = routers.NewRegistry(routers.Config{
		ControllerID: c.id, Version: strings.Join([]string{b.Version, b.Revision, b.Date, runtime.GOOS, runtime.GOARCH}, "|"),
		Store: c.store.Store, Feed: c.feed, Network: c.network, Sessions: c.activity,
		Churn: c.o.Config.Network.RouterConnectChurnLimit, Activity: activityInterval, Log: c.o.Log,
	})
	at := c.o.Config.Ctrl.Listener
	mux, err := c.ports.mux("ctrl.listener", conf.HostPort{Host: at.Host, Port: at.Port})
	if err != nil {
		return err
	}
	c.control, err = c.registry.Listen(mux, c.identity)
	return err
}

// serveControl accepts routers until the listener is closed.
func (c *Controller) serveControl() {
	if err := c.control.Serve(); err != nil {
		c.o.Log.Error("control listener stopped", "error", err)
	}
}

// makeWeb makes the REST APIs and the servers that host them.
func (c *Controller) makeWeb() error {
	edge := c.o.Config.Edge
	known := sessions{auth: c.auth, bundle: c.signer.bundle}
	server, err := chttp.New(chttp.Config{
		Build: chttp.Build(c.o.Build), State: c.store.View, Policies: c.feed.Policy,
		Writer: inStep{c.store, c.feed}, Auth: known, Login: known, Sessions: known, Services: serviceSessions{c.auth},
		Enroller: enroller{c.enroller, c.auth.Passwords()}, Live: live{c.registry, c.network, c.activity}, Now: time.Now, Log: c.o.Log,
		Hosted: c.hosted(), APIAddress: edge.API.Address.String(), TrustAnchors: c.signer.trustAnchors,
		InstanceID: id.Short(), StartedAt: time.Now(),
	})
	if err != nil {
		return err
	}
	health := c.health()
	c.parts.add(func() error { health.Close(); return nil })
	bindings := make(map[string]chttp.Binding)
	for _, b := range []chttp.Binding{server.Client(), server.Management(), health.Binding()} {
		bindings[b.Name] = b
	}
	c.web = &webServers{log: c.o.Log}
	for i := range c.o.Config.Web {
		if err := c.web.add(i, &c.o.Config.Web[i], c.servers[i], bindings, c.ports); err != nil {
			return err
		}
	}
	return nil
}

// health starts the check of log and state.
func (c *Controller) health() *chttp.Health {
	check := c.o.Config.HealthChecks.BoltCheck
	return chttp.NewHealth([]chttp.Check{{
		ID: "bolt.read", Interval: check.Interval, Timeout: check.Timeout, InitialDelay: check.InitialDelay,
		Run: func(ctx context.Context) error {
			if state.Get[model.AuthPolicy](c.store.View(), model.DefaultAuthPolicyID) == nil {
				return errors.New("the state has no default auth policy")
			}
			return c.store.node.CheckStorage(ctx)
		},
	}}, c.store.node.IsLeader, time.Now, c.o.Log)
}

// hosted lists the active APIs of the web servers.
func (c *Controller) hosted() []chttp.Hosted {
	var out []chttp.Hosted
	for _, s := range c.o.Config.Web {
		for _, b := range s.BindPoints {
			for _, a := range s.APIs {
				if path, ok := apiPaths[a.Binding]; ok && b.Identity == nil {
					out = append(out, chttp.Hosted{Binding: a.Binding, Address: b.Address.String(), Path: path})
				}
			}
		}
	}
	return out
}

// apiPaths are the base paths of the active bindings.
var apiPaths = map[string]string{
	"edge-client": api.ClientBase, "edge-management": api.ManagementBase, "health-checks": chttp.HealthBase,
}

// inStep writes commands and returns when the policies show them too, so that
// whoever changed a policy finds it in force.
type inStep struct {
	*store
	feed *routers.Feed
}

// Propose puts an encoded command into the log.
func (w inStep) Propose(ctx context.Context, command []byte) (index uint64, result any, err error) {
	index, result, err = w.store.Propose(ctx, command)
	if err == nil {
		err = w.feed.Wait(ctx, index)
	}
	return index, result, err
}

// run starts what follows the state, then the APIs.
func (c *Controller) run(ctx context.Context) error {
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	c.parts.add(func() error { stop(); work.Wait(); return nil })
	work.Go(func() { c.feed.Run(running) })
	work.Go(func() { c.network.Run(running) })
	if err := c.auth.Start(ctx); err != nil {
		return err
	}
	if err := c.registerSelf(ctx); err != nil {
		return err
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

// registerSelf writes the row of this controller, if it is not there as it is.
func (c *Controller) registerSelf(ctx context.Context) error {
	leaf := c.identity.ClientCertificate().Leaf
	row := &model.Controller{
		Base: model.Base{ID: c.id}, Name: c.id, CtrlAddress: c.ctrlAddress(), IsOnline: true, LastJoinedAt: time.Now().UTC(),
		CertPem: pki.EncodeCertificates(leaf), Fingerprint: pki.Fingerprint(leaf), APIAddresses: make(map[string][]model.APIAddress),
	}
	for _, h := range c.hosted() {
		row.APIAddresses[h.Binding] = append(row.APIAddresses[h.Binding], model.APIAddress{URL: "https://" + h.Address + h.Path, Version: "v1"})
	}
	command := state.NewCommand(time.Now(), state.Author{ID: c.id, Type: "controller"}, state.Source{Type: "internal", Method: "start"}).AsSystem()
	return c.store.Write(ctx, command.Put(row))
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
