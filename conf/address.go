package conf

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Address is an address of the form type:host:port, for example
// tls:0.0.0.0:1280. IPv6 hosts stand in brackets.
type Address struct {
	Type string // tls, wss, tcp, udp, ...
	Host string // without brackets; for unixgram the path
	Port int
}

// IsZero reports whether the address is not set.
func (a Address) IsZero() bool { return a == Address{} }

// HostPort returns host:port as the net package wants it.
func (a Address) HostPort() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// String returns the form of configuration files.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	if a.Type == "unixgram" {
		return a.Type + ":" + a.Host
	}
	return a.Type + ":" + a.HostPort()
}

// ParseAddress reads type:host:port.
func ParseAddress(s string) (Address, error) {
	kind, rest, ok := strings.Cut(s, ":")
	if !ok || kind == "" || rest == "" {
		return Address{}, fmt.Errorf("%q has no type, host and port", s)
	}
	if kind == "unixgram" {
		return Address{Type: kind, Host: rest}, nil
	}
	hp, err := ParseHostPort(rest)
	if err != nil {
		return Address{}, err
	}
	return Address{Type: kind, Host: hp.Host, Port: hp.Port}, nil
}

// HostPort is host:port without a type.
type HostPort struct {
	Host string // without brackets, may be empty to listen everywhere
	Port int
}

// IsZero reports whether it is not set.
func (h HostPort) IsZero() bool { return h == HostPort{} }

// String returns host:port as the net package wants it.
func (h HostPort) String() string {
	if h.IsZero() {
		return ""
	}
	return net.JoinHostPort(h.Host, strconv.Itoa(h.Port))
}

// ParseHostPort reads host:port.
func ParseHostPort(s string) (HostPort, error) {
	host, portText, err := net.SplitHostPort(s)
	if err != nil {
		return HostPort{}, fmt.Errorf("%q is not host:port", s)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return HostPort{}, errors.New("port " + strconv.Quote(portText) + " is not a number from 0 to 65535")
	}
	return HostPort{Host: host, Port: port}, nil
}
