package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

type (
	edgeRouterEntity = entity[model.EdgeRouter, api.EdgeRouter, *model.EdgeRouter]
	routerEntity     = entity[model.EdgeRouter, api.Router, *model.EdgeRouter]
)

func (s *Server) edgeRouterEntity() *edgeRouterEntity {
	online := func(c *call, e *model.EdgeRouter) bool { return c.s.cfg.Live.Router(e.ID).Online }
	x := newEntity[model.EdgeRouter, api.EdgeRouter](s.links.edgeRouter, shapeEdgeRouter, flag("connected", online), flag("online", online))
	x.byAttribute = true
	x.visible = func(e *model.EdgeRouter) bool { return !e.IsTransit }
	x.indexes["roleAttributes"] = state.ByAttribute
	x.indexes["fingerprint"] = state.ByFingerprint
	x.newID = id.Short
	x.before = func(w *change[model.EdgeRouter]) error { return enrollRouter(w, model.MethodErott) }
	return x
}

// routerEntity declares /transit-routers and /routers: all routers, of which
// only transit routers can be changed.
func (s *Server) routerEntity() *routerEntity {
	x := newEntity[model.EdgeRouter, api.Router](s.links.transitRouter, shapeRouter)
	x.table = newTable(func(e *model.EdgeRouter) map[string]any { return e.Tags },
		without(x.table.columns, "isVerified", "isTunnelerEnabled", "roleAttributes")...)
	x.indexes["fingerprint"] = state.ByFingerprint
	x.newID = id.Short
	x.before = func(w *change[model.EdgeRouter]) error {
		if w.old != nil && !w.old.IsTransit {
			return fault.CanNotUpdateRouter.New(nil)
		}
		w.e.IsTransit = true
		return enrollRouter(w, model.MethodTrott)
	}
	return x
}

// enrollRouter makes the enrollment of a new router.
func enrollRouter(w *change[model.EdgeRouter], method string) error {
	if w.mode != api.Create {
		return nil
	}
	return newRouterEnrollment(w.c, w.cmd, w.e.ID, method)
}

func newRouterEnrollment(c *call, cmd *state.Command, router, method string) error {
	n := &model.Enrollment{Method: method, EdgeRouterID: router}
	if method == model.MethodTrott {
		n.EdgeRouterID, n.TransitRouterID = "", router
	}
	if err := c.s.cfg.Enroller.NewEnrollment(n); err != nil {
		return err
	}
	cmd.Create(n)
	return nil
}

// reEnrollRouter takes the certificates of a router away and makes a new
// enrollment.
func (s *Server) reEnrollRouter(c *call) error {
	e, err := s.edgeRouters.get(c, c.id())
	if err != nil {
		return err
	}
	cmd := c.command()
	for n := range state.ByIndex[model.Enrollment](c.state, state.ByRouter, e.ID) {
		cmd.Remove(model.KindEnrollment, n.ID)
	}
	cmd.Patch(model.KindEdgeRouter, e.ID, map[string]any{"fingerprint": "", "certPem": "", "isVerified": false,
		"unverifiedFingerprint": "", "unverifiedCertPem": ""})
	if err := newRouterEnrollment(c, cmd, e.ID, model.MethodErott); err != nil {
		return err
	}
	if err := c.propose(cmd); err != nil {
		return err
	}
	return c.done()
}

func shapeEdgeRouter(c *call, d *api.EdgeRouter, e *model.EdgeRouter) {
	base(&d.Base, &e.Base, c.s.links.edgeRouter)
	d.IsSystem = e.IsSystem
	d.AppData, d.CertPem = api.Tags(e.AppData), optional(e.CertPem)
	d.Configs, d.Cost, d.CtrlChanListeners, d.Disabled = e.Configs, e.Cost, e.CtrlChanListeners, e.Disabled
	if n := openEnrollment(c, e); n != nil {
		d.EnrollmentCreatedAt, d.EnrollmentExpiresAt = &n.CreatedAt, &n.ExpiresAt
		if c.mayEnrollRouters() {
			d.EnrollmentJWT, d.EnrollmentToken = &n.JWT, &n.Token
		}
	}
	live := c.routerStatus(e.ID)
	d.Fingerprint, d.Hostname, d.Interfaces, d.IsOnline = e.Fingerprint, live.Hostname, live.interfaces(e), live.Online
	d.IsTunnelerEnabled, d.IsVerified, d.Name, d.NoTraversal = e.IsTunnelerEnabled, e.IsVerified, e.Name, e.NoTraversal
	d.RoleAttributes, d.SupportedProtocols, d.SyncStatus, d.VersionInfo = e.RoleAttributes, live.Protocols, live.SyncStatus, live.Version
	d.UnverifiedCertPem, d.UnverifiedFingerprint = optional(e.UnverifiedCertPem), optional(e.UnverifiedFingerprint)
}

func shapeRouter(c *call, d *api.Router, e *model.EdgeRouter) {
	base(&d.Base, &e.Base, c.s.links.transitRouter)
	d.IsSystem = e.IsSystem
	d.Configs, d.Cost, d.CtrlChanListeners, d.Disabled = e.Configs, e.Cost, e.CtrlChanListeners, e.Disabled
	if n := openEnrollment(c, e); n != nil && e.IsTransit {
		d.EnrollmentCreatedAt, d.EnrollmentExpiresAt = &n.CreatedAt, &n.ExpiresAt
		if c.mayEnrollRouters() {
			d.EnrollmentJWT, d.EnrollmentToken = &n.JWT, &n.Token
		}
	}
	live := c.routerStatus(e.ID)
	d.Fingerprint, d.Interfaces, d.IsOnline, d.IsVerified = optional(e.Fingerprint), live.interfaces(e), live.Online, e.IsVerified
	d.Name, d.NoTraversal = e.Name, e.NoTraversal
	d.UnverifiedCertPem, d.UnverifiedFingerprint = optional(e.UnverifiedCertPem), optional(e.UnverifiedFingerprint)
}

func openEnrollment(c *call, e *model.EdgeRouter) *model.Enrollment {
	return state.FirstBy[model.Enrollment](c.state, state.ByRouter, e.ID)
}

// routerStatus returns the live state of a router with what clients rely on:
// never a missing list or an empty status.
func (c *call) routerStatus(id string) RouterStatus {
	st := c.s.cfg.Live.Router(id)
	if st.SyncStatus == "" {
		st.SyncStatus = "SYNC_UNKNOWN"
		if st.Online {
			st.SyncStatus = "SYNC_DONE"
		}
	}
	return st
}

func (c *call) routerProperties(e *model.EdgeRouter) api.RouterProperties {
	live := c.routerStatus(e.ID)
	return api.RouterProperties{AppData: api.Tags(e.AppData), Cost: e.Cost, Disabled: e.Disabled, Hostname: live.Hostname, IsOnline: live.Online,
		Name: e.Name, NoTraversal: e.NoTraversal, SupportedProtocols: live.Protocols, SyncStatus: live.SyncStatus}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ownRouters handles GET /current-identity/edge-routers. Cost and flags are null
// there, and only routers that are connected help the caller.
func (s *Server) ownRouters() handler {
	x := *s.edgeRouters
	l := &listing[model.EdgeRouter, api.ClientEdgeRouter]{table: x.table, shape: func(c *call, d *api.ClientEdgeRouter, e *model.EdgeRouter) {
		base(&d.Base, &e.Base, s.links.edgeRouter)
		live := c.routerStatus(e.ID)
		d.Hostname, d.IsOnline, d.Name = live.Hostname, live.Online, e.Name
		d.SupportedProtocols, d.SyncStatus = live.Protocols, live.SyncStatus
	}}
	return func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		var ids []string
		for _, id := range rights(c.policy, policy.MayUse, c.caller.IdentityID) {
			if r := c.policy.Router(id); r != nil && !r.Disabled {
				ids = append(ids, id)
			}
		}
		return l.answer(c, p, source[model.EdgeRouter]{x.byIDs(c, ids), -1})
	}
}
