package http

import (
	"slices"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// createSession handles POST /sessions; refusals are remembered.
func (s *Server) createSession(c *call) error {
	in := c.body.(*api.SessionCreate)
	kind := model.Dial
	if in.Type != nil {
		kind = *in.Type
	}
	return c.refused(s.newSession(c, in), kind, value(in.ServiceID))
}

// newSession makes a session. A service that the caller cannot see is not found;
// one that it may not use in this way is a field error.
func (s *Server) newSession(c *call, in *api.SessionCreate) error {
	kind, service := model.Dial, ""
	if in.Type != nil {
		kind = *in.Type
	}
	if in.ServiceID != nil {
		service = *in.ServiceID
	}
	e := state.Get[model.Service](c.state, service)
	if e == nil || !usableBy(c, c.caller.IdentityID)(e) {
		return c.unseen(kind, service)
	}
	action, relation := policy.Dial, policy.MayDial
	if kind == model.Bind {
		action, relation = policy.Bind, policy.MayBind
	}
	if kind != model.Dial && kind != model.Bind || !c.policy.Related(relation, c.caller.IdentityID, service) {
		return fault.CouldNotValidate.Field("ServiceId", "service not found", service).
			WithRemedy("%s", c.decide(action, c.caller.IdentityID, service).Remedy)
	}
	if !c.policy.Allows(action, c.caller.IdentityID, service) {
		return c.policy.Check(action, c.caller.IdentityID, service, "").Fault()
	}
	routers := c.sessionRouters(c.caller.IdentityID, service)
	if !slices.ContainsFunc(routers, func(r api.SessionRouter) bool { return r.IsOnline }) {
		return fault.NoEdgeRoutersAvailable.New(nil).WithRemedy("%s", c.decide(action, c.caller.IdentityID, service).Remedy)
	}
	session, err := s.cfg.Services.Create(c.ctx, c.caller, service, kind)
	if err != nil {
		return err
	}
	return c.detail(&api.Session{APISessionID: session.APISessionID, EdgeRouters: routers, ID: session.ID, IdentityID: session.IdentityID,
		ServiceID: session.ServiceID, Token: session.Token, Type: session.Type})
}

// unseen refuses a service that does not exist or that the caller may not see,
// in the same words.
func (c *call) unseen(kind, service string) error {
	name := c.caller.IdentityID
	if i := state.Get[model.Identity](c.state, name); i != nil {
		name = i.Name
	}
	return fault.NotFound.Errorf("service with id %s not found", service).WithRemedy(
		"list the services that the identity sees; one that is missing there is granted by weft create service-policy NAME %s --identity-roles '@%s' --service-roles '@%s'",
		kind, name, service)
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
		e, err := get(c)
		if err != nil {
			return err
		}
		return c.detail(&api.RoutePath{RoutePath: c.routePath(e)})
	}
	return list, detail, remove, path
}

// routePath returns the names of the routers that the latest circuit of a
// service session passes.
func (c *call) routePath(e *ServiceSession) []string {
	var last *Circuit
	for _, x := range c.s.cfg.Mesh.Circuits() {
		if x.SessionID == e.APISessionID && x.ServiceID == e.ServiceID && (last == nil || x.CreatedAt.After(last.CreatedAt)) {
			last = x
		}
	}
	var out []string
	if last != nil {
		for _, id := range last.Path.Routers {
			out = append(out, c.fabricRouterRef(id).Name)
		}
	}
	return out
}
