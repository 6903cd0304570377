package model

import (
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"strings"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
)

// Derive fills in what follows from the members that a client gives, before e is
// proposed: fingerprints and validity of certificates, and the token by which a
// CA is verified. It is called for a new entity and after its certificate has
// changed; a certificate that does not fit is refused.
func Derive(e Entity) error {
	switch e := e.(type) {
	case *CA:
		return deriveCA(e)
	case *ExternalJwtSigner:
		return deriveSigner(e)
	}
	return nil
}

func deriveCA(c *CA) error {
	certs, err := certificates("certPem", c.CertPem)
	if err != nil {
		return err
	}
	if !certs[0].IsCA {
		return fault.CertificateIsNotCA.Field("certPem", "the first certificate is not one of a CA", c.CertPem)
	}
	c.Fingerprint = fingerprint(certs[0])
	if c.VerificationToken == "" && !c.IsVerified {
		c.VerificationToken = id.UUID()
	}
	return nil
}

func deriveSigner(s *ExternalJwtSigner) error {
	if given(s.CertPem) == nil {
		return nil
	}
	certs, err := certificates("certPem", *s.CertPem)
	if err != nil {
		return err
	}
	if len(certs) != 1 {
		return fault.CouldNotValidate.Field("certPem", fmt.Sprintf("exactly one certificate is expected, there are %d", len(certs)), *s.CertPem)
	}
	print := fingerprint(certs[0])
	s.Fingerprint, s.CommonName = &print, certs[0].Subject.CommonName
	s.NotBefore, s.NotAfter = certs[0].NotBefore.UTC(), certs[0].NotAfter.UTC()
	return nil
}

// certificates parses PEM text that holds certificates and nothing else, at
// least one.
func certificates(field, text string) ([]*x509.Certificate, error) {
	var out []*x509.Certificate
	for rest := []byte(text); strings.TrimSpace(string(rest)) != "" || len(out) == 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return nil, fault.CouldNotValidate.Field(field, fmt.Sprintf("could not parse block #%d", len(out)+1), text)
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fault.CouldNotValidate.Field(field, fmt.Sprintf("could not parse block #%d", len(out)+1), text)
		}
		out = append(out, cert)
	}
	return out, nil
}

// fingerprint is the SHA-1 of the certificate in lower-case hex, which is how
// the ecosystem names certificates.
func fingerprint(c *x509.Certificate) string {
	sum := sha1.Sum(c.Raw)
	return hex.EncodeToString(sum[:])
}
