package pki

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// ServerTLS returns the configuration of a listener: certificates by SNI, a
// client certificate requested but neither required nor verified here, because
// different requests trust different authorities. The caller sets NextProtos
// and, if wanted, VerifyConnection.
func (i *Identity) ServerTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		ClientAuth: tls.RequestClientCert,
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if c := i.ServerCertificateFor(h.ServerName); c != nil {
				return c, nil
			}
			return nil, errors.New("pki: no server certificate")
		},
	}
}

// ClientTLS returns the configuration of a connection to a server of the
// network: it presents the client certificate and verifies the server's name
// and chain against the identity's CAs, both as they are at the handshake.
// The caller sets ServerName and NextProtos; tls.Dial sets ServerName itself.
func (i *Identity) ClientTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if c := i.ClientCertificate(); c != nil {
				return c, nil
			}
			return &tls.Certificate{}, nil
		},
		// The stock check uses a pool fixed beforehand; VerifyConnection below
		// makes the same check against the pool of the moment.
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			return VerifyServer(s, i.Bundle(), time.Now())
		},
	}
}

// VerifyServer checks the chain and the name of a server that was dialled.
// Any extended key usage is accepted: server certificates of controllers may
// carry none.
func VerifyServer(s tls.ConnectionState, trusted *Bundle, now time.Time) error {
	if len(s.PeerCertificates) == 0 {
		return ErrNoPeerCertificate
	}
	links := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		links.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{
		DNSName:       s.ServerName,
		Roots:         trusted.Pool(),
		Intermediates: links,
		CurrentTime:   now,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	return err
}

// ErrNotController says that a server is one of the network, but no controller.
var ErrNotController = errors.New("pki: the server's certificate is not a controller's")

// CheckController refuses a certificate that the network issued to a router or
// an identity: routers choose the names in their certificates, so one could
// pass for a controller otherwise. A certificate without a SPIFFE id passes, as
// those of other PKIs have none. The error is ErrNotController.
func CheckController(leaf *x509.Certificate) error {
	id, err := SPIFFE(leaf)
	if err != nil {
		return nil
	}
	if _, ok := PathID(id, "controller"); !ok {
		return fmt.Errorf("%w: %s", ErrNotController, id)
	}
	return nil
}

// VerifyClients returns a check for tls.Config.VerifyConnection of listeners
// that demand a client certificate of the given authorities: the leaf must
// chain to a root, its validity is ignored, because the session decides about
// expiry. roots and intermediates are asked at every
// handshake.
func VerifyClients(roots, intermediates func() *Bundle, now func() time.Time) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		_, err := VerifyPeer(s.PeerCertificates, roots(), intermediates(), now())
		return err
	}
}
