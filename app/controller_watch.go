package app

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/fetch"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
)

// watched shows events of circuits to the watcher of identities before they go
// on to publish, which may be nil.
func watched(w *chttp.Watcher, publish func(network.Event)) func(network.Event) {
	return func(e network.Event) {
		if x, ok := e.(*network.CircuitEvent); ok && x.Circuit != nil && x.Circuit.IdentityID != "" {
			watchCircuit(w, x)
		}
		if publish != nil {
			publish(e)
		}
	}
}

func watchCircuit(w *chttp.Watcher, e *network.CircuitEvent) {
	c := e.Circuit
	if e.Type == network.CircuitFailed {
		w.Refused(chttp.Refusal{At: e.At, IdentityID: c.IdentityID, SessionID: c.SessionID, ServiceID: c.ServiceID, Action: model.Dial, Code: e.Cause, Reason: e.Reason})
		return
	}
	w.Saw(c.IdentityID, "circuit "+e.Type, "circuit", c.ID, "service", c.ServiceID, "session", c.SessionID, "code", e.Code, "reason", e.Reason)
}

// keyGates judges where the keys of external signers may come from before a
// signer is stored; every fetch judges anew, by the address that it connects to.
type keyGates struct{ fetch.Gates }

// fetchGates are the gates of the configuration.
func fetchGates(j conf.JWKSFetch) fetch.Gates {
	return fetch.Gates{DeniedHosts: j.DeniedHostnames, AllowedHosts: j.AllowedHostnames,
		DeniedAddresses: prefixes(j.DeniedIPs), AllowedAddresses: prefixes(j.AllowedIPs), BlockPrivate: j.BlockPrivateAddresses}
}

// prefixes reads addresses and ranges, which the configuration has checked.
func prefixes(texts []string) []netip.Prefix {
	var out []netip.Prefix
	for _, t := range texts {
		if p, err := netip.ParsePrefix(t); err == nil {
			out = append(out, p)
		} else if a, err := netip.ParseAddr(t); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return out
}

// CheckAddress implements chttp.KeySource.
func (k keyGates) CheckAddress(_ context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	host := u.Hostname()
	if err := k.Host(host); err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return k.Address(ip)
	}
	return nil
}
