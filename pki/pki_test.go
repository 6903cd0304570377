package pki

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func testNetwork(t testing.TB) *Network {
	t.Helper()
	n, err := NewNetwork("weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func issue(t testing.TB, a *Authority, cn string, notAfter time.Time, uris ...*url.URL) []*x509.Certificate {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Issue(Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: cn}, URIs: uris,
		NotBefore: testNow.Add(-2 * time.Hour), NotAfter: notAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, testNow)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestIssueShape(t *testing.T) {
	n := testNetwork(t)
	chain := issue(t, n.Edge, "alice", testNow.Add(time.Hour), IdentitySPIFFE("weft.test", "alice"))
	leaf := chain[0]
	if len(chain) != 2 || !chain[1].Equal(n.Edge.Certificate) {
		t.Fatalf("chain of %d certificates: leaf and intermediate without the root are wanted", len(chain))
	}
	if leaf.SerialNumber.BitLen() < 64 {
		t.Errorf("serial number of %d bits", leaf.SerialNumber.BitLen())
	}
	if leaf.IsCA || leaf.KeyUsage != edgeKeyUsage || leaf.URIs[0].String() != "spiffe://weft.test/identity/alice" {
		t.Errorf("wrong leaf: %v %v %v", leaf.IsCA, leaf.KeyUsage, leaf.URIs)
	}
	if !bytes.Equal(leaf.AuthorityKeyId, n.Edge.Certificate.SubjectKeyId) {
		t.Error("no authority key id")
	}
}

func TestVerifyPeer(t *testing.T) {
	n := testNetwork(t)
	foreign, err := NewNetwork("weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	good := issue(t, n.Edge, "alice", testNow.Add(time.Hour))
	expired := issue(t, n.Edge, "alice", testNow.Add(-time.Hour))
	bad := issue(t, foreign.Edge, "alice", testNow.Add(time.Hour))
	roots := NewBundle(n.Root.Certificate)
	all := NewBundle(n.Edge.Certificate, n.Root.Certificate)
	tests := []struct {
		name      string
		presented []*x509.Certificate
		links     *Bundle
		want      error
	}{
		{"full chain", good, nil, nil},
		{"leaf only with known intermediate", good[:1], all, nil},
		{"leaf only without intermediate", good[:1], nil, ErrUntrusted},
		{"expired leaf", expired, nil, nil},
		{"foreign CA of the same names", bad, all, ErrUntrusted},
		{"foreign leaf with a genuine one appended", append(bad[:1:1], good...), all, ErrUntrusted},
		{"nothing", nil, all, ErrNoPeerCertificate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chain, err := VerifyPeer(tt.presented, roots, tt.links, testNow)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err == nil && (!chain[0].Equal(tt.presented[0]) || len(chain) != 3) {
				t.Errorf("wrong chain of %d", len(chain))
			}
		})
	}
}

func TestExpiredIssuerIsRefused(t *testing.T) {
	n := testNetwork(t)
	good := issue(t, n.Edge, "alice", testNow.Add(time.Hour))
	_, err := VerifyPeer(good, NewBundle(n.Root.Certificate), nil, testNow.Add(2*AuthorityLife))
	if !errors.Is(err, ErrUntrusted) {
		t.Fatalf("error %v", err)
	}
}

func TestBinding(t *testing.T) {
	n := testNetwork(t)
	later, before := testNow.Add(time.Hour), testNow.Add(-time.Hour)
	own := issue(t, n.Edge, "alice", later, IdentitySPIFFE("weft.test", "alice"))[0]
	ownExpired := issue(t, n.Edge, "alice", before, IdentitySPIFFE("weft.test", "alice"))[0]
	other := issue(t, n.Edge, "bob", later, IdentitySPIFFE("weft.test", "bob"))[0]
	session := issue(t, n.Edge, "alice", later, SessionSPIFFE("weft.test", "alice", "s1", "c1"))[0]
	sessionExpired := issue(t, n.Edge, "alice", before, SessionSPIFFE("weft.test", "alice", "s1", "c1"))[0]
	sessionOther := issue(t, n.Edge, "alice", later, SessionSPIFFE("weft.test", "alice", "s2", "c1"))[0]
	plain := issue(t, n.Edge, "alice", later)[0]
	plainExpired := issue(t, n.Edge, "alice", before)[0]
	two := issue(t, n.Edge, "alice", later, IdentitySPIFFE("weft.test", "alice"), IdentitySPIFFE("weft.test", "bob"))[0]
	prints := []string{Fingerprint(plain), Fingerprint(plainExpired)}
	tests := []struct {
		name         string
		leaf         *x509.Certificate
		ownPKI       bool
		allowExpired bool
		want         error
	}{
		{"identity's own", own, true, false, nil},
		{"identity's own of a foreign PKI", own, false, true, ErrNotBound},
		{"identity's own expired, allowed", ownExpired, true, true, nil},
		{"identity's own expired, not allowed", ownExpired, true, false, ErrCertExpired},
		{"another identity's", other, true, true, ErrNotBound},
		{"session certificate", session, true, false, nil},
		{"session certificate expired", sessionExpired, true, true, ErrCertExpired},
		{"certificate of another session", sessionOther, true, true, ErrNotBound},
		{"fingerprint", plain, false, false, nil},
		{"fingerprint, expired, allowed", plainExpired, false, true, nil},
		{"fingerprint, expired, not allowed", plainExpired, false, false, ErrCertExpired},
		{"two SPIFFE ids", two, true, true, ErrNotBound},
		{"intermediate without SPIFFE path", n.Edge.Certificate, true, true, ErrNotBound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Binding{IdentityID: "alice", SessionID: "s1", Fingerprints: prints, AllowExpired: tt.allowExpired}
			if err := b.Check(tt.leaf, tt.ownPKI, testNow); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestTrustDomainsOfABinding(t *testing.T) {
	n, err := NewNetwork("weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	leaf := issue(t, n.Edge, "alice", testNow.Add(time.Hour), IdentitySPIFFE("old.test", "alice"))[0]
	for domains, want := range map[string]error{"": nil, "weft.test": ErrNotBound, "weft.test old.test": nil} {
		b := Binding{IdentityID: "alice", TrustDomains: strings.Fields(domains)}
		if err := b.Check(leaf, true, testNow); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", domains, err, want)
		}
	}
}

func TestTrustDomain(t *testing.T) {
	n, err := NewNetwork("weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := NewRoot("root", "weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	plain.Certificate.URIs = nil // as those of other PKIs
	own := issue(t, n.Edge, "c1", testNow.Add(time.Hour), ControllerSPIFFE("weft.test", "c1"))
	wrong := issue(t, n.Edge, "c1", testNow.Add(time.Hour), ControllerSPIFFE("weft.test", "c2"))
	bare := []*x509.Certificate{plain.Certificate}
	for _, c := range []struct {
		chain            []*x509.Certificate
		configured, want string
	}{
		{own, "other.test", "weft.test"}, {wrong, "", ""}, {bare, "spiffe://given.test", "given.test"}, {bare, "given.test", "given.test"}, {bare, "", Fingerprint(plain.Certificate)},
	} {
		got, err := TrustDomain(c.chain, NewBundle(), c.configured)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q %v, want %q", got, err, c.want)
		}
	}
}

func TestMatchSPIFFE(t *testing.T) {
	tests := []struct {
		path string
		want Match
	}{
		{"/identity/a", MatchesIdentity},
		{"/identity/b", NoMatch},
		{"/identity/a/apiSession/s", MatchesSession},
		{"/identity/a/apiSession/s/apiSessionCertificate/c", MatchesSession},
		{"/identity/a/apiSession/x", NoMatch},
		{"/identity/a/apiSession/s/other/c", NoMatch},
		{"/identity/a/apiSession", NoMatch},
		{"/identity/a/apiSession/s/apiSessionCertificate", NoMatch},
		{"/controller/a", NoMatch},
		{"", NoMatch},
	}
	for _, tt := range tests {
		if got := MatchSPIFFE(&url.URL{Path: tt.path}, "a", "s"); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.path, got, tt.want)
		}
	}
}

func TestParseCSR(t *testing.T) {
	key, _ := NewKey()
	good, err := NewCSR(key, pkix.Name{CommonName: "any"}, "a.example", "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(good))
	forged := bytes.Clone(block.Bytes)
	forged[len(forged)-1] ^= 1
	n := testNetwork(t)
	tests := []struct {
		name string
		text string
		ok   bool
	}{
		{"good", good, true},
		{"trailing white space", good + "\n\n", true},
		{"trailing bytes", good + "x", false},
		{"two requests", good + good, false},
		{"empty", "", false},
		{"wrong signature", string(pem.EncodeToMemory(&pem.Block{Type: blockRequest, Bytes: forged})), false},
		{"certificate instead", EncodeCertificates(n.Root.Certificate), false},
		{"huge", good + strings.Repeat("\n", MaxCSR), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseCSR([]byte(tt.text))
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrCSR) {
				t.Fatalf("error %v", err)
			}
			if tt.ok && (r.DNSNames[0] != "a.example" || r.IPAddresses[0].String() != "10.0.0.1") {
				t.Error("names are lost")
			}
		})
	}
}

func TestPKCS7RoundTrip(t *testing.T) {
	n := testNetwork(t)
	certs := []*x509.Certificate{n.Edge.Certificate, n.Root.Certificate}
	text, err := PKCS7Base64(certs)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if len(l) > 64 || len(l) == 0 || i < len(lines)-1 && len(l) != 64 {
			t.Errorf("line %d has %d characters", i, len(l))
		}
	}
	got, err := ParsePKCS7([]byte(text))
	if err != nil || len(got) != 2 || !got[0].Equal(certs[0]) || !got[1].Equal(certs[1]) {
		t.Fatalf("got %d, %v", len(got), err)
	}
}

func TestBundle(t *testing.T) {
	n := testNetwork(t)
	leaf := issue(t, n.Edge, "x", testNow.Add(time.Hour))[0]
	b := NewBundle(leaf, n.Edge.Certificate, n.Root.Certificate, n.Edge.Certificate)
	if len(b.Certificates()) != 2 || len(b.Roots().Certificates()) != 1 {
		t.Fatalf("%d certificates, %d roots", len(b.Certificates()), len(b.Roots().Certificates()))
	}
	again, err := ParseBundle([]byte(b.PEM()))
	if err != nil || len(again.Certificates()) != 2 {
		t.Fatal(err)
	}
	if chain := b.ChainOf(leaf); len(chain) != 2 || !chain[1].Equal(n.Edge.Certificate) {
		t.Errorf("chain of %d", len(chain))
	}
}

func TestNetworkFilesAndIdentity(t *testing.T) {
	n := testNetwork(t)
	c, err := n.NewController("ctrl1", []string{"localhost", "127.0.0.1", "*.wild.test"}, testNow)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "pki")
	if err := n.Write(dir, c); err != nil {
		t.Fatal(err)
	}
	if err := n.Write(dir, c); !errors.Is(err, os.ErrExist) {
		t.Fatalf("second write: %v", err)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	src := Source{Cert: file(FileControllerCert), Key: "file://" + file(FileLeafKey),
		ServerCert: file(FileServerCert), CA: file(FileCA)}
	i, err := LoadIdentity(src)
	if err != nil {
		t.Fatal(err)
	}
	if len(i.ClientCertificate().Certificate) != 2 || len(i.Bundle().Certificates()) != 3 {
		t.Error("wrong chain or bundle")
	}
	for name, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "a.wild.test": true, "other": false} {
		if got := i.ServerCertificateValidFor(name) != nil; got != want {
			t.Errorf("certificate for %s: %v", name, got)
		}
	}
	if i.ServerCertificateFor("other") == nil {
		t.Error("no certificate without match")
	}
	td, err := TrustDomain(c.Server, i.Bundle(), "")
	if err != nil || td != "weft.test" {
		t.Errorf("trust domain %q, %v", td, err)
	}
	if err := os.WriteFile(file(FileControllerCert), []byte(EncodeCertificates(c.Server...)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file(FileControllerCert), testNow, testNow); err != nil {
		t.Fatal(err)
	}
	if !i.now.Load().changed() {
		t.Error("change of a file is not seen")
	}
	if err := i.Reload(); err != nil || !i.ClientCertificate().Leaf.Equal(c.Server[0]) {
		t.Errorf("reload: %v", err)
	}
}

func TestIdentityForms(t *testing.T) {
	n := testNetwork(t)
	c, err := n.NewController("ctrl1", []string{"localhost"}, testNow)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := EncodeKey(c.Key)
	chain := EncodeCertificates(c.Client...)
	other, _ := NewKey()
	otherText, _ := EncodeKey(other)
	tests := []struct {
		name string
		src  Source
		want string // part of the error, empty for success
	}{
		{"pem:", Source{Cert: "pem:" + chain, Key: "pem:" + key}, ""},
		{"pem://", Source{Cert: "pem://" + chain, Key: "pem://" + key}, ""},
		{"bare PEM", Source{Cert: chain, Key: key}, ""},
		{"several server chains", Source{ServerCert: EncodeCertificates(append(c.Server, c.Client...)...), Key: key}, ""},
		{"missing file", Source{Cert: "/nowhere/cert", Key: key}, "cert: "},
		{"wrong key", Source{Cert: chain, Key: otherText}, "cert: the first certificate"},
		{"no key", Source{Cert: chain}, "cert: no private key"},
		{"hardware key", Source{Cert: chain, Key: "pkcs11://lib?slot=1"}, "not supported"},
		{"alternative without certificate", Source{Key: key, AltServerCerts: []AltSource{{}}}, "alt_server_certs[0]"},
		{"ca without certificates", Source{Key: key, CA: key}, "ca: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i, err := LoadIdentity(tt.src)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("error %v", err)
			}
			if tt.name == "several server chains" && len(i.ServerCertificates()) != 2 {
				t.Errorf("%d chains", len(i.ServerCertificates()))
			}
		})
	}
}

func TestEdgeSignerCannotMakeAuthorities(t *testing.T) {
	n := testNetwork(t)
	below, err := n.Edge.NewIntermediate("sub", "weft.test", testNow)
	if err != nil {
		t.Fatal(err)
	}
	leaf := issue(t, below, "x", testNow.Add(time.Hour))
	if _, err := VerifyPeer(leaf, NewBundle(n.Root.Certificate), nil, testNow); !errors.Is(err, ErrUntrusted) {
		t.Errorf("error %v", err)
	}
}

func FuzzParseCSR(f *testing.F) {
	key, _ := NewKey()
	good, _ := NewCSR(key, pkix.Name{CommonName: "x"})
	f.Add([]byte(good))
	f.Add([]byte("-----BEGIN CERTIFICATE REQUEST-----\nAA==\n-----END CERTIFICATE REQUEST-----\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := ParseCSR(b); err == nil && r.PublicKey == nil {
			t.Error("accepted without a key")
		}
	})
}

func FuzzParsePKCS7(f *testing.F) {
	root, err := NewRoot("r", "d", testNow)
	if err != nil {
		f.Fatal(err)
	}
	der, _ := PKCS7([]*x509.Certificate{root.Certificate})
	f.Add(der)
	f.Add(make([]byte, 10))
	junk := make([]byte, 100)
	rand.Read(junk)
	f.Add(junk)
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = ParsePKCS7(b) })
}
