package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"strings"
)

var (
	oidData       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
)

// contentInfo and signedData are the structures of RFC 2315 §7 and §9.1, in
// the degenerate form that carries certificates only.
type contentInfo struct {
	Type    asn1.ObjectIdentifier
	Content asn1.RawValue `asn1:"explicit,optional,tag:0"`
}

type signedData struct {
	Version          int
	DigestAlgorithms []asn1.RawValue `asn1:"set"`
	ContentInfo      contentInfo
	Certificates     asn1.RawValue   `asn1:"optional,tag:0"`
	SignerInfos      []asn1.RawValue `asn1:"set"`
}

// PKCS7 returns the DER form of a certs-only PKCS#7 SignedData.
func PKCS7(certs []*x509.Certificate) ([]byte, error) {
	var raw []byte
	for _, c := range certs {
		raw = append(raw, c.Raw...)
	}
	inner, err := asn1.Marshal(signedData{
		Version:          1,
		DigestAlgorithms: []asn1.RawValue{},
		ContentInfo:      contentInfo{Type: oidData},
		Certificates:     asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: raw},
		SignerInfos:      []asn1.RawValue{},
	})
	if err != nil {
		return nil, fmt.Errorf("pki: PKCS#7: %w", err)
	}
	return asn1.Marshal(contentInfo{
		Type:    oidSignedData,
		Content: asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: inner},
	})
}

// PKCS7Base64 returns the body of a cacerts answer: base64 of PKCS7 in lines of
// 64 characters, no newline after the last.
func PKCS7Base64(certs []*x509.Certificate) (string, error) {
	der, err := PKCS7(certs)
	if err != nil {
		return "", err
	}
	text := base64.StdEncoding.EncodeToString(der)
	var b strings.Builder
	for len(text) > 64 {
		b.WriteString(text[:64])
		b.WriteByte('\n')
		text = text[64:]
	}
	b.WriteString(text)
	return b.String(), nil
}

// ParsePKCS7 reads the certificates of a PKCS#7 SignedData, given as DER or as
// base64 with any white space.
func ParsePKCS7(data []byte) ([]*x509.Certificate, error) {
	if len(data) > 0 && data[0] != 0x30 {
		text := strings.Join(strings.Fields(string(data)), "")
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("pki: PKCS#7: %w", err)
		}
		data = der
	}
	var outer contentInfo
	if rest, err := asn1.Unmarshal(data, &outer); err != nil || len(rest) != 0 || !outer.Type.Equal(oidSignedData) {
		return nil, fmt.Errorf("pki: not a PKCS#7 SignedData (%v)", err)
	}
	var inner signedData
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &inner); err != nil {
		return nil, fmt.Errorf("pki: PKCS#7 SignedData: %w", err)
	}
	certs, err := x509.ParseCertificates(inner.Certificates.Bytes)
	if err != nil {
		return nil, fmt.Errorf("pki: PKCS#7 certificates: %w", err)
	}
	return certs, nil
}
