// Package thirdparty tells which certificate authority of somebody else stands
// behind a client certificate, and what name such a certificate carries for its
// identity.
package thirdparty

import (
	"crypto/x509"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// Authorities finds authorities in the state. It keeps their certificates
// parsed. The zero value is ready; it is safe for concurrent use.
type Authorities struct {
	parsed atomic.Pointer[map[*model.CA]*x509.Certificate]
}

// ForLogin accepts the authorities whose certificates may log in.
func ForLogin(c *model.CA) bool { return c.IsVerified && c.IsAuthEnabled }

// ForAutoEnrollment accepts the authorities whose certificates enrol by
// themselves.
func ForAutoEnrollment(c *model.CA) bool { return c.IsVerified && c.IsAutoCaEnrollmentEnabled }

// Any reports whether the state has an authority that accept accepts.
func (a *Authorities) Any(v *state.View, accept func(*model.CA) bool) bool {
	for c := range state.All[model.CA](v) {
		if accept(c) {
			return true
		}
	}
	return false
}

// Issuer returns the first authority, in the order of ids, that accept accepts
// and that the leaf of the presented certificates chains to, and the chain: leaf
// first, authority last. Only the first certificate of an authority is trusted;
// what is between is taken from the presented certificates. The leaf's own
// validity and its extended key usages do not count here, see Current. It
// returns nil when there is none.
func (a *Authorities) Issuer(v *state.View, presented []*x509.Certificate, now time.Time, accept func(*model.CA) bool) (*model.CA, []*x509.Certificate) {
	if len(presented) == 0 {
		return nil, nil
	}
	var found *model.CA
	var chain []*x509.Certificate
	known := a.parsed.Load()
	current := make(map[*model.CA]*x509.Certificate)
	for c := range state.All[model.CA](v) {
		cert := a.certificate(known, c)
		if cert == nil {
			continue
		}
		current[c] = cert
		if found == nil && accept(c) {
			if got, err := pki.VerifyPeer(presented, pki.NewBundle(cert), nil, now); err == nil {
				found, chain = c, got
			}
		}
	}
	a.parsed.Store(&current)
	return found, chain
}

// certificate returns the certificate of an authority, nil if it is unreadable.
// Entities are immutable, so the pointer stands for the content.
func (a *Authorities) certificate(known *map[*model.CA]*x509.Certificate, c *model.CA) *x509.Certificate {
	if known != nil {
		if cert := (*known)[c]; cert != nil {
			return cert
		}
	}
	certs, err := pki.ParseCertificates([]byte(c.CertPem))
	if err != nil {
		return nil
	}
	return certs[0]
}

// Current reports whether a certificate is within its validity and may
// authenticate clients.
func Current(leaf *x509.Certificate, now time.Time) bool {
	if now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return false
	}
	return len(leaf.ExtKeyUsage)+len(leaf.UnknownExtKeyUsage) == 0 ||
		slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageClientAuth) || slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageAny)
}

// ExternalID returns the name that a claim finds in a certificate, empty when
// there is none.
func ExternalID(claim *model.ExternalIDClaim, leaf *x509.Certificate) string {
	var parts []string
	for _, value := range values(claim, leaf) {
		if claim.Parser == model.ParseSplit {
			parts = append(parts, strings.Split(value, claim.ParserCriteria)...)
		} else {
			parts = append(parts, value)
		}
	}
	if claim.Index < 0 || claim.Index >= int64(len(parts)) {
		return ""
	}
	return parts[claim.Index]
}

// values returns what the matcher leaves of the values at the location, in the
// order of the certificate.
func values(claim *model.ExternalIDClaim, leaf *x509.Certificate) []string {
	var out []string
	keep := func(value string) {
		ok := true
		switch claim.Matcher {
		case model.MatchPrefix:
			value, ok = strings.CutPrefix(value, claim.MatcherCriteria)
		case model.MatchSuffix:
			value, ok = strings.CutSuffix(value, claim.MatcherCriteria)
		}
		if ok {
			out = append(out, value)
		}
	}
	switch claim.Location {
	case model.ClaimCommonName:
		keep(leaf.Subject.CommonName)
	case model.ClaimSanEmail:
		for _, e := range leaf.EmailAddresses {
			keep(e)
		}
	case model.ClaimSanURI:
		for _, u := range leaf.URIs {
			if claim.Matcher != model.MatchScheme || u.Scheme == claim.MatcherCriteria {
				out = append(out, u.String())
			}
		}
	}
	return out
}
