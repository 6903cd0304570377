package edge

import (
	"context"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
)

// Tuning are the options of the ends that the router keeps for clients without
// a window of their own.
type Tuning struct {
	Flow         *flow.Options // nil for none
	StartTimeout time.Duration // how long a host's end waits for the dialer to begin; 3 minutes by default, negative for ever
}

// TunedConfig is ListenerConfig for a listener whose dialing clients get circuits
// with these options, which may be nil.
func (s *Server) TunedConfig(o *flow.Options) channel.ListenerConfig {
	cfg := s.ListenerConfig()
	accept := cfg.Accept
	cfg.Accept = func(ctx context.Context, p *channel.Peer) (*channel.Accepted, error) {
		a, err := accept(ctx, p)
		if err == nil {
			a.Handler.(*client).flow = o
		}
		return a, err
	}
	return cfg
}

// tuning returns the options of an end of a circuit with the client: those of
// its listener where it dials, those for hosts where it hosts.
func (c *client) tuning(side forward.Side) Tuning {
	if side == forward.Terminator {
		return c.srv.cfg.Hosts
	}
	return Tuning{Flow: c.flow}
}
