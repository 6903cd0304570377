package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/link"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// addLinks makes what the link section names, before the uplink, which has news
// of other routers for it as soon as it is there.
func (r *Router) addLinks(to *uplink.Config) error {
	section := r.o.Config.Link
	if len(section.Listeners)+len(section.Dialers) == 0 {
		return nil
	}
	listeners, err := r.linkListeners()
	if err != nil {
		return err
	}
	dialers, err := linkDialers(r.o.Config)
	if err != nil {
		return err
	}
	f, hb := r.o.Config.Forwarder, section.Heartbeats
	r.links, err = link.New(link.Config{
		RouterID: r.id, Version: r.version().String(), TLS: r.identity.ClientTLS(), Trust: linkTrust{r},
		Listeners: listeners, Dialers: dialers,
		Heartbeats: link.Heartbeats{
			Send: hb.SendInterval, Check: hb.CheckInterval, Unresponsive: hb.UnresponsiveAfter, Close: hb.CloseUnresponsiveTimeout,
		},
		PayloadQueue: section.PayloadQueue, AckQueue: section.AckQueue,
		DialQueue: f.LinkDialQueueLength, DialWorkers: f.LinkDialWorkerCount,
		Receive: r.table.Receive, Lost: r.table.LinkLost, Disturbed: r.table.Disturbed,
		Changed: r.linksChanged, Measured: r.linkMeasured, Moved: r.linkMoved, DialTook: r.dials.links.Update,
		Budget: r.budget, Log: r.o.Log,
	})
	if err != nil {
		return err
	}
	r.table.SetLinks(r.links)
	r.table.SetLinkDrops(r.linkDropped)
	to.Links, to.Peers = r.links, r.links.Peers
	to.CloseLink = func(id, reason string) { r.links.CloseLink(id, reason) }
	return nil
}

// linkListeners opens the listeners for other routers, on ports that SDKs may
// use too.
func (r *Router) linkListeners() ([]link.Listener, error) {
	tlsConfig := r.identity.ServerTLS()
	tlsConfig.ClientAuth = tls.RequireAnyClientCert
	tlsConfig.VerifyConnection = func(s tls.ConnectionState) error {
		if err := r.uplink.VerifyClient(s); err != nil {
			return err
		}
		if owner, router := ownerOf(s.PeerCertificates[0]); !router { // not even a hello: there is room for so many only
			return fmt.Errorf("%q is no router", owner)
		}
		return nil
	}
	var out []link.Listener
	for i, l := range r.o.Config.Link.Listeners {
		at := conf.HostPort{Host: l.Bind.Host, Port: l.Bind.Port}
		inner, err := r.ports.listener(fmt.Sprintf("link.listeners[%d].bind", i), at, tlsConfig, link.ALPN)
		if err != nil {
			return nil, err
		}
		r.parts.add(inner.Close)
		o := linkOptions(l.Options.LinkOptions)
		o.MaxHellos = l.Options.Hellos()
		out = append(out, link.Listener{
			Name: listenerName(l), Advertise: l.Advertise.HostPort(), Groups: l.Groups, CostTags: l.CostTags, Options: o, Accept: inner,
		})
	}
	return out, nil
}

func linkOptions(o conf.LinkOptions) link.Options {
	return link.Options{Hello: o.ConnectTimeout, WriteTimeout: o.WriteTimeout, Queue: o.Queue()}
}

// linkDialers returns what dials other routers. The error names a key.
func linkDialers(cfg *conf.Router) ([]link.Dialer, error) {
	var out []link.Dialer
	for i, d := range cfg.Link.Dialers {
		from, err := findLocal(d.Bind)
		if err != nil {
			return nil, fmt.Errorf("link.dialers[%d].bind: %w", i, err)
		}
		healthy, unhealthy := d.HealthyDialBackoff, d.UnhealthyDialBackoff
		name := from.name
		if d.Bind == "" && len(cfg.Link.Dialers) == 1 && len(cfg.Link.Listeners) == 1 {
			name = listenerName(cfg.Link.Listeners[0])
		}
		out = append(out, link.Dialer{
			Name: name, Groups: d.Groups, Split: d.Split, MaxPayload: d.MaxDefaultConnections, MaxAck: d.MaxAckConnections,
			StartupDelay: d.StartupDelay,
			Healthy:      link.Backoff{Min: healthy.MinRetryInterval, Max: healthy.MaxRetryInterval, Factor: healthy.RetryBackoffFactor},
			Unhealthy:    link.Backoff{Min: unhealthy.MinRetryInterval, Max: unhealthy.MaxRetryInterval, Factor: unhealthy.RetryBackoffFactor},
			Options:      linkOptions(d.Options.LinkOptions), Net: proxied(from.dialer(), cfg.Proxy),
		})
	}
	return out, nil
}

// runLinks runs them until ctx ends, and follows what the router learns of
// others: those that are disabled or deleted lose their links.
func (r *Router) runLinks(ctx context.Context, work *sync.WaitGroup) {
	if r.links == nil {
		return
	}
	work.Go(func() {
		if err := r.links.Run(ctx); err != nil {
			r.failed <- err
		}
	})
	work.Go(func() {
		for ctx.Err() == nil {
			news := r.uplink.Changed()
			r.links.Recheck()
			select {
			case <-news:
			case <-ctx.Done():
			}
		}
	})
}

// linkTrust judges other routers by the router's copy of the network.
type linkTrust struct{ r *Router }

// Client returns whose client certificate that is. Its chain is verified by the
// handshake.
func (t linkTrust) Client(certs []*x509.Certificate) (string, error) {
	if len(certs) == 0 {
		return "", &link.Refusal{Code: link.CodeNotEnrolled, Message: "no client certificate"}
	}
	id := certs[0].Subject.CommonName
	if err := t.Enabled(id); err != nil {
		return "", err
	}
	if known := t.r.uplink.View().Router(id); known == nil || known.Fingerprint != pki.Fingerprint(certs[0]) {
		return "", &link.Refusal{Code: link.CodeNotEnrolled, Message: "the client certificate is not the enrolled one of router " + id}
	}
	if now := time.Now(); now.After(certs[0].NotAfter) || now.Before(certs[0].NotBefore) {
		return "", &link.Refusal{Code: link.CodeNotEnrolled, Message: "the client certificate of router " + id + " is outside its validity"}
	}
	return id, nil
}

// Server returns why that is not the certificate of a router's listeners.
func (t linkTrust) Server(certs []*x509.Certificate, routerID string) error {
	now := time.Now()
	if _, err := pki.VerifyPeer(certs, t.r.identity.Bundle(), nil, now); err != nil {
		return fmt.Errorf("server certificate: %w", err)
	}
	if leaf := certs[0]; now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		return fmt.Errorf("server certificate: %w", pki.ErrCertExpired)
	}
	if owner, router := ownerOf(certs[0]); owner != routerID || !router {
		return &link.Refusal{Code: link.CodeWrongRouter, Message: fmt.Sprintf("the server certificate belongs to %q, not to router %s", owner, routerID)}
	}
	return nil
}

// ownerOf returns whose server certificate that is, and whether of a router: by
// its SPIFFE id, or by its common name if it has none.
func ownerOf(leaf *x509.Certificate) (id string, router bool) {
	u, err := pki.SPIFFE(leaf)
	if err != nil {
		return leaf.Subject.CommonName, len(leaf.URIs) == 0
	}
	if id, router = pki.PathID(u, "router"); !router {
		return u.String(), false
	}
	return id, true
}

// Enabled returns why a router may not have links.
func (t linkTrust) Enabled(routerID string) error {
	switch known := t.r.uplink.View().Router(routerID); {
	case known == nil:
		return &link.Refusal{Code: link.CodeNotEnrolled, Message: "router " + routerID + " is not one of the network, or this router has not heard of it yet"}
	case known.Fingerprint == "": // its certificate was taken away
		return &link.Refusal{Code: link.CodeNotEnrolled, Message: "router " + known.Name + " is not enrolled"}
	case known.Disabled:
		return &link.Refusal{Code: link.CodeDisabled, Message: "router " + known.Name + " is disabled"}
	}
	return nil
}

// linkReports are the links of the router, none without a link section.
func (r *Router) linkReports() []*ctrl.Link {
	if r.links == nil {
		return nil
	}
	return r.links.Report()
}

// closeLink closes a link; false if there is none of that id.
func (r *Router) closeLink(id, reason string) bool {
	return r.links != nil && r.links.CloseLink(id, reason)
}

// inspectLinks is the value of links.
func (r *Router) inspectLinks() any {
	if r.links == nil {
		return link.Inspection{Destinations: []link.Destination{}, Links: []link.Shown{}}
	}
	return r.links.Inspect()
}

// checkLinks tests what the link section names.
func checkLinks(cfg *conf.Router) error {
	_, err := linkDialers(cfg)
	return err
}

var errNoAddress = errors.New("the interface has no address")
