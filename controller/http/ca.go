package http

import (
	"crypto/x509"
	"encoding/pem"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type caEntity = entity[model.CA, api.CA, *model.CA]

func (s *Server) caEntity() *caEntity {
	x := newEntity[model.CA, api.CA](s.links.ca, shapeCA)
	x.indexes["fingerprint"] = state.ByFingerprint
	x.before = guarded((*call).guardCA, func(w *change[model.CA]) error {
		if w.mode != api.Create {
			w.e.CertPem = w.old.CertPem // never changes
			return nil
		}
		return model.Derive(w.e)
	})
	return x
}

func shapeCA(c *call, d *api.CA, e *model.CA) {
	base(&d.Base, &e.Base, c.s.links.ca)
	d.IsSystem, d.Name, d.CertPem, d.Fingerprint = e.IsSystem, e.Name, e.CertPem, e.Fingerprint
	d.IdentityNameFormat, d.IdentityRoles = e.IdentityNameFormat, e.IdentityRoles
	d.IsAuthEnabled, d.IsAutoCaEnrollmentEnabled, d.IsOttCaEnrollmentEnabled = e.IsAuthEnabled, e.IsAutoCaEnrollmentEnabled, e.IsOttCaEnrollmentEnabled
	d.IsVerified, d.VerificationToken = e.IsVerified, e.VerificationToken
	if x := e.ExternalIDClaim; x != nil {
		d.ExternalIDClaim = &api.ExternalIDClaim{Index: x.Index, Location: x.Location, Matcher: x.Matcher, MatcherCriteria: x.MatcherCriteria,
			Parser: x.Parser, ParserCriteria: x.ParserCriteria}
	}
}

// caJWT handles GET /cas/{id}/jwt.
func (s *Server) caJWT(c *call) error {
	e, err := s.cas.get(c, c.id())
	if err != nil {
		return err
	}
	return c.text("application/jwt", func() ([]byte, error) {
		text, err := s.cfg.Enroller.CAJWT(e.ID)
		return []byte(text), err
	})
}

// verifyCA handles POST /cas/{id}/verify: a certificate that the CA has issued
// for its verification token shows that the caller has the CA's key.
func (s *Server) verifyCA(c *call) error {
	e, err := s.cas.get(c, c.id())
	if err != nil {
		return err
	}
	if err := c.guardCA(e); err != nil {
		return err
	}
	if e.IsVerified {
		return fault.CAAlreadyVerified.New(nil)
	}
	text := c.raw
	if in, ok := c.body.(*string); ok && in != nil {
		text = []byte(*in)
	}
	if err := s.provesCA(e, text); err != nil {
		return err
	}
	cmd := c.command().Expect(model.KindCA, e.ID, map[string]any{"verificationToken": e.VerificationToken})
	if err := c.propose(cmd.Patch(model.KindCA, e.ID, map[string]any{"isVerified": true, "verificationToken": nil})); err != nil {
		return err
	}
	return c.done()
}

// provesCA refuses a certificate that is not one of the CA for its token.
func (s *Server) provesCA(ca *model.CA, text []byte) error {
	block, _ := pem.Decode(text)
	if block == nil {
		return fault.CouldNotParseBody.Errorf("the body must be a certificate in PEM form")
	}
	if block.Type != "CERTIFICATE" {
		return fault.ExpectedPEMCertificate.New(nil)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return fault.CouldNotParseDERBlock.New(err)
	}
	if cert.Subject.CommonName != ca.VerificationToken {
		return fault.InvalidCommonName.New(nil).WithRemedy("issue the certificate with the verificationToken of the CA as common name")
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(firstBlock(ca.CertPem)))
	_, err = cert.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: s.cfg.Now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return fault.CertificateFailedValidation.New(err)
	}
	return nil
}

// firstBlock is the first certificate of a PEM text: the only trust anchor of a
// CA.
func firstBlock(text string) string {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return ""
	}
	return string(pem.EncodeToMemory(block))
}
