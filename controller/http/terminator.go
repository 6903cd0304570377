package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/state"
)

type terminatorEntity = entity[model.Terminator, api.Terminator, *model.Terminator]

func (s *Server) terminatorEntity() *terminatorEntity {
	x := newEntity[model.Terminator, api.Terminator](s.links.terminator, shapeTerminator,
		related("service.name", model.KindService, func(e *model.Terminator) string { return e.ServiceID }),
		related("router.name", model.KindEdgeRouter, func(e *model.Terminator) string { return e.RouterID }))
	x.indexes["service"], x.indexes["router"], x.indexes["hostId"] = state.ByService, state.ByRouter, state.ByHost
	x.before = func(w *change[model.Terminator]) error {
		if w.mode == api.Create && len(w.e.InstanceSecret) > 0 && w.e.InstanceID == "" {
			return fault.CouldNotValidate.Field("identity", "identity in body is required with an identitySecret", "")
		}
		return nil
	}
	return x
}

// related is a field that follows a reference to the name of its target.
func related[E any](name string, k model.Kind, id func(e *E) string) column[E] {
	return column[E]{Field: query.Field{Name: name, Type: query.String}, value: func(c *call, e *E) query.Value {
		if target := c.state.Get(k, id(e)); target != nil {
			return query.StringOf(nameOf(target))
		}
		return query.Value{}
	}}
}

func shapeTerminator(c *call, d *api.Terminator, e *model.Terminator) {
	base(&d.Base, &e.Base, c.s.links.terminator)
	d.IsSystem = e.IsSystem
	d.Address, d.Binding, d.Cost, d.DynamicCost = e.Address, e.Binding, e.Cost, c.s.cfg.Live.DynamicCost(e.ID)
	d.Identity, d.Precedence = e.InstanceID, e.Precedence
	d.RouterID, d.Router = e.RouterID, c.ref(c.s.links.transitRouter, model.KindEdgeRouter, e.RouterID)
	d.ServiceID, d.Service = e.ServiceID, c.serviceRef(e.ServiceID)
}

// ownServiceTerminators lists the terminators of a service as clients see them.
func (s *Server) ownServiceTerminators() handler {
	x := s.terminators
	l := &listing[model.Terminator, api.ClientTerminator]{table: x.table, shape: func(c *call, d *api.ClientTerminator, e *model.Terminator) {
		base(&d.Base, &e.Base, s.links.terminator)
		d.Identity, d.RouterID, d.ServiceID, d.Service = e.InstanceID, e.RouterID, e.ServiceID, c.serviceRef(e.ServiceID)
	}}
	return func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		if _, err := s.ownService(c); err != nil {
			return l.answer(c, p, source[model.Terminator]{})
		}
		return l.answer(c, p, source[model.Terminator]{state.ByIndex[model.Terminator](c.state, state.ByService, c.id()), -1})
	}
}
