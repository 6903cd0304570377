package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// signers refuses an auth policy that names an unknown external signer.
func (t *tx) signers(p *model.AuthPolicy) error {
	for i, id := range p.Primary.ExtJwt.AllowedSigners {
		if t.get(model.KindExternalJwtSigner, id) == nil {
			return fault.NotFound.Field(fmt.Sprintf("primary.extJwt.allowedExtJwtSigners[%d]", i), "not found", id)
		}
	}
	if id := p.Secondary.RequireExtJwtSigner; id != nil && t.get(model.KindExternalJwtSigner, *id) == nil {
		return fault.NotFound.Field("secondary.requireExtJwtSigner", "not found", *id)
	}
	return nil
}

// enrollPolicy refuses a signer whose identities would get an auth policy that
// is not there or that does not let them in.
func (t *tx) enrollPolicy(s *model.ExternalJwtSigner) error {
	p, ok := t.get(model.KindAuthPolicy, s.EnrollAuthPolicyID).(*model.AuthPolicy)
	switch {
	case !ok:
		return notFound(model.KindAuthPolicy, s.EnrollAuthPolicyID)
	case s.EnrollToCertEnabled && !p.Primary.Cert.Allowed:
		return fault.CouldNotValidate.Field("enrollAuthPolicyId", "enrollment to a certificate needs an auth policy that allows certificates", p.ID)
	case s.EnrollToTokenEnabled && !p.Primary.ExtJwt.Allowed:
		return fault.CouldNotValidate.Field("enrollAuthPolicyId", "enrollment to a token needs an auth policy that allows external tokens", p.ID)
	}
	return nil
}

// signerInUse refuses to delete a signer that an auth policy names.
func (t *tx) signerInUse(id string) error {
	var allowing, requiring []string
	for e := range t.data.all(model.KindAuthPolicy) {
		p := e.(*model.AuthPolicy)
		if slices.Contains(p.Primary.ExtJwt.AllowedSigners, id) {
			allowing = append(allowing, p.ID)
		}
		if s := p.Secondary.RequireExtJwtSigner; s != nil && *s == id {
			requiring = append(requiring, p.ID)
		}
	}
	switch {
	case len(allowing) > 0:
		return referenced("primary.extJwt.allowedSigners", model.KindExternalJwtSigner, model.KindAuthPolicy, allowing)
	case len(requiring) > 0:
		return referenced("secondary.requireExtJwtSigner", model.KindExternalJwtSigner, model.KindAuthPolicy, requiring)
	}
	return nil
}

// enrollPolicyInUse refuses to delete an auth policy that signers give to the
// identities they enrol.
func (t *tx) enrollPolicyInUse(id string) error {
	var users []string
	for e := range t.data.all(model.KindExternalJwtSigner) {
		if e.(*model.ExternalJwtSigner).EnrollAuthPolicyID == id {
			users = append(users, e.Meta().ID)
		}
	}
	if len(users) == 0 {
		return nil
	}
	return referenced("enrollAuthPolicyId", model.KindAuthPolicy, model.KindExternalJwtSigner, users)
}

// referenced is the refusal to delete what others refer to by a field.
func referenced(field string, what, by model.Kind, ids []string) error {
	text := "[" + strings.Join(ids[:min(len(ids), maxListed)], " ") + "]"
	return fault.CanNotDeleteReferencedEntity.Field(field, fmt.Sprintf("entity type %s referenced by %s: %s", what, by, text), text)
}
