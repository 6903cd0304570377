package http

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"testing"
)

// TestProxied: what a router passes on for others does not come from the router.
func TestProxied(t *testing.T) {
	r := httptest.NewRequest("GET", "/version", nil)
	if unproxied(r) != r {
		t.Error("changed without TLS")
	}
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{}}}
	if got := unproxied(r); len(got.TLS.PeerCertificates) != 1 {
		t.Error("a client's own certificate is lost")
	}
	r.Header.Set(headerProxied, "now")
	r.Header.Set("X-Client-CertPem", "AAAA")
	if got := unproxied(r); len(got.TLS.PeerCertificates) != 0 || len(r.TLS.PeerCertificates) != 1 {
		t.Error("the router's certificate counts, or other requests of the connection lose theirs")
	}
}
