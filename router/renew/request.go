package renew

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// request makes the two certificate requests for the keys that the router has:
// the subject is that of the present client certificate, the names are those of
// the configuration, else those of the present server certificate.
func (r *Renewer) request() (*ctrl.Extend, error) {
	client := r.cfg.Identity.ClientCertificate()
	key, ok := client.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key of the client certificate cannot sign")
	}
	subject := client.Leaf.Subject
	subject.Names, subject.ExtraNames = nil, nil
	out := &ctrl.Extend{}
	var err error
	if out.CertCsr, err = pki.NewCSR(key, subject); err != nil {
		return nil, err
	}
	names := r.cfg.Names
	if server := r.server(); server != nil {
		if key, ok = server.PrivateKey.(crypto.Signer); !ok {
			return nil, errors.New("the key of the server certificate cannot sign")
		}
		if len(names) == 0 {
			names = namesOf(server.Leaf)
		}
	}
	out.ServerCertCsr, err = pki.NewCSR(key, subject, names...)
	return out, err
}

func namesOf(c *x509.Certificate) []string {
	names := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// server returns the server certificate that the network has issued, nil if
// there is none: certificates of other authorities are not renewed here.
func (r *Renewer) server() *tls.Certificate {
	if r.cfg.Files.ServerCert == "" {
		return nil
	}
	for _, c := range r.cfg.Identity.ServerCertificates() {
		chain := []*x509.Certificate{c.Leaf}
		for _, raw := range c.Certificate[1:] {
			if above, err := x509.ParseCertificate(raw); err == nil {
				chain = append(chain, above)
			}
		}
		if r.ofNetwork(chain) {
			return c
		}
	}
	return nil
}

// ofNetwork reports whether the network has issued a chain to this router: it
// leads to an authority that the router trusts, and names the router.
func (r *Renewer) ofNetwork(chain []*x509.Certificate) bool {
	if chain[0].Subject.CommonName != r.cfg.Identity.ClientCertificate().Leaf.Subject.CommonName {
		return false
	}
	_, err := pki.VerifyPeer(chain, r.cfg.Identity.Bundle(), nil, r.cfg.Clock.Now())
	return err == nil
}

// check refuses an answer that would leave the router without working
// certificates.
func (r *Renewer) check(e *ctrl.Extended, now time.Time) error {
	client := r.cfg.Identity.ClientCertificate()
	trusted := r.cfg.Identity.Bundle()
	if e.Ca != "" {
		more, err := pki.ParseBundle([]byte(e.Ca))
		if err != nil {
			return fmt.Errorf("the trust bundle: %w", err)
		}
		trusted = pki.NewBundle(append(more.Certificates(), trusted.Certificates()...)...)
	}
	if err := usable(e.Cert, client, trusted, now); err != nil {
		return fmt.Errorf("the client certificate: %w", err)
	}
	if server := r.server(); server != nil {
		if err := usable(e.ServerCert, server, trusted, now); err != nil {
			return fmt.Errorf("the server certificate: %w", err)
		}
	}
	return nil
}

// usable checks a new chain against the one it replaces.
func usable(text string, old *tls.Certificate, trusted *pki.Bundle, now time.Time) error {
	chain, err := pki.ParseCertificates([]byte(text))
	if err != nil {
		return err
	}
	key, _ := old.PrivateKey.(crypto.Signer)
	switch leaf := chain[0]; {
	case key == nil || !pki.SamePublicKey(leaf, key):
		return errors.New("it does not belong to the router's key")
	case leaf.Subject.CommonName != old.Leaf.Subject.CommonName:
		return fmt.Errorf("it is made for %q", leaf.Subject.CommonName)
	case now.After(leaf.NotAfter):
		return pki.ErrCertExpired
	}
	_, err = pki.VerifyPeer(chain, trusted, nil, now)
	return err
}

// serverText returns the new content of the file of server chains: the renewed
// one, and those of other authorities that stand beside it.
func (r *Renewer) serverText(renewed string) (string, error) {
	server := r.server()
	if server == nil {
		return "", nil
	}
	text, err := os.ReadFile(r.cfg.Files.ServerCert)
	if err != nil {
		return "", err
	}
	certs, err := pki.ParseCertificates(text)
	if err != nil {
		return "", err
	}
	key, _ := server.PrivateKey.(crypto.Signer)
	keep := false
	for i, c := range certs {
		if pki.SamePublicKey(c, key) {
			keep = !r.ofNetwork(certs[i:])
		}
		if keep {
			renewed += pki.EncodeCertificates(c)
		}
	}
	return renewed, nil
}
