package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
)

// MaxCSR bounds the size of a certificate request in bytes of PEM. A request
// with an RSA 8192 key and dozens of names is below 8 KiB.
const MaxCSR = 64 << 10

// maxRSABits bounds the cost of checking the signature of a stranger's
// request.
const (
	minRSABits = 2048
	maxRSABits = 8192
)

// ErrCSR says that a certificate request is unusable; the wrapped text says
// why.
var ErrCSR = errors.New("unusable certificate request")

// NewCSR makes a certificate request as PEM text. Each name is an IP address
// or a DNS name.
func NewCSR(key crypto.Signer, subject pkix.Name, names ...string) (string, error) {
	dns, ips := SplitNames(names)
	der, err := x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: subject, DNSNames: dns, IPAddresses: ips}, key)
	if err != nil {
		return "", fmt.Errorf("pki: certificate request: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: blockRequest, Bytes: der})), nil
}

// SplitNames separates IP addresses from DNS names; empty texts are dropped.
func SplitNames(names []string) (dns []string, ips []net.IP) {
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			ips = append(ips, ip)
		} else if n != "" {
			dns = append(dns, n)
		}
	}
	return dns, ips
}

// ParseCSR reads a certificate request: exactly one PEM block without anything
// after it, parseable, with a key of acceptable kind and a signature by that
// key. The error wraps ErrCSR.
func ParseCSR(text []byte) (*x509.CertificateRequest, error) {
	if len(text) > MaxCSR {
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrCSR, MaxCSR)
	}
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%w: no PEM block", ErrCSR)
	}
	if len(bytes.TrimSpace(rest)) != 0 {
		return nil, fmt.Errorf("%w: bytes after the PEM block", ErrCSR)
	}
	if block.Type != blockRequest && block.Type != blockOldRequest {
		return nil, fmt.Errorf("%w: PEM block of type %q", ErrCSR, block.Type)
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCSR, err)
	}
	if err := checkKey(r.PublicKey); err != nil {
		return nil, err
	}
	if err := r.CheckSignature(); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCSR, err)
	}
	return r, nil
}

func checkKey(public any) error {
	switch k := public.(type) {
	case *rsa.PublicKey:
		if n := k.N.BitLen(); n < minRSABits || n > maxRSABits {
			return fmt.Errorf("%w: RSA key of %d bits, %d to %d are accepted", ErrCSR, n, minRSABits, maxRSABits)
		}
		return nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P224() {
			return fmt.Errorf("%w: curve P-224", ErrCSR)
		}
		return nil
	case ed25519.PublicKey:
		return nil
	}
	return fmt.Errorf("%w: key of type %T", ErrCSR, public)
}
