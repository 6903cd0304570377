package app

import (
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// controlAddresses returns the control addresses of all controllers.
func (c *Controller) controlAddresses() []string {
	var out []string
	for e := range state.All[model.Controller](c.store.View()) {
		if e.CtrlAddress != "" {
			out = append(out, e.CtrlAddress)
		}
	}
	if len(out) == 0 {
		out = append(out, c.ctrlAddress())
	}
	return out
}

// ctrlAddress returns the control address that this controller advertises.
func (c *Controller) ctrlAddress() string {
	if a := c.o.Config.Ctrl.Options.AdvertiseAddress; !a.IsZero() {
		return a.String()
	}
	a := c.o.Config.Ctrl.Listener
	a.Host = c.o.Config.Edge.API.Address.Host
	return a.String()
}

// activityInterval is how often routers report which sessions are connected.
const activityInterval = 10 * time.Second

// makeControl makes the listener for routers.
func (c *Controller) makeControl() error {
	b := c.o.Build
	options := c.o.Config.Ctrl.Options
	c.activity = newActivity(c.auth, 2*activityInterval+activityInterval/2)
	observer := &observer{c: c, told: make(map[string]routers.IdentityStatus)}
	c.registry = routers.NewRegistry(routers.Config{
		Observer: observer, Metrics: c.reported,
		Tuning: c.tuning(), HelloTimeout: options.ConnectTimeout, MaxHellos: options.Hellos(), NewListener: options.NewListener.String(), Listeners: c.noteListeners,
		ControllerID: c.id, Version: strings.Join([]string{b.Version, b.Revision, b.Date, runtime.GOOS, runtime.GOARCH}, "|"),
		Store: c.store.Store, Feed: c.feed, Network: c.network, Sessions: c.activity, Extender: extender{c.enroller},
		Churn: c.o.Config.Network.RouterConnectChurnLimit, Activity: activityInterval, Log: c.o.Log, Messaging: c.messaging(),
	})
	c.parts.add(func() error { c.listeners.done.Wait(); return nil })
	c.parts.add(c.registry.Close)
	c.statuses = &statuses{
		cfg: c.o.Config.Edge.IdentityStatusConfig, active: c.activity.online, reported: c.registry.IdentityStatus,
		forget: func(awayFor time.Duration) { c.registry.ForgetIdentities(awayFor); observer.lookAtAll() },
	}
	c.makeDialer()
	at := c.o.Config.Ctrl.Listener
	mux, err := c.ports.mux("ctrl.listener", conf.HostPort{Host: at.Host, Port: at.Port})
	if err != nil {
		return err
	}
	c.control, err = c.registry.Listen(mux, c.identity)
	return err
}

// serveControl accepts routers until the listener is closed.
func (c *Controller) serveControl() {
	if err := c.control.Serve(); err != nil {
		c.o.Log.Error("control listener stopped", "error", err)
	}
}

// registerSelf writes the row of this controller, if it is not there as it is.
func (c *Controller) registerSelf(ctx context.Context) error {
	leaf := c.identity.ClientCertificate().Leaf
	row := &model.Controller{
		Base: model.Base{ID: c.id}, Name: c.id, CtrlAddress: c.ctrlAddress(), IsOnline: true, LastJoinedAt: time.Now().UTC(),
		CertPem: pki.EncodeCertificates(leaf), Fingerprint: pki.Fingerprint(leaf), APIAddresses: make(map[string][]model.APIAddress),
	}
	for _, h := range c.hosted() {
		row.APIAddresses[h.Binding] = append(row.APIAddresses[h.Binding], model.APIAddress{URL: "https://" + h.Address + h.Path, Version: "v1"})
	}
	command := state.NewCommand(time.Now(), state.Author{ID: c.id, Type: "controller"}, state.Source{Type: "internal", Method: "start"}).AsSystem()
	return c.store.Write(ctx, command.Put(row))
}
