package http

import (
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// login handles POST /authenticate.
func (s *Server) login(c *call) error {
	method := c.r.URL.Query().Get("method")
	switch method {
	case "password", "cert", "ext-jwt":
	case "":
		return fault.CouldNotValidate.Field("method", "method in query is required", "")
	default:
		return fault.CouldNotValidate.Field("method", "method in query should be one of [password cert ext-jwt]", method)
	}
	in, _ := c.body.(*api.Authenticate)
	if in == nil {
		in = &api.Authenticate{}
	}
	session, err := s.cfg.Login.Login(c.r.WithContext(c.ctx), method, in)
	if err != nil {
		return err
	}
	c.w.Header()["Zt-Session"] = []string{session.Token}
	c.state = s.cfg.State()
	return c.currentSession(session)
}

func (c *call) currentSession(a *APISession) error {
	c.expiry(a.ExpiresAt, a.Timeout)
	d := api.CurrentAPISession{ExpirationSeconds: int64(a.Timeout / time.Second), ExpiresAt: a.ExpiresAt}
	shapeAPISession(c, &d.APISession, a)
	return c.detail(&d)
}

func shapeAPISession(c *call, d *api.APISession, a *APISession) {
	base(&d.Base, &model.Base{ID: a.ID, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}, c.s.links.apiSession)
	d.AuthQueries, d.AuthenticatorID, d.ConfigTypes = a.AuthQueries, a.AuthenticatorID, a.ConfigTypes
	d.CachedLastActivityAt, d.LastActivityAt = a.LastActivityAt, a.LastActivityAt
	d.IdentityID, d.Identity, d.IPAddress = a.IdentityID, c.identityRef(a.IdentityID), a.IPAddress
	d.ImproperClientCertChain, d.IsCertExtendable = a.ImproperCertChain, a.CertExtendable
	d.IsCertExtendRequested, d.IsCertKeyRollRequested = a.ExtendRequested, a.KeyRollRequested
	d.IsMfaComplete, d.IsMfaRequired, d.Token = a.MfaComplete, a.MfaRequired, a.Token
}

// ownSession handles GET /current-api-session.
func (s *Server) ownSession(c *call) error {
	a := s.cfg.Sessions.APISession(c.caller.SessionID)
	if a == nil {
		return fault.NotFound.Errorf("apiSession with id %s not found", c.caller.SessionID)
	}
	return c.currentSession(a)
}

func (s *Server) logout(c *call) error {
	if err := s.cfg.Sessions.EndAPISession(c.ctx, c.caller.SessionID); err != nil {
		return err
	}
	return c.done()
}

// serviceUpdates tells when the caller's services last changed: the policies'
// answer, but not before the session and this process began.
func (s *Server) serviceUpdates(c *call) error {
	at := c.policy.ChangedAt(c.caller.IdentityID)
	if at.IsZero() {
		at = c.caller.CreatedAt
		if s.cfg.StartedAt.After(at) {
			at = s.cfg.StartedAt
		}
	}
	return c.detail(&api.ServiceUpdates{LastChangeAt: at})
}
