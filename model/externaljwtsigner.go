package model

import (
	"net/url"
	"time"

	"github.com/weftnet/weft/fault"
)

// Tokens of an identity provider that clients present.
const (
	TargetAccess = "ACCESS"
	TargetID     = "ID"
)

// Defaults of an external JWT signer.
const (
	DefaultClaimsProperty     = "/sub"
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

func settleSigner(s *ExternalJwtSigner) {
	s.Kid, s.CertPem, s.JwksEndpoint = given(s.Kid), given(s.CertPem), given(s.JwksEndpoint)
	s.Fingerprint, s.ExternalAuthURL, s.ClientID = given(s.Fingerprint), given(s.ExternalAuthURL), given(s.ClientID)
	s.Scopes = set(s.Scopes)
	s.ClaimsProperty = orElse(s.ClaimsProperty, DefaultClaimsProperty)
	s.TargetToken = orElse(s.TargetToken, TargetAccess)
	s.EnrollAuthPolicyID = orElse(s.EnrollAuthPolicyID, DefaultAuthPolicyID)
	s.EnrollNameClaimsSelector = orElse(s.EnrollNameClaimsSelector, DefaultNameClaimsSelector)
	if s.CertPem == nil {
		s.Fingerprint, s.CommonName, s.NotBefore, s.NotAfter = nil, "", time.Time{}, time.Time{}
	}
}

func checkSigner(s *ExternalJwtSigner) error {
	err := firstOf(named(s.Name), required("issuer", s.Issuer), oneOf("targetToken", s.TargetToken, TargetAccess, TargetID),
		address("jwksEndpoint", s.JwksEndpoint), address("externalAuthUrl", s.ExternalAuthURL),
		selector("claimsProperty", s.ClaimsProperty), selector("enrollNameClaimsSelector", s.EnrollNameClaimsSelector),
		selector("enrollAttributeClaimsSelector", s.EnrollAttributeClaimsSelector))
	switch {
	case err != nil:
		return err
	case s.CertPem == nil && s.JwksEndpoint == nil:
		return fault.CouldNotValidate.Field("jwksEndpoint", "jwksEndpoint or certPem is required", "")
	case s.CertPem != nil && s.JwksEndpoint != nil:
		return fault.CouldNotValidate.Field("jwksEndpoint", "only one of jwksEndpoint and certPem may be given", *s.JwksEndpoint)
	case s.CertPem != nil && s.Fingerprint == nil:
		return required("fingerprint", "")
	}
	return nil
}

// given is nil for an empty text.
func given(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}

// address wants an absolute http or https URL.
func address(field string, s *string) error {
	if s == nil {
		return nil
	}
	u, err := url.Parse(*s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fault.CouldNotValidate.Field(field, field+" in body must be an http or https URL", *s)
	}
	return nil
}

// selector wants a JSON pointer, whose leading slash may be missing.
func selector(field, s string) error {
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return fault.CouldNotValidate.Field(field, field+" in body must be a JSON pointer or the name of a claim", s)
		}
	}
	return nil
}
