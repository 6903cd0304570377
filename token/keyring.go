package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrKey says that a key is unusable: not ECDSA on P-256, or not parseable.
var ErrKey = errors.New("token: not an ECDSA P-256 key")

// kidLen is the length of a key id in bytes; its text form is hexadecimal.
const kidLen = 8

// PublicKey returns the DER (PKIX) form of the public half of key, as it is
// replicated to routers.
func PublicKey(key *ecdsa.PrivateKey) ([]byte, error) {
	return x509.MarshalPKIXPublicKey(&key.PublicKey)
}

// KeyID returns the id of a public key in DER (PKIX) form: 16 hexadecimal
// digits of its SHA-256.
func KeyID(public []byte) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:kidLen])
}

// NewKey makes a signing key.
func NewKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// EncodePrivate returns the PKCS#8 DER form of a signing key.
func EncodePrivate(key *ecdsa.PrivateKey) ([]byte, error) {
	return x509.MarshalPKCS8PrivateKey(key)
}

// ParsePrivate reads what EncodePrivate wrote. The error wraps ErrKey.
func ParsePrivate(der []byte) (*ecdsa.PrivateKey, error) {
	k, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrKey, err)
	}
	key, ok := k.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, ErrKey
	}
	return key, nil
}

// Keyring is the set of public keys whose tokens are accepted. Lookups take no
// lock. It is safe for concurrent use.
type Keyring struct {
	keys atomic.Pointer[map[string]*ecdsa.PublicKey]
}

// NewKeyring returns a keyring without keys.
func NewKeyring() *Keyring {
	r := &Keyring{}
	r.keys.Store(&map[string]*ecdsa.PublicKey{})
	return r
}

// Replace makes the given public keys, in DER (PKIX) form, the whole content of
// the keyring. With an error, which wraps ErrKey, the keyring is unchanged.
func (r *Keyring) Replace(publics ...[]byte) error {
	next := make(map[string]*ecdsa.PublicKey, len(publics))
	for _, der := range publics {
		k, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return fmt.Errorf("%w: %v", ErrKey, err)
		}
		key, ok := k.(*ecdsa.PublicKey)
		if !ok || key.Curve != elliptic.P256() {
			return ErrKey
		}
		next[KeyID(der)] = key
	}
	r.keys.Store(&next)
	return nil
}

// Len returns the number of keys.
func (r *Keyring) Len() int { return len(*r.keys.Load()) }

func (r *Keyring) key(kid string) *ecdsa.PublicKey { return (*r.keys.Load())[kid] }
