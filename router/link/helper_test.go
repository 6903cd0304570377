package link

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// network is what all routers of a test know of each other.
type network struct {
	mu       sync.Mutex
	disabled map[string]bool
	unknown  map[string]bool
}

func newNetwork() *network {
	return &network{disabled: make(map[string]bool), unknown: make(map[string]bool)}
}

func (n *network) set(m map[string]bool, id string, on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	m[id] = on
}

func (n *network) Client(certs []*x509.Certificate) (string, error) {
	if len(certs) == 0 {
		return "", errors.New("no certificate")
	}
	id := certs[0].Subject.CommonName
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.unknown[id] {
		return "", refuse(CodeNotEnrolled, "nobody knows "+id)
	}
	return id, n.enabled(id)
}

func (n *network) Server(certs []*x509.Certificate, routerID string) error {
	if certs[0].Subject.CommonName != routerID {
		return refuse(CodeWrongRouter, "the address belongs to "+certs[0].Subject.CommonName)
	}
	return nil
}

func (n *network) Enabled(id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.enabled(id)
}

func (n *network) enabled(id string) error {
	if n.disabled[id] {
		return refuse(CodeDisabled, id+" is disabled")
	}
	return nil
}

func leaf(t testing.TB, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// node is a router of a test.
type node struct {
	*Manager
	id   string
	addr string // of its listener
	stop func()

	mu       sync.Mutex
	frames   []*message.Message
	from     []string // link ids
	lost     []string
	broken   [][]*forward.Outlet
	reported map[string]*ctrl.Link
	gone     []*ctrl.LinkGone
	puts     int
}

// quick are heartbeats for tests.
var quick = Heartbeats{Send: 50 * time.Millisecond, Check: 10 * time.Millisecond, Unresponsive: 2 * time.Second, Close: 4 * time.Second}

var quickBackoff = Backoff{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond, Factor: 1.5}

func quickDialer() Dialer {
	return Dialer{
		Name: "default", Groups: []string{"default"}, Split: true, MaxPayload: 3, MaxAck: 1,
		Healthy: quickBackoff, Unhealthy: quickBackoff,
	}
}

type nodeOption func(*Config)

// newNode starts a router with a listener and a dialer.
func newNode(t testing.TB, net0 *network, id string, address string, options ...nodeOption) *node {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	cert := leaf(t, id)
	mux := channel.NewMux(l, channel.MuxConfig{})
	inner, err := mux.Listener(&tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert}, ALPN)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{id: id, addr: l.Addr().String(), reported: make(map[string]*ctrl.Link)}
	cfg := Config{
		RouterID: id, Version: "v1", TLS: &tls.Config{Certificates: []tls.Certificate{cert}},
		Listeners:  []Listener{{Name: "default", Advertise: n.addr, Groups: []string{"default"}, Accept: inner}},
		Dialers:    []Dialer{quickDialer()},
		Heartbeats: quick, Trust: net0, Budget: forward.NewBudget(64 << 20),
		Receive: n.receive, Lost: n.loss, Changed: n.changed,
		Disturbed: n.disturbed,
	}
	for _, o := range options {
		o(&cfg)
	}
	if n.Manager, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		if err := mux.Serve(); err != nil {
			t.Error(err)
		}
	})
	work.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	n.stop = sync.OnceFunc(func() {
		cancel()
		mux.Close()
		work.Wait()
	})
	t.Cleanup(n.stop)
	return n
}

func (n *node) receive(linkID string, f *channel.Frame) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.frames = append(n.frames, f.Clone())
	n.from = append(n.from, linkID)
	f.Release()
}

func (n *node) loss(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = append(n.lost, id)
	if n.Link(id) != nil {
		panic("a lost link is found")
	}
}

func (n *node) disturbed(_ string, o []*forward.Outlet) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken = append(n.broken, o)
}

func (n *node) changed(c *ctrl.LinkChanges) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, g := range c.Gone {
		if l := n.reported[g.Id]; l != nil && l.Iteration <= g.Iteration {
			delete(n.reported, g.Id)
		}
		n.gone = append(n.gone, g)
	}
	for _, l := range c.Put {
		n.reported[l.Id] = l
		n.puts++
	}
}

func (n *node) report(id string) *ctrl.Link {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reported[id]
}

func (n *node) received() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.frames)
}

// peer describes the node to another one.
func (n *node) peer() *ctrl.Peer {
	return &ctrl.Peer{RouterId: n.id, Name: n.id, Version: "v1", Online: true, Listeners: n.Listeners()}
}

func tell(n *node, others ...*node) {
	p := &ctrl.Peers{Whole: true}
	for _, o := range others {
		p.Put = append(p.Put, o.peer())
	}
	n.Peers(p)
}

// wait waits until ok holds.
func wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// linkOf returns the only link of a node, nil if there is none.
func linkOf(t testing.TB, n *node) *Link {
	t.Helper()
	all := n.all()
	if len(all) > 1 {
		t.Fatalf("%s has %d links", n.id, len(all))
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// same reports whether both nodes have one link, the same one.
func same(t testing.TB, a, b *node) bool {
	t.Helper()
	la, lb := linkOf(t, a), linkOf(t, b)
	return la != nil && lb != nil && la.id == lb.id && la.iteration == lb.iteration && la.key == lb.key
}

// connected waits for the link of two nodes.
func connected(t testing.TB, a, b *node) *Link {
	t.Helper()
	wait(t, "a link", func() bool { return same(t, a, b) })
	return linkOf(t, a)
}

func payload(circuit string, seq int32) *channel.Frame {
	p := xgress.Payload{Circuit: []byte(circuit), Seq: seq, Data: []byte("data")}
	m := p.Message(nil)
	f := channel.NewFrame(&m, len(m.Body))
	copy(f.Body, m.Body)
	return f
}

func ack(circuit string) *channel.Frame {
	a := xgress.Ack{Circuit: []byte(circuit)}
	m := a.Message(nil)
	return channel.NewFrame(&m, 0)
}

// losses are the links that the node has lost so far.
func (n *node) losses() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.lost...)
}
