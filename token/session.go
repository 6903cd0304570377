package token

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// SessionPrefix begins every session token.
const SessionPrefix = "ws1_"

// RevocationLife is how long the end of a session stays in the state. A token
// that a router sees again after that is reported by it, and revoked anew.
const RevocationLife = 30 * 24 * time.Hour

// maxSessionToken bounds the length of a session token in characters.
const maxSessionToken = 512

// Errors of verification; callers match them with errors.Is.
var (
	ErrMalformed  = errors.New("token: malformed")
	ErrUnknownKey = errors.New("token: signed by an unknown key")
	ErrSignature  = errors.New("token: wrong signature")
	ErrExpired    = errors.New("token: expired")
)

// Session is what a session token says about an API session.
type Session struct {
	ID         string    // id of the API session
	IdentityID string    // whose session it is
	IssuedAt   time.Time // UTC, millisecond resolution
	Partial    bool      // factors were outstanding when the token was made
	// Fingerprint is the lower-case hex SHA-1 of the certificate that logged
	// in; empty for a login without certificate.
	Fingerprint string
}

const (
	flagPartial = 1 << iota
	flagFingerprint
)

// sessionDomain separates these signatures from every other use of the key.
const sessionDomain = "weft session token 1\x00"

// Session returns the token of a session. The same claims and key give the same
// text, so nobody has to store it. It fails when an id is empty or
// longer than 255 bytes.
func (s *Signer) Session(claims Session) (string, error) {
	body, err := appendSession(s.raw[:], claims)
	if err != nil {
		return "", err
	}
	sig, err := s.sign(append([]byte(sessionDomain), body...))
	if err != nil {
		return "", err
	}
	return SessionPrefix + base64.RawURLEncoding.EncodeToString(append(body, sig...)), nil
}

// appendSession writes: key id (8), issue time in Unix milliseconds (8,
// big-endian), flags (1), session id and identity id (length byte and text),
// fingerprint (20, when flagged).
func appendSession(kid []byte, c Session) ([]byte, error) {
	if c.ID == "" || len(c.ID) > 255 || c.IdentityID == "" || len(c.IdentityID) > 255 {
		return nil, fmt.Errorf("%w: ids of 1 to 255 bytes are needed", ErrMalformed)
	}
	b := make([]byte, 0, 128+signatureLen)
	b = append(b, kid...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.IssuedAt.UnixMilli()))
	var flags byte
	if c.Partial {
		flags |= flagPartial
	}
	if c.Fingerprint != "" {
		flags |= flagFingerprint
	}
	b = append(b, flags, byte(len(c.ID)))
	b = append(b, c.ID...)
	b = append(b, byte(len(c.IdentityID)))
	b = append(b, c.IdentityID...)
	if c.Fingerprint == "" {
		return b, nil
	}
	print, err := hex.DecodeString(c.Fingerprint)
	if err != nil || len(print) != 20 {
		return nil, fmt.Errorf("%w: fingerprint", ErrMalformed)
	}
	return append(b, print...), nil
}

// IsSession reports whether text has the form of a session token, without any
// check of its content.
func IsSession(text string) bool { return strings.HasPrefix(text, SessionPrefix) }

// verifySession checks the signature of a session token.
func verifySession(keys *Keyring, text string) (Session, error) {
	if !IsSession(text) || len(text) > maxSessionToken {
		return Session{}, ErrMalformed
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text[len(SessionPrefix):])
	if err != nil || len(raw) < signatureLen {
		return Session{}, ErrMalformed
	}
	body, sig := raw[:len(raw)-signatureLen], raw[len(raw)-signatureLen:]
	kid, claims, err := parseSession(body)
	if err != nil {
		return Session{}, err
	}
	key := keys.key(kid)
	if key == nil {
		return Session{}, ErrUnknownKey
	}
	digest := sha256.Sum256(append([]byte(sessionDomain), body...))
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	if !ecdsa.Verify(key, digest[:], r, s) {
		return Session{}, ErrSignature
	}
	return claims, nil
}

func parseSession(b []byte) (kid string, c Session, err error) {
	if len(b) < kidLen+8+1 {
		return "", c, ErrMalformed
	}
	kid, b = hex.EncodeToString(b[:kidLen]), b[kidLen:]
	c.IssuedAt = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
	flags := b[8]
	if b = b[9:]; flags&^(flagPartial|flagFingerprint) != 0 {
		return "", c, ErrMalformed
	}
	c.Partial = flags&flagPartial != 0
	if c.ID, b, err = takeText(b); err != nil {
		return "", c, err
	}
	if c.IdentityID, b, err = takeText(b); err != nil {
		return "", c, err
	}
	if flags&flagFingerprint != 0 {
		if len(b) != 20 {
			return "", c, ErrMalformed
		}
		c.Fingerprint, b = hex.EncodeToString(b), nil
	}
	if len(b) != 0 {
		return "", c, ErrMalformed
	}
	return kid, c, nil
}

func takeText(b []byte) (string, []byte, error) {
	if len(b) == 0 || b[0] == 0 || len(b) < 1+int(b[0]) {
		return "", nil, ErrMalformed
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n:], nil
}
