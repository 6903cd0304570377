package api

import "time"

// ExternalJwtSigner is the detail of an external JWT signer.
type ExternalJwtSigner struct {
	Base
	IsSystem                      bool      `json:"isSystem,omitempty"`
	Audience                      string    `json:"audience"`
	CertPem                       *string   `json:"certPem"`
	ClaimsProperty                string    `json:"claimsProperty"`
	ClientID                      string    `json:"clientId"`
	CommonName                    string    `json:"commonName"`
	Enabled                       bool      `json:"enabled"`
	EnrollAttributeClaimsSelector string    `json:"enrollAttributeClaimsSelector,omitempty"`
	EnrollAuthPolicyID            string    `json:"enrollAuthPolicyId,omitempty"`
	EnrollNameClaimsSelector      string    `json:"enrollNameClaimsSelector,omitempty"`
	EnrollToCertEnabled           bool      `json:"enrollToCertEnabled,omitempty"`
	EnrollToTokenEnabled          bool      `json:"enrollToTokenEnabled,omitempty"`
	ExternalAuthURL               string    `json:"externalAuthUrl"`
	Fingerprint                   *string   `json:"fingerprint"` // SHA-1 in hex, null without a certificate
	Issuer                        string    `json:"issuer"`
	JwksEndpoint                  *string   `json:"jwksEndpoint"`
	Kid                           *string   `json:"kid"`
	Name                          string    `json:"name"`
	NotAfter                      time.Time `json:"notAfter"`
	NotBefore                     time.Time `json:"notBefore"`
	Scopes                        []string  `json:"scopes"`
	TargetToken                   string    `json:"targetToken"` // ACCESS or ID
	UseExternalID                 bool      `json:"useExternalId"`
}

// ExternalJwtSignerInput is what a caller may set on an external JWT signer.
type ExternalJwtSignerInput struct {
	Audience                      *string  `json:"audience,omitempty" api:"req=cu"`
	CertPem                       *string  `json:"certPem,omitempty"`
	ClaimsProperty                *string  `json:"claimsProperty,omitempty"` // JSON pointer or name
	ClientID                      *string  `json:"clientId,omitempty"`
	Enabled                       *bool    `json:"enabled,omitempty" api:"req=cu"`
	EnrollAttributeClaimsSelector *string  `json:"enrollAttributeClaimsSelector,omitempty"`
	EnrollAuthPolicyID            *string  `json:"enrollAuthPolicyId,omitempty"`
	EnrollNameClaimsSelector      *string  `json:"enrollNameClaimsSelector,omitempty"`
	EnrollToCertEnabled           *bool    `json:"enrollToCertEnabled,omitempty"`
	EnrollToTokenEnabled          *bool    `json:"enrollToTokenEnabled,omitempty"`
	ExternalAuthURL               *string  `json:"externalAuthUrl,omitempty"`
	Issuer                        *string  `json:"issuer,omitempty" api:"req=cu"`
	JwksEndpoint                  *string  `json:"jwksEndpoint,omitempty"`
	Kid                           *string  `json:"kid,omitempty"`
	Name                          *string  `json:"name,omitempty" api:"req=cu"`
	Scopes                        []string `json:"scopes,omitempty"`
	Tags                          Tags     `json:"tags,omitempty"`
	TargetToken                   *string  `json:"targetToken,omitempty" api:"enum=ACCESS|ID"`
	UseExternalID                 *bool    `json:"useExternalId,omitempty"`
}

// ClientExternalJwtSigner is a signer as a client sees it before it logs in.
type ClientExternalJwtSigner struct {
	Base
	Audience               *string  `json:"audience"`
	ClientID               *string  `json:"clientId"`
	EnrollToCertEnabled    bool     `json:"enrollToCertEnabled"`
	EnrollToTokenEnabled   bool     `json:"enrollToTokenEnabled"`
	ExternalAuthURL        string   `json:"externalAuthUrl"`
	Name                   string   `json:"name"`
	OpenIDConfigurationURL string   `json:"openIdConfigurationUrl,omitempty"`
	Scopes                 []string `json:"scopes"`
	TargetToken            string   `json:"targetToken"`
}

func externalJwtSigners() []Operation {
	const tag = "External JWT Signer"
	return append(crud[ExternalJwtSigner, ExternalJwtSignerInput](resource{"external-jwt-signers", "ExternalJwtSigner", "ExternalJwtSigners", "external-jwt-signer", tag}),
		Operation{API: Client, Method: "GET", Path: "/external-jwt-signers", ID: "listExternalJwtSigners", Tag: tag,
			Doc:    "Lists the enabled external JWT signers, which a client may log in with.",
			Access: Access{Rule: Public}, Params: paging(), Result: listOf[ClientExternalJwtSigner]()})
}
