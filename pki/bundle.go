package pki

import (
	"crypto/x509"
	"sync"
)

// Bundle is an ordered set of CA certificates. It is immutable and safe for
// concurrent use.
type Bundle struct {
	certs []*x509.Certificate
	pool  *x509.CertPool

	once  sync.Once
	roots *Bundle // set by once
}

// NewBundle keeps the CA certificates of certs, in order, without duplicates.
func NewBundle(certs ...*x509.Certificate) *Bundle {
	b := &Bundle{pool: x509.NewCertPool()}
	seen := make(map[string]bool, len(certs))
	for _, c := range certs {
		if !c.IsCA || seen[string(c.Raw)] {
			continue
		}
		seen[string(c.Raw)] = true
		b.certs = append(b.certs, c)
		b.pool.AddCert(c)
	}
	return b
}

// ParseBundle reads the CA certificates of a PEM text. Other certificates are
// left out. The error is ErrNoCertificate when none remains.
func ParseBundle(text []byte) (*Bundle, error) {
	certs, err := ParseCertificates(text)
	if err != nil {
		return nil, err
	}
	b := NewBundle(certs...)
	if len(b.certs) == 0 {
		return nil, ErrNoCertificate
	}
	return b, nil
}

// Certificates returns the certificates in order; the caller must not change
// the slice.
func (b *Bundle) Certificates() []*x509.Certificate { return b.certs }

// Pool returns all certificates as trust anchors; the caller must not add to
// it.
func (b *Bundle) Pool() *x509.CertPool { return b.pool }

// PEM returns the concatenated PEM text.
func (b *Bundle) PEM() string { return EncodeCertificates(b.certs...) }

// Roots returns the bundle of the self-signed certificates.
func (b *Bundle) Roots() *Bundle {
	b.once.Do(func() {
		var roots []*x509.Certificate
		for _, c := range b.certs {
			if SelfSigned(c) {
				roots = append(roots, c)
			}
		}
		b.roots = NewBundle(roots...)
	})
	return b.roots
}

// ChainOf returns leaf and the issuers found in the bundle, without the root:
// what is sent to clients and stored by them.
func (b *Bundle) ChainOf(leaf *x509.Certificate) []*x509.Certificate {
	return WithoutRoot(append([]*x509.Certificate{leaf}, chainAbove(leaf, b.certs)...))
}
