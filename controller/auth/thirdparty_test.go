package auth

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
)

func TestThirdPartyLogin(t *testing.T) {
	b := newBench(t)
	a := b.start()
	root, err := pki.NewRoot("third", "", testStart)
	if err != nil {
		t.Fatal(err)
	}
	ca := &model.CA{Name: "third", CertPem: pki.EncodeCertificates(root.Certificate), Fingerprint: pki.Fingerprint(root.Certificate), IsVerified: true, IsAuthEnabled: true,
		ExternalIDClaim: &model.ExternalIDClaim{Location: model.ClaimSanURI, Matcher: model.MatchAll, Parser: model.ParseNone}}
	ca.ID = "ca1"
	external := "spiffe://ext/1"
	i := &model.Identity{Name: "byClaim", AuthPolicyID: model.DefaultAuthPolicyID, ExternalID: &external}
	i.ID = "byClaim"
	b.apply(b.command().Put(ca).Create(i))
	b.identity("byPrint")
	leaf := func(from *pki.Authority, uri string, notAfter time.Time) []*x509.Certificate {
		t.Helper()
		key, err := pki.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		l := pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: "dev"}, NotBefore: testStart.Add(-time.Hour), NotAfter: notAfter}
		if u, err := url.Parse(uri); err == nil && uri != "" {
			l.URIs = []*url.URL{u}
		}
		chain, err := from.Issue(l, testStart)
		if err != nil {
			t.Fatal(err)
		}
		return chain
	}
	try := func(certs []*x509.Certificate) (*Session, error) {
		return a.Login(context.Background(), LoginRequest{Method: LoginCert, Certificates: certs})
	}
	refused := func(what string, certs []*x509.Certificate) {
		t.Helper()
		if _, err := try(certs); !errors.Is(err, fault.InvalidAuth) {
			t.Errorf("%s: %v", what, err)
		}
	}
	later := testStart.Add(time.Hour)
	first, second := leaf(root, external, later), leaf(root, external, later)
	s, err := try(first)
	if err != nil || s.IdentityID != "byClaim" || s.AuthenticatorID != ClaimAuthenticator || s.IsCertExtendable {
		t.Fatalf("login by claim: %+v %v", s, err)
	}
	if _, err := a.Authenticate(request(s.Token, first...)); err != nil {
		t.Error("the session with its certificate:", err)
	}
	if _, err := a.Authenticate(request(s.Token, second...)); err == nil {
		t.Error("the session was used with another certificate")
	}
	if s, err = try(second); err != nil {
		t.Error("a rotated certificate:", err)
	}
	refused("claim of nobody", leaf(root, "spiffe://ext/2", later))
	plain := leaf(root, "", later)
	refused("no claim and no authenticator", plain)
	auth := &model.Authenticator{Method: model.MethodCert, IdentityID: "byPrint", Fingerprint: pki.Fingerprint(plain[0]), CertPem: pki.EncodeCertificates(plain...)}
	auth.ID = "cert-byPrint"
	b.apply(b.command().Create(auth))
	if p, err := try(plain); err != nil || p.IdentityID != "byPrint" || p.AuthenticatorID != auth.ID {
		t.Errorf("login by fingerprint: %+v %v", p, err)
	}
	foreign, err := pki.NewRoot("third", "", testStart)
	if err != nil {
		t.Fatal(err)
	}
	refused("a CA of the same name", leaf(foreign, external, later))
	refused("foreign leaf with a good filler", append(leaf(foreign, external, later), first...))
	b.apply(b.command().Patch(model.KindAuthPolicy, b.policy.ID, map[string]any{"primary.cert.allowExpiredCerts": false}))
	refused("expired", leaf(root, external, testStart.Add(-time.Minute)))
	b.apply(b.command().Patch(model.KindCA, "ca1", map[string]any{"isVerified": false}))
	refused("CA that is not verified", first)
	eventually(t, "sessions of the CA to end", func() bool { _, err := a.Session(s.ID); return err != nil })
	b.apply(b.command().Patch(model.KindCA, "ca1", map[string]any{"isVerified": true, "isAuthEnabled": false}))
	refused("CA that is not enabled for logins", first)
}

func TestPostureOfSessions(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("i1")
	b.password(a, "i1", "alice", "secret")
	s := login(t, a, "alice", "secret")
	if err := a.TellPosture(s.ID, func(p *Posture) { p.OS = &PostureOS{Type: "Linux"} }); err != nil {
		t.Fatal(err)
	}
	for range 2 * maxPostureProcesses {
		_ = a.TellPosture(s.ID, func(p *Posture) { p.Processes = append(p.Processes, PostureProcess{}) })
	}
	if got := a.PosturesOf("i1"); len(got) != 1 || got[0].Posture.OS.Type != "Linux" || len(got[0].Posture.Processes) != maxPostureProcesses {
		t.Fatalf("told: %+v", got)
	}
	if err := a.End(t.Context(), s.ID, "test"); err != nil {
		t.Fatal(err)
	}
	if len(a.PosturesOf("i1")) != 0 || a.TellPosture(s.ID, func(*Posture) {}) == nil {
		t.Error("posture outlives its session")
	}
	a.forgetPostures()
	if len(a.postures.told) != 0 {
		t.Error("posture of a session that has ended is kept")
	}
}
