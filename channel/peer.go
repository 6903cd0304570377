package channel

import (
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/weftnet/weft/wire/message"
)

// Peer is what is known of the other side.
type Peer struct {
	// Headers and Body of its hello (listening side) or of its answer to ours
	// (dialing side).
	Headers message.Headers
	Body    []byte
	// Certs is the chain it presented in the handshake, leaf first. Whether it
	// was verified is up to the TLS configuration.
	Certs []*x509.Certificate
	// ALPN is the negotiated protocol, empty if none was offered.
	ALPN string
	// ServerName is what a client asked for, empty on the dialing side.
	ServerName string
	Remote     net.Addr
	Local      net.Addr
	// ConnectionID names the channel; the listening side chooses it.
	ConnectionID string
}

// Leaf returns the peer's own certificate, nil if it sent none.
func (p *Peer) Leaf() *x509.Certificate {
	if len(p.Certs) == 0 {
		return nil
	}
	return p.Certs[0]
}

func peerOf(conn *tls.Conn, m *message.Message) Peer {
	s := conn.ConnectionState()
	return Peer{
		Headers: m.Headers, Body: m.Body, Certs: s.PeerCertificates,
		ALPN: s.NegotiatedProtocol, ServerName: s.ServerName,
		Remote: conn.RemoteAddr(), Local: conn.LocalAddr(),
		ConnectionID: m.Headers.String(HeaderConnectionID),
	}
}
