package app

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/edge"
)

// loadWSSIdentity loads the identity of WebSocket listeners if they have their
// own.
func (r *Router) loadWSSIdentity() (err error) {
	if own := r.o.Config.Transport.WSS.Identity; own != nil {
		r.wssIdentity, err = loadIdentity("transport.wss.identity", *own)
		r.watched = append(r.watched, r.wssIdentity)
	}
	return err
}

// identityFor returns the identity whose server certificate the clients of a
// listener see first.
func (r *Router) identityFor(l conf.Listener) *pki.Identity {
	if l.Address.Type == "wss" && r.wssIdentity != nil {
		return r.wssIdentity
	}
	return r.identity
}

// openWebSocket opens a listener for browsers: HTTPS, in it a WebSocket, and in
// that the TLS connection of a client, with its certificate.
func (r *Router) openWebSocket(use string, l conf.Listener, inside *tls.Config, cfg channel.ListenerConfig) error {
	outside := r.identityFor(l).ServerTLS()
	outside.ClientAuth = tls.NoClientCert // browsers would ask their user for one
	inner, err := r.ports.listener(use, conf.HostPort{Host: l.Address.Host, Port: l.Address.Port}, outside, "http/1.1", "")
	if err != nil {
		return err
	}
	o := r.o.Config.Transport.WSS
	sockets := edge.NewWebSockets(inner.Addr(), edge.WebSocketConfig{
		TLS: inside, HandshakeTimeout: o.HandshakeTimeout, WriteTimeout: o.WriteTimeout, PongTimeout: o.PongTimeout,
		PingInterval: o.PingInterval, ReadBuffer: o.ReadBufferSize, WriteBuffer: o.WriteBufferSize,
		Compression: o.EnableCompression, Log: r.o.Log,
	})
	r.serveHTTPS(use, &http.Server{
		Handler: sockets, ReadTimeout: o.ReadTimeout, ReadHeaderTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		IdleTimeout: o.IdleTimeout, MaxHeaderBytes: maxHeader,
	}, inner)
	listener := channel.NewListener(sockets, cfg)
	r.listeners = append(r.listeners, listener)
	r.parts.add(listener.Close)
	return nil
}

// serveHTTPS has a server run and end with the router.
func (r *Router) serveHTTPS(use string, server *http.Server, on net.Listener) {
	if r.https == nil {
		r.https = &webServers{log: r.o.Log}
		r.parts.add(r.https.Close)
	}
	server.ErrorLog = slog.NewLogLogger(r.o.Log.Handler(), slog.LevelDebug)
	watchStrangers(server, use, strangersWithin(), r.o.Log)
	r.https.servers = append(r.https.servers, webServer{name: use, http: server, on: []net.Listener{on}})
}
