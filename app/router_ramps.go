package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/ingress"
)

// rampParts are the ways into and out of the network besides the edge listeners
// over TLS.
type rampParts struct {
	ramps       []onRamp
	egress      *boundedDialer
	wssIdentity *pki.Identity // nil for that of the router
	https       *webServers   // WebSockets and the API proxy; nil for none
	net         dialFunc      // of connections to controllers; nil for the standard one
}

// addEgress registers what the dialers section allows to dial. Of several
// entries for a binding the last one counts.
func (r *Router) addEgress() {
	options := make(map[string]conf.DialerOptions)
	for _, d := range r.o.Config.Dialers {
		options[d.Binding] = d.Options
	}
	bounds := newBoundedDialer(nil, r.o.Config.Forwarder).(*boundedDialer)
	bounds.took, r.egress = r.dials.routes.Update, bounds
	for _, binding := range egress.Bindings {
		o, ok := options[binding]
		if !ok {
			continue
		}
		transport := egress.New(egress.Config{
			Binding: binding, ConnectTimeout: o.ConnectTimeout, StartTimeout: startTimeout(o.CircuitStartTimeout),
			Flow: flowOptions(o.DataOptions), Budget: r.budget, Gather: o.TxQueue,
			TLS: r.identity.ClientTLS(), Net: proxied(nil, r.o.Config.Transport.Proxy), Log: r.o.Log,
		})
		bounded := *bounds
		bounded.Dialer = transport
		r.table.Register(binding, &bounded)
		r.parts.add(func() error { transport.Close(); return nil })
	}
}

// startTimeout is circuitStartTimeout as egress takes it: up to 1 s means never.
func startTimeout(d time.Duration) time.Duration {
	if d <= time.Second {
		return -1
	}
	return d
}

// onRamp is a listener for programs without an SDK.
type onRamp interface {
	Serve() error
	Close() error
}

// ownCircuits makes circuits in the router's own name.
type ownCircuits struct {
	table *forward.Table
	from  forward.Creator
}

func (o ownCircuits) Open(ctx context.Context, own forward.Own) (*forward.Circuit, *forward.Established, error) {
	return o.table.Open(ctx, o.from, own)
}

// openRamps opens the listeners for programs without an SDK.
func (r *Router) openRamps() error {
	for i, l := range r.o.Config.Listeners {
		use := fmt.Sprintf("listeners[%d].address", i)
		cfg := ingress.Config{
			Name: l.Binding + " " + l.Address.String(), RouterID: r.id, Service: l.Service, CircuitTimeout: l.Options.GetCircuitTimeout,
			RequestTimeout: l.Options.HelloTimeout, Flow: flowOptions(l.Options.DataOptions), Budget: r.budget, Gather: l.Options.TxQueue, Log: r.o.Log,
			Circuits: ownCircuits{r.table, controllers{r.uplink, r.o.Config.Ctrl.DefaultRequestTimeout}},
		}
		var on onRamp
		switch l.Binding {
		case ingress.BindingProxy, ingress.BindingTransport:
			inner, err := r.listenStream(use, l.Address)
			if err != nil {
				return err
			}
			on = ingress.NewStreams(inner, cfg)
		case ingress.BindingProxyUDP, ingress.BindingTransportUDP:
			inner, err := r.listenPackets(use, l.Address)
			if err != nil {
				return err
			}
			on = ingress.NewPackets(inner, cfg)
		default:
			continue
		}
		r.ramps = append(r.ramps, on)
		r.parts.add(on.Close)
	}
	return r.openAPIProxy()
}

// listenStream opens a listener for TCP, or for TLS with certificates on both
// sides as SDKs have them.
func (r *Router) listenStream(use string, at conf.Address) (net.Listener, error) {
	if at.Type == "tls" {
		tlsConfig := r.identity.ServerTLS()
		tlsConfig.ClientAuth = tls.RequireAnyClientCert
		tlsConfig.VerifyConnection = r.uplink.VerifyClient
		return r.ports.listener(use, conf.HostPort{Host: at.Host, Port: at.Port}, tlsConfig, "")
	}
	l, err := net.Listen("tcp", at.HostPort())
	if err != nil {
		return nil, errPort(use, at.String(), err)
	}
	return l, nil
}

func (r *Router) listenPackets(use string, at conf.Address) (net.PacketConn, error) {
	if at.Type == "unixgram" {
		return r.listenUnixgram(use, at.Host)
	}
	l, err := net.ListenPacket(at.Type, at.HostPort())
	if err != nil {
		return nil, errPort(use, at.String(), err)
	}
	return l, nil
}

// listenUnixgram opens a socket at a path, over one that nobody has open any
// more. Its file goes with the router.
func (r *Router) listenUnixgram(use, path string) (net.PacketConn, error) {
	at := &net.UnixAddr{Name: path, Net: "unixgram"}
	if c, err := net.DialUnix("unixgram", nil, at); err == nil {
		c.Close()
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path)
	}
	l, err := net.ListenUnixgram("unixgram", at)
	if err != nil {
		return nil, errPort(use, path, err)
	}
	r.parts.add(func() error { return os.Remove(path) })
	return l, nil
}

// serveRamps accepts connections and datagrams until the on-ramps are closed.
func (r *Router) serveRamps() {
	var serving sync.WaitGroup
	for _, on := range r.ramps {
		serving.Go(func() {
			if err := on.Serve(); err != nil {
				r.o.Log.Error("listener lost", "error", err)
			}
		})
	}
	r.parts.add(func() error {
		var errs []error
		for _, on := range r.ramps {
			errs = append(errs, on.Close())
		}
		serving.Wait()
		return errors.Join(errs...)
	})
	if r.https != nil {
		r.https.serve()
	}
}
