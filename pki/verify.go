package pki

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Errors of the checks of a peer's certificate.
var (
	ErrNoPeerCertificate = errors.New("pki: no client certificate")
	ErrUntrusted         = errors.New("pki: the certificate does not chain to a trusted CA")
	ErrNotBound          = errors.New("pki: the certificate is not bound to the session")
	ErrCertExpired       = errors.New("pki: the certificate is outside its validity")
)

// VerifyPeer checks that the leaf, the first certificate presented, chains to
// one of roots, with the other presented certificates and intermediates as
// links. The leaf's own validity and every extended key usage are ignored;
// issuers must be valid at now. It returns the chain, leaf first, root last.
// Errors: ErrNoPeerCertificate, ErrUntrusted.
func VerifyPeer(presented []*x509.Certificate, roots *Bundle, intermediates *Bundle, now time.Time) ([]*x509.Certificate, error) {
	if len(presented) == 0 {
		return nil, ErrNoPeerCertificate
	}
	links := x509.NewCertPool()
	for _, c := range presented[1:] {
		links.AddCert(c)
	}
	if intermediates != nil {
		for _, c := range intermediates.certs {
			links.AddCert(c)
		}
	}
	leaf := presented[0]
	opts := x509.VerifyOptions{
		Roots:         roots.Pool(),
		Intermediates: links,
		CurrentTime:   now,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	if outside(leaf, now) {
		// A copy whose dates enclose now: the signature covers Raw, which stays.
		c := *leaf
		c.NotBefore, c.NotAfter = now.Add(-time.Second), now.Add(time.Second)
		leaf = &c
	}
	chains, err := leaf.Verify(opts)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrUntrusted, err)
	}
	chain := append([]*x509.Certificate{presented[0]}, chains[0][1:]...)
	return chain, nil
}

func outside(c *x509.Certificate, now time.Time) bool {
	return now.Before(c.NotBefore) || now.After(c.NotAfter)
}

// Binding is what a session knows about the certificates of its holder.
type Binding struct {
	IdentityID string
	SessionID  string
	// Fingerprints of certificates that are accepted as they are: that of the
	// login and those of the identity's certificate authenticators.
	Fingerprints []string
	// AllowExpired accepts an expired leaf that is bound by fingerprint or by
	// the identity's SPIFFE id. A session certificate must always be valid.
	AllowExpired bool
	// TrustDomains are those whose SPIFFE ids count; none means all.
	TrustDomains []string
}

// Check tells whether a verified leaf may use the session. ownPKI says whether
// the leaf chains to the network's own authorities: only then its SPIFFE id
// counts. Errors: ErrNotBound, ErrCertExpired.
func (b Binding) Check(leaf *x509.Certificate, ownPKI bool, now time.Time) error {
	expired := outside(leaf, now)
	print := Fingerprint(leaf)
	for _, f := range b.Fingerprints {
		if f == print {
			return b.checkExpiry(expired)
		}
	}
	if !ownPKI {
		return ErrNotBound
	}
	u, err := SPIFFE(leaf)
	if err != nil || len(b.TrustDomains) > 0 && !slices.Contains(b.TrustDomains, u.Host) {
		return ErrNotBound
	}
	switch MatchSPIFFE(u, b.IdentityID, b.SessionID) {
	case MatchesIdentity:
		return b.checkExpiry(expired)
	case MatchesSession:
		if expired {
			return ErrCertExpired
		}
		return nil
	}
	return ErrNotBound
}

func (b Binding) checkExpiry(expired bool) error {
	if expired && !b.AllowExpired {
		return ErrCertExpired
	}
	return nil
}
