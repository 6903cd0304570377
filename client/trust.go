package client

import (
	"context"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// TrustAnchors fetches the CAs of the network: certificates only PKCS#7 in
// base64, RFC 7030 section 4.1. Whether they can be trusted is for the caller
// to decide.
func (c *Client) TrustAnchors(ctx context.Context) ([]*x509.Certificate, error) {
	b, err := c.Edge().ListWellKnownCas(ctx)
	if err != nil {
		return nil, err
	}
	return parseTrustAnchors(b)
}

// parseTrustAnchors reads a degenerate SignedData of RFC 2315 in DER.
func parseTrustAnchors(text []byte) ([]*x509.Certificate, error) {
	der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		return nil, fmt.Errorf("trust anchors: %w", err)
	}
	var content struct {
		Type asn1.ObjectIdentifier
		Data asn1.RawValue `asn1:"explicit,optional,tag:0"`
	}
	if _, err := asn1.Unmarshal(der, &content); err != nil {
		return nil, fmt.Errorf("trust anchors: %w", err)
	}
	var signed struct {
		Version      int
		Digests      asn1.RawValue
		Inner        asn1.RawValue
		Certificates asn1.RawValue `asn1:"optional,tag:0"`
	}
	if _, err := asn1.Unmarshal(content.Data.Bytes, &signed); err != nil {
		return nil, fmt.Errorf("trust anchors: %w", err)
	}
	certs, err := x509.ParseCertificates(signed.Certificates.Bytes)
	if err != nil {
		return nil, fmt.Errorf("trust anchors: %w", err)
	}
	if len(certs) == 0 {
		return nil, errors.New("trust anchors: the controller names none")
	}
	return certs, nil
}
