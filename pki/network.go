package pki

import (
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Network is the PKI of a new network: a root, and below it one authority for
// everything that is enrolled and another for controllers alone, so that no
// certificate that enrolment can obtain passes for one of a controller.
type Network struct {
	TrustDomain string
	Root        *Authority
	Edge        *Authority // signs identities, routers and API sessions
	Controllers *Authority // signs controllers
}

// NewNetwork makes a PKI.
func NewNetwork(trustDomain string, now time.Time) (*Network, error) {
	root, err := NewRoot("Weft root", trustDomain, now)
	if err != nil {
		return nil, err
	}
	edge, err := root.NewIntermediate("Weft edge", trustDomain, now)
	if err != nil {
		return nil, err
	}
	controllers, err := root.NewIntermediate("Weft controllers", trustDomain, now)
	if err != nil {
		return nil, err
	}
	return &Network{TrustDomain: trustDomain, Root: root, Edge: edge, Controllers: controllers}, nil
}

// Credentials are the key and the certificate chains, leaf first without root,
// of a controller.
type Credentials struct {
	Key    crypto.Signer
	Client []*x509.Certificate
	Server []*x509.Certificate
}

// NewController issues the certificates of a controller for a new key. Its
// common name is the controller id; the server certificate is made for names,
// each an IP address or a DNS name. Neither has an extended key usage.
func (n *Network) NewController(controllerID string, names []string, now time.Time) (*Credentials, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	leaf := Leaf{
		PublicKey: key.Public(),
		Subject:   pkix.Name{CommonName: controllerID, Organization: []string{"Weft"}},
		URIs:      []*url.URL{ControllerSPIFFE(n.TrustDomain, controllerID)},
		NotAfter:  now.Add(ServerLife),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment |
			x509.KeyUsageKeyEncipherment,
	}
	client, err := n.Controllers.Issue(leaf, now)
	if err != nil {
		return nil, err
	}
	leaf.DNSNames, leaf.IPAddresses = SplitNames(names)
	server, err := n.Controllers.Issue(leaf, now)
	if err != nil {
		return nil, err
	}
	return &Credentials{Key: key, Client: client, Server: server}, nil
}

// Names of the files that Write makes.
const (
	FileCA             = "ca.pem"
	FileRootCert       = "root.cert.pem"
	FileRootKey        = "root.key.pem"
	FileEdgeCert       = "edge.cert.pem"
	FileEdgeKey        = "edge.key.pem"
	FileControllerCA   = "controllers.cert.pem"
	FileControllerKey  = "controllers.key.pem"
	FileControllerCert = "controller.cert.pem"
	FileServerCert     = "controller.server.pem"
	FileLeafKey        = "controller.key.pem"
)

// Write stores the PKI and the credentials of a controller as PEM files in dir,
// which it makes with mode 0700; keys get mode 0600. It refuses to replace a
// file.
func (n *Network) Write(dir string, c *Credentials) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, certs := range map[string][]*x509.Certificate{
		FileCA:             {n.Edge.Certificate, n.Controllers.Certificate, n.Root.Certificate},
		FileRootCert:       {n.Root.Certificate},
		FileEdgeCert:       n.Edge.Chain(),
		FileControllerCA:   n.Controllers.Chain(),
		FileControllerCert: c.Client,
		FileServerCert:     c.Server,
	} {
		if err := WriteNew(filepath.Join(dir, name), EncodeCertificates(certs...), 0o644); err != nil {
			return err
		}
	}
	for name, key := range map[string]crypto.Signer{
		FileRootKey:       n.Root.Key,
		FileEdgeKey:       n.Edge.Key,
		FileControllerKey: n.Controllers.Key,
		FileLeafKey:       c.Key,
	} {
		text, err := EncodeKey(key)
		if err != nil {
			return err
		}
		if err := WriteNew(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// WriteNew writes a file that must not exist yet and syncs it. An existing file
// gives an error that matches fs.ErrExist.
func WriteNew(path, text string, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// TrustDomain returns the trust domain of a controller: that of the first
// SPIFFE id found in the chain of its certificate, else configured, with or
// without spiffe://, else the fingerprint of the chain's self-signed root. When
// the leaf itself carries a SPIFFE id, its path must be /controller/<id> with
// the leaf's common name as id.
func TrustDomain(chain []*x509.Certificate, trusted *Bundle, configured string) (string, error) {
	if len(chain) == 0 {
		return "", ErrNoCertificate
	}
	if u, err := SPIFFE(chain[0]); err == nil {
		if id, ok := PathID(u, "controller"); !ok || id != chain[0].Subject.CommonName {
			return "", fmt.Errorf("pki: the SPIFFE id %s is not that of controller %q", u, chain[0].Subject.CommonName)
		}
		return u.Host, nil
	}
	all := append(append([]*x509.Certificate{}, chain...), chainAbove(chain[len(chain)-1], trusted.certs)...)
	for _, c := range all[1:] {
		if u, err := SPIFFE(c); err == nil {
			return u.Host, nil
		}
	}
	if configured != "" {
		u, err := url.Parse(configured)
		if err == nil && u.Scheme == "spiffe" {
			return u.Host, nil
		}
		return configured, nil
	}
	if root := all[len(all)-1]; SelfSigned(root) {
		return Fingerprint(root), nil
	}
	return "", errors.New("pki: no trust domain: no SPIFFE id, no configured value, no root")
}
