package field

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// ticket is an enrolment token, taken apart as the C SDK does it.
type ticket struct {
	signed    string
	signature []byte
	alg       string
	claims    struct {
		EM, ISS, SUB, JTI string
		Ctrls             []string
	}
}

func readTicket(t testing.TB, token string) *ticket {
	t.Helper()
	part := strings.Split(token, ".")
	if len(part) != 3 {
		t.Fatalf("the enrolment token has %d parts", len(part))
	}
	k := &ticket{signed: part[0] + "." + part[1]}
	var header struct{ Alg, Typ, Kid string }
	for i, to := range []any{&header, &k.claims} {
		b, err := base64.RawURLEncoding.DecodeString(part[i])
		if err == nil {
			err = json.Unmarshal(b, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if k.signature, err = base64.RawURLEncoding.DecodeString(part[2]); err != nil {
		t.Fatal(err)
	}
	if k.alg = header.Alg; header.Kid == "" {
		t.Error("the enrolment token has no kid")
	}
	if k.claims.ISS == "" || k.claims.SUB == "" || k.claims.JTI == "" || k.claims.EM == "" || len(k.claims.Ctrls) == 0 {
		t.Errorf("claims are missing: %+v", k.claims)
	}
	return k
}

// signedBy accepts a server that has signed the token: what clients know of a
// controller before they have its authorities.
func (k *ticket) signedBy(s tls.ConnectionState) error {
	var sum []byte
	var hash crypto.Hash
	switch k.alg {
	case "RS256", "ES256":
		d := sha256.Sum256([]byte(k.signed))
		sum, hash = d[:], crypto.SHA256
	case "ES384":
		d := sha512.Sum384([]byte(k.signed))
		sum, hash = d[:], crypto.SHA384
	case "ES512":
		d := sha512.Sum512([]byte(k.signed))
		sum, hash = d[:], crypto.SHA512
	default:
		return fmt.Errorf("the client cannot check %q", k.alg)
	}
	switch key := s.PeerCertificates[0].PublicKey.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, hash, sum, k.signature)
	case *ecdsa.PublicKey:
		half := len(k.signature) / 2
		r, v := new(big.Int).SetBytes(k.signature[:half]), new(big.Int).SetBytes(k.signature[half:])
		if ecdsa.Verify(key, sum, r, v) {
			return nil
		}
	}
	return errors.New("the enrolment token is not signed by this server")
}

// readBundle parses the answer of the address of well-known authorities: base64
// with line breaks, a PKCS#7 without signers.
func readBundle(t testing.TB, a *answer) *x509.CertPool {
	t.Helper()
	if kind := a.header.Get("Content-Type"); a.status != 200 || !strings.HasPrefix(kind, "application/pkcs7-mime") {
		t.Fatalf("cacerts: status %d, Content-Type %q", a.status, kind)
	}
	der, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(string(a.raw)))
	if err != nil {
		t.Fatal(err)
	}
	var outer struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		t.Fatalf("PKCS#7: %v, %d bytes behind it", err, len(rest))
	}
	if want := (asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}); !outer.Type.Equal(want) {
		t.Fatalf("PKCS#7 of type %v, want signed data", outer.Type)
	}
	var inner struct {
		Version int
		Digests asn1.RawValue
		Content asn1.RawValue
		Certs   asn1.RawValue `asn1:"optional,tag:0"`
		CRLs    asn1.RawValue `asn1:"optional,tag:1"`
		Signers asn1.RawValue
	}
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &inner); err != nil {
		t.Fatal(err)
	}
	certs, err := x509.ParseCertificates(inner.Certs.Bytes)
	if err != nil || len(certs) == 0 {
		t.Fatalf("%d certificates in the bundle, %v", len(certs), err)
	}
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return pool
}
