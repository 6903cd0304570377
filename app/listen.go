package app

import (
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/weftnet/weft/conf"
)

// sockets are the TCP listeners of a process by port. Listeners of one port
// are shared: what arrives is told apart by ALPN. It is not safe for concurrent
// use.
type sockets struct{ open []socket }

type socket struct {
	host     string
	port     int
	listener net.Listener
}

// errPort explains why a port cannot be had.
func errPort(use, address string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return wrong(use, "stop that process or choose another port", "%s is in use by another process", address)
	}
	if errors.Is(err, syscall.EACCES) {
		return wrong(use, "choose a port above 1023", "%s needs privileges that this process does not have", address)
	}
	// not wrapped: it is no failure to reach somebody
	return wrong(use, "name an address of this machine, or 0.0.0.0 for all", "%v", err)
}

// listen opens host:port, unless a listener of this process covers it. use
// names the purpose in errors. Port 0 chooses a free one.
func (s *sockets) listen(use string, at conf.HostPort) (net.Listener, error) {
	for _, o := range s.open {
		if o.port == at.Port && covers(o.host, at.Host) {
			return o.listener, nil
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)))
	if err != nil {
		return nil, errPort(use, at.String(), err)
	}
	port := at.Port
	if tcp, ok := l.Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	s.open = append(s.open, socket{host: at.Host, port: port, listener: l})
	return l, nil
}

// covers reports whether a listener on host also gets connections to other.
func covers(host, other string) bool {
	return host == other || host == "" || net.ParseIP(host).IsUnspecified()
}

// Close closes all listeners.
func (s *sockets) Close() error {
	var errs []error
	for _, o := range s.open {
		if err := o.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	s.open = nil
	return errors.Join(errs...)
}

// split divides open listeners between a controller and a router of one
// process: the router gets those that its own listeners name.
func (s *sockets) split(r *conf.Router) (controller, router *sockets) {
	controller, router = new(sockets), new(sockets)
	for _, o := range s.open {
		side := controller
		for _, l := range r.Listeners {
			if l.Address.Port == o.port {
				side = router
			}
		}
		side.open = append(side.open, o)
	}
	s.open = nil
	return controller, router
}
