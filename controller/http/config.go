package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/schema"
	"github.com/weftnet/weft/state"
)

type (
	configEntity     = entity[model.Config, api.Config, *model.Config]
	configTypeEntity = entity[model.ConfigType, api.ConfigType, *model.ConfigType]
)

func (s *Server) configEntity(schemas *schema.Validator) *configEntity {
	x := newEntity[model.Config, api.Config](s.links.config, shapeConfig)
	x.indexes["type"] = state.ByConfigType
	x.before = func(w *change[model.Config]) error {
		if w.mode != api.Create {
			w.e.ConfigTypeID = w.old.ConfigTypeID
		}
		t := state.Get[model.ConfigType](w.c.state, w.e.ConfigTypeID)
		if t == nil {
			return fault.CouldNotValidate.Field("type", "invalid config type", w.e.ConfigTypeID)
		}
		if w.mode == api.Patch && w.fields["data"] == nil {
			return nil
		}
		return schemas.CheckData(t.Schema, w.e.Data)
	}
	return x
}

func shapeConfig(c *call, d *api.Config, e *model.Config) {
	base(&d.Base, &e.Base, c.s.links.config)
	d.IsSystem = e.IsSystem
	d.ConfigTypeID, d.ConfigType = e.ConfigTypeID, c.ref(c.s.links.configType, model.KindConfigType, e.ConfigTypeID)
	d.Data, d.Name = e.Data, e.Name
}

func (s *Server) configTypeEntity(schemas *schema.Validator) *configTypeEntity {
	x := newEntity[model.ConfigType, api.ConfigType](s.links.configType, shapeConfigType)
	x.before = func(w *change[model.ConfigType]) error { return schemas.CheckSchema(w.e.Schema) }
	return x
}

func shapeConfigType(c *call, d *api.ConfigType, e *model.ConfigType) {
	base(&d.Base, &e.Base, c.s.links.configType)
	d.IsSystem, d.Name, d.Schema, d.Target = e.IsSystem, e.Name, e.Schema, e.Target
	if len(d.Schema) == 0 {
		d.Schema = api.Raw("{}")
	}
}
