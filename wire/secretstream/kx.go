// Package secretstream is end-to-end encryption between SDKs as the ecosystem
// does it: the key exchange crypto_kx and the stream
// crypto_secretstream_xchacha20poly1305 of libsodium, each direction of a
// connection being an independent stream.
//
// Rekeying is not part of it: clients of the field do not implement it. A
// stream ends with ErrExhausted before its counter would wrap, after 2^32-1 messages.
package secretstream

import (
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/crypto/blake2b"
)

// Sizes in bytes.
const (
	KeySize    = 32 // public keys and session keys
	HeaderSize = 24 // stream header, the first thing sent in a direction
	Overhead   = 17 // what Seal adds to a message
)

// ErrPeerKey means that a public key of the peer is unusable: of the wrong
// size, as those of another crypto method are, or a point of small order.
var ErrPeerKey = errors.New("secretstream: unusable public key of the peer")

// KeyPair is one side's key of the exchange. It is immutable.
type KeyPair struct{ private *ecdh.PrivateKey }

// NewKeyPair makes a random key pair.
func NewKeyPair() (*KeyPair, error) {
	k, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("secretstream: %w", err)
	}
	return &KeyPair{k}, nil
}

// KeyPairFromSeed derives a key pair from a seed of 32 bytes as
// crypto_kx_seed_keypair does.
func KeyPairFromSeed(seed []byte) (*KeyPair, error) {
	secret := blake2b.Sum256(seed)
	k, err := ecdh.X25519().NewPrivateKey(secret[:])
	if err != nil {
		return nil, fmt.Errorf("secretstream: %w", err)
	}
	return &KeyPair{k}, nil
}

// Public returns the public key, KeySize bytes.
func (k *KeyPair) Public() []byte { return k.private.PublicKey().Bytes() }

// SessionKeys are the keys of the two directions: RX opens what the peer sends,
// TX seals what this side sends.
type SessionKeys struct{ RX, TX [KeySize]byte }

// ClientKeys derives the keys of the dialing side. It returns ErrPeerKey for an unusable key.
func ClientKeys(own *KeyPair, host []byte) (SessionKeys, error) {
	first, second, err := exchange(own, host, own.Public(), host)
	return SessionKeys{RX: first, TX: second}, err
}

// ServerKeys derives the keys of the hosting side. It returns ErrPeerKey for an unusable key.
func ServerKeys(own *KeyPair, dialer []byte) (SessionKeys, error) {
	first, second, err := exchange(own, dialer, dialer, own.Public())
	return SessionKeys{RX: second, TX: first}, err
}

func exchange(own *KeyPair, peer, dialer, host []byte) (first, second [KeySize]byte, err error) {
	p, err := ecdh.X25519().NewPublicKey(peer)
	if err != nil {
		return first, second, fmt.Errorf("%w: %d bytes, want %d", ErrPeerKey, len(peer), KeySize)
	}
	q, err := own.private.ECDH(p)
	if err != nil {
		return first, second, fmt.Errorf("%w: %w", ErrPeerKey, err)
	}
	in := make([]byte, 0, 3*KeySize)
	in = append(append(append(in, q...), dialer...), host...)
	keys := blake2b.Sum512(in)
	copy(first[:], keys[:KeySize])
	copy(second[:], keys[KeySize:])
	return first, second, nil
}
