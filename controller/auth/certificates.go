package auth

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"slices"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/pki"
)

// maxCertificates bounds the certificates of one session.
const maxCertificates = 32

// CreateCertificate signs a certificate for a session, valid for
// pki.SessionCertLife: subject CN is the identity id, the SPIFFE id names the
// session, and nothing is taken from the request but its key. Refusals:
// fault.CouldNotProcessCSR, fault.NotFound for a session that is not live,
// fault.TooManyRequests for more than 32 valid certificates.
func (a *Auth) CreateCertificate(_ context.Context, sessionID, csr string) (*Certificate, error) {
	e := a.sessions.get(sessionID)
	if e == nil {
		return nil, fault.NotFound.Errorf("apiSession with id %s not found", sessionID)
	}
	req, err := pki.ParseCSR([]byte(csr))
	if err != nil {
		return nil, fault.CouldNotProcessCSR.New(err)
	}
	now := a.now().Truncate(time.Millisecond)
	rec := e.record.Load()
	c := certRecord{ID: id.Short(), CreatedAt: now}
	chain, err := a.deps.Signer().Issue(pki.Leaf{
		PublicKey:   req.PublicKey,
		Subject:     pkix.Name{CommonName: rec.IdentityID},
		URIs:        []*url.URL{pki.SessionSPIFFE(a.cfg.TrustDomain, rec.IdentityID, rec.ID, c.ID)},
		NotBefore:   now,
		NotAfter:    now.Add(pki.SessionCertLife),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, now)
	if err != nil {
		return nil, fault.Unhandled.New(err)
	}
	for _, cert := range chain {
		c.Chain = append(c.Chain, cert.Raw)
	}
	err = a.edit(e, func(r *record) error {
		r.Certificates = slices.DeleteFunc(r.Certificates, func(old certRecord) bool {
			return len(old.Chain) > 1 && now.Sub(old.CreatedAt) > pki.SessionCertLife
		})
		if len(r.Certificates) >= maxCertificates {
			return fault.TooManyRequests.Errorf("the session has %d certificates already", maxCertificates)
		}
		r.Certificates = append(r.Certificates, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return describe(c.ID, c.CreatedAt, chain), nil
}

// Certificates returns the certificates of a session: that of the login, if
// any, and those issued for it; never nil.
func (a *Auth) Certificates(sessionID string) []*Certificate {
	out := []*Certificate{}
	e := a.sessions.get(sessionID)
	if e == nil {
		return out
	}
	for _, c := range e.record.Load().Certificates {
		cert, err := c.certificate()
		if err != nil {
			a.log.Error("stored session certificate is unreadable", "sessionId", sessionID, "certificateId", c.ID, "error", err)
			continue
		}
		out = append(out, cert)
	}
	return out
}

// DeleteCertificate takes a certificate from a session. The refusal is
// fault.NotFound for any other id.
func (a *Auth) DeleteCertificate(sessionID, certificateID string) error {
	notFound := fault.NotFound.Errorf("sessionCertificate with id %s not found", certificateID)
	e := a.sessions.get(sessionID)
	if e == nil {
		return notFound
	}
	return a.edit(e, func(r *record) error {
		n := len(r.Certificates)
		r.Certificates = slices.DeleteFunc(r.Certificates, func(c certRecord) bool { return c.ID == certificateID })
		if len(r.Certificates) == n {
			return notFound
		}
		return nil
	})
}

// ReplaceCertificate puts a renewed certificate of the identity in the place of
// the one that its sessions were begun with.
func (a *Auth) ReplaceCertificate(identityID, oldFingerprint string, chain []*x509.Certificate) {
	if len(chain) == 0 {
		return
	}
	for _, e := range a.sessions.ofIdentity(identityID) {
		_ = a.edit(e, func(r *record) error { // the change below cannot fail
			r.Certificates = slices.DeleteFunc(r.Certificates, func(c certRecord) bool {
				cert, err := x509.ParseCertificate(c.Chain[0])
				return err == nil && pki.Fingerprint(cert) == oldFingerprint
			})
			r.Certificates = append(r.Certificates, certRecord{ID: id.Short(), CreatedAt: a.now(), Chain: [][]byte{chain[0].Raw}})
			return nil
		})
	}
}

// edit replaces the record of a session by a changed copy and journals it.
func (a *Auth) edit(e *entry, change func(*record) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := *e.record.Load()
	next.Certificates = slices.Clone(next.Certificates)
	if err := change(&next); err != nil {
		return err
	}
	e.record.Store(&next)
	if a.sessions.get(next.ID) == e {
		a.journal.put(keySession+next.ID, &next)
	}
	return nil
}

func describe(certID string, createdAt time.Time, chain []*x509.Certificate) *Certificate {
	leaf := chain[0]
	return &Certificate{
		ID: certID, CreatedAt: createdAt, PEM: pki.EncodeCertificates(chain...), Fingerprint: pki.Fingerprint(leaf),
		Subject: leaf.Subject.String(), ValidFrom: leaf.NotBefore.UTC(), ValidTo: leaf.NotAfter.UTC(),
	}
}
