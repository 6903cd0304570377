package routers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// DialerConfig says which routers a Dialer calls and how often.
type DialerConfig struct {
	Identity *pki.Identity // of the controller
	Groups   []string      // routers with a listener of one of them are called
	Delay    time.Duration // wait after the start
	// After a failure the next call of a router waits, from Min growing by Factor
	// to Max. A session that ends within FastFailure counts as a failure.
	Min, Max    time.Duration
	Factor      float64
	FastFailure time.Duration
	Queue       int           // calls that wait for a worker; further ones are put off
	Workers     int           // calls at once
	Timeout     time.Duration // of a call
	// Took, if not nil, is told how long every call took. It must not block.
	Took func(time.Duration)
}

// Dialer calls routers that let themselves be called and are not connected.
// Run does the work.
type Dialer struct {
	r   *Registry
	cfg DialerConfig

	kick chan struct{}
	jobs chan call
	done chan outcome
	busy atomic.Int64 // calls under way

	mu      sync.Mutex
	targets map[string]*target // by router id
}

// target is a router that is called, or was.
type target struct {
	busy     bool // a call is queued or under way, or its session lives
	failures int
	next     time.Time
	address  string // of the last call
	err      error  // of the last call
}

type call struct{ routerID, address, fingerprint string }

type outcome struct {
	routerID string
	began    time.Time // of the session, zero if there was none
	err      error
}

// Called is what is known of a router that the controller calls.
type Called struct {
	RouterID string    `json:"routerId"`
	Address  string    `json:"address"`
	Busy     bool      `json:"busy"` // a call is under way, or its session lives
	Failures int       `json:"failures"`
	Next     time.Time `json:"next"` // call, if it is not busy
	Error    string    `json:"error,omitempty"`
}

// NewDialer returns a dialer for routers of the registry. It has to be made
// before the feed of the registry runs.
func (r *Registry) NewDialer(cfg DialerConfig) *Dialer {
	d := &Dialer{r: r, cfg: cfg, kick: make(chan struct{}, 1), jobs: make(chan call, cfg.Queue), done: make(chan outcome, cfg.Workers), targets: make(map[string]*target)}
	r.mu.Lock()
	r.freed = d.wake
	r.mu.Unlock()
	return d
}

// wake has the dialer look at the routers now. It does not wait.
func (d *Dialer) wake() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

// Run calls routers until ctx ends; then it ends the sessions it began and waits.
func (d *Dialer) Run(ctx context.Context) {
	if !pause(ctx, d.cfg.Delay) {
		return
	}
	var workers, sessions sync.WaitGroup
	defer sessions.Wait() // after the workers, which begin sessions
	defer workers.Wait()
	for range d.cfg.Workers {
		workers.Go(func() { d.work(ctx, &sessions) })
	}
	for {
		changed := d.r.cfg.Store.View().Changed()
		timer := time.NewTimer(d.plan(d.r.cfg.Now()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case o := <-d.done:
			d.settle(o)
		case <-d.kick:
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// plan queues the calls that are due and returns the time to the next one.
func (d *Dialer) plan(now time.Time) time.Duration {
	next := time.Hour
	known := make(map[string]bool)
	d.mu.Lock()
	defer d.mu.Unlock()
	for e := range state.All[model.EdgeRouter](d.r.cfg.Store.View()) {
		addresses := d.addresses(e)
		if len(addresses) == 0 || e.Disabled || e.Fingerprint == "" {
			continue
		}
		known[e.ID] = true
		t := d.targets[e.ID]
		if t == nil {
			t = &target{}
			d.targets[e.ID] = t
		}
		if t.busy || d.r.Online(e.ID) {
			continue
		}
		if wait := t.next.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		t.address = addresses[t.failures%len(addresses)]
		select {
		case d.jobs <- call{e.ID, t.address, e.Fingerprint}:
			t.busy = true
		default: // the queue is full: again when somebody has had his turn
			next = min(next, d.cfg.Min)
		}
	}
	for id, t := range d.targets {
		if !known[id] && !t.busy {
			delete(d.targets, id)
		}
	}
	return next
}

// addresses are those at which a router may be called, in order.
func (d *Dialer) addresses(e *model.EdgeRouter) []string {
	var out []string
	for address, groups := range e.CtrlChanListeners {
		if len(groups) == 0 {
			groups = []string{DefaultGroup}
		}
		if slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(d.cfg.Groups, g) }) {
			out = append(out, address)
		}
	}
	slices.Sort(out)
	return out
}

// DefaultGroup is the group of listeners that name none.
const DefaultGroup = "default"

// settle draws the consequences of a call.
func (d *Dialer) settle(o outcome) {
	now := d.r.cfg.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.targets[o.routerID]
	t.busy, t.err = false, o.err
	if !o.began.IsZero() && now.Sub(o.began) >= d.cfg.FastFailure {
		t.failures, t.next = 0, now.Add(d.cfg.Min)
		return
	}
	t.next = now.Add(d.backoff(t.failures))
	t.failures++
}

// backoff returns the wait after so many failures before, spread a little.
func (d *Dialer) backoff(failures int) time.Duration {
	wait := float64(d.cfg.Min)
	for range failures {
		if wait *= d.cfg.Factor; wait >= float64(d.cfg.Max) {
			break
		}
	}
	wait = min(wait, float64(d.cfg.Max))
	return time.Duration(wait * (0.9 + 0.2*rand.Float64()))
}

// work calls routers until ctx ends. A session that began does not keep the
// worker.
func (d *Dialer) work(ctx context.Context, sessions *sync.WaitGroup) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-d.jobs:
			ch, err := d.timed(ctx, c)
			if err != nil {
				d.r.cfg.Log.Debug("router not reached", "router", c.routerID, "address", c.address, "error", err)
				d.report(ctx, outcome{routerID: c.routerID, err: err})
				continue
			}
			d.r.cfg.Log.Info("router called", "router", c.routerID, "address", c.address)
			began := d.r.cfg.Now()
			sessions.Go(func() {
				select {
				case <-ctx.Done():
					ch.Close()
				case <-ch.Done():
				}
				ch.Wait()
				d.report(ctx, outcome{routerID: c.routerID, began: began, err: ch.Err()})
			})
		}
	}
}

// timed calls a router, and tells how long that took.
func (d *Dialer) timed(ctx context.Context, c call) (*channel.Channel, error) {
	d.busy.Add(1)
	defer d.busy.Add(-1)
	start := time.Now()
	ch, err := d.call(ctx, c)
	if d.cfg.Took != nil {
		d.cfg.Took(time.Since(start))
	}
	return ch, err
}

// Load returns how many calls wait for a worker, and how many are under way.
func (d *Dialer) Load() (waiting, busy int) { return len(d.jobs), int(d.busy.Load()) }

func (d *Dialer) report(ctx context.Context, o outcome) {
	select {
	case d.done <- o:
	case <-ctx.Done():
	}
}

// errNotEnrolled refuses a listener that is not the router's.
var errNotEnrolled = errors.New("the certificate at that address is not the enrolled one of the router")

// call begins a session with a router, which presents its enrolled certificate.
func (d *Dialer) call(ctx context.Context, c call) (*channel.Channel, error) {
	hostPort, ok := strings.CutPrefix(c.address, "tls:")
	if !ok {
		return nil, fmt.Errorf("address %s: only tls:host:port can be called", c.address)
	}
	tlsConfig := d.cfg.Identity.ClientTLS()
	tlsConfig.VerifyConnection = func(s tls.ConnectionState) error {
		if _, err := pki.VerifyPeer(s.PeerCertificates, d.cfg.Identity.Bundle(), nil, d.r.cfg.Now()); err != nil {
			return err
		}
		leaf := s.PeerCertificates[0]
		switch now := d.r.cfg.Now(); {
		case pki.Fingerprint(leaf) != c.fingerprint:
			return errNotEnrolled
		case now.Before(leaf.NotBefore) || now.After(leaf.NotAfter):
			return errExpired
		}
		return nil
	}
	_, ch, err := control.DialRouter(ctx, control.RouterDial{
		Address: hostPort, RouterID: c.routerID, ControllerID: d.r.cfg.ControllerID, Version: d.r.cfg.Version, TLS: tlsConfig,
		Handler: d.r, Timeout: d.cfg.Timeout, Tuning: d.r.cfg.Tuning, Log: d.r.cfg.Log,
	})
	return ch, err
}

// Called lists the routers that the dialer calls, by id.
func (d *Dialer) Called() []Called {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Called, 0, len(d.targets))
	for id, t := range d.targets {
		c := Called{RouterID: id, Address: t.address, Busy: t.busy, Failures: t.failures, Next: t.next}
		if t.err != nil {
			c.Error = t.err.Error()
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Called) int { return strings.Compare(a.RouterID, b.RouterID) })
	return out
}
