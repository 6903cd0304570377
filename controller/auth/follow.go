package auth

import (
	"context"

	"github.com/weftnet/weft/controller/thirdparty"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// follow ends sessions when the state says so and takes up new keys.
func (a *Auth) follow(ctx context.Context, index uint64) {
	v := a.deps.Store.View()
	a.recheck()
	for {
		changes, ok := a.deps.Store.Changes(index, v)
		if !ok {
			a.recheck()
		}
		a.react(v, changes)
		index = v.Index()
		select {
		case <-ctx.Done():
			return
		case <-v.Changed():
			v = a.deps.Store.View()
		}
	}
}

func (a *Auth) react(v *state.View, changes []state.Change) {
	keys := false
	for i := range changes {
		c := &changes[i]
		switch c.Kind {
		case model.KindKey:
			keys = true
		case model.KindIdentity:
			a.identityChanged(c)
		case model.KindAuthenticator:
			if c.New == nil {
				a.authenticatorRemoved(c.Old.(*model.Authenticator))
			}
		case model.KindCA:
			a.authorityChanged(c)
		case model.KindMFA:
			if c.New == nil {
				a.mfaRemoved(c.Old.(*model.MFA))
			}
		case model.KindRevocation:
			if r, ok := c.New.(*model.Revocation); ok && r != nil {
				a.revoked(v, r)
			}
		}
	}
	if keys {
		if err := a.useKeys(v); err != nil {
			a.log.Error("signing keys", "error", err)
		}
	}
}

func (a *Auth) identityChanged(c *state.Change) {
	identity, _ := c.New.(*model.Identity)
	if identity != nil && !identity.Disabled(a.now()) {
		return
	}
	reason := "identity disabled"
	if identity == nil {
		reason = "identity deleted"
	}
	for _, e := range a.sessions.ofIdentity(c.ID) {
		a.dropKnown(e, reason)
	}
}

// authenticatorRemoved ends the sessions that stand on an authenticator which
// is gone: a certificate that was taken away must open nothing.
func (a *Auth) authenticatorRemoved(auth *model.Authenticator) {
	a.attempts.clear(auth.ID)
	for _, e := range a.sessions.ofIdentity(auth.IdentityID) {
		if e.record.Load().AuthenticatorID == auth.ID {
			a.drop(e, "authenticator removed")
		}
	}
}

// authorityChanged ends the sessions that stand on certificates of an authority
// which may not let anybody in any more.
func (a *Auth) authorityChanged(c *state.Change) {
	if ca, _ := c.New.(*model.CA); ca != nil && thirdparty.ForLogin(ca) {
		return
	}
	for _, e := range a.sessions.all() {
		if e.record.Load().CA == c.ID {
			a.drop(e, "certificate authority removed or not enabled any more")
		}
	}
}

// noAuthority reports whether a session stands on an authority that may not let
// anybody in any more.
func noAuthority(v *state.View, rec *record) bool {
	if rec.CA == "" {
		return false
	}
	ca := state.Get[model.CA](v, rec.CA)
	return ca == nil || !thirdparty.ForLogin(ca)
}

func (a *Auth) revoked(v *state.View, r *model.Revocation) {
	switch r.Type {
	case model.RevokeAPISession:
		if e := a.sessions.get(r.ID); e != nil {
			a.dropKnown(e, "revoked")
		}
	case model.RevokeIdentity:
		for _, e := range a.sessions.ofIdentity(r.ID) {
			if Revoked(v, claimsOf(e.record.Load())) {
				a.dropKnown(e, "identity revoked")
			}
		}
	case model.RevokeJTI:
		a.endService(r.ID)
	}
}

func claimsOf(r *record) token.Session {
	return token.Session{ID: r.ID, IdentityID: r.IdentityID, IssuedAt: r.CreatedAt}
}

// recheck compares every session with the state, at the start and when the
// changes since the last look are not known any more. The view is taken after the
// sessions: in an older one the identity of a new session may be missing.
func (a *Auth) recheck() {
	now, sessions := a.now(), a.sessions.all()
	v := a.deps.Store.View()
	for _, e := range sessions {
		rec := e.record.Load()
		identity := state.Get[model.Identity](v, rec.IdentityID)
		if (rec.MfaRequired || rec.MfaComplete) && MFAOf(v, rec.IdentityID) == nil {
			a.factorGone(e)
		}
		switch {
		case Revoked(v, claimsOf(rec)):
			a.dropKnown(e, "revoked")
		case identity == nil:
			a.dropKnown(e, "identity deleted")
		case identity.Disabled(now):
			a.dropKnown(e, "identity disabled")
		case noAuthority(v, rec):
			a.drop(e, "certificate authority removed or not enabled any more")
		case rec.AuthenticatorID != "" && rec.AuthenticatorID != ClaimAuthenticator && state.Get[model.Authenticator](v, rec.AuthenticatorID) == nil:
			a.drop(e, "authenticator removed")
		}
	}
}
