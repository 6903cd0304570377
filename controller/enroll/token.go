package enroll

import (
	"context"
	"slices"

	"github.com/weftnet/weft/controller/extjwt"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// byToken makes an identity for the bearer of a token of an external signer:
// with a certificate if there is a request for one, else one that logs in by
// such tokens. Refusals: fault.InvalidEnrollmentToken,
// fault.EnrollmentIdentityAlreadyEnrolled, fault.InvalidEnrollmentNotAllowed,
// fault.CouldNotProcessCSR.
func (n *Enroller) byToken(ctx context.Context, v *state.View, r Request) (*Result, *model.Enrollment, error) {
	if len(r.Bearers) == 0 {
		return nil, nil, fault.CouldNotValidate.Field("Authorization", "Authorization in header is required", "")
	}
	t, i, err := n.verified(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if state.FirstBy[model.Identity](v, state.ByExternalID, *i.ExternalID) != nil {
		return nil, nil, fault.EnrollmentIdentityAlreadyEnrolled.New(nil)
	}
	i.AuthPolicyID = t.Signer.EnrollAuthPolicyID
	if i.AuthPolicyID == "" {
		i.AuthPolicyID = model.DefaultAuthPolicyID
	}
	withCert := r.ClientCSR != ""
	if err := allowed(v, t.Signer, i.AuthPolicyID, withCert); err != nil {
		return nil, nil, err
	}
	i.ID = id.Short()
	result := &Result{}
	c := n.command(authorOf(i), "enrollToken", r.RemoteIP).Create(i)
	if withCert {
		chain, err := n.identityCertificate(i.ID, r.ClientCSR)
		if err != nil {
			return nil, nil, err
		}
		a := &model.Authenticator{Method: model.MethodCert, IdentityID: i.ID, IsIssuedByNetwork: true}
		a.ID = id.Short()
		describe(a, chain)
		c.Create(a)
		result.Cert, result.CA = a.CertPem, n.CA()
	}
	if err := n.write(ctx, c); err != nil {
		return nil, nil, n.tokenRaced(err, i)
	}
	return result, &model.Enrollment{Method: MethodToken, IdentityID: i.ID}, nil
}

// verified returns the first good token and the identity that it describes.
func (n *Enroller) verified(ctx context.Context, r Request) (*extjwt.Token, *model.Identity, error) {
	err := extjwt.ErrNoSigner
	for _, text := range r.Bearers {
		if n.deps.Tokens == nil {
			break
		}
		var t *extjwt.Token
		if t, err = n.deps.Tokens.Verify(ctx, text, r.SignerID); err != nil {
			continue
		}
		var i *model.Identity
		if i, err = described(t); err == nil {
			return t, i, nil
		}
	}
	n.log.Info("token refused", "remote", r.RemoteIP, "cause", err)
	return nil, nil, fault.InvalidEnrollmentToken.New(nil)
}

// described returns the identity that the claims of a token describe.
func described(t *extjwt.Token) (*model.Identity, error) {
	externalID, err := t.Identity()
	if err != nil {
		return nil, err
	}
	selector := t.Signer.EnrollNameClaimsSelector
	if selector == "" {
		selector = model.DefaultNameClaimsSelector
	}
	name, err := t.Text(selector)
	if err != nil {
		return nil, err
	}
	if err := usableName(name); err != nil {
		return nil, err
	}
	attributes, err := t.Texts(t.Signer.EnrollAttributeClaimsSelector)
	if err != nil {
		return nil, err
	}
	return &model.Identity{Name: name, Type: model.IdentityDefault, ExternalID: &externalID, RoleAttributes: attributes}, nil
}

// allowed refuses what signer or auth policy do not allow.
func allowed(v *state.View, s *model.ExternalJwtSigner, policyID string, withCert bool) error {
	refuse := func(format string, args ...any) error {
		return fault.InvalidEnrollmentNotAllowed.Errorf(format, args...)
	}
	policy := state.Get[model.AuthPolicy](v, policyID)
	switch {
	case withCert && !s.EnrollToCertEnabled:
		return refuse("the signer does not allow enrollment to a certificate")
	case !withCert && !s.EnrollToTokenEnabled:
		return refuse("the signer does not allow enrollment to a token")
	case policy == nil:
		return refuse("the auth policy of the signer's enrollments does not exist")
	case withCert && !policy.Primary.Cert.Allowed:
		return refuse("the auth policy of the signer's enrollments does not allow certificates")
	case !withCert && (!policy.Primary.ExtJwt.Allowed || !admits(policy, s.ID)):
		return refuse("the auth policy of the signer's enrollments does not allow tokens of the signer")
	}
	return nil
}

func admits(p *model.AuthPolicy, signerID string) bool {
	return len(p.Primary.ExtJwt.AllowedSigners) == 0 || slices.Contains(p.Primary.ExtJwt.AllowedSigners, signerID)
}

// tokenRaced returns what a refused write means.
func (n *Enroller) tokenRaced(err error, i *model.Identity) error {
	v := n.deps.Store.View()
	if state.FirstBy[model.Identity](v, state.ByExternalID, *i.ExternalID) != nil {
		return fault.EnrollmentIdentityAlreadyEnrolled.New(nil)
	}
	if taken(v, i.Name) {
		return fault.InvalidEnrollmentNotAllowed.Errorf("another identity has the name %s", i.Name).
			WithRemedy("rename the other identity, or have the signer name this one differently")
	}
	return err
}
