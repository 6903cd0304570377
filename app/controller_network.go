package app

import (
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
)

// networkConfig is the network section of the configuration with what the
// network needs of the other parts. publish takes events.
func (c *Controller) networkConfig(publish func(network.Event)) network.Config {
	s := c.o.Config.Network
	return network.Config{
		Events: publish, ControllerID: c.id, State: c.store, Policy: c.feed.Policy, Writer: c.store, Log: c.o.Log,
		SessionAlive: func(id, identityID string) bool { return c.auth.AliveFor(id, identityID) },
		Attempts:     max(s.CreateCircuitRetries, 1), RouteTimeout: s.RouteTimeout, Cycle: s.Cycle, PendingLinkTimeout: s.PendingLinkTimeout,
		InitialLinkLatency: s.InitialLinkLatency, MinRouterCost: s.MinRouterCost,
		Smart: network.Smart{Fraction: s.Smart.RerouteFraction, Cap: s.Smart.RerouteCap, MinDelta: s.Smart.MinCostDelta},
	}
}

// messaging bounds how routers are told of each other.
func (c *Controller) messaging() routers.Messaging {
	m := c.o.Config.Network.RouterMessaging
	return routers.Messaging{QueueSize: m.QueueSize, MaxWorkers: m.MaxWorkers, Took: c.instruments.Timer("pool.router.messaging.work_timer").Update}
}
