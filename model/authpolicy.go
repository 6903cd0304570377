package model

// DefaultAuthPolicyID is the id of the auth policy that always exists.
const DefaultAuthPolicyID = "default"

// AuthPolicy says by which methods its identities may log in.
type AuthPolicy struct {
	Base
	Name      string        `json:"name" weft:"create,update,patch,required,filter"`
	Primary   AuthPrimary   `json:"primary" weft:"create,update,patch,required,filter"`
	Secondary AuthSecondary `json:"secondary" weft:"create,update,patch,required,filter"`
}

// Kind returns KindAuthPolicy.
func (*AuthPolicy) Kind() Kind { return KindAuthPolicy }

// AuthPrimary holds the rules of the first factors.
type AuthPrimary struct {
	Cert   AuthCert   `json:"cert"`
	ExtJwt AuthExtJwt `json:"extJwt"`
	Updb   AuthUpdb   `json:"updb"`
}

// AuthCert holds the rules of client certificates.
type AuthCert struct {
	Allowed           bool `json:"allowed" weft:"required"`
	AllowExpiredCerts bool `json:"allowExpiredCerts" weft:"required"`
}

// AuthExtJwt holds the rules of tokens of external signers.
type AuthExtJwt struct {
	Allowed        bool     `json:"allowed" weft:"required"`
	AllowedSigners []string `json:"allowedSigners" weft:"required,nofilter"` // signer ids
}

// AuthUpdb holds the rules of passwords.
type AuthUpdb struct {
	Allowed                bool  `json:"allowed" weft:"required"`
	MinPasswordLength      int64 `json:"minPasswordLength" weft:"required"`
	RequireSpecialChar     bool  `json:"requireSpecialChar" weft:"required"`
	RequireNumberChar      bool  `json:"requireNumberChar" weft:"required"`
	RequireMixedCase       bool  `json:"requireMixedCase" weft:"required"`
	MaxAttempts            int64 `json:"maxAttempts" weft:"required"`                     // 0: no lockout
	LockoutDurationMinutes int64 `json:"lockoutDurationMinutes" weft:"required,nofilter"` // 0: for ever
}

// AuthSecondary holds the rules of the second factors.
type AuthSecondary struct {
	RequireTotp         bool    `json:"requireTotp" weft:"required"`
	RequireExtJwtSigner *string `json:"requireExtJwtSigner"` // signer id
}
