package sdk

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/weftnet/weft/id"
)

// Kinds of signature in an instance secret.
const (
	secretRSA   = 1
	secretECDSA = 3
)

// instanceSecret is what a listener that is named after its identity shows with
// that name, so that no other identity can take part in it: a nonce and its
// signature. With an elliptic curve key it is the same for every listener of
// the identity, so that several can share the name.
func instanceSecret(name string, key crypto.PrivateKey) ([]byte, error) {
	part := func(b, v []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		nonce := sha512.Sum512([]byte("instance " + name))
		der, err := k.Sign(nil, nonce[:], crypto.SHA512) // without randomness: RFC 6979
		if err != nil {
			return nil, err
		}
		var sig struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(der, &sig); err != nil {
			return nil, err
		}
		return part(part(part([]byte{secretECDSA}, nonce[:]), sig.R.Bytes()), sig.S.Bytes()), nil
	case *rsa.PrivateKey:
		nonce := sha512.Sum512([]byte(id.UUID()))
		sig, err := rsa.SignPSS(rand.Reader, k, crypto.SHA512, nonce[:], nil)
		if err != nil {
			return nil, err
		}
		return part(part([]byte{secretRSA}, nonce[:]), sig), nil
	}
	return nil, errors.New("sdk: the key of the identity can not sign an instance name")
}
