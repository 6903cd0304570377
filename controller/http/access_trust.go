package http

import (
	"iter"
	"slices"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Who may change auth policies, authorities and signers decides who logs in as
// whom. Those who are not admins may do so as long as it is not about identities
// with rights that they lack.

// higher yields the identities with rights that the caller lacks, with their
// auth policies.
func (c *call) higher() iter.Seq2[*model.Identity, *model.AuthPolicy] {
	return func(yield func(*model.Identity, *model.AuthPolicy) bool) {
		if c.caller.Admin {
			return
		}
		for i := range state.All[model.Identity](c.state) {
			if c.caller.above(i) == "" {
				continue
			}
			p := state.Get[model.AuthPolicy](c.state, i.AuthPolicyID)
			if p != nil && !yield(i, p) {
				return
			}
		}
	}
}

func (c *call) higherRefused(i *model.Identity, what string) error {
	return fault.Unauthorized.Errorf("%s concerns how %s logs in, who has rights that the caller lacks", what, i.Name).
		WithRemedy("let an admin do it")
}

// guardAuthPolicy keeps a caller from the auth policy of higher identities.
func guardAuthPolicy(c *call, old *model.AuthPolicy, _ any) error {
	if old == nil {
		return nil // nobody has it yet, and giving it to an identity is a change of that
	}
	for i, p := range c.higher() {
		if p.ID == old.ID {
			return c.higherRefused(i, "the auth policy "+old.Name)
		}
	}
	return nil
}

// guardSigner keeps a caller from signers whose tokens log higher identities in.
func (c *call) guardSigner(s *model.ExternalJwtSigner) error {
	if s == nil || !s.Enabled {
		return nil
	}
	for i, p := range c.higher() {
		first, second := p.Primary.ExtJwt, p.Secondary.RequireExtJwtSigner
		if first.Allowed && (len(first.AllowedSigners) == 0 || slices.Contains(first.AllowedSigners, s.ID)) || second != nil && *second == s.ID {
			return c.higherRefused(i, "the signer "+s.Name)
		}
	}
	return nil
}

// guardCA keeps a caller from authorities whose certificates log higher
// identities in by a name that the authority writes into them.
func (c *call) guardCA(ca *model.CA) error {
	if ca == nil || !ca.IsAuthEnabled || ca.ExternalIDClaim == nil {
		return nil
	}
	for i, p := range c.higher() {
		if i.ExternalID != nil && *i.ExternalID != "" && p.Primary.Cert.Allowed {
			return c.higherRefused(i, "the authority "+ca.Name)
		}
	}
	return nil
}

// guarded asks a guard about an entity as it is and as it will be, before
// anything else does.
func guarded[E any](guard func(c *call, e *E) error, next func(w *change[E]) error) func(w *change[E]) error {
	return func(w *change[E]) error {
		for _, e := range []*E{w.old, w.e} {
			if err := guard(w.c, e); err != nil {
				return err
			}
		}
		return next(w)
	}
}
