package app

import (
	"context"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/observe"
)

// provision opens everything that the configuration names; nothing is served
// yet.
func (c *Controller) provision(ctx context.Context) error {
	cfg := c.o.Config
	if err := c.examine(); err != nil {
		return err
	}
	if err := c.startDiagnosis(); err != nil {
		return err
	}
	if err := awaitData(ctx, cfg, c.o.Log); err != nil {
		return err
	}
	if err := c.openPorts(); err != nil {
		return err
	}
	var err error
	if c.store, err = openStore(ctx, cfg, c.id, false, c.o.Log); err != nil {
		return err
	}
	c.parts.add(c.store.Close)
	if err := c.store.ensureInitial(ctx, time.Now()); err != nil {
		return err
	}
	c.feed = routers.NewFeed(c.store.Store, c.signer.bundle().PEM(), c.o.Log, nil)
	if cfg.Edge.DisablePostureChecks {
		c.o.Log.Warn("posture checks are disabled by edge.disablePostureChecks: policies grant access without them")
		c.feed.IgnorePosture()
	}
	c.makeDatabase()
	publish, err := c.makeEvents()
	if err != nil {
		return err
	}
	c.watcher = chttp.NewWatcher(c.o.Log, time.Now)
	c.network = network.New(c.networkConfig(watched(c.watcher, publish)))
	if err := c.makeEdge(); err != nil {
		return err
	}
	if err := c.makeControl(); err != nil {
		return err
	}
	c.makeMetrics()
	return c.makeWeb()
}

// startDiagnosis starts the profiles and the trace of a configuration.
func (c *Controller) startDiagnosis() error {
	stopProfiles, err := startProfiles(c.o.Config.Profile)
	if err != nil {
		return err
	}
	c.parts.add(stopProfiles)
	if c.trace, err = startTrace(c.o.Config.Trace, c.o.Log); err != nil {
		return err
	}
	if c.trace != nil {
		c.parts.add(c.trace.Close)
	}
	return nil
}

// openPorts opens the ports of the configuration, so that one which cannot be
// had ends the start before there is any data. Nobody is served yet.
func (c *Controller) openPorts() error {
	at := c.o.Config.Ctrl.Listener
	if _, err := c.ports.sockets.listen("ctrl.listener", conf.HostPort{Host: at.Host, Port: at.Port}); err != nil {
		return err
	}
	return eachBindPoint(c.o.Config.Web, func(key string, b *conf.BindPoint) error {
		if b.Identity != nil {
			return nil
		}
		_, err := c.ports.sockets.listen(key+".interface", b.Interface)
		return err
	})
}

func muxConfig(c *conf.Controller, i *observe.Instruments) channel.MuxConfig {
	out := channel.MuxConfig{HandshakeTimeout: c.TLS.HandshakeTimeout}
	if l := c.TLS.RateLimiter; l != nil && l.Enabled {
		out.Handshakes = limit.NewWindow(limit.WindowConfig{
			Min: l.MinSize, Max: l.MaxSize, Success: l.SuccessThreshold, Increase: l.IncreaseFactor, Decrease: l.DecreaseFactor,
			IncreaseEvery: l.IncreaseCheckInterval, DecreaseEvery: l.DecreaseCheckInterval, Timeout: l.Timeout,
			Took: i.Timer("tls_handshake_limiter.work_timer").Update,
		}, nil)
	}
	return out
}
