package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type (
	fabricServiceEntity    = entity[model.Service, api.FabricService, *model.Service]
	fabricTerminatorEntity = entity[model.Terminator, api.FabricTerminator, *model.Terminator]
)

// fabricServiceEntity declares services as the fabric API shows them. One that
// is made there does not require encryption.
func (s *Server) fabricServiceEntity() *fabricServiceEntity {
	x := newEntity[model.Service, api.FabricService](s.links.fabricService, func(c *call, d *api.FabricService, e *model.Service) {
		base(&d.Base, &e.Base, c.s.links.fabricService)
		d.IsSystem, d.MaxIdleTimeMillis, d.Name, d.TerminatorStrategy = e.IsSystem, e.MaxIdleTimeMillis, e.Name, e.TerminatorStrategy
	})
	x.table = newTable(func(e *model.Service) map[string]any { return e.Tags }, without(x.table.columns, "roleAttributes", "configs")...)
	x.newID = id.Short
	return x
}

// fabricTerminatorEntity declares terminators as the fabric API shows them.
func (s *Server) fabricTerminatorEntity() *fabricTerminatorEntity {
	x := newEntity[model.Terminator, api.FabricTerminator](s.links.terminator, shapeFabricTerminator)
	x.table, x.indexes = s.terminators.table, s.terminators.indexes
	x.before = func(w *change[model.Terminator]) error {
		if in := w.in.(*terminatorBody); in.HostID != nil {
			if *in.HostID != "" && state.Get[model.Identity](w.c.state, *in.HostID) == nil {
				return fault.NotFound.Errorf("identity with id %s not found", *in.HostID)
			}
			if w.mode != api.Create {
				w.fields["hostId"] = *in.HostID
			}
		}
		return s.terminators.before(w)
	}
	return x
}

// terminatorBody is a body of the fabric API with the names of the stored
// entity.
type terminatorBody struct {
	api.TerminatorInput
	HostID *string `json:"hostId,omitempty"`
}

// edgeBody has a handler get the body in that form.
func edgeBody(h handler) handler {
	return func(c *call) error {
		in, _ := c.body.(*api.FabricTerminatorInput)
		if in == nil {
			in = new(api.FabricTerminatorInput)
		}
		c.body = &terminatorBody{HostID: in.HostID, TerminatorInput: api.TerminatorInput{Address: in.Address, Binding: in.Binding, Cost: in.Cost,
			Identity: in.InstanceID, IdentitySecret: in.InstanceSecret, Precedence: in.Precedence, Router: in.Router, Service: in.Service, Tags: in.Tags}}
		return h(c)
	}
}

func shapeFabricTerminator(c *call, d *api.FabricTerminator, e *model.Terminator) {
	base(&d.Base, &e.Base, c.s.links.terminator)
	d.IsSystem = e.IsSystem
	d.Address, d.Binding, d.Cost, d.DynamicCost = e.Address, e.Binding, e.Cost, c.s.cfg.Live.DynamicCost(e.ID)
	d.HostID, d.InstanceID, d.Precedence = e.HostID, e.InstanceID, e.Precedence
	d.RouterID, d.Router = e.RouterID, c.fabricRouterRef(e.RouterID)
	d.ServiceID, d.Service = e.ServiceID, c.ref(c.s.links.fabricService, model.KindService, e.ServiceID)
}
