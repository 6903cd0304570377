package enroll

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
)

// encodeCSR signs a request of any content.
func encodeCSR(t testing.TB, key crypto.Signer, r *x509.CertificateRequest) string {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, r, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func ip(text string) []net.IP { return []net.IP{net.ParseIP(text)} }
