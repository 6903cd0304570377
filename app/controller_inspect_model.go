package app

import (
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
)

// routerMessaging is the value of router-messaging. Changes go to routers when
// they are applied, and terminators are written when routers ask: nothing is
// ever pending.
type routerMessaging struct {
	RouterUpdates         []string `json:"routerUpdates"`
	TerminatorValidations []string `json:"terminatorValidations"`
}

// dataModel is the value of router-data-model at a controller: the index of the
// state that routers get their part of, and how much of it there is.
func (c *Controller) dataModel() map[string]any {
	view := c.store.View()
	out := map[string]any{"index": view.Index()}
	for _, k := range []model.Kind{model.KindIdentity, model.KindService, model.KindEdgeRouter, model.KindServicePolicy, model.KindEdgeRouterPolicy,
		model.KindServiceEdgeRouterPolicy, model.KindConfig, model.KindConfigType, model.KindPostureCheck, model.KindRevocation} {
		out[model.Describe(k).Store] = view.Count(k)
	}
	return out
}

// called is the value of ctrl-dialer: the routers that this controller calls.
func (c *Controller) called() map[string]any {
	out := map[string]any{"enabled": c.dialer != nil, "states": []routers.Called{}}
	if c.dialer != nil {
		if states := c.dialer.Called(); states != nil {
			out["states"] = states
		}
	}
	return out
}
