package app

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/link"
)

// linkedRouter is an enrolled router with links, which listens for SDKs and
// routers at one port.
type linkedRouter struct {
	*Router
	n    *testNetwork
	id   string
	file string
	text string
}

func (n *testNetwork) linkedRouter(name string) *linkedRouter {
	n.t.Helper()
	ctx, dir := testContext(n.t), n.t.TempDir()
	made, err := n.admin.Management().CreateEdgeRouter(ctx, &client.EdgeRouterInput{Name: &name})
	if err != nil {
		n.t.Fatal(err)
	}
	detail, err := n.admin.Management().DetailEdgeRouter(ctx, made.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	r := &linkedRouter{n: n, id: made.ID, file: filepath.Join(dir, "router.yml")}
	r.text = fmt.Sprintf(`v: 3
identity: {cert: %[1]s/r.cert, server_cert: %[1]s/r.server, key: %[1]s/r.key, ca: %[1]s/r.cas}
ctrl: {endpoint: "tls:ignored.example:1", endpointsFile: %[1]s/endpoints}
link:
  listeners:
    - {binding: transport, bind: "tls:127.0.0.1:%[2]d", advertise: "localhost:%[2]d", groups: [pair]}
  dialers:
    - binding: transport
      groups: [pair] # not the router of the network itself
      startupDelay: 0s
      healthyDialBackoff: {minRetryInterval: 50ms, maxRetryInterval: 500ms}
      unhealthyDialBackoff: {minRetryInterval: 50ms, maxRetryInterval: 500ms, retryBackoffFactor: 2}
  heartbeats: {checkInterval: 50ms}
listeners:
  - {binding: edge, address: "tls:127.0.0.1:%[2]d", options: {advertise: "localhost:%[2]d"}}
edge:
  db: %[1]s/edge.db
  csr: {sans: {dns: [localhost], ip: ["127.0.0.1"]}}
`, dir, testPorts(n.t, 1)[0])
	cfg := r.config()
	if _, err := EnrollRouter(ctx, cfg, *detail.EnrollmentJWT, testUp(n.t).Log); err != nil {
		n.t.Fatal(err)
	}
	r.start()
	n.t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *linkedRouter) config() *conf.Router {
	r.n.t.Helper()
	cfg, _, err := conf.ParseRouter(r.file, []byte(r.text), nil)
	if err != nil {
		r.n.t.Fatal(err)
	}
	return cfg
}

func (r *linkedRouter) start() {
	r.n.t.Helper()
	var err error
	r.Router, err = StartRouter(testContext(r.n.t), RouterOptions{Config: r.config(), Build: Build{Version: Version}, Log: testUp(r.n.t).Log})
	if err != nil {
		r.n.t.Fatal(err)
	}
}

// linksWith counts the links to another router that are measured.
func (r *linkedRouter) linksWith(other string) (n int) {
	for _, l := range r.linkReports() {
		if (l.DialerId == other || l.AcceptorId == other) && l.LatencyNanos > 0 {
			n++
		}
	}
	return n
}

// establishedWith reports whether the only link is the one that the router wants
// to have with another.
func (r *linkedRouter) establishedWith(other string) bool {
	s, ok := r.inspectLinks().(link.Inspection)
	if !ok || len(s.Links) != 1 {
		return false
	}
	for _, d := range s.Destinations {
		if d.ID == other {
			return len(d.LinkStates) == 1 && d.LinkStates[0].EstablishedLinkID == s.Links[0].ID
		}
	}
	return false
}

func (n *testNetwork) eventually(what string, ok func() bool) {
	n.t.Helper()
	ctx := testContext(n.t)
	for !ok() {
		if ctx.Err() != nil {
			n.t.Fatal("not in time:", what)
		}
		pause(ctx, 5*time.Millisecond)
	}
}

// TestRoutersLink: two routers find each other by the controller, have one link
// although both dial, lose it while one is disabled, and make it again without
// a controller.
func TestRoutersLink(t *testing.T) {
	n := newTestNetwork(t)
	a, b := n.linkedRouter("a"), n.linkedRouter("b")
	linked := func() bool { return a.linksWith(b.id) == 1 && b.linksWith(a.id) == 1 }
	n.eventually("a link", linked)
	n.eventually("the controller knows it", func() bool {
		all := n.controller.network.Links()
		return len(all) == 1 && all[0].Usable() && all[0].DialerLatency > 0 && all[0].AcceptorLatency > 0
	})
	n.eventually("both call it established", func() bool {
		return a.establishedWith(b.id) && b.establishedWith(a.id)
	})
	disable := func(on bool) {
		if err := n.admin.Management().PatchEdgeRouter(testContext(t), b.id, &client.EdgeRouterInput{Disabled: &on}); err != nil {
			t.Fatal(err)
		}
	}
	disable(true)
	n.eventually("the end of the link", func() bool { return a.linksWith(b.id) == 0 })
	disable(false)
	n.eventually("the link again", linked)
	n.stopController()
	defer n.startController()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	n.eventually("the loss of the link", func() bool { return a.linksWith(b.id) == 0 })
	b.start()
	n.eventually("a link without a controller", linked)
}

func TestLocalAddresses(t *testing.T) {
	lo, err := loopback()
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct{ bind, name, problem string }{
		{"", noInterface, ""},
		{"127.0.0.1", lo, ""},
		{lo, lo, ""},
		{"192.0.2.1", "", "no interface has the address"},
		{"nothing9", "", "no interface or local address"},
	} {
		got, err := findLocal(tt.bind)
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%q: %v", tt.bind, err)
			}
			continue
		}
		if err != nil || got.name != tt.name || (got.dialer() == nil) != (tt.bind == "") {
			t.Errorf("%q: %+v, %v", tt.bind, got, err)
		}
	}
	at := func(host, name string) conf.LinkListener {
		return conf.LinkListener{Bind: conf.Address{Type: "tls", Host: host, Port: 1}, BindInterface: name}
	}
	for _, tt := range []struct {
		l    conf.LinkListener
		want string
	}{
		{at("0.0.0.0", ""), noInterface}, {at("127.0.0.1", ""), lo}, {at("127.0.0.1", "wan"), "wan"}, {at("host.example", ""), noInterface},
	} {
		if got := listenerName(tt.l); got != tt.want {
			t.Errorf("%+v is %q", tt.l, got)
		}
	}
	one := &conf.Router{Link: conf.Links{Listeners: []conf.LinkListener{at("127.0.0.1", "wan")}, Dialers: []conf.LinkDialer{{}}}}
	if d, err := linkDialers(one); err != nil || d[0].Name != "wan" {
		t.Errorf("a single dialer is called %+v, %v", d, err)
	}
	one.Link.Dialers[0].Bind = "nothing9"
	if err := checkLinks(one); err == nil || !strings.Contains(err.Error(), "link.dialers[0].bind") {
		t.Errorf("%v", err)
	}
}

// TestDialFromAnAddress: connections leave by the address that the file names.
func TestDialFromAnAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	from := local{ips: []net.IP{net.IPv4(127, 0, 0, 9)}}
	c, err := from.dialer()(testContext(t), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if ip := c.LocalAddr().(*net.TCPAddr).IP; !ip.Equal(from.ips[0]) {
		t.Errorf("left by %v", ip)
	}
}

func loopback() (string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return "", err
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			return i.Name, nil
		}
	}
	return "", os.ErrNotExist
}

// TestReEnrolledRouterLosesItsLinks: with the certificate that was taken away a
// router has no links, those neither that it had before.
func TestReEnrolledRouterLosesItsLinks(t *testing.T) {
	n := newTestNetwork(t)
	a, b := n.linkedRouter("a"), n.linkedRouter("b")
	n.eventually("a link", func() bool { return a.linksWith(b.id) == 1 && b.linksWith(a.id) == 1 })
	own := []*x509.Certificate{b.identity.ClientCertificate().Leaf}
	if id, err := (linkTrust{a.Router}).Client(own); id != b.id || err != nil {
		t.Fatal(id, err)
	}
	if err := n.admin.Management().ReEnrollEdgeRouter(testContext(t), b.id); err != nil {
		t.Fatal(err)
	}
	n.eventually("the end of the link", func() bool { return a.linksWith(b.id) == 0 })
	if _, err := (linkTrust{a.Router}).Client(own); err == nil {
		t.Error("the certificate still opens links")
	}
}

// TestStrangersAtALinkListener: who has no certificate of a router does not get
// past the handshake.
func TestStrangersAtALinkListener(t *testing.T) {
	n := newTestNetwork(t)
	a := n.linkedRouter("a")
	spiffe := func(id *url.URL) tls.Certificate { return n.certificate(pki.Leaf{URIs: []*url.URL{id}}) }
	for name, cert := range map[string]tls.Certificate{
		"identity":   spiffe(pki.IdentitySPIFFE("weft", "someone")),
		"controller": spiffe(pki.ControllerSPIFFE("weft", "someone")),
	} {
		address := a.config().Link.Listeners[0].Bind
		c, err := tls.Dial("tcp", address.HostPort(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{link.ALPN}, Certificates: []tls.Certificate{cert}})
		if err == nil {
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
			_, err = c.Read(make([]byte, 1))
			c.Close()
		}
		var alert *net.OpError
		if !errors.As(err, &alert) || alert.Op != "remote error" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
