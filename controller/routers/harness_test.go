package routers_test

import (
	"context"
	"crypto/x509/pkix"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a PKI, a state without a log, and what needs neither controller nor
// router to run.
type world struct {
	t       testing.TB
	pki     *pki.Network
	store   *state.Store
	mu      sync.Mutex
	index   uint64
	writes  int
	noWrite error // what Propose returns, if set
	log     *slog.Logger
}

func newWorld(t testing.TB) *world {
	t.Helper()
	n, err := pki.NewNetwork("test.example", time.Now())
	must(t, err)
	s, err := state.New()
	must(t, err)
	w := &world{t: t, pki: n, store: s, log: slog.New(slog.DiscardHandler)}
	c, err := state.Initial(time.Now())
	must(t, err)
	w.apply(c)
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Propose applies a command at once.
func (w *world) Propose(_ context.Context, b []byte) (uint64, any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.noWrite != nil {
		return 0, nil, w.noWrite
	}
	w.index++
	w.writes++
	res, err := w.store.Apply([]uint64{w.index}, [][]byte{b})
	if err != nil {
		return 0, nil, err
	}
	if e, ok := res[0].(error); ok {
		return w.index, nil, e
	}
	return w.index, res[0], nil
}

func (w *world) written() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writes
}

func (w *world) apply(c *state.Command) uint64 {
	w.t.Helper()
	b, err := c.Encode()
	must(w.t, err)
	index, _, err := w.Propose(context.Background(), b)
	must(w.t, err)
	return index
}

func command() *state.Command {
	return state.NewCommand(time.Now(), state.Author{}, state.Source{}).AsSystem()
}

func entity[E model.Entity](id string, e E) E {
	e.Meta().ID = id
	return e
}

// populate writes two identities, a service that one may dial and the other
// bind, a router for its fingerprint, and policies.
func (w *world) populate(routerID, fingerprint string) {
	w.t.Helper()
	w.apply(command().
		Create(entity("dialer", &model.Identity{Name: "dialer", Type: model.IdentityDefault})).
		Create(entity("host", &model.Identity{Name: "host", Type: model.IdentityDefault})).
		Create(entity("svc", &model.Service{Name: "svc"})).
		Create(entity(routerID, &model.EdgeRouter{Name: routerID, Fingerprint: fingerprint, IsVerified: true})).
		Create(entity("dial", &model.ServicePolicy{Name: "dial", Type: model.Dial, Semantic: model.AnyOf, IdentityRoles: []string{"@dialer"}, ServiceRoles: []string{"#all"}})).
		Create(entity("bind", &model.ServicePolicy{Name: "bind", Type: model.Bind, Semantic: model.AnyOf, IdentityRoles: []string{"@host"}, ServiceRoles: []string{"#all"}})).
		Create(entity("erp", &model.EdgeRouterPolicy{Name: "erp", Semantic: model.AnyOf, IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}})).
		Create(entity("serp", &model.ServiceEdgeRouterPolicy{Name: "serp", Semantic: model.AnyOf, ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}})))
}

func (w *world) bundle() *pki.Bundle {
	return pki.NewBundle(w.pki.Root.Certificate, w.pki.Edge.Certificate, w.pki.Controllers.Certificate)
}

func (w *world) controllerIdentity() *pki.Identity {
	w.t.Helper()
	c, err := w.pki.NewController("ctrl1", []string{"localhost", "127.0.0.1"}, time.Now())
	must(w.t, err)
	key, err := pki.EncodeKey(c.Key)
	must(w.t, err)
	i, err := pki.LoadIdentity(pki.Source{
		Cert: "pem:" + pki.EncodeCertificates(c.Client...), Key: "pem:" + key,
		ServerCert: "pem:" + pki.EncodeCertificates(c.Server...), CA: "pem:" + w.bundle().PEM(),
	})
	must(w.t, err)
	return i
}

// routerIdentity issues a certificate and returns it with its fingerprint.
func (w *world) routerIdentity(id string) (*pki.Identity, string) {
	w.t.Helper()
	key, err := pki.NewKey()
	must(w.t, err)
	chain, err := w.pki.Edge.Issue(pki.Leaf{
		PublicKey: key.Public(), Subject: pkix.Name{CommonName: id},
		URIs: []*url.URL{pki.RouterSPIFFE("test.example", id)},
	}, time.Now())
	must(w.t, err)
	text, err := pki.EncodeKey(key)
	must(w.t, err)
	i, err := pki.LoadIdentity(pki.Source{
		Cert: "pem:" + pki.EncodeCertificates(chain...), Key: "pem:" + text, CA: "pem:" + w.bundle().PEM(),
	})
	must(w.t, err)
	return i, pki.Fingerprint(chain[0])
}

// controller is one running controller on the state of a world.
type controller struct {
	feed     *routers.Feed
	network  *network.Network
	registry *routers.Registry
	address  string
	stop     func()
}

type activity chan []string

func (a activity) SessionsActive(ids []string) { a <- ids }

// startController runs a controller at an address, any if it is empty.
func (w *world) startController(address string, sessions routers.Sessions) *controller {
	w.t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	must(w.t, err)
	mux := channel.NewMux(l, channel.MuxConfig{})
	c := &controller{address: l.Addr().String()}
	c.feed = routers.NewFeed(w.store, w.bundle().PEM(), w.log, nil)
	c.network = network.New(network.Config{ControllerID: "ctrl1", State: w.store, Policy: c.feed.Policy, Writer: w, Log: w.log})
	c.registry = routers.NewRegistry(routers.Config{
		ControllerID: "ctrl1", Version: "1.0|r|d|linux|amd64", Store: w.store, Feed: c.feed, Network: c.network, Sessions: sessions, Log: w.log,
		Activity: time.Second,
	})
	rl, err := c.registry.Listen(mux, w.controllerIdentity())
	must(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { c.feed.Run(ctx) })
	work.Go(func() { c.network.Run(ctx) })
	work.Go(func() { rl.Serve() })
	work.Go(func() { mux.Serve() })
	c.stop = sync.OnceFunc(func() {
		rl.Close()
		c.registry.Close()
		mux.Close()
		cancel()
		work.Wait()
	})
	w.t.Cleanup(c.stop)
	return c
}

// node is a router's Node that remembers.
type node struct {
	mu       sync.Mutex
	circuits map[string]*ctrl.Circuit
	ended    chan string
	access   chan *policy.Effects
	sessions chan bool
	refused  chan string
}

func newNode() *node {
	return &node{
		circuits: make(map[string]*ctrl.Circuit), ended: make(chan string, 100), access: make(chan *policy.Effects, 1000),
		sessions: make(chan bool, 100), refused: make(chan string, 100),
	}
}

func (n *node) add(c *ctrl.Circuit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.circuits[c.CircuitId] = c
}

func (n *node) Circuits() []*ctrl.Circuit {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []*ctrl.Circuit
	for _, c := range n.circuits {
		out = append(out, c)
	}
	return out
}

func (n *node) EndCircuits(m *ctrl.Unroute) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range m.CircuitIds {
		if n.circuits[id] != nil {
			delete(n.circuits, id)
			n.ended <- id
		}
	}
}
func (n *node) Route(context.Context, *ctrl.Route) *ctrl.RouteResult { return &ctrl.RouteResult{} }
func (n *node) AccessChanged(e *policy.Effects)                      { n.access <- e }
func (n *node) SessionsEnded()                                       { n.sessions <- true }
func (n *node) TerminatorRefused(id string, _ *uplink.Refused)       { n.refused <- id }
func (n *node) LiveSessions() []string                               { return []string{"s1", "s2"} }
func (n *node) Inspect(keys []string) map[string]string              { return map[string]string{keys[0]: "value"} }

// startRouter runs an uplink.
func (w *world) startRouter(id *pki.Identity, fingerprint, address, snapshot string, n uplink.Node) (*uplink.Uplink, func()) {
	w.t.Helper()
	u := uplink.New(uplink.Config{
		Endpoints: []string{"tls:" + address}, SnapshotFile: snapshot, TLS: id.ClientTLS(),
		Fingerprint: func() string { return fingerprint }, Version: "1.0|r|d|linux|amd64", Hostname: "here",
		Listeners: []*ctrl.Listener{{Protocol: "tls", Address: "tls://here:3022"}}, Node: n, RetryMax: 100 * time.Millisecond, Log: w.log,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- u.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(stop)
	return u, stop
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("not reached: " + what)
		}
	}
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing arrived")
		panic("unreachable")
	}
}
