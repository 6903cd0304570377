package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weftnet/weft/router/ramp"
	"github.com/weftnet/weft/wire/ctrl"
)

// address is where a terminator's circuits go.
type address struct {
	kind string // tcp, tls, udp, udp4, udp6, unixgram
	at   string // host:port, a path for unixgram
	host string
}

func (a address) datagrams() bool { return a.kind != "tcp" && a.kind != "tls" }

// parseAddress reads the address of a terminator. What a binding takes: streams
// and datagrams, but transport_udp and udp only datagrams.
func parseAddress(binding, s string) (address, error) {
	kind, rest, _ := strings.Cut(s, ":")
	a := address{kind: kind, at: rest}
	stream, ok := kind == "tcp" || kind == "tls", true
	switch kind {
	case "tcp", "tls", "udp", "udp4", "udp6":
		var port string
		var err error
		a.host, port, err = net.SplitHostPort(rest)
		number, perr := strconv.ParseUint(port, 10, 16)
		ok = err == nil && perr == nil && number > 0
	case "unixgram":
		ok = rest != ""
	default:
		ok = false
	}
	udpOnly := binding == BindingUDP || binding == BindingUDP2
	switch {
	case ok && !(stream && udpOnly):
		return a, nil
	case udpOnly:
		return a, fmt.Errorf("address %q is not of the form udp:host:port, as the binding %s needs it", s, binding)
	}
	return a, fmt.Errorf("address %q is not of the form tcp:host:port, tls:host:port or udp:host:port", s)
}

// connect reaches a server within the time of the binding and of ctx.
func (t *Transport) connect(ctx context.Context, to address) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.ConnectTimeout)
	defer cancel()
	switch {
	case to.kind == "unixgram":
		return connectUnixgram(to.at)
	case to.datagrams():
		return new(net.Dialer).DialContext(ctx, to.kind, to.at)
	}
	conn, err := t.cfg.Net(ctx, "tcp", to.at)
	if err != nil || to.kind == "tcp" {
		return conn, err
	}
	cfg := t.cfg.TLS.Clone()
	cfg.ServerName = to.host
	secure := tls.Client(ramp.Cork(conn), cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("TLS with %s: %w", to.at, err)
	}
	_ = conn.SetDeadline(time.Time{})
	return secure, nil
}

// connectUnixgram connects to a datagram socket of this machine, with a name of
// its own that the kernel chooses, so that answers find their way.
func connectUnixgram(path string) (net.Conn, error) {
	return net.DialUnix("unixgram", &net.UnixAddr{Name: "@", Net: "unixgram"}, &net.UnixAddr{Name: path, Net: "unixgram"})
}

// causeOf classifies why a server was not reached.
func causeOf(err error) ctrl.Cause {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return ctrl.Cause_DNS_RESOLUTION_FAILED
	case errors.Is(err, syscall.ECONNREFUSED):
		return ctrl.Cause_CONNECTION_REFUSED
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOBUFS):
		return ctrl.Cause_RESOURCES_NOT_AVAILABLE
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return ctrl.Cause_DIAL_TIMED_OUT
	}
	return ctrl.Cause_GENERIC
}
