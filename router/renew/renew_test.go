package renew

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeController issues certificates and accepts what a controller would.
type fakeController struct {
	t       *testing.T
	network *pki.Network
	clock   *clock.Fake

	mu                 sync.Mutex
	inForce, offered   string // fingerprints
	offers, confirms   int
	lostOffer, lostYes bool // the answer does not arrive
	deaf               bool // the confirmation does not arrive
}

var errLost = errors.New("connection lost")

func (c *fakeController) issue(request string, usage x509.ExtKeyUsage, names bool) []*x509.Certificate {
	c.t.Helper()
	req, err := pki.ParseCSR([]byte(request))
	if err != nil {
		c.t.Fatal(err)
	}
	leaf := pki.Leaf{PublicKey: req.PublicKey, Subject: pkix.Name{CommonName: "r1"}, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		URIs: []*url.URL{pki.RouterSPIFFE("weft.test", "r1")}, NotAfter: c.clock.Now().Add(90 * 24 * time.Hour)}
	if names {
		leaf.DNSNames, leaf.IPAddresses = req.DNSNames, req.IPAddresses
	}
	chain, err := c.network.Edge.Issue(leaf, c.clock.Now())
	if err != nil {
		c.t.Fatal(err)
	}
	return chain
}

func (c *fakeController) Extend(_ context.Context, m *ctrl.Extend) (*ctrl.Extended, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offers++
	client := c.issue(m.CertCsr, x509.ExtKeyUsageClientAuth, false)
	server := c.issue(m.ServerCertCsr, x509.ExtKeyUsageServerAuth, true)
	c.offered = pki.Fingerprint(client[0])
	if c.lostOffer {
		return nil, errLost
	}
	return &ctrl.Extended{Cert: pki.EncodeCertificates(client...), ServerCert: pki.EncodeCertificates(server...),
		Ca: pki.EncodeCertificates(c.network.Edge.Certificate, c.network.Root.Certificate)}, nil
}

func (c *fakeController) ConfirmExtend(_ context.Context, m *ctrl.ConfirmExtend) (*ctrl.ExtendConfirmed, error) {
	certs, err := pki.ParseCertificates([]byte(m.Cert))
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.confirms++
	if c.deaf {
		return nil, errLost
	}
	switch pki.Fingerprint(certs[0]) {
	case c.inForce:
	case c.offered:
		c.inForce, c.offered = c.offered, ""
	default:
		return &ctrl.ExtendConfirmed{Refusal: &ctrl.Refusal{Code: "INVALID_CLIENT_CERT"}}, nil
	}
	if c.lostYes {
		return nil, errLost
	}
	return &ctrl.ExtendConfirmed{}, nil
}

// accepts reports whether a router with this certificate may connect.
func (c *fakeController) accepts(t *tls.Certificate) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	print := pki.Fingerprint(t.Leaf)
	return print == c.inForce || print == c.offered
}

// bench is a router with certificates in a directory.
type bench struct {
	*Renewer
	t          *testing.T
	dir        string
	controller *fakeController
	clock      *clock.Fake
	source     pki.Source
}

func newBench(t *testing.T) *bench {
	t.Helper()
	start := time.Now()
	network, err := pki.NewNetwork("weft.test", start)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: t.TempDir(), clock: clock.NewFake(start)}
	b.controller = &fakeController{t: t, network: network, clock: b.clock}
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	csr, err := pki.NewCSR(key, pkix.Name{CommonName: "r1"}, "localhost", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	client := b.controller.issue(csr, x509.ExtKeyUsageClientAuth, false)
	b.controller.inForce = pki.Fingerprint(client[0])
	b.write("key", text)
	b.write("cert", pki.EncodeCertificates(client...))
	b.write("server", pki.EncodeCertificates(b.controller.issue(csr, x509.ExtKeyUsageServerAuth, true)...)+b.foreign(key))
	b.write("ca", pki.EncodeCertificates(network.Edge.Certificate, network.Root.Certificate))
	b.source = pki.Source{Cert: b.path("cert"), Key: b.path("key"), ServerCert: b.path("server"), CA: b.path("ca")}
	b.start()
	return b
}

// foreign returns a certificate of another authority for the router's key.
func (b *bench) foreign(key crypto.Signer) string {
	b.t.Helper()
	other, err := pki.NewNetwork("other.test", b.clock.Now())
	if err != nil {
		b.t.Fatal(err)
	}
	chain, err := other.Edge.Issue(pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: "public"}, DNSNames: []string{"public.example"}}, b.clock.Now())
	if err != nil {
		b.t.Fatal(err)
	}
	return pki.EncodeCertificates(chain...)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// start is the start of the process: it finds what the last one has left.
func (b *bench) start() {
	b.t.Helper()
	files := Files{Cert: b.path("cert"), ServerCert: b.path("server"), CA: b.path("ca")}
	if _, err := files.Finish(); err != nil {
		b.t.Fatal(err)
	}
	identity, err := pki.LoadIdentity(b.source)
	if err != nil {
		b.t.Fatal("the router does not start:", err)
	}
	b.Renewer = New(Config{Identity: identity, Files: files, Controller: b.controller, Clock: b.clock,
		Jitter: func(d time.Duration) time.Duration { return d / 2 }})
}

// works checks that the router has a pair of certificates that fit and that the
// controller accepts it.
func (b *bench) works() {
	b.t.Helper()
	if !b.controller.accepts(b.cfg.Identity.ClientCertificate()) {
		b.t.Error("the controller does not accept the router")
	}
	for _, name := range []string{"localhost", "127.0.0.1", "public.example"} {
		if b.cfg.Identity.ServerCertificateValidFor(name) == nil {
			b.t.Errorf("the server certificate is not valid for %s", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, "*"+suffix)); left != nil {
		b.t.Errorf("left over: %v", left)
	}
}

func (b *bench) fingerprint() string { return pki.Fingerprint(b.cfg.Identity.ClientCertificate().Leaf) }

func TestRenewOnDemand(t *testing.T) {
	b := newBench(t)
	was, server := b.fingerprint(), pki.Fingerprint(b.server().Leaf)
	if err := b.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.works()
	if b.fingerprint() == was || pki.Fingerprint(b.server().Leaf) == server || b.controller.inForce != b.fingerprint() {
		t.Error("the new certificates are not in use")
	}
	b.start()
	b.works()
}

func TestDueAtTwoThirds(t *testing.T) {
	b := newBench(t)
	leaf := b.cfg.Identity.ClientCertificate().Leaf
	if got, want := b.Due(), leaf.NotBefore.Add(leaf.NotAfter.Sub(leaf.NotBefore)*2/3); got.Sub(want).Abs() > time.Second {
		t.Errorf("due %v, want %v", got, want)
	}
}

// advance moves the time on when Run waits for it.
func (b *bench) advance(d time.Duration) {
	b.t.Helper()
	b.waitFor(func() bool { return b.clock.Timers() > 0 })
	b.clock.Advance(d)
}

func (b *bench) waitFor(done func() bool) {
	b.t.Helper()
	end := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(end) {
			b.t.Fatal("it does not happen")
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *bench) offers() int {
	b.controller.mu.Lock()
	defer b.controller.mu.Unlock()
	return b.controller.offers
}

func TestRunRenewsInTime(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()
	for b.clock.Now().Before(b.Due().Add(-2 * longestWait)) {
		b.advance(longestWait)
	}
	if b.offers() != 0 {
		t.Fatal("renewed before it was due")
	}
	was := b.fingerprint()
	b.controller.mu.Lock()
	b.controller.lostOffer = true
	b.controller.mu.Unlock()
	for b.offers() < 3 { // attempts without an answer are repeated
		b.advance(longestWait)
	}
	if b.clock.Now().Before(b.Due()) || b.fingerprint() != was {
		t.Error("renewed before it was due, or by an answer that did not come")
	}
	b.controller.mu.Lock()
	b.controller.lostOffer = false
	b.controller.mu.Unlock()
	for b.fingerprint() == was {
		b.advance(longestPause)
	}
	b.works()
	if !b.Due().After(b.clock.Now()) {
		t.Error("due again at once")
	}
}

// TestCrashes ends the process at every point of a renewal.
func TestCrashes(t *testing.T) {
	renewed := func(b *bench) *ctrl.Extended {
		request, err := b.request()
		if err != nil {
			b.t.Fatal(err)
		}
		answer, err := b.controller.Extend(b.t.Context(), request)
		if err != nil {
			b.t.Fatal(err)
		}
		return answer
	}
	stage := func(b *bench, e *ctrl.Extended) {
		text, err := b.serverText(e.ServerCert)
		if err != nil {
			b.t.Fatal(err)
		}
		if err := b.cfg.Files.stage(e.Cert, text, e.Ca); err != nil {
			b.t.Fatal(err)
		}
	}
	for name, crash := range map[string]func(*bench){
		"before anything is written": func(b *bench) { renewed(b) },
		"half written": func(b *bench) {
			e := renewed(b)
			b.write("ca"+suffix, e.Ca)
			b.write("server"+suffix, e.ServerCert)
		},
		"before the confirmation": func(b *bench) { stage(b, renewed(b)) },
		"confirmation lost": func(b *bench) {
			b.controller.deaf = true
			if err := b.Renew(t.Context()); !errors.Is(err, errLost) {
				b.t.Errorf("got %v", err)
			}
			b.controller.deaf = false
		},
		"an outdated offer is stored, and the next one is lost": func(b *bench) {
			stage(b, renewed(b))
			renewed(b)
			b.controller.lostOffer = true
			if err := b.Renew(t.Context()); !errors.Is(err, errLost) {
				b.t.Errorf("got %v", err)
			}
			b.controller.lostOffer = false
		},
		"after the confirmation": func(b *bench) {
			b.controller.lostYes = true
			if err := b.Renew(t.Context()); !errors.Is(err, errLost) {
				b.t.Errorf("got %v", err)
			}
			b.controller.lostYes = false
		},
		"half in place": func(b *bench) {
			e := renewed(b)
			stage(b, e)
			if _, err := b.confirm(t.Context(), e.Cert); err != nil {
				b.t.Fatal(err)
			}
			for _, n := range []string{"ca", "server"} {
				if err := os.Rename(b.path(n+suffix), b.path(n)); err != nil {
					b.t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.t = t
			crash(b)
			b.start()
			b.works()
			if err := b.confirmPresent(t.Context()); err != nil {
				t.Error(err)
			}
			if err := b.Renew(t.Context()); err != nil {
				t.Fatal("the next renewal:", err)
			}
			b.works()
		})
	}
}

// TestLostConfirmationIsRepeated: without a crash, the same certificate is
// confirmed again before another is asked for.
func TestLostConfirmationIsRepeated(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		b := newBench(t)
		b.controller.deaf, b.controller.lostYes = !arrived, arrived
		if err := b.Renew(t.Context()); !errors.Is(err, errLost) {
			t.Fatal(err)
		}
		b.controller.deaf, b.controller.lostYes = false, false
		if err := b.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.works()
		if b.offers() != 1 {
			t.Errorf("%d offers", b.offers())
		}
	}
}

func TestUselessAnswersChangeNothing(t *testing.T) {
	b := newBench(t)
	request, err := b.request()
	if err != nil {
		t.Fatal(err)
	}
	good, err := b.controller.Extend(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	other := newBench(t)
	foreign, err := os.ReadFile(other.path("cert"))
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]*ctrl.Extended{
		"nothing":            {},
		"another key":        {Cert: string(foreign), ServerCert: good.ServerCert, Ca: good.Ca},
		"server missing":     {Cert: good.Cert, Ca: good.Ca},
		"bundle unreadable":  {Cert: good.Cert, ServerCert: good.ServerCert, Ca: "no PEM"},
		"server another key": {Cert: good.Cert, ServerCert: string(foreign), Ca: good.Ca},
	} {
		if b.check(e, b.clock.Now()) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := b.check(good, b.clock.Now()); err != nil {
		t.Error(err)
	}
}

func TestExpiredRouterAsksForEnrolment(t *testing.T) {
	b := newBench(t)
	b.clock.Advance(91 * 24 * time.Hour)
	if err := b.Renew(t.Context()); !errors.Is(err, ErrExpired) || !strings.Contains(err.Error(), "weft router enroll") {
		t.Errorf("got %v", err)
	}
}
