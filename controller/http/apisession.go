package http

import (
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/query"
)

// knowsToken reports whether the caller may see the token of a session: an admin
// or its owner. Whoever else may list sessions must not become their owner.
func (c *call) knowsToken(a *APISession) bool {
	return c.caller.Admin || a.ID == c.caller.SessionID
}

// apiSessions handles the login sessions on the management API.
func (s *Server) apiSessions() (list, detail, remove handler) {
	token := column[APISession]{Field: query.Field{Name: "token", Type: query.String}, value: func(c *call, a *APISession) query.Value {
		if !c.knowsToken(a) {
			return query.Value{}
		}
		return query.StringOf(a.Token)
	}}
	no := func(get func(a *APISession) bool) func(*call, *APISession) bool {
		return func(_ *call, a *APISession) bool { return get(a) }
	}
	shape := func(c *call, d *api.APISession, a *APISession) {
		shapeAPISession(c, d, a)
		if !c.knowsToken(a) {
			d.Token = ""
		}
	}
	l := &listing[APISession, api.APISession]{shape: shape, table: newTable(nil,
		text("id", func(a *APISession) string { return a.ID }), token,
		text("identity", func(a *APISession) string { return a.IdentityID }), text("ipAddress", func(a *APISession) string { return a.IPAddress }),
		text("authenticator", func(a *APISession) string { return a.AuthenticatorID }),
		flag("mfaComplete", no(func(a *APISession) bool { return a.MfaComplete })), flag("mfaRequired", no(func(a *APISession) bool { return a.MfaRequired })),
		flag("improperClientCertChain", no(func(a *APISession) bool { return a.ImproperCertChain })), flag("isSystem", no(func(*APISession) bool { return false })),
		moment("createdAt", func(a *APISession) time.Time { return a.CreatedAt }), moment("updatedAt", func(a *APISession) time.Time { return a.UpdatedAt }),
		moment("lastActivityAt", func(a *APISession) time.Time { return a.LastActivityAt }), tagColumn[APISession]())}
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		return l.answer(c, p, source[APISession]{inOrder(s.cfg.Sessions.APISessions(), func(a *APISession) string { return a.ID }), -1})
	}
	detail = func(c *call) error {
		a := s.cfg.Sessions.APISession(c.id())
		if a == nil {
			return fault.NotFound.Errorf("apiSession with id %s not found", c.id())
		}
		var d api.APISession
		shape(c, &d, a)
		return c.detail(&d)
	}
	remove = func(c *call) error {
		if err := s.cfg.Sessions.EndAPISession(c.ctx, c.id()); err != nil {
			return err
		}
		return c.done()
	}
	return list, detail, remove
}
