package routers

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Sessions is told which API sessions are in use.
type Sessions interface {
	// SessionsActive notes that the sessions have a connection to a router now.
	SessionsActive(ids []string)
}

// Config describes a Registry. Store, Feed and Network are required.
type Config struct {
	ControllerID string
	Version      string // version|revision|build date|os|arch
	Store        *state.Store
	Feed         *Feed
	Network      *network.Network
	Sessions     Sessions // may be nil
	// Churn is how old a connection of a router must be to be replaced by another
	// while it is alive; 1 min by default.
	Churn time.Duration
	// Activity is how often routers report sessions; 1 min by default.
	Activity time.Duration
	// Metrics, if not nil, is given the measurements that routers report. It
	// must not wait.
	Metrics func(routerID string, m *ctrl.MetricsReport)
	// Extender renews the certificates of routers; may be nil.
	Extender Extender
	Observer Observer // may be nil
	// Leader reports whether this controller leads; nil means that it does.
	Leader    func() bool
	Messaging Messaging
	// Tuning, HelloTimeout and MaxHellos are for control connections; see
	// channel.ListenerConfig for the defaults of the latter two.
	Tuning       control.Tuning
	HelloTimeout time.Duration
	MaxHellos    int
	// NewListener, tls:host:port, is where routers are to find this controller
	// instead of its address; empty for none.
	NewListener string
	// Listeners, if not nil, is told where a router lets itself be called: groups
	// by address. It must not wait.
	Listeners func(routerID string, groups map[string][]string)
	Log       *slog.Logger
	Now       func() time.Time
}

// Registry knows the connected routers. All methods are safe for concurrent
// use. It is the handler of their sessions.
type Registry struct {
	cfg Config

	mu      sync.Mutex
	routers map[string]*presence
	freed   func() // called when a router has gone offline; nil if nobody wants to know

	work  *work
	peers *peers
}

// presence is what is known of one router.
type presence struct {
	session     *control.ControllerEnd // nil while offline
	fingerprint string                 // of the certificate of the session
	expected    string                 // of the certificate that the router confirms, empty if it does not
	status      Status
	identities  map[string]ConnectedIdentity // as last reported, also while offline
	interfaces  []*ctrl.Interface
}

// Status is what is known of a router that has been connected.
type Status struct {
	Online    bool
	Since     time.Time // of being online or offline
	Version   string    // version|revision|build date|os|arch
	Hostname  string
	Address   string            // remote address of its control connection
	Protocols map[string]string // of its edge listeners: tls: tls://host:port
	Links     []*ctrl.LinkListener
	Dialers   []*ctrl.LinkDialer
	Quiesced  bool // it takes no new circuits
}

// NewRegistry returns a registry without routers. The caller closes it.
func NewRegistry(cfg Config) *Registry {
	if cfg.Churn == 0 {
		cfg.Churn = time.Minute
	}
	if cfg.Activity == 0 {
		cfg.Activity = time.Minute
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	r := &Registry{cfg: cfg, routers: make(map[string]*presence), work: newWork(), peers: newPeers(cfg.Messaging)}
	r.work.group.Go(func() { r.peers.run(r.work.ctx) })
	cfg.Feed.OnChange(r.changed)
	return r
}

// of returns the presence of a router, with the lock held.
func (r *Registry) of(routerID string) *presence {
	at := r.routers[routerID]
	if at == nil {
		at = &presence{}
		r.routers[routerID] = at
	}
	return at
}

// HandleRegister is called by the session.
func (r *Registry) HandleRegister(s *control.ControllerEnd, m *ctrl.Register, reply func(*ctrl.Registered)) {
	router := state.Get[model.EdgeRouter](r.cfg.Store.View(), s.RouterID)
	if router == nil {
		s.Close()
		return
	}
	r.mu.Lock()
	at := r.of(s.RouterID)
	old := at.session
	at.session, at.fingerprint, at.expected = s, pki.Fingerprint(s.Peer().Leaf()), ""
	at.status = Status{
		Online: true, Since: r.cfg.Now(), Version: word(m.Version), Hostname: word(m.Hostname),
		Address: s.Peer().Remote.String(), Protocols: protocols(m.Listeners),
		Links: boundedListeners(m.LinkListeners), Dialers: boundedDialers(m.LinkDialers), Quiesced: m.GetState().GetQuiesced(),
	}
	r.mu.Unlock()
	if old != nil && old != s {
		old.Close()
	}
	r.publish(s.RouterID)
	drop := r.cfg.Network.Attach(s.RouterID, s, m)
	others, seen := r.peers.all(s.RouterID, r.complete())
	reply(&ctrl.Registered{
		RouterId: s.RouterID, RouterName: router.Name, ControllerId: r.cfg.ControllerID, ControllerVersion: r.cfg.Version,
		DropCircuits: drop, ActivitySeconds: uint32(max(r.cfg.Activity/time.Second, 1)), Peers: others, Endpoints: r.endpoints(),
	})
	r.peers.add(s, s.RouterID, seen)
	r.cfg.Feed.Subscribe(s, m.SliceIndex, m.SliceDigest)
	if r.cfg.Listeners != nil {
		if now := ctrlListeners(m.CtrlListeners); !maps.EqualFunc(now, router.CtrlChanListeners, slices.Equal) {
			r.cfg.Listeners(s.RouterID, now)
		}
	}
	if r.cfg.Observer != nil {
		r.cfg.Observer.RouterConnected(s.RouterID, s.Peer().Remote.String())
	}
	r.cfg.Log.Info("accepted new router connection", "router", s.RouterID, "name", router.Name, "address", s.Peer().Remote, "version", m.Version,
		"circuits", len(m.Circuits), "dropped", len(drop), "links", len(m.Links))
}

// versionOf returns the version of a text version|revision|build date|os|arch.
func versionOf(text string) string {
	version, _, _ := strings.Cut(text, "|")
	return version
}

func protocols(ls []*ctrl.Listener) map[string]string {
	out := make(map[string]string, len(ls))
	for _, l := range ls {
		if _, taken := out[l.Protocol]; !taken && len(out) < maxListeners && !tooLong(l.Protocol, l.Address) {
			out[l.Protocol] = l.Address
		}
	}
	return out
}

// HandleResync is called by the session.
func (r *Registry) HandleResync(s *control.ControllerEnd) {
	r.cfg.Log.Info("router asks for its whole slice", "router", s.RouterID)
	r.cfg.Feed.Resync(s)
}

// HandleCreateCircuit is called by the session.
func (r *Registry) HandleCreateCircuit(s *control.ControllerEnd, m *ctrl.CreateCircuit, reply func(*ctrl.CircuitCreated)) {
	r.cfg.Network.CreateCircuit(s.RouterID, s, m, reply)
}

// HandleCircuitsEnded is called by the session.
func (r *Registry) HandleCircuitsEnded(s *control.ControllerEnd, ids []string) {
	r.cfg.Network.CircuitsEnded(s.RouterID, ids)
}

// HandleTerminatorChanges is called by the session.
func (r *Registry) HandleTerminatorChanges(s *control.ControllerEnd, m *ctrl.TerminatorChanges, reply func(*ctrl.TerminatorResults)) {
	r.cfg.Network.ChangeTerminators(s.RouterID, m, reply)
}

// HandleActivity is called by the session.
func (r *Registry) HandleActivity(_ *control.ControllerEnd, sessionIDs []string) {
	if r.cfg.Sessions != nil {
		r.cfg.Sessions.SessionsActive(sessionIDs)
	}
}

// HandleEnd is called by the session.
func (r *Registry) HandleEnd(s *control.ControllerEnd, err error) {
	r.cfg.Log.Info("router disconnected", "router", s.RouterID, "error", err)
	r.forget(s)
}

// forget takes a session that ended out of everything.
func (r *Registry) forget(s *control.ControllerEnd) {
	r.cfg.Feed.Unsubscribe(s)
	r.peers.drop(s)
	r.cfg.Network.Detach(s.RouterID, s)
	r.mu.Lock()
	at := r.of(s.RouterID)
	was := at.session == s
	if was {
		at.session = nil
		at.status.Online, at.status.Since = false, r.cfg.Now()
	}
	freed := r.freed
	r.mu.Unlock()
	if was {
		r.publish(s.RouterID)
	}
	if was && r.cfg.Observer != nil {
		r.cfg.Observer.RouterGone(s.RouterID)
	}
	if was && freed != nil {
		freed()
	}
}

// changed closes the connections of routers that may no longer have one, and
// draws the consequences of lost access.
func (r *Registry) changed(effects *policy.Effects, changes []state.Change) {
	r.cfg.Network.AccessChanged(effects)
	r.cfg.Network.StateChanged(changes)
	relevant, controllers := changes == nil, changes == nil
	for i := range changes {
		relevant = relevant || changes[i].Kind == model.KindEdgeRouter
		controllers = controllers || changes[i].Kind == model.KindController
		if changes[i].Kind == model.KindRevocation && changes[i].New != nil {
			r.cfg.Network.EndSession(changes[i].ID)
		}
	}
	if controllers {
		r.pushEndpoints()
	}
	if relevant {
		r.routersChanged(changes)
	}
}

// routersChanged closes the connections of routers that may no longer have one,
// and tells the others of the changes.
func (r *Registry) routersChanged(changes []state.Change) {
	view := r.cfg.Store.View()
	var gone []*control.ControllerEnd
	var ids, out []string
	r.mu.Lock()
	for id, at := range r.routers {
		ids = append(ids, id)
		router := state.Get[model.EdgeRouter](view, id)
		if router == nil || router.Disabled {
			out = append(out, id)
		}
		if at.session != nil && (router == nil || router.Disabled || !at.proves(router)) {
			gone = append(gone, at.session)
		}
		if router == nil && at.session == nil {
			delete(r.routers, id)
		}
	}
	r.mu.Unlock()
	for i := range changes { // also one that has never connected to this controller
		if changes[i].Kind == model.KindEdgeRouter && state.Get[model.EdgeRouter](view, changes[i].ID) == nil {
			out = append(out, changes[i].ID)
		}
	}
	for _, id := range out {
		r.cfg.Network.RouterGone(id)
	}
	for _, id := range append(ids, out...) {
		r.publish(id)
	}
	for _, s := range gone {
		s.Close()
	}
}

// Online reports whether a router is connected.
func (r *Registry) Online(routerID string) bool { return r.Status(routerID).Online }

// Status returns what is known of a router. Of one that is offline it is what was
// known last: some clients never try a router again that they have once seen
// without addresses. It is the zero Status if the router has not been
// connected since this controller started.
func (r *Registry) Status(routerID string) Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.routers[routerID]; at != nil && at.status.Since != (time.Time{}) {
		return at.status
	}
	return Status{}
}

// Disconnect closes the connection of a router, if there is one.
func (r *Registry) Disconnect(routerID string) {
	if s := r.session(routerID); s != nil {
		s.Close()
	}
}

// ErrOffline is returned by Inspect for a router that is not connected.
var ErrOffline = errors.New("routers: the router is not connected")

// Inspect asks a router about itself; keys it does not know have no value.
func (r *Registry) Inspect(ctx context.Context, routerID string, keys []string) (map[string]string, error) {
	s := r.session(routerID)
	if s == nil {
		return nil, ErrOffline
	}
	out, err := s.Inspect(ctx, keys)
	if err != nil {
		return nil, err
	}
	return out.Values, nil
}

func (r *Registry) session(routerID string) *control.ControllerEnd {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.routers[routerID]; at != nil {
		return at.session
	}
	return nil
}
