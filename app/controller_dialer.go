package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// checkCtrl refuses addresses for routers that the controller's certificate is
// not valid for, and calls of routers by a controller that cannot prove to be
// one.
func checkCtrl(c conf.ControllerCtrl, identity *pki.Identity) error {
	for _, a := range []struct {
		key     string
		address conf.Address
	}{{"advertiseAddress", c.Options.AdvertiseAddress}, {"newListener", c.Options.NewListener}} {
		if !a.address.IsZero() && identity.ServerCertificateValidFor(a.address.Host) == nil {
			return wrong("ctrl.options."+a.key, "advertise a name of the certificate, or replace the certificate",
				"identity.server_cert is not valid for %s", a.address.Host)
		}
	}
	if !c.Dialer.Enabled {
		return nil
	}
	u, err := pki.SPIFFE(identity.ClientCertificate().Leaf)
	if err == nil {
		if _, ok := pki.PathID(u, "controller"); ok {
			return nil
		}
	}
	return wrong("ctrl.dialer.enabled", "use a certificate with the SPIFFE id spiffe://<trust domain>/controller/<id>, or leave ctrl.dialer out",
		"identity.cert has no SPIFFE id of a controller, so no router would take a call")
}

// trustDomains returns trust domains without their scheme.
func trustDomains(all []string) []string {
	out := make([]string, len(all))
	for i, d := range all {
		out[i] = strings.TrimPrefix(d, "spiffe://")
	}
	return out
}

// tuning is what the configuration says of control connections.
func (c *Controller) tuning() control.Tuning {
	o := c.o.Config.Ctrl.Options
	out := control.Tuning{
		Queue: o.Queue(), WriteTimeout: o.WriteTimeout,
		Heartbeats: control.Heartbeats{Interval: o.RouterHeartbeats.SendInterval, Check: o.RouterHeartbeats.CheckInterval, Close: o.RouterHeartbeats.CloseUnresponsiveTimeout},
	}
	out.Trace, out.Measure = c.traced, c.routerMeasured
	return out
}

// makeDialer makes what calls routers, if the configuration wants that.
func (c *Controller) makeDialer() {
	d := c.o.Config.Ctrl.Dialer
	if !d.Enabled {
		return
	}
	c.dialer = c.registry.NewDialer(routers.DialerConfig{
		Identity: c.identity, Groups: d.Groups, Delay: d.DialDelay, Min: d.MinRetryInterval, Max: d.MaxRetryInterval, Factor: d.RetryBackoffFactor,
		FastFailure: d.FastFailureWindow, Queue: d.QueueSize, Workers: d.MaxWorkers, Timeout: c.o.Config.Ctrl.Options.ConnectTimeout,
		Took: c.instruments.Timer("ctrl_channel.dialer.work_timer").Update,
	})
}

// listenerWrites writes where routers let themselves be called, one router at a
// time: the latest word of each counts.
type listenerWrites struct {
	mu      sync.Mutex
	waiting map[string]map[string][]string
	running bool
	done    sync.WaitGroup
}

// noteListeners is called with the addresses and groups at which a router says
// that it may be called. It does not wait.
func (c *Controller) noteListeners(routerID string, groups map[string][]string) {
	w := &c.listeners
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = make(map[string]map[string][]string)
	}
	w.waiting[routerID] = groups
	if !w.running {
		w.running = true
		w.done.Go(c.writeListeners)
	}
}

// listenerTime bounds a write.
const listenerTime = 10 * time.Second

func (c *Controller) writeListeners() {
	w := &c.listeners
	for {
		w.mu.Lock()
		if len(w.waiting) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		batch := w.waiting
		w.waiting = nil
		w.mu.Unlock()
		command := state.NewCommand(time.Now(), state.Author{ID: c.id, Type: "controller"}, state.Source{Type: "control", Method: "register"}).AsSystem().Each()
		for routerID, groups := range batch {
			command.Patch(model.KindEdgeRouter, routerID, map[string]any{"ctrlChanListeners": groups})
		}
		ctx, cancel := context.WithTimeout(context.Background(), listenerTime)
		if err := c.store.Write(ctx, command); err != nil {
			c.o.Log.Warn("where routers may be called is not written; they say it again when they connect", "error", err)
		}
		cancel()
	}
}
