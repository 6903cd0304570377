package http

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

type serviceEntity = entity[model.Service, api.Service, *model.Service]

func (s *Server) serviceEntity() *serviceEntity {
	x := newEntity[model.Service, api.Service](s.links.service, shapeService)
	x.byAttribute = true
	x.indexes["roleAttributes"] = state.ByAttribute
	x.indexes["configs"] = state.ByConfig
	return x
}

// shapeService fills what does not depend on who looks.
func shapeService(c *call, d *api.Service, e *model.Service) {
	base(&d.Base, &e.Base, c.s.links.service)
	d.IsSystem = e.IsSystem
	d.Configs, d.EncryptionRequired, d.MaxIdleTimeMillis = e.Configs, e.EncryptionRequired, e.MaxIdleTimeMillis
	d.Name, d.RoleAttributes, d.TerminatorStrategy = e.Name, e.RoleAttributes, e.TerminatorStrategy
}

// noPolicy stands in the posture queries of a service that the viewer may not
// use, as clients know it.
const noPolicy = "dummy invalid policy: no posture checks defined"

// viewer is an identity through whose eyes services are shown.
type viewer struct {
	identity string
	types    []string // config types to show, ["all"] for every one
	null     bool     // config is null where no type is asked for
}

// shapeServiceFor fills permissions, posture queries and configs as the viewer
// has them.
func (v viewer) shape(c *call, d *api.Service, e *model.Service) {
	shapeService(c, d, e)
	d.Permissions = make([]string, 0, 2)
	d.PostureQueries = make([]api.PostureQueries, 0, 2)
	for _, a := range []struct {
		relation policy.Relation
		name     string
	}{{policy.MayDial, model.Dial}, {policy.MayBind, model.Bind}} {
		granting := c.policy.Granting(a.relation, v.identity, e.ID)
		if len(granting) == 0 {
			continue
		}
		d.Permissions = append(d.Permissions, a.name)
		for _, p := range granting {
			d.PostureQueries = append(d.PostureQueries, c.postureQueries(p.(*policy.ServicePolicy)))
		}
	}
	if len(d.Permissions) == 0 {
		d.Permissions = append(d.Permissions, "Invalid")
		d.PostureQueries = append(d.PostureQueries, api.PostureQueries{IsPassing: true, PolicyID: noPolicy, PolicyType: "Invalid"})
	}
	if !v.null || len(v.types) > 0 {
		configs := v.configs(c, e)
		d.Config = &configs
	}
}

// configs returns the data of the effective configs by type name: the service's
// own, replaced by those that the identity overrides.
func (v viewer) configs(c *call, e *model.Service) api.ServiceConfigs {
	out := api.ServiceConfigs{}
	if len(v.types) == 0 {
		return out
	}
	all := slices.Contains(v.types, "all")
	add := func(id string) {
		config := state.Get[model.Config](c.state, id)
		if config == nil || !all && !slices.Contains(v.types, config.ConfigTypeID) {
			return
		}
		if t := state.Get[model.ConfigType](c.state, config.ConfigTypeID); t != nil {
			out[t.Name] = config.Data
		}
	}
	for _, id := range e.Configs {
		add(id)
	}
	if i := state.Get[model.Identity](c.state, v.identity); i != nil {
		for _, t := range sortedKeys(i.ServiceConfigs[e.ID]) {
			add(i.ServiceConfigs[e.ID][t])
		}
	}
	return out
}

// configTypes returns the config types that the request or else the session
// asks for, as ids.
func (c *call) configTypes() []string {
	if c.r.URL.RawQuery == "" {
		return c.caller.ConfigTypes
	}
	values, ok := c.r.URL.Query()["configTypes"]
	if !ok {
		return c.caller.ConfigTypes
	}
	var out []string
	for _, v := range splitCommas(values) {
		if t := state.FirstBy[model.ConfigType](c.state, state.ByName, v); t != nil {
			v = t.ID
		}
		out = append(out, v)
	}
	return out
}

// listServices handles the list of the management API.
func (s *Server) listServices(c *call) error {
	v := viewer{identity: c.caller.IdentityID, types: c.configTypes()}
	x := *s.services
	if as := c.r.URL.Query().Get("asIdentity"); as != "" {
		i := state.Get[model.Identity](c.state, as)
		if i == nil {
			i = state.FirstBy[model.Identity](c.state, state.ByName, as)
		}
		if i == nil {
			return fault.NotFound.Errorf("identity with id or name %s not found", as)
		}
		v.identity = i.ID
		x.visible = usableBy(c, i.ID)
	}
	x.shape = v.shape
	return x.list(c)
}

func (s *Server) detailService(c *call) error {
	x := *s.services
	x.shape = viewer{identity: c.caller.IdentityID, types: c.caller.ConfigTypes, null: true}.shape
	return x.detail(c)
}

// listOwnServices handles the list of the client API: what the caller may dial
// or bind.
func (s *Server) listOwnServices(c *call) error {
	x := *s.services
	x.shape = viewer{identity: c.caller.IdentityID, types: c.configTypes()}.shape
	p, err := x.page(c)
	if err != nil {
		return err
	}
	visible := usableBy(c, c.caller.IdentityID)
	if c.r.URL.RawQuery != "" {
		if roles := c.r.URL.Query()["roleFilter"]; len(roles) > 0 {
			x.visible = visible
			each, err := x.byRoles(c, roles)
			if err != nil {
				return err
			}
			return x.answer(c, p, source[model.Service]{each, -1})
		}
	}
	if len(p.prog.Hints()) > 0 { // such as a look-up by name
		x.visible = visible
		if each := x.hinted(c, p); each != nil {
			return x.answer(c, p, source[model.Service]{each, -1})
		}
		x.visible = nil
	}
	ids := c.policy.Usable(c.caller.IdentityID)
	return x.answer(c, p, source[model.Service]{x.byIDs(c, ids), len(ids)})
}

// usableBy tells which services an identity may dial or bind.
func usableBy(c *call, identity string) func(e *model.Service) bool {
	return func(e *model.Service) bool {
		return c.policy.Related(policy.MayDial, identity, e.ID) || c.policy.Related(policy.MayBind, identity, e.ID)
	}
}

// ownService returns the service of the path if the caller may use it.
func (s *Server) ownService(c *call) (*model.Service, error) {
	e := state.Get[model.Service](c.state, c.id())
	if e == nil || !usableBy(c, c.caller.IdentityID)(e) {
		return nil, fault.NotFound.Errorf("service with id %s not found", c.id())
	}
	return e, nil
}

func (s *Server) detailOwnService(c *call) error {
	e, err := s.ownService(c)
	if err != nil {
		return err
	}
	var d api.Service
	viewer{identity: c.caller.IdentityID, types: c.configTypes()}.shape(c, &d, e)
	return c.detail(&d)
}

// ownServiceRouters lists the routers that the caller shares with a service. A
// client whose dial was refused asks with the token of its service session, to
// learn from a refusal that the session has ended.
func (s *Server) ownServiceRouters(c *call) error {
	e, err := s.ownService(c)
	if err != nil {
		return err
	}
	if token := c.r.Header.Get("session-token"); token != "" {
		id := tokenID(token)
		session := s.cfg.Services.ServiceSession(id)
		if session == nil || session.APISessionID != c.caller.SessionID || session.ServiceID != e.ID {
			return fault.NotFound.Errorf("session with id %s not found", id)
		}
	}
	return c.detail(&api.ServiceRouters{EdgeRouters: c.commonRouters(c.caller.IdentityID, e.ID)})
}

// commonRouters returns the routers that an identity may use for a service, in
// the order of their ids.
func (c *call) commonRouters(identity, service string) []api.RouterProperties {
	var ids []string
	for r := range c.policy.CommonRouters(identity, service) {
		ids = append(ids, r.ID)
	}
	out := make([]api.RouterProperties, 0, len(ids))
	for _, id := range sortedUnique(ids) {
		if r := state.Get[model.EdgeRouter](c.state, id); r != nil {
			out = append(out, c.routerProperties(r))
		}
	}
	return out
}

// tokenID returns the id that a service-session token names. It proves nothing:
// the caller's own session decides what may be seen.
func tokenID(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return token
	}
	var claims struct {
		ID string `json:"jti"`
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.ID
}
