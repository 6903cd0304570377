package app

import (
	"context"
	"slices"

	"github.com/weftnet/weft/policy"
)

// tellTunnel logs which services the tunnel listeners of the configuration
// would host.
func (r *Router) tellTunnel(ctx context.Context) {
	for _, l := range r.o.Config.Listeners {
		if l.Binding != "tunnel" || r.Ready(ctx) != nil {
			continue
		}
		services := []string{}
		for e := range r.uplink.View().Rights(policy.MayBind, r.id) {
			if s, ok := e.(*policy.Service); ok {
				services = append(services, s.Name)
			}
		}
		slices.Sort(services)
		r.o.Log.Info("tunnel listener not active yet", "mode", l.Options.Mode, "would host", services)
	}
}
