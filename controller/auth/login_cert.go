package auth

import (
	"context"
	"crypto/x509"
	"time"

	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// ClaimAuthenticator stands for an authenticator in sessions that began with a
// certificate whose external id named the identity.
const ClaimAuthenticator = "internal"

// byCertificate evaluates a login by client certificate. The identity follows
// from the leaf alone; the leaf's validity counts only where the policy says so.
func (a *Auth) byCertificate(_ context.Context, r LoginRequest) (*passed, error) {
	if len(r.Certificates) == 0 {
		return nil, &denied{reason: "no client certificate"}
	}
	leaf := r.Certificates[0]
	v := a.deps.Store.View()
	p := &passed{}
	var err error
	var auth *model.Authenticator
	if p.chain, p.improper, err = a.verifyChain(r.Certificates); err != nil {
		if p.ca, p.chain = a.cas.Issuer(v, r.Certificates, a.now(), thirdparty.ForLogin); p.ca == nil {
			return nil, &denied{reason: "the certificate is not trusted", err: err}
		}
		p.improper = false
		auth = byClaim(v, p.ca, leaf)
	}
	if auth == nil {
		auth = state.FirstBy[model.Authenticator](v, state.ByFingerprint, pki.Fingerprint(leaf))
	}
	if p.authenticator = auth; auth != nil && auth.IsIssuedByNetwork && p.ca != nil {
		return nil, &denied{reason: "the certificate is not trusted", authenticatorID: auth.ID}
	}
	if p.identity, p.policy, err = a.owner(v, auth); err != nil {
		return nil, err
	}
	refuse := func(reason string) (*passed, error) {
		return nil, &denied{reason: reason, identityID: p.identity.ID, authenticatorID: auth.ID}
	}
	if !p.policy.Primary.Cert.Allowed {
		return refuse("the auth policy does not allow certificates")
	}
	if !p.policy.Primary.Cert.AllowExpiredCerts && outsideValidity(leaf, a.now()) {
		return refuse("the certificate is outside its validity, which the auth policy demands")
	}
	return p, nil
}

// byClaim returns what stands for the authenticator of the identity whose
// external id the certificate names, nil if it names none. A certificate that
// names nobody opens nothing: only one without the claim is looked up by its
// fingerprint.
func byClaim(v *state.View, ca *model.CA, leaf *x509.Certificate) *model.Authenticator {
	if ca.ExternalIDClaim == nil {
		return nil
	}
	claim := thirdparty.ExternalID(ca.ExternalIDClaim, leaf)
	if claim == "" {
		return nil
	}
	auth := &model.Authenticator{Method: model.MethodCert, Fingerprint: pki.Fingerprint(leaf)}
	auth.ID = ClaimAuthenticator
	if i := state.FirstBy[model.Identity](v, state.ByExternalID, claim); i != nil {
		auth.IdentityID = i.ID
	}
	return auth
}

// verifyChain checks the leaf against the network's roots; improper says that
// this succeeds only with an intermediate as anchor, because the client sent
// none.
func (a *Auth) verifyChain(presented []*x509.Certificate) (chain []*x509.Certificate, improper bool, err error) {
	bundle := a.deps.Bundle()
	if chain, err = pki.VerifyPeer(presented, bundle.Roots(), nil, a.now()); err == nil {
		return chain, false, nil
	}
	chain, err = pki.VerifyPeer(presented, bundle, nil, a.now())
	return chain, true, err
}

func outsideValidity(c *x509.Certificate, now time.Time) bool {
	return now.Before(c.NotBefore) || now.After(c.NotAfter)
}
