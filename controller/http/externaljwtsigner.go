package http

import (
	"context"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type (
	signerEntity       = entity[model.ExternalJwtSigner, api.ExternalJwtSigner, *model.ExternalJwtSigner]
	clientSignerEntity = entity[model.ExternalJwtSigner, api.ClientExternalJwtSigner, *model.ExternalJwtSigner]
)

// KeySource judges the places from which keys of signers are fetched.
type KeySource interface {
	// CheckAddress refuses the address of a JWKS that the operator's gates do not
	// let through. It does not connect.
	CheckAddress(ctx context.Context, address string) error
}

func (s *Server) signerEntity() *signerEntity {
	x := newEntity[model.ExternalJwtSigner, api.ExternalJwtSigner](s.links.signer, shapeSigner)
	x.indexes["issuer"], x.indexes["kid"], x.indexes["fingerprint"] = state.ByIssuer, state.ByKid, state.ByFingerprint
	x.before = guarded((*call).guardSigner, func(w *change[model.ExternalJwtSigner]) error {
		if err := model.Derive(w.e); err != nil {
			return err
		}
		if u := w.e.JwksEndpoint; u != nil && *u != "" && s.cfg.Keys != nil && (w.old == nil || w.old.JwksEndpoint == nil || *w.old.JwksEndpoint != *u) {
			if err := s.cfg.Keys.CheckAddress(w.c.ctx, *u); err != nil {
				return fault.InvalidField.Field("jwksEndpoint", err.Error(), *u)
			}
		}
		w.derive("fingerprint", "commonName", "notBefore", "notAfter")
		return nil
	})
	return x
}

func shapeSigner(c *call, d *api.ExternalJwtSigner, e *model.ExternalJwtSigner) {
	base(&d.Base, &e.Base, c.s.links.signer)
	d.IsSystem, d.Name, d.Issuer, d.Enabled = e.IsSystem, e.Name, e.Issuer, e.Enabled
	d.Audience, d.ClientID, d.ExternalAuthURL = value(e.Audience), value(e.ClientID), value(e.ExternalAuthURL)
	d.CertPem, d.Kid, d.JwksEndpoint, d.Fingerprint = e.CertPem, e.Kid, e.JwksEndpoint, e.Fingerprint
	d.CommonName, d.NotBefore, d.NotAfter = e.CommonName, e.NotBefore, e.NotAfter
	d.ClaimsProperty, d.UseExternalID, d.Scopes, d.TargetToken = e.ClaimsProperty, e.UseExternalID, e.Scopes, e.TargetToken
	d.EnrollAuthPolicyID, d.EnrollToCertEnabled, d.EnrollToTokenEnabled = e.EnrollAuthPolicyID, e.EnrollToCertEnabled, e.EnrollToTokenEnabled
	d.EnrollNameClaimsSelector, d.EnrollAttributeClaimsSelector = e.EnrollNameClaimsSelector, e.EnrollAttributeClaimsSelector
}

// clientSignerEntity shows the enabled signers to anybody: what a client needs
// in order to get a token, and filters on nothing else.
func (s *Server) clientSignerEntity() *clientSignerEntity {
	x := newEntity[model.ExternalJwtSigner, api.ClientExternalJwtSigner](s.links.signer, func(c *call, d *api.ClientExternalJwtSigner, e *model.ExternalJwtSigner) {
		base(&d.Base, &e.Base, c.s.links.signer)
		d.Audience, d.ClientID, d.ExternalAuthURL, d.Name = e.Audience, e.ClientID, value(e.ExternalAuthURL), e.Name
		d.EnrollToCertEnabled, d.EnrollToTokenEnabled = e.EnrollToCertEnabled, e.EnrollToTokenEnabled
		d.Scopes, d.TargetToken = e.Scopes, e.TargetToken
	})
	x.table = x.table.narrow("id", "createdAt", "updatedAt", "tags", "isSystem", "name", "issuer", "audience", "clientId", "scopes", "targetToken",
		"enabled", "enrollToCertEnabled", "enrollToTokenEnabled")
	x.visible = func(e *model.ExternalJwtSigner) bool { return e.Enabled }
	return x
}

// value is the text behind a pointer, "" for none.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
