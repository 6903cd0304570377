package enroll

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/controller/extjwt"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// thirdParty stores a verified CA of somebody else and returns its authority.
func (b *bench) thirdParty(id string, change func(*model.CA)) *pki.Authority {
	b.t.Helper()
	root, err := pki.NewRoot(id, "", testStart)
	if err != nil {
		b.t.Fatal(err)
	}
	c := &model.CA{Name: "name-" + id, CertPem: pki.EncodeCertificates(root.Certificate), Fingerprint: pki.Fingerprint(root.Certificate), IsVerified: true,
		IsAuthEnabled: true, IsAutoCaEnrollmentEnabled: true, IsOttCaEnrollmentEnabled: true, IdentityNameFormat: "[caName]-[commonName]", IdentityRoles: []string{"fromca"}}
	c.ID = id
	if change != nil {
		change(c)
	}
	b.apply(b.cmd().Put(c))
	return root
}

func (b *bench) leaf(a *pki.Authority, cn string, change func(*pki.Leaf)) []*x509.Certificate {
	b.t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		b.t.Fatal(err)
	}
	l := pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: cn}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if change != nil {
		change(&l)
	}
	chain, err := a.Issue(l, testStart)
	if err != nil {
		b.t.Fatal(err)
	}
	return chain
}

func (b *bench) auto(certs []*x509.Certificate, name string) error {
	_, err := b.Enroll(context.Background(), Request{Method: MethodCa, Certificates: certs, Name: name})
	return err
}

func (b *bench) named(name string) *model.Identity {
	return state.FirstBy[model.Identity](b.store.View(), state.ByName, name)
}

func expect(t *testing.T, what string, err error, want *fault.Kind) {
	t.Helper()
	if want == nil && err != nil || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestAutoEnrollment(t *testing.T) {
	b := newBench(t)
	expect(t, "no CA", b.auto(nil, ""), fault.EnrollmentNoValidCAs)
	root := b.thirdParty("ca1", func(c *model.CA) { c.IdentityNameFormat = "[caName]-[commonName]-[requestedName]-[caId]" })
	expect(t, "no certificate", b.auto(nil, ""), fault.CertFailedValidation)
	cert := b.leaf(root, "dev", nil)
	expect(t, "good", b.auto(cert, "asked[caId]"), nil)
	i := b.named("name-ca1-dev-asked[caId]-ca1")
	if i == nil || i.IsAdmin || len(i.RoleAttributes) != 1 || i.RoleAttributes[0] != "fromca" || i.AuthPolicyID != model.DefaultAuthPolicyID {
		t.Fatalf("identity: %+v", i)
	}
	a := state.FirstBy[model.Authenticator](b.store.View(), state.ByFingerprint, pki.Fingerprint(cert[0]))
	if a == nil || a.IdentityID != i.ID || a.IsIssuedByNetwork || len(parse(t, a.CertPem)) != 1 {
		t.Errorf("authenticator: %+v", a)
	}
	expect(t, "again", b.auto(cert, "asked"), fault.CertInUse)
	expired := b.leaf(root, "old", func(l *pki.Leaf) { l.NotBefore, l.NotAfter = testStart.Add(-time.Hour), testStart.Add(-time.Minute) })
	expect(t, "expired", b.auto(expired, ""), fault.CertFailedValidation)
	server := b.leaf(root, "srv", func(l *pki.Leaf) { l.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} })
	expect(t, "of a server", b.auto(server, ""), fault.CertFailedValidation)
	foreign, err := pki.NewRoot("ca1", "", testStart)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "same name, other CA", b.auto(b.leaf(foreign, "x", nil), ""), fault.CertFailedValidation)
	expect(t, "the network's own", b.auto(b.leaf(b.network.Edge, "x", nil), ""), fault.CertFailedValidation)
	filler := append(b.leaf(foreign, "x", nil), b.leaf(root, "y", nil)...)
	expect(t, "foreign leaf with a good filler", b.auto(filler, ""), fault.CertFailedValidation)
	middle, err := root.NewIntermediate("mid", "", testStart)
	if err != nil {
		t.Fatal(err)
	}
	under := b.leaf(middle, "under", nil)
	expect(t, "intermediate left out", b.auto(under[:1], ""), fault.CertFailedValidation)
	expect(t, "with its intermediate", b.auto(under, "u"), nil)
	expect(t, "control characters", b.auto(b.leaf(root, "a\x00b", nil), ""), fault.CouldNotValidate)
	expect(t, "endless name", b.auto(b.leaf(root, strings.Repeat("x", 300), nil), ""), fault.CouldNotValidate)
	for _, field := range []string{"isVerified", "isAutoCaEnrollmentEnabled"} {
		b.apply(b.cmd().Patch(model.KindCA, "ca1", map[string]any{field: false}))
		expect(t, "without "+field, b.auto(b.leaf(root, "z", nil), ""), fault.EnrollmentNoValidCAs)
		b.apply(b.cmd().Patch(model.KindCA, "ca1", map[string]any{field: true}))
	}
}

func TestNamesOfManyAtOnce(t *testing.T) {
	b := newBench(t)
	root := b.thirdParty("ca1", nil)
	const many = 12
	var failed atomic.Int32
	var wait sync.WaitGroup
	for range many {
		cert := b.leaf(root, "same", nil)
		wait.Go(func() {
			if b.auto(cert, "") != nil {
				failed.Add(1)
			}
		})
	}
	wait.Wait()
	if failed.Load() != 0 || b.named("name-ca1-same") == nil || b.named("name-ca1-same000001") == nil || b.named("name-ca1-same000011") == nil {
		t.Errorf("%d of %d enrolments failed, or names are missing", failed.Load(), many)
	}
	cert := b.leaf(root, "once", nil)
	var good atomic.Int32
	for range 8 {
		wait.Go(func() {
			if err := b.auto(cert, ""); err == nil {
				good.Add(1)
			} else if !errors.Is(err, fault.CertInUse) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if good.Load() != 1 || b.named("name-ca1-once000001") != nil {
		t.Errorf("one certificate enrolled %d times", good.Load())
	}
}

func TestExternalIDClaim(t *testing.T) {
	b := newBench(t)
	root := b.thirdParty("ca1", func(c *model.CA) {
		c.ExternalIDClaim = &model.ExternalIDClaim{Location: model.ClaimSanURI, Matcher: model.MatchScheme, MatcherCriteria: "spiffe", Parser: model.ParseNone}
	})
	with := func(uri string) []*x509.Certificate {
		return b.leaf(root, "dev", func(l *pki.Leaf) {
			u, err := url.Parse(uri)
			if err != nil {
				t.Fatal(err)
			}
			l.URIs = []*url.URL{u}
		})
	}
	expect(t, "claim", b.auto(with("spiffe://ext/workload/1"), ""), nil)
	i := state.FirstBy[model.Identity](b.store.View(), state.ByExternalID, "spiffe://ext/workload/1")
	if i == nil || b.count(model.KindAuthenticator) != 0 {
		t.Fatalf("identity %+v, %d authenticators", i, b.count(model.KindAuthenticator))
	}
	expect(t, "another certificate with the claim", b.auto(with("spiffe://ext/workload/1"), ""), fault.CertInUse)
	expect(t, "no claim", b.auto(with("https://ext/1"), ""), fault.MissingCertClaim)
}

func TestOttCa(t *testing.T) {
	b := newBench(t)
	root := b.thirdParty("ca1", nil)
	other := b.thirdParty("ca2", nil)
	e := b.enrollment(&model.Enrollment{Method: model.MethodOttCa, IdentityID: "alice", CaID: "ca1"})
	try := func(certs []*x509.Certificate) error {
		_, err := b.Enroll(context.Background(), Request{Method: model.MethodOttCa, Token: e.Token, Certificates: certs})
		return err
	}
	cert := b.leaf(root, "dev", nil)
	expect(t, "no certificate", try(nil), fault.CertificateFailedValidation)
	expect(t, "of another CA", try(b.leaf(other, "dev", nil)), fault.CertificateFailedValidation)
	for _, field := range []string{"isVerified", "isOttCaEnrollmentEnabled"} {
		b.apply(b.cmd().Patch(model.KindCA, "ca1", map[string]any{field: false}))
		expect(t, "without "+field, try(cert), fault.EnrollmentCANotValid)
		b.apply(b.cmd().Patch(model.KindCA, "ca1", map[string]any{field: true}))
	}
	var good atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		mine := b.leaf(root, "dev", nil)
		wait.Go(func() {
			if try(mine) == nil {
				good.Add(1)
			}
		})
	}
	wait.Wait()
	if good.Load() != 1 || b.count(model.KindAuthenticator) != 1 {
		t.Errorf("one token was used %d times, %d authenticators", good.Load(), b.count(model.KindAuthenticator))
	}
	expect(t, "used token", try(cert), fault.InvalidEnrollmentToken)
}

// fakeTokens knows tokens by their text.
type fakeTokens map[string]*extjwt.Token

func (f fakeTokens) Verify(_ context.Context, text, signer string) (*extjwt.Token, error) {
	if tok := f[text]; tok != nil && (signer == "" || signer == tok.Signer.ID) {
		return tok, nil
	}
	return nil, extjwt.ErrInvalid
}

func TestEnrollByToken(t *testing.T) {
	b := newBench(t)
	b.apply(b.cmd().Patch(model.KindAuthPolicy, model.DefaultAuthPolicyID, map[string]any{"primary.cert.allowed": true, "primary.extJwt.allowed": true}))
	s := &model.ExternalJwtSigner{ClaimsProperty: "/sub", EnrollNameClaimsSelector: "name", EnrollAttributeClaimsSelector: "groups", EnrollToCertEnabled: true, EnrollToTokenEnabled: true}
	s.ID = "idp"
	claims := func(sub, name string, groups any) *extjwt.Token {
		return &extjwt.Token{Signer: s, Claims: map[string]any{"sub": sub, "name": name, "groups": groups}}
	}
	b.deps.Tokens = fakeTokens{"t1": claims("u1", "bob", []any{"x", "y"}), "t2": claims("u2", "bob", nil), "t3": claims("u3", "carol", "z"),
		"t4": claims("u4", "dave", 5), "t5": claims("", "eve", nil), "t6": claims("u6", "", nil)}
	try := func(csr, signer string, bearers ...string) (*Result, error) {
		return b.Enroll(context.Background(), Request{Method: MethodToken, Bearers: bearers, SignerID: signer, ClientCSR: csr})
	}
	refused := func(what string, want *fault.Kind, csr, signer string, bearers ...string) {
		t.Helper()
		_, err := try(csr, signer, bearers...)
		expect(t, what, err, want)
	}
	refused("no token", fault.CouldNotValidate, "", "")
	refused("bad token", fault.InvalidEnrollmentToken, "", "", "x")
	refused("other signer", fault.InvalidEnrollmentToken, "", "nobody", "t1")
	refused("attributes of a wrong type", fault.InvalidEnrollmentToken, "", "", "t4")
	refused("no subject", fault.InvalidEnrollmentToken, "", "", "t5")
	refused("no name", fault.InvalidEnrollmentToken, "", "", "t6")
	refused("bad request", fault.CouldNotProcessCSR, "nonsense", "", "t1")
	r, err := try(b.csr("whoever"), "idp", "x", "t1")
	if err != nil || len(parse(t, r.Cert)) == 0 || r.CA == "" {
		t.Fatal(r, err)
	}
	i := b.named("bob")
	if i == nil || *i.ExternalID != "u1" || len(i.RoleAttributes) != 2 || parse(t, r.Cert)[0].Subject.CommonName != i.ID {
		t.Fatalf("identity %+v", i)
	}
	refused("again", fault.EnrollmentIdentityAlreadyEnrolled, "", "", "t1")
	refused("name in use", fault.InvalidEnrollmentNotAllowed, "", "", "t2")
	if r, err := try("", "", "t3"); err != nil || r.Cert != "" || b.named("carol") == nil {
		t.Error(r, err)
	}
	b.deps.Tokens.(fakeTokens)["t9"] = claims("u9", "fay", nil)
	s.EnrollToTokenEnabled = false
	refused("not to a token", fault.InvalidEnrollmentNotAllowed, "", "", "t9")
	s.EnrollToTokenEnabled, s.EnrollToCertEnabled = true, false
	refused("not to a certificate", fault.InvalidEnrollmentNotAllowed, b.csr("x"), "", "t9")
	b.apply(b.cmd().Patch(model.KindAuthPolicy, model.DefaultAuthPolicyID, map[string]any{"primary.extJwt.allowed": false}))
	refused("policy", fault.InvalidEnrollmentNotAllowed, "", "", "t9")
	if b.named("fay") != nil {
		t.Error("a refused enrolment left an identity")
	}
}
