package http

import (
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
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

// certificates handles the certificates of the caller's session.
func (s *Server) certificates() (list, create, detail, remove handler) {
	type cert = SessionCertificate
	shape := func(c *call, d *api.SessionCertificate, e *cert) {
		base(&d.Base, &model.Base{ID: e.ID, CreatedAt: e.CreatedAt, UpdatedAt: e.CreatedAt}, s.links.sessionCertificate)
		d.Certificate, d.Fingerprint, d.Subject, d.ValidFrom, d.ValidTo = e.Certificate, e.Fingerprint, e.Subject, e.ValidFrom, e.ValidTo
	}
	l := &listing[cert, api.SessionCertificate]{shape: shape, table: newTable(nil,
		text("id", func(e *cert) string { return e.ID }), text("apiSession", func(e *cert) string { return e.SessionID }),
		text("subject", func(e *cert) string { return e.Subject }), text("fingerprint", func(e *cert) string { return e.Fingerprint }),
		moment("createdAt", func(e *cert) time.Time { return e.CreatedAt }), moment("updatedAt", func(e *cert) time.Time { return e.CreatedAt }),
		flag("isSystem", func(*call, *cert) bool { return false }), tagColumn[cert]())}
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		all := s.cfg.Sessions.Certificates(c.caller.SessionID)
		slices.SortFunc(all, func(a, b cert) int { return strings.Compare(a.ID, b.ID) })
		return l.answer(c, p, source[cert]{func(yield func(*cert) bool) {
			for i := range all {
				if !yield(&all[i]) {
					return
				}
			}
		}, len(all)})
	}
	create = func(c *call) error {
		e, anchors, err := s.cfg.Sessions.IssueCertificate(c.ctx, c.caller, *c.body.(*api.SessionCertificateCreate).CSR)
		if err != nil {
			return err
		}
		return c.detail(&api.SessionCertificateCreated{Created: api.Created{Links: api.Links{Set: s.links.sessionCertificate, ID: e.ID}, ID: e.ID},
			Cas: anchors, Certificate: e.Certificate})
	}
	detail = func(c *call) error {
		for _, e := range s.cfg.Sessions.Certificates(c.caller.SessionID) {
			if e.ID == c.id() {
				var d api.SessionCertificate
				shape(c, &d, &e)
				return c.detail(&d)
			}
		}
		return fault.NotFound.Errorf("apiSessionCertificate with id %s not found", c.id())
	}
	remove = func(c *call) error {
		if err := s.cfg.Sessions.RemoveCertificate(c.ctx, c.caller.SessionID, c.id()); err != nil {
			return err
		}
		return c.done()
	}
	return list, create, detail, remove
}

// createSession handles POST /sessions. A service that the caller cannot see is
// not found; one that it may not use in this way is a field error.
func (s *Server) createSession(c *call) error {
	in := c.body.(*api.SessionCreate)
	kind, service := model.Dial, ""
	if in.Type != nil {
		kind = *in.Type
	}
	if in.ServiceID != nil {
		service = *in.ServiceID
	}
	e := state.Get[model.Service](c.state, service)
	if e == nil || !usableBy(c, c.caller.IdentityID)(e) {
		return fault.NotFound.Errorf("service with id %s not found", service)
	}
	relation := policy.MayDial
	if kind == model.Bind {
		relation = policy.MayBind
	}
	if kind != model.Dial && kind != model.Bind || !c.policy.Related(relation, c.caller.IdentityID, service) {
		return fault.CouldNotValidate.Field("ServiceId", "service not found", service).
			WithRemedy("no service policy of type %s contains both the identity and the service; create one or add a role to one", kind)
	}
	routers := c.sessionRouters(c.caller.IdentityID, service)
	if !slices.ContainsFunc(routers, func(r api.SessionRouter) bool { return r.IsOnline }) {
		return fault.NoEdgeRoutersAvailable.New(nil)
	}
	session, err := s.cfg.Services.Create(c.ctx, c.caller, service, kind)
	if err != nil {
		return err
	}
	return c.detail(&api.Session{APISessionID: session.APISessionID, EdgeRouters: routers, ID: session.ID, IdentityID: session.IdentityID,
		ServiceID: session.ServiceID, Token: session.Token, Type: session.Type})
}

func (c *call) sessionRouters(identity, service string) []api.SessionRouter {
	common := c.commonRouters(identity, service)
	out := make([]api.SessionRouter, len(common))
	for i, r := range common {
		out[i] = api.SessionRouter{RouterProperties: r, URLs: r.SupportedProtocols}
	}
	return out
}

func shapeSession(c *call, d *api.Session, e *ServiceSession) {
	created, updated, tags := e.CreatedAt, e.UpdatedAt, api.Tags(e.Tags)
	service := c.serviceRef(e.ServiceID)
	*d = api.Session{Links: &api.Links{Set: c.s.links.session, ID: e.ID}, APISessionID: e.APISessionID,
		APISession: &api.Ref{Links: api.Links{Set: c.s.links.apiSession, ID: e.APISessionID}, Entity: "api-sessions", ID: e.APISessionID},
		CreatedAt:  &created, UpdatedAt: &updated, Tags: &tags, EdgeRouters: c.sessionRouters(e.IdentityID, e.ServiceID),
		ID: e.ID, IdentityID: e.IdentityID, Service: &service, ServiceID: e.ServiceID, Token: e.ID, Type: e.Type}
	for _, id := range e.PolicyIDs {
		d.ServicePolicies = append(d.ServicePolicies, c.ref(c.s.links.servicePolicy, model.KindServicePolicy, id))
	}
}

// serviceSessions handles the service sessions of the caller or of everybody.
func (s *Server) serviceSessions(all bool) (list, detail, remove, path handler) {
	l := &listing[ServiceSession, api.Session]{shape: shapeSession, table: newTable(func(e *ServiceSession) map[string]any { return e.Tags },
		text("id", func(e *ServiceSession) string { return e.ID }), text("token", func(e *ServiceSession) string { return e.ID }),
		text("type", func(e *ServiceSession) string { return e.Type }), text("apiSession", func(e *ServiceSession) string { return e.APISessionID }),
		text("service", func(e *ServiceSession) string { return e.ServiceID }),
		moment("createdAt", func(e *ServiceSession) time.Time { return e.CreatedAt }), moment("updatedAt", func(e *ServiceSession) time.Time { return e.UpdatedAt }),
		flag("isSystem", func(*call, *ServiceSession) bool { return false }), tagColumn[ServiceSession]())}
	mine := func(c *call, e *ServiceSession) bool { return all || e.APISessionID == c.caller.SessionID }
	get := func(c *call) (*ServiceSession, error) {
		if e := s.cfg.Services.ServiceSession(c.id()); e != nil && mine(c, e) {
			return e, nil
		}
		return nil, fault.NotFound.Errorf("session with id %s not found", c.id())
	}
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		sorted := inOrder(s.cfg.Services.ServiceSessions(), func(e *ServiceSession) string { return e.ID })
		return l.answer(c, p, source[ServiceSession]{func(yield func(*ServiceSession) bool) {
			for e := range sorted {
				if mine(c, e) && !yield(e) {
					return
				}
			}
		}, -1})
	}
	detail = func(c *call) error {
		e, err := get(c)
		if err != nil {
			return err
		}
		var d api.Session
		shapeSession(c, &d, e)
		return c.detail(&d)
	}
	remove = func(c *call) error {
		e, err := get(c)
		if err != nil {
			return err
		}
		if err := s.cfg.Services.EndServiceSession(c.ctx, e.ID); err != nil {
			return err
		}
		return c.done()
	}
	path = func(c *call) error {
		if _, err := get(c); err != nil {
			return err
		}
		return c.detail(&api.RoutePath{})
	}
	return list, detail, remove, path
}
