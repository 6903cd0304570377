package token

import (
	"crypto/ecdsa"
	"encoding/hex"
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
