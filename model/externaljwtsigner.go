package model

import "time"

// Tokens of an identity provider that clients present.
const (
	TargetAccess = "ACCESS"
	TargetID     = "ID"
)

// Defaults of an external JWT signer.
const (
	DefaultClaimsProperty     = "sub"
	DefaultNameClaimsSelector = "/sub"
)

// ExternalJwtSigner is an identity provider whose tokens prove identities. It
// has either a certificate or an address of its keys.
type ExternalJwtSigner struct {
	Base
	Name            string    `json:"name" weft:"create,update,patch,required,filter"`
	Issuer          string    `json:"issuer" weft:"create,update,patch,required,filter"`
	Audience        *string   `json:"audience,omitempty" weft:"create,update,patch,required,filter"`
	Enabled         bool      `json:"enabled,omitempty" weft:"create,update,patch,required,filter"`
	CertPem         *string   `json:"certPem,omitempty" weft:"create,update,patch,filter"`
	Kid             *string   `json:"kid,omitempty" weft:"create,update,patch,filter"`
	JwksEndpoint    *string   `json:"jwksEndpoint,omitempty" weft:"create,update,patch"`
	Fingerprint     *string   `json:"fingerprint,omitempty" weft:"readonly,filter"` // SHA-1 of the certificate, lower-case hex
	CommonName      string    `json:"commonName,omitempty" weft:"readonly,filter"`
	NotBefore       time.Time `json:"notBefore,omitzero" weft:"readonly,filter"`
	NotAfter        time.Time `json:"notAfter,omitzero" weft:"readonly,filter"`
	ClaimsProperty  string    `json:"claimsProperty" weft:"create,update,patch,filter"` // claim that names the identity; a JSON pointer or a plain name
	UseExternalID   bool      `json:"useExternalId,omitempty" weft:"create,update,patch,filter"`
	ExternalAuthURL *string   `json:"externalAuthUrl,omitempty" weft:"create,update,patch"`
	ClientID        *string   `json:"clientId,omitempty" weft:"create,update,patch,filter"`
	Scopes          []string  `json:"scopes,omitempty" weft:"create,update,patch,filter"`
	TargetToken     string    `json:"targetToken" weft:"create,update,patch,filter"` // ACCESS or ID

	EnrollAuthPolicyID            string `json:"enrollAuthPolicyId" weft:"create,update,patch,filter"` // of identities that enrol by a token
	EnrollToCertEnabled           bool   `json:"enrollToCertEnabled,omitempty" weft:"create,update,patch,filter"`
	EnrollToTokenEnabled          bool   `json:"enrollToTokenEnabled,omitempty" weft:"create,update,patch,filter"`
	EnrollNameClaimsSelector      string `json:"enrollNameClaimsSelector" weft:"create,update,patch,filter"`
	EnrollAttributeClaimsSelector string `json:"enrollAttributeClaimsSelector,omitempty" weft:"create,update,patch,filter"`
}

// Kind returns KindExternalJwtSigner.
func (*ExternalJwtSigner) Kind() Kind { return KindExternalJwtSigner }
