package pki

import (
	"crypto/tls"
	"net"
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
