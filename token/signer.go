package token

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"math/big"
)

// Signer makes tokens with one key. It is safe for concurrent use.
type Signer struct {
	key *ecdsa.PrivateKey
	kid string
	raw [kidLen]byte
}

// NewSigner returns a signer with an ECDSA P-256 key; the error is ErrKey for
// any other.
func NewSigner(key *ecdsa.PrivateKey) (*Signer, error) {
	if key == nil || key.Curve.Params().BitSize != 256 {
		return nil, ErrKey
	}
	public, err := PublicKey(key)
	if err != nil {
		return nil, err
	}
	s := &Signer{key: key, kid: KeyID(public)}
	if _, err := hex.Decode(s.raw[:], []byte(s.kid)); err != nil {
		return nil, err
	}
	return s, nil
}

// KeyID returns the id of the key, the kid of every token made.
func (s *Signer) KeyID() string { return s.kid }

// signatureLen is the length of a signature: R and S of 32 bytes each.
const signatureLen = 64

// sign returns the signature of SHA-256 of text in the form of JWS ES256. It is
// deterministic (RFC 6979).
func (s *Signer) sign(text []byte) ([]byte, error) {
	digest := sha256.Sum256(text)
	der, err := s.key.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("token: signing: %w", err)
	}
	var v struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &v); err != nil {
		return nil, fmt.Errorf("token: signing: %w", err)
	}
	sig := make([]byte, signatureLen)
	v.R.FillBytes(sig[:signatureLen/2])
	v.S.FillBytes(sig[signatureLen/2:])
	return sig, nil
}
