package app

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// ctrlListeners are where the router tells controllers that they may call it.
func ctrlListeners(cfg *conf.Router) []*ctrl.CtrlListener {
	var out []*ctrl.CtrlListener
	for _, l := range cfg.Ctrl.Listeners {
		out = append(out, &ctrl.CtrlListener{Address: l.Advertise.String(), Groups: l.Groups})
	}
	return out
}

// openCtrlListeners opens the listeners for controllers. The router shows its
// client certificate there, the one that it is enrolled with, so that controllers
// know it as they do when it calls them.
func (r *Router) openCtrlListeners() error {
	tlsConfig := &tls.Config{
		MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert,
		VerifyConnection: pki.VerifyClients(r.identity.Bundle, r.identity.Bundle, time.Now),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return r.identity.ClientCertificate(), nil
		},
	}
	for i, l := range r.o.Config.Ctrl.Listeners {
		inner, err := r.ports.listener(fmt.Sprintf("ctrl.listeners[%d].bind", i), conf.HostPort{Host: l.Bind.Host, Port: l.Bind.Port}, tlsConfig, ctrl.ALPN)
		if err != nil {
			return err
		}
		cfg := r.uplink.ListenerConfig()
		cfg.HelloTimeout, cfg.MaxHellos = l.Options.HelloTimeout, l.Options.Hellos()
		listener := channel.NewListener(inner, cfg)
		r.parts.add(listener.Close)
		r.listeners = append(r.listeners, listener)
	}
	return nil
}
