package app

import (
	"fmt"

	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/router/health"
)

// newHealth makes the health checks of the configuration.
func (r *Router) newHealth() *health.Checks {
	links, ping := r.o.Config.HealthChecks.LinkCheck, r.o.Config.HealthChecks.CtrlPingCheck
	controller := health.Controller{Ping: r.uplink.Ping, Status: func() (ever, responsive bool) {
		s := r.uplink.Status()
		return s.Address != "", s.Responsive
	}}
	return health.New([]health.Check{
		health.Links(r.id, r.linkReports, links.MinLinks, links.Interval, links.InitialDelay),
		health.ControllerPing(controller, ping.Interval, ping.Timeout, ping.InitialDelay),
	}, nil, r.o.Log)
}

// makeWeb makes the HTTPS servers of the configuration.
func (r *Router) makeWeb() error {
	r.web = &webServers{log: r.o.Log}
	r.parts.add(r.web.closeOverlay)
	r.parts.add(r.web.Close)
	checks := chttp.Binding{Name: "health-checks", Prefix: chttp.HealthBase, Handler: r.health}
	for i := range r.o.Config.Web {
		c := &r.o.Config.Web[i]
		identity := r.identity
		if c.Identity != nil {
			own, err := loadIdentity(fmt.Sprintf("web[%d].identity", i), *c.Identity)
			if err != nil {
				return err
			}
			identity = own
			r.watched = append(r.watched, own)
		}
		if err := checkAdvertised(i, *c, identity); err != nil {
			// Whoever asks for the health of a router may not care for its name.
			r.o.Log.Warn("web server", "problem", err)
		}
		if err := r.web.add(i, c, identity, map[string]chttp.Binding{checks.Name: checks}, r.ports); err != nil {
			return err
		}
	}
	return nil
}
