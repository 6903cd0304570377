package pki

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"testing"
	"time"
)

func TestTLSBothWays(t *testing.T) {
	now := time.Now()
	n, err := NewNetwork("weft.test", now)
	if err != nil {
		t.Fatal(err)
	}
	c, err := n.NewController("ctrl1", []string{"localhost"}, now)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := EncodeKey(c.Key)
	bundle := NewBundle(n.Edge.Certificate, n.Root.Certificate)
	id, err := LoadIdentity(Source{Cert: EncodeCertificates(c.Client...), ServerCert: EncodeCertificates(c.Server...),
		Key: key, CA: bundle.PEM()})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := NewNetwork("weft.test", now)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := LoadIdentity(Source{Cert: EncodeCertificates(c.Client...), Key: key,
		CA: EncodeCertificates(foreign.Root.Certificate)})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		client *Identity
		server string
		ok     bool
	}{
		{"trusted", id, "localhost", true},
		{"wrong name", id, "elsewhere", false},
		{"another network", stranger, "localhost", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := id.ServerTLS()
			server.VerifyConnection = VerifyClients(id.Bundle, func() *Bundle { return bundle }, time.Now)
			client := tt.client.ClientTLS()
			client.ServerName = tt.server
			if err := handshake(client, server); (err == nil) != tt.ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

func handshake(client, server *tls.Config) error {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	done := make(chan error, 1)
	go func() { done <- tls.Server(b, server).Handshake() }()
	if err := tls.Client(a, client).Handshake(); err != nil {
		a.Close()
		<-done
		return err
	}
	return <-done
}

func TestCheckController(t *testing.T) {
	now := time.Now()
	network, err := NewNetwork("weft.test", now)
	if err != nil {
		t.Fatal(err)
	}
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		uri  *url.URL
		want error
	}{
		{"controller", ControllerSPIFFE("weft.test", "c"), nil},
		{"no id", nil, nil},
		{"router", RouterSPIFFE("weft.test", "r"), ErrNotController},
		{"identity", IdentitySPIFFE("weft.test", "i"), ErrNotController},
	} {
		t.Run(tt.name, func(t *testing.T) {
			leaf := Leaf{PublicKey: key.Public(), DNSNames: []string{"localhost"}}
			if tt.uri != nil {
				leaf.URIs = []*url.URL{tt.uri}
			}
			chain, err := network.Edge.Issue(leaf, now)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckController(chain[0]); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
