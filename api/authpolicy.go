package api

import "time"

// AuthPolicy is the detail of an auth policy.
type AuthPolicy struct {
	Base
	IsSystem  bool          `json:"isSystem,omitempty"`
	Name      string        `json:"name"`
	Primary   AuthPrimary   `json:"primary"`
	Secondary AuthSecondary `json:"secondary"`
}

// AuthPrimary holds the rules of the first factors.
type AuthPrimary struct {
	Cert   AuthCert   `json:"cert"`
	ExtJwt AuthExtJwt `json:"extJwt"`
	Updb   AuthUpdb   `json:"updb"`
}

// AuthCert holds the rules of client certificates.
type AuthCert struct {
	AllowExpiredCerts bool `json:"allowExpiredCerts"`
	Allowed           bool `json:"allowed"`
}

// AuthExtJwt holds the rules of tokens of external signers.
type AuthExtJwt struct {
	Allowed        bool     `json:"allowed"`
	AllowedSigners []string `json:"allowedSigners"`
}

// AuthUpdb holds the rules of passwords.
type AuthUpdb struct {
	Allowed                bool  `json:"allowed"`
	LockoutDurationMinutes int64 `json:"lockoutDurationMinutes"`
	MaxAttempts            int64 `json:"maxAttempts"`
	MinPasswordLength      int64 `json:"minPasswordLength"`
	RequireMixedCase       bool  `json:"requireMixedCase"`
	RequireNumberChar      bool  `json:"requireNumberChar"`
	RequireSpecialChar     bool  `json:"requireSpecialChar"`
}

// AuthSecondary holds the rules of the second factors.
type AuthSecondary struct {
	RequireExtJwtSigner *string `json:"requireExtJwtSigner,omitempty"`
	RequireTotp         bool    `json:"requireTotp"`
}

// AuthPolicyInput is what a caller may set on an auth policy.
type AuthPolicyInput struct {
	Name      *string             `json:"name,omitempty" api:"req=cu"`
	Primary   *AuthPrimaryInput   `json:"primary,omitempty" api:"req=cu"`
	Secondary *AuthSecondaryInput `json:"secondary,omitempty" api:"req=cu"`
	Tags      Tags                `json:"tags,omitempty"`
}

// AuthPrimaryInput holds the rules of the first factors.
type AuthPrimaryInput struct {
	Cert   *AuthCertInput   `json:"cert,omitempty" api:"req=cu"`
	ExtJwt *AuthExtJwtInput `json:"extJwt,omitempty" api:"req=cu"`
	Updb   *AuthUpdbInput   `json:"updb,omitempty" api:"req=cu"`
}

// AuthCertInput holds the rules of client certificates.
type AuthCertInput struct {
	AllowExpiredCerts *bool `json:"allowExpiredCerts,omitempty" api:"req=cu"`
	Allowed           *bool `json:"allowed,omitempty" api:"req=cu"`
}

// AuthExtJwtInput holds the rules of tokens of external signers.
type AuthExtJwtInput struct {
	Allowed        *bool    `json:"allowed,omitempty" api:"req=cu"`
	AllowedSigners []string `json:"allowedSigners,omitempty" api:"req=cu"`
}

// AuthUpdbInput holds the rules of passwords.
type AuthUpdbInput struct {
	Allowed                *bool  `json:"allowed,omitempty" api:"req=cu"`
	LockoutDurationMinutes *int64 `json:"lockoutDurationMinutes,omitempty" api:"req=cu"`
	MaxAttempts            *int64 `json:"maxAttempts,omitempty" api:"req=cu"`
	MinPasswordLength      *int64 `json:"minPasswordLength,omitempty" api:"req=cu"`
	RequireMixedCase       *bool  `json:"requireMixedCase,omitempty" api:"req=cu"`
	RequireNumberChar      *bool  `json:"requireNumberChar,omitempty" api:"req=cu"`
	RequireSpecialChar     *bool  `json:"requireSpecialChar,omitempty" api:"req=cu"`
}

// AuthSecondaryInput holds the rules of the second factors.
type AuthSecondaryInput struct {
	RequireExtJwtSigner *string `json:"requireExtJwtSigner,omitempty"`
	RequireTotp         *bool   `json:"requireTotp,omitempty" api:"req=cu"`
}

// Revocation is the detail of a revocation.
type Revocation struct {
	Base
	IsSystem  bool      `json:"isSystem,omitempty"`
	ExpiresAt time.Time `json:"expiresAt"`
	Type      string    `json:"type"` // JTI, IDENTITY or API_SESSION
}

// RevocationCreate ends tokens before their time.
type RevocationCreate struct {
	ID   *string `json:"id" api:"req=c"`
	Tags Tags    `json:"tags,omitempty"`
	Type *string `json:"type" api:"req=c,enum=JTI|IDENTITY|API_SESSION"`
}

func authPolicies() []Operation {
	revocations := resource{"revocations", "Revocation", "Revocations", "revocation", "Revocation"}
	ops := crud[AuthPolicy, AuthPolicyInput](resource{"auth-policies", "AuthPolicy", "AuthPolicies", "auth-policy", "Auth Policy"})
	ops = append(ops, reading[Revocation](revocations)...)
	return append(ops, creating[RevocationCreate](revocations))
}
