package model

import "time"

// Methods of an authenticator.
const (
	MethodUpdb = "updb"
	MethodCert = "cert"
)

// Authenticator is one way in which an identity proves itself: a password
// (updb) or a client certificate (cert).
type Authenticator struct {
	Base
	Method                 string     `json:"method" weft:"create,required,filter"`
	IdentityID             string     `json:"identityId" weft:"create,required,filter=identity"`
	Username               string     `json:"username,omitempty" weft:"create,update,patch,filter=updbUsername"`
	PasswordHash           string     `json:"passwordHash,omitempty" weft:"secret,internal"` // encoded hash with its parameters and salt
	CertPem                string     `json:"certPem,omitempty" weft:"create,filter"`
	Fingerprint            string     `json:"fingerprint,omitempty" weft:"readonly,filter=certFingerprint"` // SHA-1 of the certificate, lower-case hex
	PublicKeyPrint         string     `json:"publicKeyPrint,omitempty" weft:"internal,filter"`
	UnverifiedCertPem      string     `json:"unverifiedCertPem,omitempty" weft:"internal"`
	UnverifiedFingerprint  string     `json:"unverifiedFingerprint,omitempty" weft:"internal"`
	IsIssuedByNetwork      bool       `json:"isIssuedByNetwork,omitempty" weft:"readonly,filter"`
	IsExtendRequested      bool       `json:"isExtendRequested,omitempty" weft:"readonly,filter"`
	IsKeyRollRequested     bool       `json:"isKeyRollRequested,omitempty" weft:"readonly,filter"`
	ExtendRequestedAt      *time.Time `json:"extendRequestedAt,omitempty" weft:"readonly,filter"`
	LastExtendRolledKeys   bool       `json:"lastExtendRolledKeys,omitempty" weft:"readonly,filter"`
	LastAuthResolvedToRoot bool       `json:"lastAuthResolvedToRoot,omitempty" weft:"readonly,filter"`
}

// Kind returns KindAuthenticator.
func (*Authenticator) Kind() Kind { return KindAuthenticator }
