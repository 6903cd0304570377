package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// bench is a controller without a cluster: commands are applied at once.
type bench struct {
	t       testing.TB
	store   *state.Store
	clock   *clock.Fake
	network *pki.Network
	journal string
	policy  *model.AuthPolicy

	mu    sync.Mutex
	index uint64
	fail  error // what Propose answers
}

func newBench(t testing.TB) *bench {
	t.Helper()
	store, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	n, err := pki.NewNetwork("weft.test", testStart)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: store, clock: clock.NewFake(testStart), network: n,
		journal: filepath.Join(t.TempDir(), "data", "sessions.journal")}
	b.policy = &model.AuthPolicy{Name: "Default"}
	b.policy.ID = model.DefaultAuthPolicyID
	b.policy.Primary.Cert = model.AuthCert{Allowed: true, AllowExpiredCerts: true}
	b.policy.Primary.Updb = model.AuthUpdb{Allowed: true}
	b.apply(b.command().Put(b.policy))
	return b
}

func (b *bench) command() *state.Command {
	return state.NewCommand(b.clock.Now(), state.Author{}, state.Source{}).AsSystem()
}

func (b *bench) Propose(_ context.Context, command []byte) (uint64, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return 0, nil, b.fail
	}
	b.index++
	res, err := b.store.Apply([]uint64{b.index}, [][]byte{command})
	if err != nil {
		return b.index, nil, err
	}
	return b.index, res[0], nil
}

func (b *bench) setFail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

func (b *bench) apply(c *state.Command) {
	b.t.Helper()
	raw, err := c.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	_, res, err := b.Propose(context.Background(), raw)
	if refusal, ok := res.(error); ok {
		err = refusal
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

var testCost = PasswordCost{Time: 1, Memory: 64, Threads: 1}

func (b *bench) open(change ...func(*Config, *Deps)) *Auth {
	b.t.Helper()
	bundle := pki.NewBundle(b.network.Edge.Certificate, b.network.Root.Certificate)
	cfg := Config{Journal: b.journal, Passwords: testCost, TrustDomain: "weft.test", Issuer: "https://localhost:1280"}
	deps := Deps{Store: b.store, Writer: b, Clock: b.clock, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Bundle: func() *pki.Bundle { return bundle }, Signer: func() *pki.Authority { return b.network.Edge }}
	for _, f := range change {
		f(&cfg, &deps)
	}
	a, err := New(cfg, deps)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := a.Start(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return a
}

// start is open with a Close at the end of the test.
func (b *bench) start(change ...func(*Config, *Deps)) *Auth {
	a := b.open(change...)
	b.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return a
}

func (b *bench) identity(id string) {
	i := &model.Identity{Name: id, Type: model.IdentityDefault, AuthPolicyID: model.DefaultAuthPolicyID}
	i.ID = id
	b.apply(b.command().Create(i))
}

func (b *bench) password(a *Auth, id, username, password string) {
	hash, err := a.Passwords().Hash(context.Background(), password)
	if err != nil {
		b.t.Fatal(err)
	}
	p := &model.Authenticator{Method: model.MethodUpdb, IdentityID: id, Username: username, PasswordHash: hash}
	p.ID = "updb-" + id
	b.apply(b.command().Create(p))
}

// certificate enrols a certificate for an identity and returns its chain.
func (b *bench) certificate(id string, notAfter time.Time) []*x509.Certificate {
	key, err := pki.NewKey()
	if err != nil {
		b.t.Fatal(err)
	}
	chain, err := b.network.Edge.Issue(pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: id},
		URIs: []*url.URL{pki.IdentitySPIFFE("weft.test", id)}, NotBefore: testStart.Add(-time.Hour), NotAfter: notAfter}, testStart)
	if err != nil {
		b.t.Fatal(err)
	}
	c := &model.Authenticator{Method: model.MethodCert, IdentityID: id, Fingerprint: pki.Fingerprint(chain[0]),
		CertPem: pki.EncodeCertificates(chain...), IsIssuedByNetwork: true, LastAuthResolvedToRoot: true}
	c.ID = "cert-" + id
	b.apply(b.command().Create(c))
	return chain
}

func login(t testing.TB, a *Auth, username, password string) *Session {
	t.Helper()
	s, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: username, Password: password, RemoteIP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(text string, certs ...*x509.Certificate) *http.Request {
	r := httptest.NewRequest("GET", "/x", nil)
	if text != "" {
		r.Header.Set(HeaderSession, text)
	}
	r.TLS = &tls.ConnectionState{PeerCertificates: certs}
	return r
}

func wantAccepted(t testing.TB, a *Auth, text string) {
	t.Helper()
	if _, err := a.Authenticate(request(text)); err != nil {
		t.Fatalf("refused: %v", err)
	}
}

func wantRefused(t testing.TB, a *Auth, text string) {
	t.Helper()
	if _, err := a.Authenticate(request(text)); !errors.Is(err, fault.Unauthorized) {
		t.Fatalf("error %v, want UNAUTHORIZED", err)
	}
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// tick lets the sweeper run after d has passed.
func (b *bench) tick(d time.Duration) {
	b.t.Helper()
	eventually(b.t, "the sweeper waits", func() bool { return b.clock.Timers() > 0 })
	b.clock.Advance(d)
}

func (b *bench) revocation(id string) *model.Revocation {
	return state.Get[model.Revocation](b.store.View(), id)
}
