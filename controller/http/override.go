package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// serviceConfigs lists the config overrides of an identity.
func (s *Server) serviceConfigs(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	b, n := append(c.out[:0], `{"data":[`...), int64(0)
	for _, service := range sortedKeys(e.ServiceConfigs) {
		for _, typ := range sortedKeys(e.ServiceConfigs[service]) {
			config := e.ServiceConfigs[service][typ]
			if n > 0 {
				b = append(b, ',')
			}
			n++
			b = c.ep.encode.Append(b, &api.ServiceConfig{ConfigID: config, Config: c.ref(s.links.config, model.KindConfig, config),
				ServiceID: service, Service: c.serviceRef(service)})
		}
	}
	c.out = append(appendPagination(append(b, `],"meta":{`...), n, 0, n), "}}\n"...)
	c.send(200)
	return nil
}

// assignConfigs handles the assignment and the removal of overrides. A service
// that is not there is skipped; a later override of a type replaces an earlier.
func (s *Server) assignConfigs(add bool) handler {
	return func(c *call) error {
		e, err := s.identities.get(c, c.id())
		if err != nil {
			return err
		}
		if err := permitIdentity(c, e, nil); err != nil {
			return err
		}
		all := map[string]map[string]string{}
		for service, byType := range e.ServiceConfigs {
			all[service] = map[string]string{}
			for t, config := range byType {
				all[service][t] = config
			}
		}
		var pairs []api.ServiceConfigAssign
		if c.body != nil {
			pairs = *c.body.(*[]api.ServiceConfigAssign)
		}
		for _, p := range pairs {
			if c.state.Get(model.KindService, *p.ServiceID) == nil {
				continue
			}
			config := state.Get[model.Config](c.state, *p.ConfigID)
			if config == nil {
				return fault.NotFound.Errorf("config with id %s not found", *p.ConfigID)
			}
			override(all, *p.ServiceID, config, add)
		}
		if err := c.propose(c.command().Patch(model.KindIdentity, e.ID, map[string]any{"serviceConfigs": all})); err != nil {
			return err
		}
		return c.done()
	}
}

func override(all map[string]map[string]string, service string, config *model.Config, add bool) {
	if !add {
		if all[service][config.ConfigTypeID] == config.ID {
			delete(all[service], config.ConfigTypeID)
		}
		if len(all[service]) == 0 {
			delete(all, service)
		}
		return
	}
	if all[service] == nil {
		all[service] = map[string]string{}
	}
	all[service][config.ConfigTypeID] = config.ID
}
