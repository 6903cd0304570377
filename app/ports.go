package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
)

// ports are the TCP ports of a process, each split by ALPN. Listeners are
// added first; serve accepts. It is not safe for concurrent use.
type ports struct {
	sockets *sockets
	config  channel.MuxConfig
	muxes   map[net.Listener]*channel.Mux
	serving sync.WaitGroup
	log     *slog.Logger
}

// newPorts returns ports on the given sockets, which may hold open ones and
// belong to the ports from then on.
func newPorts(s *sockets, cfg channel.MuxConfig, log *slog.Logger) *ports {
	cfg.Log = log
	return &ports{sockets: s, config: cfg, muxes: make(map[net.Listener]*channel.Mux), log: log}
}

// listener returns a listener for the connections to a port that speak one of
// the protocols. use names its purpose in errors.
func (p *ports) listener(use string, at conf.HostPort, tlsConfig *tls.Config, protocols ...string) (net.Listener, error) {
	mux, err := p.mux(use, at)
	if err != nil {
		return nil, err
	}
	l, err := mux.Listener(tlsConfig, protocols...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", use, err)
	}
	return l, nil
}

// mux returns what splits a port.
func (p *ports) mux(use string, at conf.HostPort) (*channel.Mux, error) {
	socket, err := p.sockets.listen(use, at)
	if err != nil {
		return nil, err
	}
	if p.muxes[socket] == nil {
		p.muxes[socket] = channel.NewMux(socket, p.config)
	}
	return p.muxes[socket], nil
}

// serve accepts connections until Close.
func (p *ports) serve() {
	for _, mux := range p.muxes {
		p.serving.Go(func() {
			if err := mux.Serve(); err != nil {
				p.log.Error("port lost", "address", mux.Addr().String(), "error", err)
			}
		})
	}
}

// Close stops accepting, ends the listeners and waits. Connections that were
// handed out are not touched.
func (p *ports) Close() error {
	var errs []error
	for _, mux := range p.muxes {
		if err := mux.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	p.serving.Wait()
	return errors.Join(append(errs, p.sockets.Close())...)
}
