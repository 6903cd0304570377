package model

import "time"

// Purposes of a signing key.
const (
	KeySession = "session" // API session tokens
	KeyService = "service" // service session tokens
)

// Key is a signing key that all members of the cluster share. Its id is the
// key id of the tokens it signs.
type Key struct {
	Base
	Purpose   string     `json:"purpose" weft:"internal"`
	Algorithm string     `json:"algorithm" weft:"internal"`      // JOSE name: EdDSA, ES256
	Private   []byte     `json:"private" weft:"internal,secret"` // PKCS #8, DER
	Public    []byte     `json:"public" weft:"internal"`         // PKIX, DER
	NotBefore time.Time  `json:"notBefore,omitzero" weft:"internal"`
	RetiredAt *time.Time `json:"retiredAt,omitempty" weft:"internal"` // verifies but no longer signs
}

// Kind returns KindKey.
func (*Key) Kind() Kind { return KindKey }
