package fetch

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Gates say where documents may come from. Both gates have to let a request
// pass, and each of its redirects again. The zero value blocks only what no
// fetch may ever reach.
type Gates struct {
	// Host gate: a denied host is blocked, then, if any are allowed, every one
	// that is not among them. Names are exact, or begin with *. and stand for all
	// names below the rest, at any depth. ASCII; the case does not count.
	DeniedHosts, AllowedHosts []string
	// Address gate, on the addresses that a name has when it is connected to, the
	// first that applies: link-local, local multicast and unspecified addresses and
	// those of cloud metadata services are blocked; Denied is; Allowed is not;
	// private and loopback addresses are if BlockPrivate says so.
	DeniedAddresses, AllowedAddresses []netip.Prefix
	BlockPrivate                      bool
}

// BlockedError is the refusal of a gate.
type BlockedError struct {
	Host    string     // what was asked for, if the host gate refuses
	Address netip.Addr // what it resolved to, if the address gate refuses
	Reason  string
	Remedy  string
}

// Error names what is blocked and why.
func (e *BlockedError) Error() string {
	if e.Host != "" {
		return fmt.Sprintf("host %s is blocked: %s; %s", e.Host, e.Reason, e.Remedy)
	}
	return fmt.Sprintf("address %s is blocked: %s; %s", e.Address, e.Reason, e.Remedy)
}

// never is what no fetch may reach: link-local addresses, among them those of
// cloud metadata services, and local multicast.
var never = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("224.0.0.0/24"),
	netip.MustParsePrefix("ff02::/16"),
}

// nat64 holds IPv6 addresses that carry an IPv4 address in their last four
// bytes, to which a gateway translates them.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Host judges the name or address of a request, without its port.
func (g Gates) Host(host string) error {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	blocked := &BlockedError{Host: name, Remedy: "see edge.externalJwtSigners.jwksFetch in the configuration of the controller"}
	switch {
	case anyHost(g.DeniedHosts, name):
		blocked.Reason = "it is among deniedHostnames"
	case len(g.AllowedHosts) > 0 && !anyHost(g.AllowedHosts, name):
		blocked.Reason = "it is not among allowedHostnames"
	default:
		return nil
	}
	return blocked
}

func anyHost(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimSuffix(strings.ToLower(p), ".")
		if below, wild := strings.CutPrefix(p, "*"); wild {
			return strings.HasSuffix(name, below) && len(name) > len(below)
		}
		return name == p
	})
}

// Address judges an address that is about to be connected to.
func (g Gates) Address(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	blocked := &BlockedError{Address: a, Remedy: "see edge.externalJwtSigners.jwksFetch in the configuration of the controller"}
	if nat64.Contains(a) {
		b := a.As16()
		if err := g.Address(netip.AddrFrom4([4]byte(b[12:]))); err != nil {
			return err
		}
	}
	switch {
	case a.IsUnspecified() || within(never, a):
		blocked.Reason, blocked.Remedy = "nothing may be fetched from link-local, multicast and metadata addresses", "name another host"
	case within(g.DeniedAddresses, a):
		blocked.Reason = "it is within deniedIPs"
	case within(g.AllowedAddresses, a):
		return nil
	case g.BlockPrivate && (a.IsPrivate() || a.IsLoopback()):
		blocked.Reason = "it is private or loopback, which blockPrivateAddresses refuses"
	default:
		return nil
	}
	return blocked
}

func within(ranges []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(a) })
}
