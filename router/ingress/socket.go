package ingress

import (
	"net"
	"net/netip"
)

// source is where a datagram comes from: one of the two is set.
type source struct {
	udp  netip.AddrPort
	path string // of a Unix socket
}

// String returns the address for the log.
func (s source) String() string {
	if s.path != "" {
		return s.path
	}
	return s.udp.String()
}

// packetSocket reads and writes datagrams.
type packetSocket interface {
	read(b []byte) (int, source, error)
	write(b []byte, to source) error
	close() error
}

func newPacketSocket(conn net.PacketConn) packetSocket {
	if u, ok := conn.(*net.UDPConn); ok {
		return udpSocket{u}
	}
	return pathSocket{conn}
}

type udpSocket struct{ conn *net.UDPConn }

func (s udpSocket) read(b []byte) (int, source, error) {
	n, from, err := s.conn.ReadFromUDPAddrPort(b)
	return n, source{udp: from}, err
}

func (s udpSocket) write(b []byte, to source) error {
	_, err := s.conn.WriteToUDPAddrPort(b, to.udp)
	return err
}

func (s udpSocket) close() error { return s.conn.Close() }

// pathSocket is a Unix socket. Programs need a name of their own to get answers.
type pathSocket struct{ conn net.PacketConn }

func (s pathSocket) read(b []byte) (int, source, error) {
	n, from, err := s.conn.ReadFrom(b)
	if err == nil && (from == nil || from.String() == "") {
		return n, source{path: "(no name)"}, nil
	}
	if err != nil {
		return n, source{}, err
	}
	return n, source{path: from.String()}, nil
}

func (s pathSocket) write(b []byte, to source) error {
	_, err := s.conn.WriteTo(b, &net.UnixAddr{Name: to.path, Net: "unixgram"})
	return err
}

func (s pathSocket) close() error { return s.conn.Close() }
