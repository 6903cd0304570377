package auth

import (
	"slices"

	"github.com/weftnet/weft/model"
)

// Types of outstanding factors.
const (
	factorMFA    = "MFA"
	factorExtJWT = "EXT-JWT"
)

// queries returns the factors that are demanded after the first: a one-time
// code of an identity that is enrolled, and what the policy says. They are bound
// to the session when it begins.
func queries(p *model.AuthPolicy, enrolled bool) []Query {
	var out []Query
	if enrolled || p.Secondary.RequireTotp {
		out = append(out, Query{TypeID: factorMFA, Provider: "ziti", HTTPMethod: "POST", HTTPURL: "./authenticate/mfa",
			Format: "alphaNumeric", MinLength: 4, MaxLength: 6})
	}
	if s := p.Secondary.RequireExtJwtSigner; s != nil && *s != "" {
		out = append(out, Query{TypeID: factorExtJWT, Provider: "url", ID: *s})
	}
	return out
}

// factorPassed notes that a session has given a one-time code; enrolled says
// that the session has just put the enrolment in force.
func (a *Auth) factorPassed(sessionID string, enrolled bool) {
	e := a.sessions.get(sessionID)
	if e == nil {
		return
	}
	e.wrong.Store(0)
	now := a.now()
	_ = a.edit(e, func(r *record) error { // the change cannot fail
		r.Queries = slices.DeleteFunc(slices.Clone(r.Queries), func(q Query) bool { return q.TypeID == factorMFA })
		r.MfaComplete, r.UpdatedAt = true, now
		r.MfaRequired = r.MfaRequired || enrolled
		return nil
	})
}

// mfaRemoved takes the factor from the sessions of an identity: what depends on
// a code having been given does not hold any more.
func (a *Auth) mfaRemoved(m *model.MFA) {
	a.codes.forget(m)
	for _, e := range a.sessions.ofIdentity(m.IdentityID) {
		if r := e.record.Load(); r.MfaComplete || r.MfaRequired {
			a.factorGone(e)
		}
	}
}

func (a *Auth) factorGone(e *entry) {
	now := a.now()
	_ = a.edit(e, func(r *record) error { // the change cannot fail
		r.MfaComplete, r.MfaRequired, r.UpdatedAt = false, false, now
		return nil
	})
}
