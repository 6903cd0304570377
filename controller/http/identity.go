package http

import (
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type identityEntity = entity[model.Identity, api.Identity, *model.Identity]

func (s *Server) identityEntity() *identityEntity {
	x := newEntity[model.Identity, api.Identity](s.links.identity, shapeIdentity)
	x.byAttribute = true
	x.indexes["externalId"] = state.ByExternalID
	x.indexes["roleAttributes"] = state.ByAttribute
	x.newID = id.Short
	x.before = beforeIdentity
	x.permit = permitIdentity
	return x
}

func shapeIdentity(c *call, d *api.Identity, e *model.Identity) {
	base(&d.Base, &e.Base, c.s.links.identity)
	d.Links.Other = e.AuthPolicyID
	d.IsSystem = e.IsSystem
	d.AppData = api.Tags(e.AppData)
	d.AuthPolicyID = e.AuthPolicyID
	d.AuthPolicy = c.ref(c.s.links.authPolicy, model.KindAuthPolicy, e.AuthPolicyID)
	d.DefaultHostingCost, d.DefaultHostingPrecedence = e.DefaultHostingCost, e.DefaultHostingPrecedence
	d.ServiceHostingCosts, d.ServiceHostingPrecedences = e.ServiceHostingCosts, e.ServiceHostingPrecedences
	if d.Disabled = e.Disabled(c.s.cfg.Now()); d.Disabled {
		d.DisabledAt, d.DisabledUntil = e.DisabledAt, e.DisabledUntil
	}
	if e.EnvInfo != nil {
		d.EnvInfo = api.EnvInfo{Arch: e.EnvInfo.Arch, Domain: e.EnvInfo.Domain, Hostname: e.EnvInfo.Hostname,
			Os: e.EnvInfo.OS, OsRelease: e.EnvInfo.OSRelease, OsVersion: e.EnvInfo.OSVersion}
	}
	if e.SdkInfo != nil {
		d.SdkInfo = api.SdkInfo(*e.SdkInfo)
	}
	d.ExternalID, d.IsAdmin, d.IsDefaultAdmin = e.ExternalID, e.IsAdmin || e.IsDefaultAdmin, e.IsDefaultAdmin
	d.Name, d.Permissions, d.RoleAttributes = e.Name, e.Permissions, e.RoleAttributes
	d.Interfaces = interfaces(e.Interfaces)
	d.TypeID = e.Type
	d.Type = api.Ref{Links: api.Links{Set: c.s.links.identityType, ID: e.Type}, Entity: "identity-types", ID: e.Type, Name: e.Type}
	shapeProofs(c, d, e)
	d.HasAPISession = c.s.cfg.Sessions.HasAPISession(e.ID)
	d.HasEdgeRouterConnection, d.EdgeRouterConnectionStatus = c.s.cfg.Live.IdentityOnline(e.ID)
	if e.Type == model.IdentityRouter && c.s.cfg.Live.Router(e.ID).Online {
		d.HasEdgeRouterConnection, d.EdgeRouterConnectionStatus = true, "online"
	}
}

// shapeProofs fills in how the identity can log in or enrol.
func shapeProofs(c *call, d *api.Identity, e *model.Identity) {
	for a := range state.ByIndex[model.Authenticator](c.state, state.ByIdentity, e.ID) {
		if a.Method == model.MethodUpdb {
			d.Authenticators.Updb = &api.IdentityUpdb{ID: a.ID, Username: a.Username}
		} else {
			d.Authenticators.Cert = &api.IdentityCert{ID: a.ID, Fingerprint: a.Fingerprint}
		}
	}
	m := state.FirstBy[model.MFA](c.state, state.ByIdentity, e.ID)
	d.IsMfaEnabled = m != nil && m.IsVerified
	for n := range state.ByIndex[model.Enrollment](c.state, state.ByIdentity, e.ID) {
		open := &api.IdentityEnrollment{ID: n.ID, CaID: n.CaID, ExpiresAt: n.ExpiresAt, JWT: n.JWT, Token: n.Token}
		if !c.mayEnrollAs(e.ID) {
			open.JWT, open.Token = "", ""
		}
		if n.CaID != "" {
			ca := c.ref(c.s.links.ca, model.KindCA, n.CaID)
			open.Ca = &ca
		}
		switch n.Method {
		case model.MethodOtt:
			d.Enrollment.Ott = open
		case model.MethodOttCa:
			d.Enrollment.Ottca = open
		case model.MethodUpdb:
			d.Enrollment.Updb = open
		}
	}
}

func interfaces(in []model.Interface) []api.Interface {
	if len(in) == 0 {
		return nil
	}
	out := make([]api.Interface, len(in))
	for i, n := range in {
		out[i] = api.Interface{Addresses: n.Addresses, HardwareAddress: n.HardwareAddress, Index: n.Index, IsBroadcast: n.IsBroadcast,
			IsLoopback: n.IsLoopback, IsMulticast: n.IsMulticast, IsRunning: n.IsRunning, IsUp: n.IsUp, Mtu: n.MTU, Name: n.Name}
	}
	return out
}

// beforeIdentity makes the enrollment that the body of a create asks for.
func beforeIdentity(w *change[model.Identity]) error {
	in := w.in.(*api.IdentityInput)
	if w.mode != api.Create || in.Enrollment == nil {
		return nil
	}
	ask := in.Enrollment
	n := &model.Enrollment{IdentityID: w.e.ID}
	switch {
	case ask.Ott != nil && *ask.Ott:
		n.Method = model.MethodOtt
	case ask.Ottca != nil && *ask.Ottca != "":
		n.Method, n.CaID = model.MethodOttCa, *ask.Ottca
	case ask.Updb != nil && *ask.Updb != "":
		n.Method, n.Username = model.MethodUpdb, *ask.Updb
	default:
		return nil
	}
	if err := checkEnrollment(w.c, n); err != nil {
		return err
	}
	if err := w.c.s.cfg.Enroller.NewEnrollment(n); err != nil {
		return err
	}
	w.cmd.Create(n)
	return nil
}

// disable handles POST /identities/{id}/disable, which answers without a body.
func (s *Server) disable(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	if err := permitIdentity(c, e, nil); err != nil {
		return err
	}
	minutes := *c.body.(*api.DisableParams).DurationMinutes
	now := s.cfg.Now().UTC().Truncate(time.Millisecond)
	fields := map[string]any{"disabledAt": now, "disabledUntil": nil}
	if minutes > 0 {
		fields["disabledUntil"] = now.Add(time.Duration(minutes) * time.Minute)
	}
	if err := c.propose(c.command().Patch(model.KindIdentity, e.ID, fields)); err != nil {
		return err
	}
	if err := s.cfg.Sessions.EndIdentitySessions(c.ctx, e.ID); err != nil {
		return err
	}
	return c.bare()
}

func (s *Server) enable(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	if err := permitIdentity(c, e, nil); err != nil {
		return err
	}
	if err := c.propose(c.command().Patch(model.KindIdentity, e.ID, map[string]any{"disabledAt": nil, "disabledUntil": nil})); err != nil {
		return err
	}
	return c.done()
}
