package routers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// Listener accepts control connections of routers.
type Listener struct {
	own, foreign *channel.Listener
}

// Listen adds the protocols of routers to mux: the control protocol, and that
// of OpenZiti routers, which are refused with the reason. identity is the
// controller's. Serve accepts.
func (r *Registry) Listen(mux *channel.Mux, identity *pki.Identity) (*Listener, error) {
	own := identity.ServerTLS()
	own.ClientAuth = tls.RequireAnyClientCert
	own.VerifyConnection = pki.VerifyClients(identity.Bundle, identity.Bundle, r.cfg.Now)
	a, err := mux.Listener(own, ctrl.ALPN)
	if err != nil {
		return nil, err
	}
	foreign := identity.ServerTLS()
	foreign.ClientAuth = tls.RequestClientCert
	b, err := mux.Listener(foreign, ctrl.ForeignALPN)
	if err != nil {
		a.Close()
		return nil, err
	}
	cfg := channel.ListenerConfig{Accept: r.Accept, Options: r.cfg.Tuning.ChannelOptions(), HelloTimeout: r.cfg.HelloTimeout, MaxHellos: r.cfg.MaxHellos}
	cfg.Options.Log = r.cfg.Log
	refuse := cfg
	refuse.Accept = refuseForeign
	return &Listener{own: channel.NewListener(a, cfg), foreign: channel.NewListener(b, refuse)}, nil
}

// errForeign is what an OpenZiti router gets as the answer to its hello.
var errForeign = errors.New("this is a Weft controller: it serves Weft routers, not those of OpenZiti; " +
	"create a router here, enroll it with weft router enroll and run it with weft router run")

func refuseForeign(_ context.Context, p *channel.Peer) (*channel.Accepted, error) {
	return nil, fmt.Errorf("%w (your control protocol is %s, ours %s)", errForeign, p.ALPN, ctrl.ALPN)
}

// Serve accepts connections until Close.
func (l *Listener) Serve() error {
	done := make(chan error, 1)
	go func() { done <- l.foreign.Serve() }()
	err := l.own.Serve()
	return errors.Join(err, <-done)
}

// Close closes all connections of routers and waits for their goroutines.
func (l *Listener) Close() error { return errors.Join(l.own.Close(), l.foreign.Close()) }
