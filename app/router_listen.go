package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/router/edge"
)

// loadIdentity loads the identity and tests that its server certificate is
// valid for every advertised address.
func (r *Router) loadIdentity() (err error) {
	r.identity, err = loadIdentity("identity", r.o.Config.Identity)
	if errors.Is(err, fs.ErrNotExist) {
		return problem("enroll the router with `weft router enroll` and the token of `weft create edge-router --jwt`, or correct the path", "%w", err)
	}
	if err != nil {
		return err
	}
	if r.id, err = commonName(r.identity); err != nil {
		return err
	}
	if err = r.loadWSSIdentity(); err != nil {
		return err
	}
	var wrong []string
	for _, l := range r.o.Config.Listeners {
		if l.Binding == edge.Binding && r.identityFor(l).ServerCertificateValidFor(l.Options.Advertise.Host) == nil {
			wrong = append(wrong, l.Options.Advertise.String())
		}
	}
	for _, l := range r.o.Config.Link.Listeners {
		if r.identity.ServerCertificateValidFor(l.Advertise.Host) == nil {
			wrong = append(wrong, l.Advertise.String())
		}
	}
	if wrong != nil {
		return problem("advertise a name of the certificate; for a new name add it to edge.csr.sans, renew the certificate (weft router run --extend), then advertise it",
			"identity.server_cert is not valid for the advertised %s", strings.Join(wrong, ", "))
	}
	return nil
}

// edgeALPN is the protocol name of SDKs; older ones offer none.
const edgeALPN = "ziti-edge"

// openListeners opens the listeners for SDKs.
func (r *Router) openListeners() error {
	if r.edge == nil {
		return nil
	}
	tlsConfig := r.identity.ServerTLS()
	tlsConfig.ClientAuth = tls.RequireAnyClientCert
	tlsConfig.VerifyConnection = r.uplink.VerifyClient
	for i, l := range r.o.Config.Listeners {
		if l.Binding != edge.Binding {
			continue
		}
		use, at := fmt.Sprintf("listeners[%d].address", i), conf.HostPort{Host: l.Address.Host, Port: l.Address.Port}
		cfg := r.edge.TunedConfig(flowOptions(l.Options.DataOptions))
		cfg.HelloTimeout, cfg.MaxHellos = l.Options.HelloTimeout, l.Options.Hellos()
		cfg.Options.WriteTimeout, cfg.Options.QueueMessages = l.Options.WriteTimeout, l.Options.Queue()
		if l.Address.Type == "wss" {
			if err := r.openWebSocket(use, l, tlsConfig, cfg); err != nil {
				return err
			}
			continue
		}
		inner, err := r.ports.listener(use, at, tlsConfig, edgeALPN, "")
		if err != nil {
			return err
		}
		listener := channel.NewListener(inner, cfg)
		r.listeners = append(r.listeners, listener)
		r.parts.add(listener.Close)
	}
	return nil
}

// lookupTimeout is the longest of the listeners for SDKs.
func (r *Router) lookupTimeout() time.Duration {
	return r.longest(func(o conf.ListenerOptions) time.Duration { return o.LookupTimeout })
}

// serviceTimeout is the longest of the listeners for SDKs.
func (r *Router) serviceTimeout() time.Duration {
	return r.longest(func(o conf.ListenerOptions) time.Duration { return o.ServiceTimeout })
}

func (r *Router) longest(of func(conf.ListenerOptions) time.Duration) (longest time.Duration) {
	for _, l := range r.o.Config.Listeners {
		if l.Binding == edge.Binding {
			longest = max(longest, of(l.Options))
		}
	}
	return longest
}
