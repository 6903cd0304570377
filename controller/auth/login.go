package auth

import (
	"context"
	"crypto/x509"
	"errors"
	"sync"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Methods of a login.
const (
	LoginPassword = "password"
	LoginCert     = "cert"
	LoginExtJWT   = "ext-jwt"
)

// LoginRequest is a request to log in. The caller has checked the lengths of
// its texts.
type LoginRequest struct {
	Method       string
	Username     string
	Password     string
	ConfigTypes  []string // names or ids of config types, or "all"
	EnvInfo      *model.EnvInfo
	SdkInfo      *model.SdkInfo
	Certificates []*x509.Certificate // of the TLS handshake, leaf first
	RemoteIP     string              // without port
	// For events: the client's address with its port, and the address that it
	// connected to with the path of the request. Both may be empty.
	RemoteAddress, LocalAddress string
}

// passed is a proven identity.
type passed struct {
	authenticator *model.Authenticator
	identity      *model.Identity
	policy        *model.AuthPolicy
	chain         []*x509.Certificate // verified chain of a login by certificate
	improper      bool                // the client sent no intermediates
	ca            *model.CA           // that the chain ends in, nil for one of the network's own
}

// denied is the reason of a failed login: it goes to the log, never to the
// caller.
type denied struct {
	reason          string
	identityID      string
	authenticatorID string
	err             error
}

// Error returns the reason.
func (d *denied) Error() string { return d.reason }

// Unwrap returns the underlying error, if any.
func (d *denied) Unwrap() error { return d.err }

// Login proves an identity and begins an API session. Refusals:
// fault.InvalidAuth, the same for every cause; fault.CouldNotValidate for an
// unknown method or missing password fields; fault.TooManyRequests when too
// many logins are in progress or the identity has too many sessions.
func (a *Auth) Login(ctx context.Context, r LoginRequest) (*Session, error) {
	prove, err := a.method(r)
	if err != nil {
		return nil, err
	}
	finish, err := a.admit(r)
	if err != nil {
		return nil, err
	}
	outcome := limit.Failed
	defer func() { finish(outcome) }()
	p, err := prove(ctx, r)
	if err != nil {
		var d *denied
		if errors.As(err, &d) {
			a.log.Info("login refused", "method", r.Method, "reason", d.reason, "identityId", d.identityID,
				"authenticatorId", d.authenticatorID, "username", r.Username, "remote", r.RemoteIP, "cause", d.err)
			a.loginFailed(r, d)
			return nil, fault.InvalidAuth.New(nil)
		}
		if ctx.Err() != nil {
			outcome = limit.Backoff
			return nil, fault.TooManyRequests.New(err)
		}
		return nil, err
	}
	s, err := a.begin(r, p)
	if err == nil {
		outcome = limit.Success
	}
	return s, err
}

func (a *Auth) method(r LoginRequest) (func(context.Context, LoginRequest) (*passed, error), error) {
	switch r.Method {
	case LoginPassword:
		if r.Username == "" || r.Password == "" {
			return nil, fault.CouldNotValidate.Errorf("username and password fields are required")
		}
		return a.byPassword, nil
	case LoginCert:
		return a.byCertificate, nil
	case LoginExtJWT:
		// There are no external signers yet; without one the ecosystem answers so.
		return nil, fault.Unauthorized.New(nil)
	case "":
		return nil, fault.CouldNotValidate.Field("method", "method in query is required", "[]")
	}
	return nil, fault.CouldNotValidate.Field("method", "method in query should be one of [password cert ext-jwt]", r.Method)
}

// byPassword evaluates a login by user name and password, in the order that the
// ecosystem knows. An unknown name costs as much as a wrong password.
func (a *Auth) byPassword(ctx context.Context, r LoginRequest) (*passed, error) {
	v := a.deps.Store.View()
	auth := state.FirstBy[model.Authenticator](v, state.ByUsername, r.Username)
	identity, policy, err := a.owner(v, auth)
	if err == nil && !policy.Primary.Updb.Allowed {
		err = &denied{reason: "the auth policy does not allow passwords", identityID: identity.ID, authenticatorID: auth.ID}
	}
	var hash string
	if err == nil {
		hash = auth.PasswordHash
	}
	wrong := a.passwords.Verify(ctx, hash, r.Password)
	switch {
	case wrong != nil && !errors.Is(wrong, ErrPassword):
		return nil, wrong // ctx ended while waiting
	case err != nil:
		return nil, err
	case wrong != nil:
		a.failed(ctx, auth, policy)
		return nil, &denied{reason: "wrong password", identityID: identity.ID, authenticatorID: auth.ID}
	}
	a.attempts.clear(auth.ID)
	return &passed{authenticator: auth, identity: identity, policy: policy}, nil
}

// owner finds the identity of an authenticator and its auth policy.
func (a *Auth) owner(v *state.View, auth *model.Authenticator) (*model.Identity, *model.AuthPolicy, error) {
	if auth == nil {
		return nil, nil, &denied{reason: "no authenticator matches"}
	}
	identity := state.Get[model.Identity](v, auth.IdentityID)
	if identity == nil {
		return nil, nil, &denied{reason: "the identity is gone", authenticatorID: auth.ID}
	}
	policy := state.Get[model.AuthPolicy](v, identity.AuthPolicyID)
	if policy == nil {
		return nil, nil, &denied{reason: "the auth policy is gone", identityID: identity.ID, authenticatorID: auth.ID}
	}
	if identity.Disabled(a.now()) {
		return nil, nil, &denied{reason: "the identity is disabled", identityID: identity.ID, authenticatorID: auth.ID}
	}
	return identity, policy, nil
}

// begin makes the session of a proven identity.
func (a *Auth) begin(r LoginRequest, p *passed) (*Session, error) {
	if a.sessions.countOf(p.identity.ID) >= a.cfg.MaxSessions {
		return nil, fault.TooManyRequests.Errorf("the identity has %d sessions already", a.cfg.MaxSessions).
			WithRemedy("log out of those that are not needed, or wait until they end by inactivity")
	}
	now := a.now().Truncate(time.Millisecond)
	rec := &record{
		ID: id.Session(), IdentityID: p.identity.ID, AuthenticatorID: p.authenticator.ID, CreatedAt: now,
		ConfigTypes: a.configTypes(r.ConfigTypes), IPAddress: r.RemoteIP, ImproperChain: p.improper,
		MfaRequired: verified(a.deps.Store.View(), p.identity.ID) != nil,
	}
	rec.Queries = queries(p.policy, rec.MfaRequired)
	rec.Partial = len(rec.Queries) > 0
	if len(p.chain) > 0 {
		leaf := p.chain[0]
		rec.Fingerprint = p.authenticator.Fingerprint
		if p.ca != nil {
			rec.CA = p.ca.ID
		}
		rec.Certificates = []certRecord{{ID: id.Short(), CreatedAt: now, Chain: [][]byte{leaf.Raw}}}
	}
	text, err := a.tokenOf(rec)
	if err != nil {
		return nil, err
	}
	e := a.sessions.add(rec, now)
	if e == nil {
		return nil, fault.Unhandled.Errorf("session id %s exists already", rec.ID)
	}
	e.text.Store(&text)
	a.note(r, p)
	a.loggedIn(r, rec, p.policy.ID)
	a.log.Debug("login", "method", r.Method, "identityId", p.identity.ID, "sessionId", rec.ID, "remote", r.RemoteIP)
	return a.snapshot(e, text), nil
}

// configTypes resolves names to ids, keeps ids and "all", drops what is unknown.
func (a *Auth) configTypes(names []string) []string {
	const maxKept = 64
	var out []string
	v := a.deps.Store.View()
	seen := make(map[string]bool)
	for _, n := range names {
		if n != "all" {
			if t := state.FirstBy[model.ConfigType](v, state.ByName, n); t != nil {
				n = t.ID
			} else if state.Get[model.ConfigType](v, n) == nil {
				continue
			}
		}
		if !seen[n] && len(out) < maxKept {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// bypass lets an administrator in, once in bypassEvery, while the limit keeps
// everybody out.
type bypass struct {
	mu   sync.Mutex
	last time.Time
}

const bypassEvery = 10 * time.Second

func (b *bypass) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.last) < bypassEvery {
		return false
	}
	b.last = now
	return true
}

// LoginLimit returns how many logins may be in progress at the moment and how
// many are; zeros without a limit.
func (a *Auth) LoginLimit() (window, inProgress int) {
	if a.window == nil {
		return 0, 0
	}
	return a.window.Size()
}

// admit applies the limit of logins in progress.
func (a *Auth) admit(r LoginRequest) (func(limit.Outcome), error) {
	if a.window == nil {
		return func(limit.Outcome) {}, nil
	}
	if done, ok := a.window.Acquire(); ok {
		return done, nil
	}
	if a.claimsAdmin(r) && a.bypass.take(a.now()) {
		return func(limit.Outcome) {}, nil
	}
	return nil, fault.TooManyRequests.New(nil)
}

// claimsAdmin reports whether a login names an administrator.
func (a *Auth) claimsAdmin(r LoginRequest) bool {
	if r.Method != LoginPassword {
		return false
	}
	v := a.deps.Store.View()
	auth := state.FirstBy[model.Authenticator](v, state.ByUsername, r.Username)
	if auth == nil {
		return false
	}
	i := state.Get[model.Identity](v, auth.IdentityID)
	return i != nil && i.IsAdmin
}
