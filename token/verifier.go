package token

import "time"

// DefaultCacheSize is a cache size, in tokens, that suits a router or a
// controller; an entry takes about half a kibibyte.
const DefaultCacheSize = 16384

// Verifier verifies tokens against a keyring and remembers what it has
// verified. Replacing the keys takes effect at once: a remembered result
// counts only while the keyring is the one it was made with. It is safe for
// concurrent use.
type Verifier struct {
	keys     *Keyring
	sessions *cache[Session]
	services *cache[Service]
}

// NewVerifier returns a verifier that remembers up to size tokens of each kind.
func NewVerifier(keys *Keyring, size int) *Verifier {
	return &Verifier{keys: keys, sessions: newCache[Session](size), services: newCache[Service](size)}
}

// Session verifies a session token, whatever its age: how long a session lasts
// is for the controllers to say. Errors: ErrMalformed, ErrUnknownKey,
// ErrSignature.
func (v *Verifier) Session(text string) (Session, error) {
	return v.sessions.get(v.keys, text, verifySession)
}

// Service verifies a service-session token. Errors: ErrMalformed,
// ErrUnknownKey, ErrSignature, ErrExpired.
func (v *Verifier) Service(text string, now time.Time) (Service, error) {
	s, err := v.services.get(v.keys, text, verifyService)
	if err == nil && !now.Before(s.ExpiresAt) {
		return Service{}, ErrExpired
	}
	return s, err
}
