package pki

import (
	"crypto"
	"crypto/tls"
	"crypto/x509/pkix"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// leafFile writes a chain for a name and returns its text.
func leafFile(t *testing.T, a *Authority, key crypto.Signer, name string) string {
	t.Helper()
	chain, err := a.Issue(Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return EncodeCertificates(chain...)
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func newKeyText(t *testing.T) (crypto.Signer, string) {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, text
}

// served returns the name in the certificate that a listener shows for a
// server name.
func served(t *testing.T, address, name string) string {
	t.Helper()
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true, ServerName: name})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName
}

// TestAlternativesByServerName: two chains of one key in server_cert, another
// with its own key beside them, and a change of files for new handshakes.
func TestAlternativesByServerName(t *testing.T) {
	n, err := NewNetwork("weft.test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clientKey, clientText := newKeyText(t)
	serverKey, serverText := newKeyText(t)
	altKey, altText := newKeyText(t)
	writeAll(t, dir, map[string]string{
		"key": clientText, "cert": leafFile(t, n.Edge, clientKey, "client"),
		"server.key": serverText, "server": leafFile(t, n.Edge, serverKey, "one.example") + leafFile(t, n.Edge, serverKey, "two.example"),
		"alt.key": altText, "alt": leafFile(t, n.Edge, altKey, "three.example"),
		"ca": EncodeCertificates(n.Root.Certificate, n.Edge.Certificate),
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	i, err := LoadIdentity(Source{Cert: at("cert"), Key: "file://" + at("key"), ServerCert: at("server"), ServerKey: at("server.key"), CA: at("ca"),
		AltServerCerts: []AltSource{{ServerCert: at("alt"), ServerKey: at("alt.key")}}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", i.ServerTLS())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); c.(*tls.Conn).Handshake() }()
		}
	}()
	address := l.Addr().String()
	for name, want := range map[string]string{"one.example": "one.example", "two.example": "two.example", "three.example": "three.example", "other.example": "one.example", "": "one.example"} {
		if got := served(t, address, name); got != want {
			t.Errorf("for %q: %s, want %s", name, got, want)
		}
	}
	writeAll(t, dir, map[string]string{"alt": leafFile(t, n.Edge, altKey, "four.example")})
	if err := i.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := served(t, address, "four.example"); got != "four.example" {
		t.Errorf("after the reload: %s", got)
	}
	writeAll(t, dir, map[string]string{"alt": leafFile(t, n.Edge, serverKey, "five.example")})
	if i.Reload() == nil {
		t.Error("a certificate without its key was loaded")
	}
	if got := served(t, address, "four.example"); got != "four.example" {
		t.Errorf("after a change that does not fit: %s", got)
	}
}

// TestServerCertificateDefaultsToTheClients: without server_cert and server_key
// the identity serves with its client certificate.
func TestServerCertificateDefaultsToTheClients(t *testing.T) {
	n, err := NewNetwork("weft.test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, text := newKeyText(t)
	i, err := LoadIdentity(Source{Cert: "pem:" + leafFile(t, n.Edge, key, "both.example"), Key: text})
	if err != nil {
		t.Fatal(err)
	}
	if i.ServerCertificateValidFor("both.example") == nil {
		t.Error("no server certificate")
	}
	if _, err := LoadIdentity(Source{Cert: "pem:" + leafFile(t, n.Edge, key, "x"), Key: filepath.Join(t.TempDir(), "missing")}); err == nil {
		t.Error("a missing key is no error")
	}
}
