package link

import (
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

func peers(p ...*ctrl.Peer) *ctrl.Peers { return &ctrl.Peers{Put: p} }

// TestSimultaneousDials: two routers that dial each other at the same moment
// end up with one link, every time.
func TestSimultaneousDials(t *testing.T) {
	for round := range 30 {
		net := newNetwork()
		a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
		var both sync.WaitGroup
		both.Go(func() { time.Sleep(rand.N(3 * time.Millisecond)); tell(a, b) })
		both.Go(func() { time.Sleep(rand.N(3 * time.Millisecond)); tell(b, a) })
		both.Wait()
		connected(t, a, b)
		l := linkOf(t, a)
		wait(t, "both call it established", func() bool {
			for _, n := range []*node{a, b} {
				if s := n.Inspect().Destinations[0].LinkStates[0]; s.Status != stateEstablished || s.EstablishedLinkID != l.id {
					return false
				}
			}
			return true
		})
		a.stop()
		b.stop()
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// TestOneSideReachable: the router with precedence cannot reach the other one;
// its attempts must not keep the other's away.
func TestOneSideReachable(t *testing.T) {
	net := newNetwork()
	a := newNode(t, net, "A", "", func(c *Config) { c.Dialers[0].Options.Hello = time.Minute })
	b := newNode(t, net, "B", "")
	w := newWay(t, b.addr)
	w.stop() // connections are accepted, and nothing comes back
	tellWay(a, b, w)
	wait(t, "an attempt", func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.served > 0 })
	tell(b, a)
	if l := connected(t, a, b); l.dialed {
		t.Error("it was dialed by a way that leads nowhere")
	}
}

// TestRestart: a router that comes back takes the place of its former life,
// whatever the other one still has.
func TestRestart(t *testing.T) {
	for _, dialer := range []string{"the router that restarts", "the other router"} {
		t.Run(dialer, func(t *testing.T) {
			net := newNetwork()
			a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
			wa, wb := newWay(t, a.addr), newWay(t, b.addr)
			if dialer == "the other router" {
				tellWay(a, b, wb)
			} else {
				tellWay(b, a, wa)
			}
			connected(t, a, b)
			old := linkOf(t, a).id
			// B vanishes as a machine does that loses its power: nobody hears of it.
			wa.stop()
			wb.stop()
			b.stop()
			if l := linkOf(t, a); l == nil || l.id != old {
				t.Fatal("A has heard of it")
			}
			b = newNode(t, net, "B", "")
			tell(b, a)
			wait(t, "another link", func() bool { return same(t, a, b) && linkOf(t, a).id != old })
			wa.heal()
			wb.heal()
			if !same(t, a, b) {
				t.Error("the old link came back")
			}
		})
	}
}

// TestStaleHello: a hello that was under way while its router made a later
// link, or a whole new life, does not replace that.
func TestStaleHello(t *testing.T) {
	net := newNetwork()
	a := newNode(t, net, "A", "")
	say := func(h hello) (*channel.Channel, error) {
		cert := leaf(t, "B")
		c, _, err := channel.Dial(t.Context(), channel.DialConfig{
			Address: a.addr, ALPN: ALPN, Hello: h.message(),
			TLS: &tls.Config{Certificates: []tls.Certificate{cert}, InsecureSkipVerify: true},
		})
		if err == nil {
			t.Cleanup(func() { c.Close(); c.Wait() })
		}
		return c, err
	}
	h := hello{linkID: "link", iteration: 5, started: 1000, routerID: "B", target: "A", dialer: "default", listener: "default", kind: KindPayload, address: a.addr}
	if _, err := say(h); err != nil {
		t.Fatal(err)
	}
	wait(t, "the link", func() bool { return linkOf(t, a) != nil })
	for _, tt := range []struct {
		name      string
		change    func(*hello)
		code      string
		iteration uint32
	}{
		{"earlier attempt", func(h *hello) { h.iteration = 4 }, CodeDuplicate, 5},
		{"the same attempt", func(*hello) {}, CodeDuplicate, 5},
		{"former life", func(h *hello) { h.started, h.iteration = 999, 100 }, CodeDuplicate, 5},
		{"later attempt", func(h *hello) { h.iteration = 6 }, "", 6},
		{"later life", func(h *hello) { h.started, h.iteration, h.linkID = 1001, 1, "other" }, "", 1},
		{"join of another attempt", func(h *hello) { h.joins, h.iteration = true, 2 }, CodeUnknownLink, 1},
	} {
		next := h
		tt.change(&next)
		_, err := say(next)
		switch {
		case tt.code == "" && err != nil, tt.code != "" && (err == nil || refusalOf(err).Code != tt.code):
			t.Errorf("%s: %v", tt.name, err)
		}
		wait(t, tt.name, func() bool { l := linkOf(t, a); return l != nil && l.iteration == tt.iteration })
	}
}

// TestHostileHello: what a router of the network claims in its hello is a claim.
func TestHostileHello(t *testing.T) {
	net := newNetwork()
	net.set(net.unknown, "stranger", true)
	net.set(net.disabled, "off", true)
	a := newNode(t, net, "A", "")
	good := func() *hello {
		return &hello{linkID: "x", iteration: 1, started: 1, routerID: "B", target: "A", dialer: "default", listener: "default", kind: KindPayload}
	}
	long := make([]byte, maxText+1)
	for _, tt := range []struct {
		name, certificate, code string
		hello                   func() message.Message
	}{
		{"empty", "B", CodeRefused, func() message.Message { return message.Message{} }},
		{"another router", "B", CodeWrongRouter, func() message.Message { h := good(); h.routerID = "C"; return h.message() }},
		{"another target", "B", CodeWrongRouter, func() message.Message { h := good(); h.target = "C"; return h.message() }},
		{"itself", "A", CodeWrongRouter, func() message.Message { h := good(); h.routerID = "A"; return h.message() }},
		{"stranger", "stranger", CodeNotEnrolled, func() message.Message { h := good(); h.routerID = "stranger"; return h.message() }},
		{"disabled", "off", CodeDisabled, func() message.Message { h := good(); h.routerID = "off"; return h.message() }},
		{"long id", "B", CodeRefused, func() message.Message { h := good(); h.linkID = string(long); return h.message() }},
		{"long address", "B", CodeRefused, func() message.Message { h := good(); h.address = string(long); return h.message() }},
		{"no dialer", "B", CodeRefused, func() message.Message { h := good(); h.dialer = ""; return h.message() }},
		{"other listener", "B", CodeListener, func() message.Message { h := good(); h.listener = "eth9"; return h.message() }},
		{"kind", "B", CodeRefused, func() message.Message { h := good(); h.kind = "link.other"; return h.message() }},
		{"begins with acknowledgements", "B", CodeRefused, func() message.Message { h := good(); h.kind = KindAck; return h.message() }},
		{"joins nothing", "B", CodeUnknownLink, func() message.Message { h := good(); h.joins = true; return h.message() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := channel.Dial(t.Context(), channel.DialConfig{
				Address: a.addr, ALPN: ALPN, Hello: tt.hello(),
				TLS: &tls.Config{Certificates: []tls.Certificate{leaf(t, tt.certificate)}, InsecureSkipVerify: true},
			})
			if err == nil || refusalOf(err).Code != tt.code {
				t.Errorf("%v", err)
			}
		})
	}
	if linkOf(t, a) != nil {
		t.Error("a link")
	}
}

// TestJoinOfAnotherRouter: nobody adds connections to a link of others.
func TestJoinOfAnotherRouter(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(b, a)
	connected(t, a, b)
	h := *linkOf(t, b).hello
	h.joins, h.routerID = true, "C"
	_, _, err := channel.Dial(t.Context(), channel.DialConfig{
		Address: a.addr, ALPN: ALPN, Hello: h.message(),
		TLS: &tls.Config{Certificates: []tls.Certificate{leaf(t, "C")}, InsecureSkipVerify: true},
	})
	if err == nil || refusalOf(err).Code != CodeUnknownLink {
		t.Errorf("%v", err)
	}
}

// TestWrongRouter: an address that leads to another router than the one that is
// meant gets nothing but a handshake.
func TestWrongRouter(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	p := b.peer()
	p.RouterId = "C"
	a.Peers(peers(p))
	wait(t, "the reason", func() bool {
		e := a.Inspect().Destinations[0].LinkStates[0].LastError
		return e != nil && e.Code == CodeWrongRouter
	})
	if linkOf(t, b) != nil {
		t.Error("a link")
	}
}

// TestStorm: routers that restart, lose connections and are told to close links
// in any order come to one link for each pair when they are left alone.
func TestStorm(t *testing.T) {
	net := newNetwork()
	ids := []string{"A", "B", "C", "D"}
	nodes := make([]*node, len(ids))
	for i, id := range ids {
		nodes[i] = newNode(t, net, id, "")
	}
	tellAll := func() {
		for i, n := range nodes {
			var others []*node
			for j, o := range nodes {
				if i != j {
					others = append(others, o)
				}
			}
			tell(n, others...)
		}
	}
	tellAll()
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		i := r.IntN(len(nodes))
		n := nodes[i]
		all := n.all()
		switch r.IntN(4) {
		case 0:
			n.stop()
			nodes[i] = newNode(t, net, n.id, n.addr)
			tellAll()
		case 1:
			if len(all) > 0 {
				n.CloseLink(all[r.IntN(len(all))].id, "storm")
			}
		case 2:
			if len(all) > 0 {
				cs := all[r.IntN(len(all))].channels()
				if len(cs) > 0 {
					cs[r.IntN(len(cs))].Close()
				}
			}
		case 3:
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		}
	}
	wait(t, "one link for each pair, the same for both", func() bool {
		for i, n := range nodes {
			if len(n.all()) != len(nodes)-1 {
				return false
			}
			for j, o := range nodes {
				if i == j {
					continue
				}
				key := keyOf(n.id, "default", o.id, "default")
				n.Manager.mu.Lock()
				mine := n.byKey[key]
				n.Manager.mu.Unlock()
				o.Manager.mu.Lock()
				theirs := o.byKey[key]
				o.Manager.mu.Unlock()
				if mine == nil || theirs == nil || mine.id != theirs.id || mine.iteration != theirs.iteration {
					return false
				}
			}
		}
		return true
	})
	wait(t, "the controller knows of exactly these", func() bool {
		for _, n := range nodes {
			n.mu.Lock()
			ok := len(n.reported) == len(nodes)-1
			n.mu.Unlock()
			for _, l := range n.all() {
				ok = ok && n.report(l.id) != nil && n.report(l.id).Iteration == l.iteration
			}
			if !ok {
				return false
			}
		}
		return true
	})
}

// TestCertificatesOfTheMoment: dials present what the configuration yields at
// the handshake.
func TestCertificatesOfTheMoment(t *testing.T) {
	net := newNetwork()
	var mu sync.Mutex
	used := 0
	a := newNode(t, net, "A", "", func(c *Config) {
		cert := c.TLS.Certificates[0]
		c.TLS = &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			mu.Lock()
			defer mu.Unlock()
			used++
			return &cert, nil
		}}
	})
	b := newNode(t, net, "B", "")
	tell(a, b)
	connected(t, a, b)
	wait(t, "a certificate per connection", func() bool { mu.Lock(); defer mu.Unlock(); return used == 4 })
}

func FuzzHello(f *testing.F) {
	h := hello{linkID: "x", iteration: 1, started: 1, routerID: "B", target: "A", dialer: "d", listener: "l", kind: KindPayload, version: "v"}
	m := h.message()
	f.Add([]byte(m.Headers))
	f.Fuzz(func(t *testing.T, b []byte) {
		headers := message.Headers(b)
		if headers.Validate() != nil {
			return
		}
		h, err := parseHello(headers)
		if err != nil {
			return
		}
		m := h.message()
		again, err := parseHello(m.Headers)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(h) {
			t.Errorf("%+v came back as %+v, %v", h, again, err)
		}
	})
}
