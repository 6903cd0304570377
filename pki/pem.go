package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Types of PEM blocks.
const (
	blockCertificate = "CERTIFICATE"
	blockRequest     = "CERTIFICATE REQUEST"
	blockOldRequest  = "NEW CERTIFICATE REQUEST"
)

// ErrNoCertificate says that a text holds no certificate.
var ErrNoCertificate = errors.New("pki: no certificate found")

// Fingerprint returns the lower-case hex SHA-1 of the certificate's DER form,
// by which authenticators, bindings and routers name a certificate.
func Fingerprint(c *x509.Certificate) string {
	sum := sha1.Sum(c.Raw)
	return hex.EncodeToString(sum[:])
}

// ParseCertificates reads every CERTIFICATE block of a PEM text, in order, and
// ignores other blocks. Without any the error is ErrNoCertificate.
func ParseCertificates(text []byte) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != blockCertificate {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("pki: certificate %d: %w", len(certs)+1, err)
		}
		certs = append(certs, c)
	}
	if len(certs) == 0 {
		return nil, ErrNoCertificate
	}
	return certs, nil
}

// EncodeCertificates returns the PEM text of certificates, in order.
func EncodeCertificates(certs ...*x509.Certificate) string {
	var b strings.Builder
	for _, c := range certs {
		b.Write(pem.EncodeToMemory(&pem.Block{Type: blockCertificate, Bytes: c.Raw}))
	}
	return b.String()
}

// NewKey makes a private key, EC P-256.
func NewKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// EncodeKey returns the PKCS#8 PEM text of a private key.
func EncodeKey(key crypto.Signer) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("pki: encoding key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

// ParseKey reads the first private key of a PEM text: PKCS#8, SEC 1 or PKCS#1.
func ParseKey(text []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("pki: private key: %w", err)
		}
		if s, ok := key.(crypto.Signer); ok {
			return s, nil
		}
		return nil, fmt.Errorf("pki: private key of type %T cannot sign", key)
	}
	return nil, errors.New("pki: no private key found")
}

// SamePublicKey reports whether a certificate belongs to a private key.
func SamePublicKey(c *x509.Certificate, key crypto.Signer) bool {
	a, err1 := x509.MarshalPKIXPublicKey(c.PublicKey)
	b, err2 := x509.MarshalPKIXPublicKey(key.Public())
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// PublicKeyPrint returns the lower-case hex SHA-1 of a certificate's public key
// in DER (PKIX) form; it stays when a certificate is renewed with its key.
func PublicKeyPrint(c *x509.Certificate) string {
	sum := sha1.Sum(c.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}
