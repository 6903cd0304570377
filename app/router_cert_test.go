package app

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// fingerprint returns the one that the controller has of the router.
func (n *testNetwork) fingerprint() string {
	return state.Get[model.EdgeRouter](n.controller.store.View(), n.router.id).Fingerprint
}

// serverPrint returns the fingerprint of the certificate that the router shows
// to new clients.
func (n *testNetwork) serverPrint() string {
	n.t.Helper()
	address := n.router.o.Config.Listeners[0].Options.Advertise.String()
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{edgeALPN},
		Certificates: []tls.Certificate{*n.router.identity.ClientCertificate()}})
	if err != nil {
		n.t.Fatal(err)
	}
	defer c.Close()
	return pki.Fingerprint(c.ConnectionState().PeerCertificates[0])
}

func TestRenewRouterWithoutARestart(t *testing.T) {
	n := newTestNetwork(t)
	was, server := n.fingerprint(), n.serverPrint()
	since := n.router.uplink.Status().Since
	told, err := n.router.extend(testContext(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf := n.router.identity.ClientCertificate().Leaf
	if e := told.(extension); e.Fingerprint != pki.Fingerprint(leaf) || !e.Until.Equal(leaf.NotAfter) || !e.Renewal.After(time.Now()) {
		t.Errorf("the operator is told %+v", e)
	}
	if n.fingerprint() == was || n.fingerprint() != pki.Fingerprint(leaf) {
		t.Error("the new certificate is not in force")
	}
	if n.serverPrint() == server || n.router.identity.ServerCertificateValidFor("localhost") == nil {
		t.Error("listeners do not show the new certificate, or it has other names")
	}
	for range 100 { // the controller would close the session within a change of its state
		if s := n.router.uplink.Status(); !s.Connected || s.Since != since {
			t.Fatal("the control connection did not stay")
		}
		time.Sleep(time.Millisecond)
	}
	n.stopRouter()
	n.startRouter()
	if pki.Fingerprint(n.router.identity.ClientCertificate().Leaf) != pki.Fingerprint(leaf) {
		t.Error("the new certificate is not on disk")
	}
}

// TestRouterEndsBetweenStoringAndConfirming ends the process after the new
// certificates were written and before the controller knows it.
func TestRouterEndsBetweenStoringAndConfirming(t *testing.T) {
	n := newTestNetwork(t)
	cfg := n.router.o.Config.Identity
	key, err := pki.ParseKey(mustRead(t, cfg.Key))
	if err != nil {
		t.Fatal(err)
	}
	old := n.router.identity.ClientCertificate().Leaf
	request, err := pki.NewCSR(key, old.Subject, "localhost", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	offer, err := n.controller.enroller.OfferRouter(testContext(t), n.router.id, old, request, request)
	if err != nil {
		t.Fatal(err)
	}
	n.stopRouter()
	for path, text := range map[string]string{cfg.CA: offer.CA, cfg.ServerCert: offer.ServerCert, cfg.Cert: offer.Cert} {
		if err := os.WriteFile(path+".next", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n.startRouter() // connects, though the former certificate is the one in force
	leaf := n.router.identity.ClientCertificate().Leaf
	if pki.Fingerprint(leaf) == pki.Fingerprint(old) {
		t.Error("the router uses its former certificate")
	}
	until(t, "the certificate in use is confirmed and in force", func() bool { return n.fingerprint() == pki.Fingerprint(leaf) })
	if left, _ := filepath.Glob(cfg.Cert + "*.next"); left != nil {
		t.Errorf("left over: %v", left)
	}
}

// until waits for what is to happen.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for ctx := testContext(t); !done(); time.Sleep(2 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("not so: " + what)
		}
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReEnrollRouter: a router that was enrolled before keeps its key, proves it
// with the requests, and gets new certificates for the new token alone.
func TestReEnrollRouter(t *testing.T) {
	n := newTestNetwork(t)
	ctx := testContext(t)
	cfg := n.router.o.Config
	key := string(mustRead(t, cfg.Identity.Key))
	if err := n.admin.Management().ReEnrollEdgeRouter(ctx, n.router.id); err != nil {
		t.Fatal(err)
	}
	until(t, "the router is disconnected, for its certificate was taken away", func() bool { return !n.router.uplink.Status().Connected })
	n.stopRouter()
	stale := cfg.Identity.Cert + ".next" // of a renewal that was interrupted
	writeText(t, stale, string(mustRead(t, cfg.Identity.Cert)))
	detail, err := n.admin.Management().DetailEdgeRouter(ctx, n.router.id)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := EnrollRouter(ctx, cfg, *detail.EnrollmentJWT, n.router.o.Log); err != nil || id != n.router.id {
		t.Fatal(id, err)
	}
	if string(mustRead(t, cfg.Identity.Key)) != key {
		t.Error("the router's key has changed")
	}
	n.startRouter()
}

// TestRenewedNames: with a csr section a renewal takes its names.
func TestRenewedNames(t *testing.T) {
	n := newTestNetwork(t)
	n.stopRouter()
	cfg := n.router.o.Config
	cfg.RootCSR = &conf.CSR{SANs: conf.SANs{DNS: []string{"localhost", "router.example"}, IP: []string{"127.0.0.1", "192.0.2.7"}}}
	router, err := StartRouter(testContext(t), RouterOptions{Config: cfg, Log: n.router.o.Log, Extend: true})
	if err != nil {
		t.Fatal(err)
	}
	n.router = router
	until(t, "--extend renews", func() bool { return router.identity.ServerCertificateValidFor("192.0.2.7") != nil })
	if router.identity.ServerCertificateValidFor("router.example") == nil {
		t.Error("a name of the csr section is missing")
	}
}

// pemOf returns the chain of a certificate as text.
func pemOf(c tls.Certificate) string {
	var chain []*x509.Certificate
	for _, raw := range c.Certificate {
		if leaf, err := x509.ParseCertificate(raw); err == nil {
			chain = append(chain, leaf)
		}
	}
	return pki.EncodeCertificates(chain...)
}

// keyOf returns the private key of a certificate as text.
func keyOf(t *testing.T, c tls.Certificate) string {
	t.Helper()
	text, err := pki.EncodeKey(c.PrivateKey.(crypto.Signer))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
