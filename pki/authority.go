package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"time"
)

// Lifetimes of what an authority signs.
const (
	AuthorityLife   = 3650 * 24 * time.Hour
	ServerLife      = 365 * 24 * time.Hour
	SessionCertLife = 12 * time.Hour
)

// backdate makes a fresh certificate acceptable to clocks that are behind.
const backdate = time.Minute

// Authority is a certificate authority: a CA certificate, its key, and the
// certificates that lead from it towards its root. It is immutable and safe
// for concurrent use.
type Authority struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
	// Issuers are the authorities above, nearest first, including the root
	// when it is known. Empty for a root.
	Issuers []*x509.Certificate
}

// NewAuthority puts a certificate and its key together after checking that they
// belong to each other and that the certificate is a CA. The further
// certificates are searched for the chain above it.
func NewAuthority(cert *x509.Certificate, key crypto.Signer, known ...*x509.Certificate) (*Authority, error) {
	if !cert.IsCA {
		return nil, errors.New("pki: the signing certificate is not a CA")
	}
	if !SamePublicKey(cert, key) {
		return nil, errors.New("pki: certificate and key of the authority do not belong together")
	}
	return &Authority{Certificate: cert, Key: key, Issuers: chainAbove(cert, known)}, nil
}

// NewRoot makes a self-signed authority whose SPIFFE id carries the trust
// domain.
func NewRoot(commonName, trustDomain string, now time.Time) (*Authority, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	t := authorityTemplate(commonName, trustDomain, now)
	cert, err := sign(t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &Authority{Certificate: cert, Key: key}, nil
}

// NewIntermediate makes an authority below a that signs leaves only.
func (a *Authority) NewIntermediate(commonName, trustDomain string, now time.Time) (*Authority, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	t := authorityTemplate(commonName, trustDomain, now)
	t.MaxPathLen, t.MaxPathLenZero = 0, true
	if t.NotAfter.After(a.Certificate.NotAfter) {
		t.NotAfter = a.Certificate.NotAfter
	}
	cert, err := sign(t, a.Certificate, key.Public(), a.Key)
	if err != nil {
		return nil, err
	}
	return &Authority{Certificate: cert, Key: key, Issuers: append([]*x509.Certificate{a.Certificate}, a.Issuers...)}, nil
}

func authorityTemplate(commonName, trustDomain string, now time.Time) *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: commonName, Organization: []string{"Weft"}},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(AuthorityLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		URIs:                  []*url.URL{CASPIFFE(trustDomain)},
	}
}

// Leaf describes a certificate to issue. Nothing is taken from a request but
// its public key, unless the caller copies it here.
type Leaf struct {
	PublicKey   crypto.PublicKey
	Subject     pkix.Name
	DNSNames    []string
	IPAddresses []net.IP
	URIs        []*url.URL
	NotBefore   time.Time // zero: a minute before now
	NotAfter    time.Time // zero: a calendar year from now
	KeyUsage    x509.KeyUsage
	ExtKeyUsage []x509.ExtKeyUsage
}

// edgeKeyUsage is the key usage of certificates of identities and routers.
const edgeKeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageDataEncipherment

// Issue signs a certificate with a random serial number of 127 bits and returns
// it with its chain, leaf first, without the root.
func (a *Authority) Issue(l Leaf, now time.Time) ([]*x509.Certificate, error) {
	if l.NotBefore.IsZero() {
		l.NotBefore = now.Add(-backdate)
	}
	if l.NotAfter.IsZero() {
		l.NotAfter = now.AddDate(1, 0, 0)
	}
	if l.KeyUsage == 0 {
		l.KeyUsage = edgeKeyUsage
	}
	cert, err := sign(&x509.Certificate{
		Subject:     l.Subject,
		NotBefore:   l.NotBefore,
		NotAfter:    l.NotAfter,
		KeyUsage:    l.KeyUsage,
		ExtKeyUsage: l.ExtKeyUsage,
		DNSNames:    l.DNSNames,
		IPAddresses: l.IPAddresses,
		URIs:        l.URIs,
	}, a.Certificate, l.PublicKey, a.Key)
	if err != nil {
		return nil, err
	}
	return append([]*x509.Certificate{cert}, a.Chain()...), nil
}

// Chain returns the authority's certificate and those above it without the
// root; empty for a root.
func (a *Authority) Chain() []*x509.Certificate {
	return WithoutRoot(append([]*x509.Certificate{a.Certificate}, a.Issuers...))
}

// WithoutRoot returns a chain without its self-signed certificates.
func WithoutRoot(chain []*x509.Certificate) []*x509.Certificate {
	out := make([]*x509.Certificate, 0, len(chain))
	for _, c := range chain {
		if !SelfSigned(c) {
			out = append(out, c)
		}
	}
	return out
}

// SelfSigned reports whether a CA certificate is signed by its own key.
func SelfSigned(c *x509.Certificate) bool {
	return c.IsCA && string(c.RawIssuer) == string(c.RawSubject) && c.CheckSignatureFrom(c) == nil
}

// chainAbove finds the issuers of c among known, nearest first.
func chainAbove(c *x509.Certificate, known []*x509.Certificate) []*x509.Certificate {
	var chain []*x509.Certificate
	for len(chain) < 8 && !SelfSigned(c) {
		i := issuerOf(c, known)
		if i == nil {
			break
		}
		chain, c = append(chain, i), i
	}
	return chain
}

func issuerOf(c *x509.Certificate, known []*x509.Certificate) *x509.Certificate {
	for _, k := range known {
		if k.IsCA && string(k.RawSubject) == string(c.RawIssuer) && c.CheckSignatureFrom(k) == nil {
			return k
		}
	}
	return nil
}

// sign fills in the serial number and signs.
func sign(t, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	t.SerialNumber = serial.Add(serial, big.NewInt(1))
	der, err := x509.CreateCertificate(rand.Reader, t, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("pki: signing certificate of %q: %w", t.Subject.CommonName, err)
	}
	return x509.ParseCertificate(der)
}
