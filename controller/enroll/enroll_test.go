package enroll

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
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

type plainPasswords struct{}

func (plainPasswords) Hash(_ context.Context, password string) (string, error) {
	return "hash of " + password, nil
}

type replaced struct{ identityID, old, now string }

func (r *replaced) ReplaceCertificate(identityID, old string, chain []*x509.Certificate) {
	*r = replaced{identityID, old, pki.Fingerprint(chain[0])}
}

// bench is a controller without a cluster: commands are applied at once.
type bench struct {
	*Enroller
	t        testing.TB
	store    *state.Store
	clock    *clock.Fake
	network  *pki.Network
	server   *tls.Certificate
	replaced replaced

	mu     sync.Mutex
	index  uint64
	before func() // once, before the next command
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
	creds, err := n.NewController("ctrl1", []string{"localhost"}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: store, clock: clock.NewFake(testStart), network: n,
		server: &tls.Certificate{PrivateKey: creds.Key, Leaf: creds.Server[0]}}
	bundle := pki.NewBundle(n.Edge.Certificate, n.Root.Certificate)
	b.Enroller, err = New(Config{Address: "localhost:1280", TrustDomain: "weft.test"}, Deps{
		Store: store, Writer: b, Passwords: plainPasswords{}, Sessions: &b.replaced, Clock: b.clock,
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
		Bundle: func() *pki.Bundle { return bundle }, Signer: func() *pki.Authority { return n.Edge },
		ServerCertificate: func(host string) *tls.Certificate {
			if host == "localhost" {
				return b.server
			}
			return nil
		},
		ControlAddresses: func() []string { return []string{"tls:localhost:1280"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &model.AuthPolicy{Name: "Default"}
	p.ID = model.DefaultAuthPolicyID
	p.Primary.Updb = model.AuthUpdb{Allowed: true, RequireNumberChar: true}
	i := &model.Identity{Name: "alice", Type: model.IdentityDefault, AuthPolicyID: p.ID}
	i.ID = "alice"
	r := &model.EdgeRouter{Name: "r1"}
	r.ID = "router1"
	b.apply(b.cmd().Put(p).Create(i).Create(r))
	return b
}

func (b *bench) cmd() *state.Command {
	return state.NewCommand(b.clock.Now(), state.Author{}, state.Source{}).AsSystem()
}

func (b *bench) Propose(_ context.Context, command []byte) (uint64, any, error) {
	if f := b.before; f != nil {
		b.before = nil
		f()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index++
	res, err := b.store.Apply([]uint64{b.index}, [][]byte{command})
	if err != nil {
		return b.index, nil, err
	}
	return b.index, res[0], nil
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

// enrollment stores a new enrollment.
func (b *bench) enrollment(e *model.Enrollment) *model.Enrollment {
	b.t.Helper()
	if err := b.NewEnrollment(e); err != nil {
		b.t.Fatal(err)
	}
	b.apply(b.cmd().Create(e))
	return e
}

func (b *bench) csr(cn string, uris ...string) string {
	b.t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := pki.NewCSR(key, pkix.Name{CommonName: cn, Organization: []string{"Test"}}, append([]string{"localhost", "127.0.0.1"}, uris...)...)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

func parse(t testing.TB, text string) []*x509.Certificate {
	t.Helper()
	certs, err := pki.ParseCertificates([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return certs
}

func (b *bench) count(k model.Kind) int { return b.store.View().Count(k) }

func TestOtt(t *testing.T) {
	b := newBench(t)
	e := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	res, err := b.Enroll(context.Background(), Request{Method: "ott", Token: e.Token, ClientCSR: b.csr("some-router-or-controller")})
	if err != nil {
		t.Fatal(err)
	}
	chain := parse(t, res.Cert)
	leaf := chain[0]
	if len(chain) != 2 || leaf.Subject.String() != "CN=alice" || leaf.URIs[0].String() != "spiffe://weft.test/identity/alice" ||
		len(leaf.DNSNames)+len(leaf.IPAddresses) != 0 || len(leaf.ExtKeyUsage) != 1 || leaf.ExtKeyUsage[0] != x509.ExtKeyUsageClientAuth ||
		!leaf.NotBefore.Equal(testStart.Add(-time.Minute)) || !leaf.NotAfter.Equal(testStart.AddDate(1, 0, 0)) {
		t.Errorf("leaf %s %v %v %v", leaf.Subject, leaf.URIs, leaf.DNSNames, leaf.ExtKeyUsage)
	}
	a := state.FirstBy[model.Authenticator](b.store.View(), state.ByFingerprint, pki.Fingerprint(leaf))
	if a == nil || a.IdentityID != "alice" || a.Method != model.MethodCert || !a.IsIssuedByNetwork || a.CertPem != res.Cert {
		t.Errorf("authenticator %+v", a)
	}
	if b.count(model.KindEnrollment) != 0 {
		t.Error("the enrollment is still there")
	}
	_, err = b.Enroll(context.Background(), Request{Method: "ott", Token: e.Token, ClientCSR: b.csr("x")})
	if !errors.Is(err, fault.InvalidEnrollmentToken) {
		t.Errorf("replay: %v", err)
	}
}

func TestConcurrentReplay(t *testing.T) {
	b := newBench(t)
	e := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	csr := b.csr("x")
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			_, err := b.Enroll(context.Background(), Request{Token: e.Token, ClientCSR: csr})
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fault.InvalidEnrollmentToken):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || b.count(model.KindAuthenticator) != 1 {
		t.Errorf("%d enrolled, %d authenticators", won.Load(), b.count(model.KindAuthenticator))
	}
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	ott := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	updb := b.enrollment(&model.Enrollment{Method: model.MethodUpdb, IdentityID: "alice", Username: "alice1"})
	router := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	good := b.csr("x")
	tests := []struct {
		name  string
		req   Request
		want  *fault.Kind
		cause string
	}{
		{"unknown token", Request{Method: "ott", Token: "nosuch", ClientCSR: good}, fault.InvalidEnrollmentToken, ""},
		{"no token", Request{Method: "ott", ClientCSR: good}, fault.InvalidEnrollmentToken, ""},
		{"unknown method", Request{Method: "bogus", Token: ott.Token, ClientCSR: good}, fault.InvalidEnrollMethod, ""},
		{"method of another token", Request{Method: "ottca", Token: ott.Token, ClientCSR: good}, fault.InvalidEnrollMethod, ""},
		{"garbage instead of a request", Request{Method: "ott", Token: ott.Token, ClientCSR: "garbage"}, fault.CouldNotProcessCSR, "no PEM block"},
		{"no request", Request{Method: "ott", Token: ott.Token}, fault.CouldNotProcessCSR, "no PEM block"},
		{"two requests", Request{Method: "ott", Token: ott.Token, ClientCSR: good + good}, fault.CouldNotProcessCSR, "after the PEM block"},
		{"huge request", Request{Method: "ott", Token: ott.Token, ClientCSR: good + strings.Repeat(" ", 1<<20)}, fault.CouldNotProcessCSR, "larger than"},
		{"no password", Request{Method: "updb", Token: updb.Token}, fault.CouldNotValidate, "required"},
		{"short password", Request{Method: "updb", Token: updb.Token, Password: "x1y2"}, fault.CouldNotValidate, "at least 5"},
		{"against the policy", Request{Method: "updb", Token: updb.Token, Password: "letters"}, fault.CouldNotValidate, "digit"},
		{"no server request", Request{Method: "erott", Token: router.Token, CertCSR: good}, fault.MissingOrInvalidCSR, "invalid server CSR"},
		{"no client request", Request{Method: "erott", Token: router.Token, ServerCSR: good}, fault.MissingOrInvalidCSR, "invalid client CSR"},
		{"wrong router id", Request{Method: "erott", Token: router.Token, CertCSR: good, ServerCSR: good}, fault.CouldNotProcessCSR, "invalid client CSR"},
		{"bad server request", Request{Method: "erott", Token: router.Token, CertCSR: b.csr("router1"), ServerCSR: "x"}, fault.CouldNotProcessCSR, "no PEM block"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.Enroll(ctx, tt.req)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.cause) {
				t.Fatalf("error %v", err)
			}
			if tt.req.Password != "" && strings.Contains(err.Error(), tt.req.Password) {
				t.Error("the password leaks")
			}
		})
	}
	if b.count(model.KindEnrollment) != 3 || b.count(model.KindAuthenticator) != 0 {
		t.Error("a refusal changed something")
	}
	b.clock.Advance(181 * time.Minute)
	if _, err := b.Enroll(ctx, Request{Token: ott.Token, ClientCSR: good}); !errors.Is(err, fault.EnrollmentExpired) {
		t.Errorf("expired: %v", err)
	}
}

func TestDeletedIdentity(t *testing.T) {
	b := newBench(t)
	e := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	b.apply(b.cmd().Delete(model.KindIdentity, "alice"))
	if _, err := b.Enroll(context.Background(), Request{Token: e.Token, ClientCSR: b.csr("x")}); !errors.Is(err, fault.InvalidEnrollmentToken) {
		t.Errorf("error %v", err)
	}
}

func TestUpdb(t *testing.T) {
	b := newBench(t)
	e := b.enrollment(&model.Enrollment{Method: model.MethodUpdb, IdentityID: "alice", Username: "alice1"})
	res, err := b.Enroll(context.Background(), Request{Token: e.Token, Password: "secret1"})
	if err != nil || res.Username != "alice1" {
		t.Fatalf("%+v, %v", res, err)
	}
	a := state.FirstBy[model.Authenticator](b.store.View(), state.ByUsername, "alice1")
	if a == nil || a.PasswordHash != "hash of secret1" || a.IdentityID != "alice" {
		t.Errorf("authenticator %+v", a)
	}
}

func TestCheckPassword(t *testing.T) {
	rules := model.AuthUpdb{MinPasswordLength: 8, RequireMixedCase: true, RequireNumberChar: true, RequireSpecialChar: true}
	for password, ok := range map[string]bool{
		"Abcdef1!": true, "abcdef1!": false, "ABCDEF1!": false, "Abcdefg!": false, "Abcdefg1": false, "Abc1!": false,
		strings.Repeat("Abcdef1!", 13): false,
	} {
		if err := CheckPassword(rules, password); (err == nil) != ok {
			t.Errorf("%q: %v", password, err)
		}
	}
}

func TestNewCertAuthenticator(t *testing.T) {
	b := newBench(t)
	key, _ := pki.NewKey()
	chain, err := b.network.Edge.Issue(pki.Leaf{PublicKey: key.Public()}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	a := &model.Authenticator{CertPem: pki.EncodeCertificates(chain...)}
	if err := b.NewCertAuthenticator(a); err != nil || a.Fingerprint != pki.Fingerprint(chain[0]) || !a.IsIssuedByNetwork {
		t.Errorf("%+v, %v", a, err)
	}
	if err := b.NewCertAuthenticator(&model.Authenticator{CertPem: "x"}); !errors.Is(err, fault.InvalidCertPEM) {
		t.Errorf("garbage: %v", err)
	}
}
