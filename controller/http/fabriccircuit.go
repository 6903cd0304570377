package http

import (
	"slices"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// circuitList is the list of circuits, which does not name its filterable
// fields.
func circuitList() *listing[Circuit, api.Circuit] {
	return &listing[Circuit, api.Circuit]{shape: shapeCircuit, unnamed: true, table: newTable(nil,
		text("id", func(e *Circuit) string { return e.ID }), text("clientId", func(e *Circuit) string { return e.SessionID }),
		text("service", func(e *Circuit) string { return e.ServiceID }), text("terminator", func(e *Circuit) string { return e.TerminatorID }),
		text("identity", func(e *Circuit) string { return e.IdentityID }), text("hostIdentity", func(e *Circuit) string { return e.HostID }),
		moment("createdAt", func(e *Circuit) time.Time { return e.CreatedAt }), moment("updatedAt", func(e *Circuit) time.Time { return e.UpdatedAt }),
		textSet("routers", func(_ *call, e *Circuit) []string { return e.Path.Routers }),
		textSet("links", func(_ *call, e *Circuit) []string { return e.Path.Links }))}
}

func shapeCircuit(c *call, d *api.Circuit, e *Circuit) {
	d.Links = api.Links{Set: c.s.links.circuit, ID: e.ID}
	d.ID, d.CreatedAt, d.UpdatedAt = e.ID, e.CreatedAt, e.UpdatedAt
	d.Tags = api.Tags{"clientId": e.IdentityID, "hostId": e.HostID, "serviceId": e.ServiceID}
	d.ClientID, d.State = e.SessionID, e.State
	d.Service, d.Terminator = c.ref(c.s.links.fabricService, model.KindService, e.ServiceID), selfRef(c.s.links.terminator, e.TerminatorID)
	if d.Service.Name == "" {
		d.Service.Name = "<deleted>"
	}
	for _, id := range e.Path.Routers {
		d.Path.Nodes = append(d.Path.Nodes, c.fabricRouterRef(id))
	}
	for _, id := range e.Path.Links {
		d.Path.Links = append(d.Path.Links, selfRef(c.s.links.link, id))
	}
	d.Identity, d.HostIdentity = c.someIdentity(e.IdentityID), c.someIdentity(e.HostID)
}

// someIdentity is a reference to an identity, nil without one: routers open
// circuits of their own, and egress has no host.
func (c *call) someIdentity(id string) *api.Ref {
	if id == "" {
		return nil
	}
	r := c.identityRef(id)
	return &r
}

// circuits handles circuits, which clients make and this controller knows.
func (s *Server) circuits() (list, detail, remove handler) {
	l := circuitList()
	unknown := func(id string) error { return fault.NotFound.Errorf("circuit with id %s not found", id) }
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		all := s.cfg.Mesh.Circuits()
		each := inOrder(slices.Values(all), func(e *Circuit) string { return e.ID })
		return l.answer(c, p, source[Circuit]{each, len(all)})
	}
	detail = func(c *call) error {
		e := s.cfg.Mesh.Circuit(c.id())
		if e == nil {
			return unknown(c.id())
		}
		var d api.Circuit
		shapeCircuit(c, &d, e)
		return c.detail(&d)
	}
	remove = func(c *call) error {
		if !s.cfg.Mesh.EndCircuit(c.id(), "ended by an operator") {
			return unknown(c.id())
		}
		s.log.Info("circuit ended", "circuit", c.id(), "by", c.caller.IdentityID)
		return c.done()
	}
	return list, detail, remove
}
