package routers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// linked is what a router tells of its links, and what it is told.
type linked struct {
	mu        sync.Mutex
	links     []*ctrl.Link
	peers     map[string]*ctrl.Peer
	endpoints *ctrl.Endpoints
	closed    []string
	routes    []*ctrl.Route
}

func (l *linked) Listeners() []*ctrl.LinkListener {
	return []*ctrl.LinkListener{{Protocol: "tls", Address: "tls:here:6000", Name: "default", Groups: []string{"default"}}}
}
func (l *linked) Dialers() []*ctrl.LinkDialer { return []*ctrl.LinkDialer{{Name: "default"}} }
func (l *linked) Report() []*ctrl.Link        { l.mu.Lock(); defer l.mu.Unlock(); return l.links }

func (l *linked) take(m *ctrl.Peers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Whole || l.peers == nil {
		l.peers = make(map[string]*ctrl.Peer)
	}
	for _, p := range m.Put {
		l.peers[p.RouterId] = p
	}
	for _, id := range m.Removed {
		delete(l.peers, id)
	}
}

// sees returns how a router sees another one: online, offline or none.
func (l *linked) sees(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch p := l.peers[id]; {
	case p == nil:
		return "none"
	case p.Online && len(p.Listeners) == 1:
		return "online"
	}
	return "offline"
}

// linkedNode is a node that answers routes.
type linkedNode struct {
	*node
	*linked
}

func (n linkedNode) Route(_ context.Context, m *ctrl.Route) *ctrl.RouteResult {
	n.linked.mu.Lock()
	defer n.linked.mu.Unlock()
	n.routes = append(n.routes, m)
	return &ctrl.RouteResult{PeerData: map[uint32][]byte{7: []byte("host")}}
}

// startLinked runs the uplink of a router with links.
func (w *world) startLinked(name, address string, links ...*ctrl.Link) (*uplink.Uplink, *linked, func()) {
	w.t.Helper()
	id, fingerprint := w.routerIdentity(name)
	w.apply(command().Create(entity(name, &model.EdgeRouter{Name: name, Fingerprint: fingerprint, IsVerified: true})))
	l := &linked{links: links}
	u := uplink.New(uplink.Config{
		Endpoints: []string{"tls:" + address}, TLS: id.ClientTLS(), Fingerprint: func() string { return fingerprint },
		Version: "1.0|r|d|linux|amd64", Hostname: "here", Node: linkedNode{newNode(), l}, RetryMax: 100 * time.Millisecond, Log: w.log,
		Links: l, Peers: l.take,
		CloseLink:   func(id, _ string) { l.mu.Lock(); l.closed = append(l.closed, id); l.mu.Unlock() },
		OnEndpoints: func(m *ctrl.Endpoints) { l.mu.Lock(); l.endpoints = m; l.mu.Unlock() },
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
	return u, l, stop
}

func TestRoutersAndTheirLinks(t *testing.T) {
	w := newWorld(t)
	w.populate("other", "")
	w.apply(command().Put(entity("ctrl1", &model.Controller{Name: "ctrl1", CtrlAddress: "tls:ctrl1:1280"})))
	c := w.startController("", nil)
	link := &ctrl.Link{Id: "l", Iteration: 1, DialerId: "a", AcceptorId: "b", LatencyNanos: 1}
	ua, a, _ := w.startLinked("a", c.address, link)
	ub, b, stopB := w.startLinked("b", c.address, link)
	ready(t, ua)
	ready(t, ub)
	eventually(t, "both know each other", func() bool { return a.sees("b") == "online" && b.sees("a") == "online" })
	if a.sees("a") != "none" || a.sees("other") != "none" {
		t.Error("a router hears of itself, or of one that has never been there")
	}
	a.mu.Lock()
	if e := a.endpoints; e == nil || !e.Leader || len(e.Controllers) != 1 || e.Controllers[0].Addresses[0] != "tls:ctrl1:1280" {
		t.Error(e)
	}
	a.mu.Unlock()

	far := terminator("t1")
	must(t, ub.AddTerminator(t.Context(), far))
	answer, err := ua.CreateCircuit(t.Context(), circuitRequest("c1"))
	if err != nil || answer.Refusal != nil || answer.Route.DownstreamLink != "l" || string(answer.PeerData[7]) != "host" {
		t.Fatal(answer, err)
	}
	if got := c.network.Circuit("c1"); len(got.Path) != 2 {
		t.Error(got.Path)
	}
	if !c.network.RemoveLink("l", "by hand") {
		t.Error("no link")
	}
	eventually(t, "closed at both ends", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(a.closed) == 1 && len(b.closed) == 1
	})

	stopB()
	eventually(t, "offline", func() bool { return a.sees("b") == "offline" })
	w.apply(command().Patch(model.KindEdgeRouter, "b", map[string]any{"disabled": true}))
	eventually(t, "removed", func() bool { return a.sees("b") == "none" })
	if c.network.Circuit("c1") != nil {
		t.Error("a circuit ends at a disabled router")
	}
}
