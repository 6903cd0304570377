package client

import (
	"crypto/x509"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
)

func TestParseTrustAnchors(t *testing.T) {
	root, err := pki.NewRoot("root", "example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.PKCS7Base64([]*x509.Certificate{root.Certificate})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{"one line": text, "with line breaks": text[:40] + "\r\n" + text[40:] + "\n"} {
		if certs, err := parseTrustAnchors([]byte(in)); err != nil || len(certs) != 1 || certs[0].Subject.CommonName != "root" {
			t.Errorf("%s: got %v, %v", name, certs, err)
		}
	}
	for name, in := range map[string]string{"no base64": "%", "no DER": "aGVsbG8=", "empty": "", "cut": text[:len(text)/8*4]} {
		if certs, err := parseTrustAnchors([]byte(in)); err == nil {
			t.Errorf("%s: got %v", name, certs)
		}
	}
}

func FuzzParseTrustAnchors(f *testing.F) {
	f.Add([]byte("MIAGCSqGSIb3DQEHAqCAMIACAQExAA=="))
	f.Fuzz(func(t *testing.T, b []byte) { parseTrustAnchors(b) })
}
