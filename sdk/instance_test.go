package sdk

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/binary"
	"math/big"
	"testing"
)

func TestInstanceSecret(t *testing.T) {
	parts := func(b []byte) (out [][]byte) {
		for len(b) >= 4 {
			n := int(binary.LittleEndian.Uint32(b))
			out, b = append(out, b[4:4+n]), b[4+n:]
		}
		if len(b) > 0 {
			t.Errorf("%d bytes are left", len(b))
		}
		return out
	}
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a, err := instanceSecret("laptop", ec)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := instanceSecret("laptop", ec)
	if p := parts(a[1:]); a[0] != secretECDSA || len(p) != 3 || len(p[0]) != 64 || !bytes.Equal(a, b) ||
		!ecdsa.Verify(&ec.PublicKey, p[0], new(big.Int).SetBytes(p[1]), new(big.Int).SetBytes(p[2])) {
		t.Errorf("%x", a)
	}
	key, _ := rsa.GenerateKey(rand.Reader, 2048)
	if a, err = instanceSecret("laptop", key); err != nil {
		t.Fatal(err)
	}
	if p := parts(a[1:]); a[0] != secretRSA || len(p) != 2 || rsa.VerifyPSS(&key.PublicKey, crypto.SHA512, p[0], p[1], nil) != nil {
		t.Errorf("%x", a)
	}
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	if _, err := instanceSecret("laptop", ed); err == nil {
		t.Error("a key without a form in the secret")
	}
}
