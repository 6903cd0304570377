package model

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
)

// certificate returns a self-signed certificate in PEM form.
func certificate(t *testing.T, ca bool) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "cn"}, NotBefore: from, NotAfter: from.AddDate(1, 0, 0), IsCA: ca, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestDerive(t *testing.T) {
	text := certificate(t, true)
	ca := &CA{CertPem: "\n" + text + "\n\n"}
	if err := Derive(ca); err != nil || len(ca.Fingerprint) != 40 || len(ca.VerificationToken) != 36 {
		t.Errorf("%v %+v", err, ca)
	}
	token := ca.VerificationToken
	if err := Derive(ca); err != nil || ca.VerificationToken != token {
		t.Error("a second call makes another token")
	}
	verified := &CA{CertPem: text, IsVerified: true}
	if err := Derive(verified); err != nil || verified.VerificationToken != "" {
		t.Error("a verified CA needs no token")
	}
	s := &ExternalJwtSigner{CertPem: &text}
	if err := Derive(s); err != nil || s.CommonName != "cn" || *s.Fingerprint != ca.Fingerprint || s.NotAfter.Year() != 2027 {
		t.Errorf("%v %+v", err, s)
	}
	if err := Derive(&ExternalJwtSigner{}); err != nil {
		t.Error(err)
	}
	leaf := certificate(t, false)
	for name, e := range map[string]Entity{
		"empty": &CA{}, "junk": &CA{CertPem: "x"}, "leaf": &CA{CertPem: leaf}, "junk behind": &CA{CertPem: text + "x"},
		"two": &ExternalJwtSigner{CertPem: ptr(text + leaf)}, "a key": &ExternalJwtSigner{CertPem: ptr("-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n")},
	} {
		var f *fault.FieldError
		if err := Derive(e); !errors.As(err, &f) || f.Field != "certPem" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestVersionRanges(t *testing.T) {
	for text, ok := range map[string]bool{
		"10.0.0": true, ">=10.0.0": true, ">= 1.2.3 <2.0.0": true, "1.2.x": true, "1.x.x || >3.0.0": true, "!=1.2.3": true, "1.2.3-rc.1+b5": true, " 1.0.0 ": true,
		"": false, "10": false, "10.0": false, ">=": false, "1.2.3.4": false, "01.2.3": false, "a.b.c": false, "1.0.0 ||": false, "1.0.0;2.0.0": false, "x.1.1": false,
		strings.Repeat("1.0.0 ", 10_000) + "x": false,
	} {
		p := &PostureCheck{Name: "n", TypeID: PostureOS, OperatingSystems: []OperatingSystem{{Type: "Linux", Versions: []string{text}}}}
		if err := Check(p); (err == nil) != ok {
			t.Errorf("%.40q: %v, want ok %v", text, err, ok)
		}
	}
}

func TestSettleSharesNothing(t *testing.T) {
	domains, systems := []string{"b", "a"}, []OperatingSystem{{Type: "macOS"}, {Type: "Linux"}}
	d := &PostureCheck{TypeID: PostureDomain, Domains: domains}
	o := &PostureCheck{TypeID: PostureOS, OperatingSystems: systems}
	p := &PostureCheck{TypeID: PostureProcess, Process: &Process{Hashes: []string{"AB"}}}
	process := p.Process
	for _, e := range []Entity{d, o, p} {
		Settle(e)
	}
	if !slices.Equal(domains, []string{"b", "a"}) || systems[0].Type != "macOS" || process.Hashes[0] != "AB" {
		t.Error("Settle changed what it was given")
	}
	if d.Domains[0] != "a" || o.OperatingSystems[0].Type != "Linux" || p.Process.Hashes[0] != "ab" {
		t.Error("not in stored form")
	}
}
