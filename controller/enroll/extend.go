package enroll

import (
	"context"
	"crypto/x509"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// Extension is a renewed certificate of an identity.
type Extension struct {
	CA         string
	ClientCert string // PEM chain
}

// ExtendIdentity signs a new certificate for an identity's authenticator. It is
// in force only after VerifyExtension; until then the current one stays. The
// leaf of the TLS connection must be the current certificate. Refusals:
// fault.NotFound, fault.Unauthorized, fault.CanNotUpdateAuthenticator for one
// that the network did not issue, fault.CouldNotProcessCSR.
func (n *Enroller) ExtendIdentity(ctx context.Context, identityID, authenticatorID string, presented []*x509.Certificate, csr string) (*Extension, error) {
	a, err := n.extendable(identityID, authenticatorID, presented)
	if err != nil {
		return nil, err
	}
	chain, err := n.identityCertificate(identityID, csr)
	if err != nil {
		return nil, err
	}
	text := pki.EncodeCertificates(chain...)
	c := n.command(state.Author{ID: identityID, Type: "identity"}, "extendCurrentIdentityAuthenticator", "")
	c.Patch(model.KindAuthenticator, a.ID, map[string]any{
		"unverifiedCertPem": text, "unverifiedFingerprint": pki.Fingerprint(chain[0]),
	})
	if err := n.write(ctx, c); err != nil {
		return nil, err
	}
	return &Extension{CA: n.CA(), ClientCert: text}, nil
}

// VerifyExtension puts the certificate of the last ExtendIdentity in the place
// of the current one: the first of the PEM text must be it. Refusals: those of
// ExtendIdentity, and fault.InvalidClientCert for any other text.
func (n *Enroller) VerifyExtension(ctx context.Context, identityID, authenticatorID string, presented []*x509.Certificate, certPEM string) error {
	a, err := n.extendable(identityID, authenticatorID, presented)
	if err != nil {
		return err
	}
	if a.UnverifiedFingerprint == "" {
		return fault.CanNotUpdateAuthenticator.Errorf("no extension was requested")
	}
	certs, err := pki.ParseCertificates([]byte(certPEM))
	if err != nil || pki.Fingerprint(certs[0]) != a.UnverifiedFingerprint {
		return fault.InvalidClientCert.New(nil)
	}
	chain, err := pki.ParseCertificates([]byte(a.UnverifiedCertPem))
	if err != nil {
		return fault.Unhandled.New(err)
	}
	next := *a
	describe(&next, chain)
	next.LastExtendRolledKeys = next.PublicKeyPrint != publicKeyPrint(a)
	next.UnverifiedCertPem, next.UnverifiedFingerprint = "", ""
	next.IsExtendRequested, next.IsKeyRollRequested, next.ExtendRequestedAt = false, false, nil
	c := n.command(state.Author{ID: identityID, Type: "identity"}, "extendVerifyCurrentIdentityAuthenticator", "")
	c.PatchFrom(&next, "certPem", "fingerprint", "publicKeyPrint", "lastExtendRolledKeys", "unverifiedCertPem",
		"unverifiedFingerprint", "isExtendRequested", "isKeyRollRequested", "extendRequestedAt")
	if err := n.write(ctx, c); err != nil {
		return err
	}
	if n.deps.Sessions != nil {
		n.deps.Sessions.ReplaceCertificate(identityID, a.Fingerprint, chain)
	}
	n.log.Info("certificate renewed", "identityId", identityID, "authenticatorId", a.ID, "keysRolled", next.LastExtendRolledKeys)
	return nil
}

// publicKeyPrint returns the key print of an authenticator, from its
// certificate when it is not stored.
func publicKeyPrint(a *model.Authenticator) string {
	if a.PublicKeyPrint == "" {
		if certs, err := pki.ParseCertificates([]byte(a.CertPem)); err == nil {
			return pki.PublicKeyPrint(certs[0])
		}
	}
	return a.PublicKeyPrint
}

// extendable returns the authenticator when its certificate is the one
// presented and may be renewed.
func (n *Enroller) extendable(identityID, authenticatorID string, presented []*x509.Certificate) (*model.Authenticator, error) {
	a := state.Get[model.Authenticator](n.deps.Store.View(), authenticatorID)
	switch {
	case a == nil:
		return nil, fault.NotFound.Errorf("authenticator with id %s not found", authenticatorID)
	case a.IdentityID != identityID || len(presented) == 0:
		return nil, fault.Unauthorized.New(nil)
	case a.Method != model.MethodCert || !a.IsIssuedByNetwork || a.CertPem == "":
		return nil, fault.CanNotUpdateAuthenticator.New(nil)
	}
	if _, err := pki.VerifyPeer(presented, n.deps.Bundle(), nil, n.now()); err != nil {
		return nil, fault.Unauthorized.New(nil)
	}
	if pki.Fingerprint(presented[0]) != a.Fingerprint {
		return nil, fault.Unauthorized.New(nil)
	}
	return a, nil
}

// NewCertAuthenticator fills in what follows from the PEM text of a certificate
// authenticator: fingerprint, key print and whether the network issued it. The
// refusal is fault.InvalidCertPEM.
func (n *Enroller) NewCertAuthenticator(a *model.Authenticator) error {
	chain, err := pki.ParseCertificates([]byte(a.CertPem))
	if err != nil {
		return fault.InvalidCertPEM.New(err)
	}
	a.Fingerprint, a.PublicKeyPrint = pki.Fingerprint(chain[0]), pki.PublicKeyPrint(chain[0])
	_, err = pki.VerifyPeer(chain, n.deps.Bundle(), nil, n.now())
	a.IsIssuedByNetwork = err == nil
	return nil
}
