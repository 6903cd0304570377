package auth

import (
	"context"
	"crypto/x509"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// byCertificate evaluates a login by client certificate. The identity follows
// from the leaf alone; the leaf's validity counts only where the policy says so.
func (a *Auth) byCertificate(_ context.Context, r LoginRequest) (*passed, error) {
	if len(r.Certificates) == 0 {
		return nil, &denied{reason: "no client certificate"}
	}
	leaf := r.Certificates[0]
	chain, improper, err := a.verifyChain(r.Certificates)
	if err != nil {
		return nil, &denied{reason: "the certificate is not trusted", err: err}
	}
	v := a.deps.Store.View()
	auth := state.FirstBy[model.Authenticator](v, state.ByFingerprint, pki.Fingerprint(leaf))
	identity, policy, err := a.owner(v, auth)
	if err != nil {
		return nil, err
	}
	refuse := func(reason string) (*passed, error) {
		return nil, &denied{reason: reason, identityID: identity.ID, authenticatorID: auth.ID}
	}
	if !policy.Primary.Cert.Allowed {
		return refuse("the auth policy does not allow certificates")
	}
	if !policy.Primary.Cert.AllowExpiredCerts && outsideValidity(leaf, a.now()) {
		return refuse("the certificate is outside its validity, which the auth policy demands")
	}
	return &passed{authenticator: auth, identity: identity, policy: policy, chain: chain, improper: improper}, nil
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
