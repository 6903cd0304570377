package auth

import (
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// HeaderSession carries the session token of a request.
const HeaderSession = "zt-session"

// Values of WWW-Authenticate. The first is one header that names both schemes.
const (
	wwwMissing = `zt-session realm="zt-session" error="missing" error_description="no matching token was provided",` +
		`Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"`
	wwwSession = `zt-session realm="zt-session" error="invalid" error_description="token is invalid"`
	wwwBearer  = `Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"`
)

// Principal is the caller of an authenticated request.
type Principal struct {
	Session  *Session
	Identity *model.Identity
}

// Full returns nil for a session without outstanding factors, else
// fault.Unauthorized: what operations demand that partial sessions may not call.
func (p *Principal) Full() error {
	if p.Session.Partial() {
		return fault.Unauthorized.Errorf("the session has outstanding authentication queries")
	}
	return nil
}

// Authenticate finds the session of a request and counts as its activity. Every
// refusal is fault.Unauthorized with the WWW-Authenticate of its reason. A
// request without any token is refused too: public operations do not ask.
func (a *Auth) Authenticate(r *http.Request) (*Principal, error) {
	var presented []*x509.Certificate
	if r.TLS != nil {
		presented = r.TLS.PeerCertificates
	}
	if text := r.Header.Get(HeaderSession); text != "" {
		return a.bySession(text, presented)
	}
	scheme, _, ok := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if ok && strings.EqualFold(scheme, "bearer") {
		return nil, unauthorized(wwwBearer, nil)
	}
	return nil, unauthorized(wwwMissing, errors.New("unauthenticated for invalid credentials"))
}

func unauthorized(www string, cause error) *fault.Error {
	e := fault.Unauthorized.New(cause)
	e.WWWAuthenticate = www
	return e
}

func (a *Auth) bySession(text string, presented []*x509.Certificate) (*Principal, error) {
	now := a.now()
	claims, err := a.verifier.Session(text)
	if err != nil {
		return nil, unauthorized(wwwSession, nil)
	}
	v := a.deps.Store.View()
	e := a.live(v, claims, now)
	if e == nil {
		return nil, unauthorized(wwwSession, nil)
	}
	identity := state.Get[model.Identity](v, claims.IdentityID)
	if identity == nil {
		return nil, unauthorized(wwwSession, nil)
	}
	if identity.Disabled(now) {
		return nil, fault.Unauthorized.New(nil)
	}
	if err := a.checkBinding(e, presented, now); err != nil {
		a.log.Warn("session token used with the certificate of somebody else", "sessionId", claims.ID,
			"identityId", claims.IdentityID, "certificate", pki.Fingerprint(presented[0]), "cause", err)
		return nil, unauthorized(wwwSession, nil)
	}
	e.touch(now)
	return &Principal{Session: a.snapshot(e, text), Identity: identity}, nil
}

// live returns the session of a verified token, nil when it has ended. A
// session from before the start whose record is lost is taken up anew.
func (a *Auth) live(v *state.View, claims token.Session, now time.Time) *entry {
	if Revoked(v, claims) {
		return nil
	}
	e := a.sessions.get(claims.ID)
	if e == nil {
		if e = a.adopt(v, claims, now); e == nil {
			return nil
		}
	}
	if e.record.Load().IdentityID != claims.IdentityID || now.Sub(e.active()) > a.cfg.SessionTimeout {
		return nil
	}
	return e
}

// adopt makes a record for a token that was issued before the start, but not
// before the time from which on the journal may lack records.
func (a *Auth) adopt(v *state.View, claims token.Session, now time.Time) *entry {
	if claims.IssuedAt.After(a.start) || claims.IssuedAt.Before(a.lost) ||
		now.Sub(a.start) > a.cfg.SessionTimeout || a.sessions.hasEnded(claims.ID) {
		return nil
	}
	rec := &record{ID: claims.ID, IdentityID: claims.IdentityID, CreatedAt: claims.IssuedAt, Fingerprint: claims.Fingerprint}
	if claims.Partial {
		// Which factors were given since is not known: all are asked again.
		identity := state.Get[model.Identity](v, claims.IdentityID)
		if identity == nil {
			return nil
		}
		if policy := state.Get[model.AuthPolicy](v, identity.AuthPolicyID); policy != nil {
			rec.MfaRequired = verified(v, identity.ID) != nil
			rec.Queries = queries(policy, rec.MfaRequired)
		}
		if rec.Partial = true; len(rec.Queries) == 0 {
			return nil
		}
	}
	for auth := range state.ByIndex[model.Authenticator](v, state.ByIdentity, claims.IdentityID) {
		if auth.Fingerprint == claims.Fingerprint {
			rec.AuthenticatorID = auth.ID
			break
		}
	}
	a.log.Info("session without a record taken up", "sessionId", claims.ID, "identityId", claims.IdentityID)
	return a.sessions.add(rec, a.start)
}

// Revoked reports whether the state holds a revocation of a session or of its
// identity that covers the token.
func Revoked(v *state.View, s token.Session) bool {
	if r := state.Get[model.Revocation](v, s.ID); r != nil && r.Type == model.RevokeAPISession {
		return true
	}
	r := state.Get[model.Revocation](v, s.IdentityID)
	return r != nil && r.Type == model.RevokeIdentity && (r.IssuedBefore == nil || !s.IssuedAt.After(*r.IssuedBefore))
}

// checkBinding refuses the use of a session that was begun with a certificate
// by the holder of another one. A request without any certificate passes: the
// token of such a session is a bearer token at the API.
func (a *Auth) checkBinding(e *entry, presented []*x509.Certificate, now time.Time) error {
	rec := e.record.Load()
	if rec.Fingerprint == "" || len(presented) == 0 {
		return nil
	}
	_, err := pki.VerifyPeer(presented, a.deps.Bundle(), nil, now)
	b := pki.Binding{
		IdentityID: rec.IdentityID, SessionID: rec.ID, Fingerprints: a.fingerprints(rec), AllowExpired: true, TrustDomains: a.trustDomains(),
	}
	return b.Check(presented[0], err == nil, now)
}

// trustDomains are those whose SPIFFE ids count; none means all.
func (a *Auth) trustDomains() []string {
	if a.cfg.TrustDomain == "" {
		return nil
	}
	return append([]string{a.cfg.TrustDomain}, a.cfg.TrustDomains...)
}

// fingerprints returns those of the certificates that may use the session as
// they are: of its login and of the identity's authenticators.
func (a *Auth) fingerprints(rec *record) []string {
	var out []string
	if rec.Fingerprint != "" && (rec.AuthenticatorID == ClaimAuthenticator || a.authenticator(rec.AuthenticatorID) != nil) {
		out = append(out, rec.Fingerprint)
	}
	for auth := range state.ByIndex[model.Authenticator](a.deps.Store.View(), state.ByIdentity, rec.IdentityID) {
		if auth.Fingerprint != "" {
			out = append(out, auth.Fingerprint)
		}
	}
	return out
}

func (a *Auth) authenticator(id string) *model.Authenticator {
	if id == "" {
		return nil
	}
	return state.Get[model.Authenticator](a.deps.Store.View(), id)
}
