package enroll

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
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

	mu    sync.Mutex
	index uint64
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

func TestRouterEnrollmentAndRenewal(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	res, err := b.Enroll(ctx, Request{Method: "erott", Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.spiffeCSR("router1")})
	if err != nil {
		t.Fatal(err)
	}
	client, server := parse(t, res.Cert), parse(t, res.ServerCert)
	if len(parse(t, res.CA)) != 2 || !strings.HasPrefix(res.CA, "\n-----BEGIN") {
		t.Errorf("ca %q", res.CA)
	}
	want := "spiffe://weft.test/router/router1"
	for _, leaf := range []*x509.Certificate{client[0], server[0]} {
		if len(leaf.URIs) != 1 || leaf.URIs[0].String() != want || leaf.Subject.CommonName != "router1" {
			t.Errorf("leaf %s %v: a request must not bring a SPIFFE id", leaf.Subject, leaf.URIs)
		}
	}
	if client[0].ExtKeyUsage[0] != x509.ExtKeyUsageClientAuth || server[0].ExtKeyUsage[0] != x509.ExtKeyUsageServerAuth ||
		len(client[0].DNSNames) != 0 || server[0].VerifyHostname("localhost") != nil || server[0].VerifyHostname("127.0.0.1") != nil {
		t.Error("wrong usage or names")
	}
	r := state.Get[model.EdgeRouter](b.store.View(), "router1")
	if !r.IsVerified || r.Fingerprint != pki.Fingerprint(client[0]) || b.count(model.KindEnrollment) != 0 {
		t.Errorf("router %+v", r)
	}

	foreign, err := pki.NewNetwork("weft.test", testStart)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := pki.NewKey()
	stranger, err := foreign.Edge.Issue(pki.Leaf{PublicKey: key.Public()}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	for name, presented := range map[string][]*x509.Certificate{
		"no certificate": nil, "foreign": stranger, "foreign with the router's appended": append(stranger[:1:1], client...),
		"not a router": {b.network.Edge.Certificate},
	} {
		if _, err := b.ExtendRouter(ctx, presented, b.csr("router1"), b.csr("router1")); !errors.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.ExtendRouter(ctx, client, b.csr("router2"), b.csr("router1")); !errors.Is(err, fault.CouldNotProcessCSR) {
		t.Errorf("another router's id: %v", err)
	}
	next, err := b.ExtendRouter(ctx, client, b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	if r := state.Get[model.EdgeRouter](b.store.View(), "router1"); r.Fingerprint != pki.Fingerprint(parse(t, next.Cert)[0]) {
		t.Error("the new certificate is not in force")
	}
	if _, err := b.ExtendRouter(ctx, client, b.csr("router1"), b.csr("router1")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("old certificate: %v", err)
	}
}

// spiffeCSR returns a request that claims to be a controller.
func (b *bench) spiffeCSR(cn string) string {
	b.t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		b.t.Fatal(err)
	}
	u, _ := url.Parse("spiffe://weft.test/controller/ctrl1")
	return encodeCSR(b.t, key, &x509.CertificateRequest{Subject: pkix.Name{CommonName: cn}, URIs: []*url.URL{u}, DNSNames: []string{"localhost"}, IPAddresses: ip("127.0.0.1")})
}

func TestExtendIdentity(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	res, err := b.Enroll(ctx, Request{Token: e.Token, ClientCSR: b.csr("x")})
	if err != nil {
		t.Fatal(err)
	}
	old := parse(t, res.Cert)
	var a *model.Authenticator
	for a = range state.All[model.Authenticator](b.store.View()) {
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, res.Cert); !errors.Is(err, fault.CanNotUpdateAuthenticator) {
		t.Errorf("verify before extend: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", a.ID, nil, b.csr("x")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("no certificate: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "bob", a.ID, old, b.csr("x")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("another identity: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", "nosuch", old, b.csr("x")); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", a.ID, old, "x"); !errors.Is(err, fault.CouldNotProcessCSR) {
		t.Errorf("bad request: %v", err)
	}
	b.apply(b.cmd().Patch(model.KindAuthenticator, a.ID, map[string]any{"isExtendRequested": true, "isKeyRollRequested": true}))
	ext, err := b.ExtendIdentity(ctx, "alice", a.ID, old, b.csr("x"))
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Get[model.Authenticator](b.store.View(), a.ID); got.Fingerprint != pki.Fingerprint(old[0]) {
		t.Error("in force before it is verified")
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, res.Cert); !errors.Is(err, fault.InvalidClientCert) {
		t.Errorf("wrong certificate: %v", err)
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, ext.ClientCert); err != nil {
		t.Fatal(err)
	}
	got := state.Get[model.Authenticator](b.store.View(), a.ID)
	fresh := pki.Fingerprint(parse(t, ext.ClientCert)[0])
	if got.Fingerprint != fresh || got.IsExtendRequested || got.IsKeyRollRequested || !got.LastExtendRolledKeys ||
		got.UnverifiedFingerprint != "" || got.CertPem != ext.ClientCert {
		t.Errorf("authenticator %+v", got)
	}
	if b.replaced != (replaced{"alice", pki.Fingerprint(old[0]), fresh}) {
		t.Errorf("sessions were told %+v", b.replaced)
	}
}

func TestEnrollmentJWT(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name string
		e    model.Enrollment
		sub  string
	}{
		{"ott", model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"}, "alice"},
		{"erott", model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"}, "router1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := b.NewEnrollment(&tt.e); err != nil {
				t.Fatal(err)
			}
			got := b.verifyJWT(t, tt.e.JWT)
			want := `{"aud":[""],"ctrls":["tls:localhost:1280"],"em":"` + tt.name + `","exp":` + "1795186800" +
				`,"iss":"https://localhost:1280","jti":"` + tt.e.Token + `","sub":"` + tt.sub + `"}`
			if got != want {
				t.Errorf("claims\n%s\nwant\n%s", got, want)
			}
		})
	}
	text, err := b.NetworkJWT()
	if err != nil {
		t.Fatal(err)
	}
	got := b.verifyJWT(t, text)
	if !strings.HasPrefix(got, `{"aud":["openziti-enroller"],"ctrls":null,"em":"network","iss":"https://localhost:1280/","jti":"`) {
		t.Errorf("network claims %s", got)
	}
	if again, _ := b.NetworkJWT(); again != text {
		t.Error("not cached")
	}
}

// verifyJWT checks the signature with the server certificate and returns the
// claims with sorted keys.
func (b *bench) verifyJWT(t *testing.T, text string) string {
	t.Helper()
	tok, err := jwt.NewParser(jwt.WithoutClaimsValidation()).Parse(text, func(tok *jwt.Token) (any, error) {
		if tok.Header["kid"] != pki.Fingerprint(b.server.Leaf) || tok.Header["alg"] != "ES256" || tok.Header["typ"] != "JWT" {
			t.Errorf("header %v", tok.Header)
		}
		return b.server.Leaf.PublicKey, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(tok.Raw, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	sorted, _ := json.Marshal(m)
	return string(sorted)
}

func TestNoCertificateForTheAddress(t *testing.T) {
	b := newBench(t)
	b.server = nil
	if err := b.NewEnrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"}); !errors.Is(err, fault.Unhandled) {
		t.Errorf("error %v", err)
	}
	if _, err := New(Config{Address: "nonsense"}, Deps{}); err == nil {
		t.Error("address accepted")
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
