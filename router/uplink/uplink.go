package uplink

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// Uplink keeps a router connected. All methods are safe for concurrent use.
type Uplink struct {
	cfg Config
	*Directory

	mu       sync.Mutex
	session  *control.RouterEnd // nil while not connected
	changed  chan struct{}      // closed when session changes
	routerID string
	status   Status

	terminators *terminators
	ended       *endedList
	faults      *faultList
	reports     *reports
	peers       peers
	controllers controllers
	strange     chan string // id of a controller that is no member any more
	calls       chan *begun // controllers that have called
}

// Status is what is known of the connection to a controller.
type Status struct {
	Connected         bool
	Address           string // of the controller
	ControllerID      string
	ControllerVersion string
	Since             time.Time     // of the current state
	RoundTrip         time.Duration // of the last heartbeat, 0 before the first answer
	Responsive        bool          // connected, and heartbeats are answered in time
}

// New returns an Uplink with the slice of the snapshot file, if there is a
// usable one. Run connects it.
func New(cfg Config) *Uplink {
	cfg = cfg.withDefaults()
	u := &Uplink{cfg: cfg, changed: make(chan struct{}), strange: make(chan string, 1), calls: make(chan *begun), Directory: newDirectory(cfg.Now)}
	u.terminators = newTerminators(u)
	u.ended = newEndedList()
	u.faults = newFaultList(cfg.FaultInterval)
	u.reports = newReports()
	u.status.Since = cfg.Now()
	if cfg.SnapshotFile != "" {
		if err := u.load(cfg.SnapshotFile); err != nil {
			cfg.Log.Warn("stored slice not used", "file", cfg.SnapshotFile, "error", err)
		}
	}
	if cfg.Fingerprint != nil {
		u.setRouterID(u.routerByFingerprint(cfg.Fingerprint()))
	}
	return u
}

// RouterID returns the id of this router, empty until a controller or the
// stored slice has told it.
func (u *Uplink) RouterID() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.routerID
}

func (u *Uplink) setRouterID(id string) {
	if id == "" {
		return
	}
	u.mu.Lock()
	u.routerID = id
	u.mu.Unlock()
}

// Status returns the state of the connection.
func (u *Uplink) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := u.status
	if u.session != nil {
		out.RoundTrip, out.Responsive = u.session.Pulse()
	}
	return out
}

// Run stays connected until ctx ends; then it closes the session, writes the
// slice and waits for its goroutines. It returns an error only if there is no
// controller to call.
func (u *Uplink) Run(ctx context.Context) error {
	if err := u.loadEndpoints(); err != nil {
		return err
	}
	var work sync.WaitGroup
	work.Go(func() { u.saveLoop(ctx) })
	work.Go(func() { u.terminators.run(ctx) })
	work.Go(func() { u.ended.run(ctx, u) })
	work.Go(func() { u.faults.run(ctx, u) })
	work.Go(func() { u.reports.run(ctx, u) })
	u.tellPeers()
	u.connectLoop(ctx)
	work.Wait()
	return nil
}

// connectLoop calls the controllers in turn, with growing pauses while none
// answers, and takes their calls meanwhile.
func (u *Uplink) connectLoop(ctx context.Context) {
	const first = 50 * time.Millisecond
	pause := first
	var b *begun
	defer func() {
		if b != nil {
			b.end.Close()
		}
	}()
	for i := 0; ctx.Err() == nil; i++ {
		address, err, served := "", error(nil), false
		if b == nil {
			if endpoints := u.controllers.addresses(); len(endpoints) > 0 { // they may have changed
				address = endpoints[i%len(endpoints)]
			}
			b, err = u.connect(ctx, address)
		}
		if err == nil {
			address = b.address
			served, err = u.serve(ctx, b)
			b = nil
		}
		if ctx.Err() != nil {
			return
		}
		if served {
			pause = first
			u.cfg.Log.Warn("controller lost", "address", address, "error", err)
		} else {
			var rejected *channel.RejectedError
			u.cfg.Log.Warn("controller not reached", "address", address, "error", err, "rejected", errors.As(err, &rejected), "retry", pause)
		}
		t := time.NewTimer(pause/2 + rand.N(pause))
		b, _ = u.await(ctx, t.C)
		t.Stop()
		pause = min(pause*3/2, u.cfg.RetryMax)
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// ofController returns a configuration with which the handshake fails unless the
// server is a controller: after it, what the server says counts.
func ofController(cfg *tls.Config) *tls.Config {
	out := cfg.Clone()
	out.VerifyConnection = func(s tls.ConnectionState) error {
		if cfg.VerifyConnection != nil {
			if err := cfg.VerifyConnection(s); err != nil {
				return err
			}
		}
		return pki.CheckController(s.PeerCertificates[0]) // a TLS client always gets one
	}
	return out
}

// dialConfig is how controllers are called.
func (u *Uplink) dialConfig(address string) control.DialConfig {
	return control.DialConfig{
		Address: address, TLS: ofController(u.cfg.TLS), Version: u.cfg.Version, Net: u.cfg.Net, Log: u.cfg.Log,
		Timeout: u.cfg.DialTimeout, WriteTimeout: u.cfg.WriteTimeout, Queue: u.cfg.Queue, Heartbeats: u.cfg.Heartbeats, Trace: u.cfg.Trace,
	}
}

// serve runs a session until it ends; served tells whether it ever worked.
func (u *Uplink) serve(ctx context.Context, b *begun) (served bool, err error) {
	s, address := b.end, b.address
	defer s.Close()
	b.handler.set(s)
	registered, err := u.register(ctx, s)
	if err != nil {
		return false, err
	}
	u.cfg.Log.Info("controller connected", "address", address, "controller", registered.ControllerId)
	u.setRouterID(registered.RouterId)
	if registered.Peers != nil {
		u.takePeers(registered.Peers)
	}
	u.attach(s, address, registered)
	defer u.detach(s)
	if registered.Endpoints != nil {
		u.takeEndpoints(registered.Endpoints)
	}
	if len(registered.DropCircuits) > 0 {
		u.cfg.Node.EndCircuits(&ctrl.Unroute{CircuitIds: registered.DropCircuits, Reason: "the controller does not know the circuit"})
	}
	u.activityLoop(ctx, s, u.cfg.Sessions.every(registered.ActivitySeconds))
	return true, s.Err()
}

func (u *Uplink) register(ctx context.Context, s *control.RouterEnd) (*ctrl.Registered, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	u.ended.forget() // the full report says it too
	index, digest := u.position()
	m := &ctrl.Register{
		Version: u.cfg.Version, Hostname: u.cfg.Hostname, RunId: u.cfg.RunID,
		SliceIndex: index, SliceDigest: digest, State: u.reports.routerState(),
		Listeners: u.cfg.Listeners, CtrlListeners: u.cfg.CtrlListeners, Circuits: u.cfg.Node.Circuits(),
	}
	if l := u.cfg.Links; l != nil {
		m.LinkListeners, m.LinkDialers, m.Links = l.Listeners(), l.Dialers(), l.Report()
	}
	return s.Register(ctx, m)
}

func (u *Uplink) attach(s *control.RouterEnd, address string, r *ctrl.Registered) {
	u.mu.Lock()
	u.session = s
	u.status = Status{Connected: true, Address: address, ControllerID: r.ControllerId, ControllerVersion: r.ControllerVersion, Since: u.cfg.Now()}
	close(u.changed)
	u.changed = make(chan struct{})
	u.mu.Unlock()
}

func (u *Uplink) detach(s *control.RouterEnd) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session == s {
		u.session = nil
		u.status.Connected, u.status.Since = false, u.cfg.Now()
		close(u.changed)
		u.changed = make(chan struct{})
	}
}

// current returns the session, nil while there is none, and a channel that is
// closed when that changes.
func (u *Uplink) current() (*control.RouterEnd, <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.session, u.changed
}

// Ready waits until the router knows its id and has a slice, from a controller
// or from disk. The error is that of ctx.
func (u *Uplink) Ready(ctx context.Context) error {
	for {
		_, session := u.current()
		news := u.Changed()
		if u.Filled() && u.RouterID() != "" {
			return nil
		}
		select {
		case <-session:
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
