package enroll

import (
	"context"
	"crypto/x509"

	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// ottCa gives an identity the certificate that the client presents, which the
// enrollment's CA has to have issued. Refusals: fault.EnrollmentCANotValid,
// fault.CertificateFailedValidation, fault.CertInUse.
func (n *Enroller) ottCa(ctx context.Context, v *state.View, e *model.Enrollment, r Request) (*Result, error) {
	identity := state.Get[model.Identity](v, e.IdentityID)
	if identity == nil {
		return nil, fault.InvalidEnrollmentToken.New(nil)
	}
	ca := state.Get[model.CA](v, e.CaID)
	if ca == nil || !ca.IsVerified || !ca.IsOttCaEnrollmentEnabled {
		return nil, fault.EnrollmentCANotValid.New(nil)
	}
	_, chain := n.cas.Issuer(v, r.Certificates, n.now(), func(c *model.CA) bool { return c.ID == ca.ID })
	if chain == nil || !thirdparty.Current(chain[0], n.now()) {
		return nil, fault.CertificateFailedValidation.New(nil)
	}
	a := thirdPartyAuthenticator(identity.ID, chain...)
	if err := n.unused(v, a.Fingerprint); err != nil {
		return nil, err
	}
	err := n.consume(ctx, e, n.command(authorOf(identity), "enrollOttCa", r.RemoteIP).Create(a))
	if err != nil {
		return nil, n.raced(err, a.Fingerprint, nil)
	}
	return &Result{}, nil
}

// autoCa makes an identity for a certificate of a CA that allows it. Refusals:
// fault.EnrollmentNoValidCAs, fault.CertFailedValidation, fault.CertInUse,
// fault.MissingCertClaim, fault.CouldNotValidate for a name.
func (n *Enroller) autoCa(ctx context.Context, v *state.View, r Request) (*Result, *model.Enrollment, error) {
	if !n.cas.Any(v, thirdparty.ForAutoEnrollment) {
		return nil, nil, fault.EnrollmentNoValidCAs.New(nil)
	}
	ca, chain := n.cas.Issuer(v, r.Certificates, n.now(), thirdparty.ForAutoEnrollment)
	if ca == nil || !thirdparty.Current(chain[0], n.now()) {
		return nil, nil, fault.CertFailedValidation.New(nil)
	}
	leaf := chain[0]
	print := pki.Fingerprint(leaf)
	if err := n.unused(v, print); err != nil {
		return nil, nil, err
	}
	i := &model.Identity{Type: model.IdentityDefault, AuthPolicyID: model.DefaultAuthPolicyID, RoleAttributes: ca.IdentityRoles}
	i.ID = id.Short()
	var a *model.Authenticator
	if ca.ExternalIDClaim != nil {
		claim := thirdparty.ExternalID(ca.ExternalIDClaim, leaf)
		if claim == "" {
			return nil, nil, fault.MissingCertClaim.New(nil)
		}
		i.ExternalID = &claim
	} else {
		a = thirdPartyAuthenticator(i.ID, leaf)
	}
	name, err := nameOf(ca, leaf, i.ID, r.Name)
	if err != nil {
		return nil, nil, err
	}
	err = n.createNamed(v, i, name, func() error {
		c := n.command(state.Author{ID: i.ID, Name: i.Name, Type: "identity"}, "enrollCa", r.RemoteIP).Create(i)
		if a != nil {
			c.Create(a)
		}
		return n.write(ctx, c)
	})
	if err != nil {
		return nil, nil, n.raced(err, print, i.ExternalID)
	}
	return &Result{}, &model.Enrollment{Method: MethodCa, IdentityID: i.ID, CaID: ca.ID}, nil
}

func thirdPartyAuthenticator(identityID string, chain ...*x509.Certificate) *model.Authenticator {
	a := &model.Authenticator{Method: model.MethodCert, IdentityID: identityID}
	a.ID = id.Short()
	describe(a, chain)
	return a
}

// unused refuses a certificate that an authenticator has.
func (n *Enroller) unused(v *state.View, print string) error {
	if state.FirstBy[model.Authenticator](v, state.ByFingerprint, print) == nil {
		return nil
	}
	e := fault.CertInUse.New(nil)
	e.Data = map[string]any{"fingerprint": print}
	return e
}

// raced returns what a refused write means: that the certificate, or the
// external id that it names, was taken by another at the same time or before.
func (n *Enroller) raced(err error, print string, externalID *string) error {
	v := n.deps.Store.View()
	if used := n.unused(v, print); used != nil {
		return used
	}
	if externalID != nil && state.FirstBy[model.Identity](v, state.ByExternalID, *externalID) != nil {
		return fault.CertInUse.Errorf("another identity has the external id that the certificate names")
	}
	return err
}
