package channel

import (
	"crypto/tls"
	"io"

	"github.com/weftnet/weft/wire/message"
)

// readHello reads the first message of a connection within the limits of a
// hello. It returns message.ErrMarker after four wrong bytes already, and
// ErrVersion if they are a version notice.
func readHello(conn *tls.Conn) (*message.Message, error) {
	var head [message.PrefixSize]byte
	if _, err := io.ReadFull(conn, head[:4]); err != nil {
		return nil, err
	}
	switch [4]byte(head[:4]) {
	case message.Marker:
	case [4]byte(message.VersionNotice[:4]):
		return nil, ErrVersion
	default:
		return nil, message.ErrMarker
	}
	if _, err := io.ReadFull(conn, head[4:]); err != nil {
		return nil, err
	}
	p, err := message.ParsePrefix(head[:])
	if err != nil {
		return nil, err
	}
	if err := message.HelloLimits.Check(p); err != nil {
		return nil, err
	}
	rest := make([]byte, p.HeadersLen+p.BodyLen)
	if _, err := io.ReadFull(conn, rest); err != nil {
		return nil, err
	}
	return p.Message(rest)
}
