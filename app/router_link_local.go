package app

import (
	"cmp"
	"context"
	"fmt"
	"net"

	"github.com/weftnet/weft/conf"
)

// noInterface is the name of links that are bound to no interface.
const noInterface = "default"

// listenerName returns the name of a listener's interface: what the file says,
// else the interface that owns the address.
func listenerName(l conf.LinkListener) string {
	return cmp.Or(l.BindInterface, interfaceOf(net.ParseIP(l.Bind.Host)), noInterface)
}

// interfaceOf returns the name of the interface that owns an address, empty if
// none does.
func interfaceOf(ip net.IP) string {
	if ip == nil || ip.IsUnspecified() {
		return ""
	}
	all, err := net.Interfaces()
	if err != nil {
		return ""
	}
	for _, i := range all {
		for _, own := range addressesOf(&i) {
			if own.Equal(ip) {
				return i.Name
			}
		}
	}
	return ""
}

func addressesOf(i *net.Interface) []net.IP {
	all, err := i.Addrs()
	if err != nil {
		return nil
	}
	var out []net.IP
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP)
		}
	}
	return out
}

// local is where outgoing connections leave.
type local struct {
	name string // of the interface
	ips  []net.IP
}

// findLocal reads the name of an interface or a local address; an empty text
// stands for anywhere.
func findLocal(bind string) (local, error) {
	if bind == "" {
		return local{name: noInterface}, nil
	}
	if ip := net.ParseIP(bind); ip != nil {
		name := interfaceOf(ip)
		if name == "" {
			return local{}, fmt.Errorf("no interface has the address %s", bind)
		}
		return local{name: name, ips: []net.IP{ip}}, nil
	}
	i, err := net.InterfaceByName(bind)
	if err != nil {
		return local{}, fmt.Errorf("no interface or local address %q", bind)
	}
	ips := addressesOf(i)
	if len(ips) == 0 {
		return local{}, errNoAddress
	}
	return local{name: i.Name, ips: ips}, nil
}

// dialer returns a dialer that leaves by one of the addresses, nil for anywhere.
func (l local) dialer() dialFunc {
	if l.ips == nil {
		return nil
	}
	return func(ctx context.Context, _, address string) (conn net.Conn, err error) {
		for _, ip := range l.ips {
			network := "tcp6"
			if ip.To4() != nil {
				network = "tcp4"
			}
			if conn, err = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}).DialContext(ctx, network, address); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}
}
