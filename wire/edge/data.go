package edge

import (
	"encoding/binary"
	"fmt"

	"github.com/weftnet/weft/wire/message"
)

// Flags of header 1010. The first message of a direction announces what its sender can receive.
const (
	FlagFIN          uint32 = 1  // no more data in this direction
	FlagTraceUUID    uint32 = 2  // header 128 is structured
	FlagMultipart    uint32 = 4  // the sender can receive multipart bodies
	FlagStream       uint32 = 8  // the peer may merge writes
	FlagMultipartMsg uint32 = 16 // this body is multipart
)

// Data is a piece of a connection without client-side flow control.
type Data struct {
	ConnID uint32
	Flags  uint32 // 0: not sent
	UUID   []byte // header 128, passes through a circuit; may be nil
	Body   []byte
}

// Encode makes the message, which keeps Body.
func (d *Data) Encode() *message.Message {
	m := message.New(TypeData, d.Body)
	m.Headers = make(message.Headers, 0, 24+8+len(d.UUID))
	m.Headers.PutUint32(HeaderConnID, d.ConnID)
	if d.Flags != 0 {
		m.Headers.PutUint32(HeaderFlags, d.Flags)
	}
	putRaw(&m.Headers, HeaderUUID, d.UUID)
	return m
}

// ParseData decodes a piece of data. It does not allocate.
func ParseData(m *message.Message) (d Data, err error) {
	if err := check(m, TypeData); err != nil {
		return d, err
	}
	d.Body = m.Body
	err = fields(m.Headers, &d.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderFlags:
			setUint32(&d.Flags, v)
		case HeaderUUID:
			d.UUID = v
		}
	})
	return d, err
}

// AppendPart appends one part of a multipart body, at most 65535 bytes long.
func AppendPart(b, part []byte) ([]byte, error) {
	if len(part) > 0xffff {
		return b, fmt.Errorf("%w: part of %d bytes, at most 65535", ErrValue, len(part))
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(part)))
	return append(b, part...), nil
}

// NextPart splits the first part off a multipart body. It returns ErrValue if
// the body is malformed; rest is empty after the last part.
func NextPart(body []byte) (part, rest []byte, err error) {
	if len(body) < 2 {
		return nil, nil, fmt.Errorf("%w: multipart body cut short", ErrValue)
	}
	n := int(binary.LittleEndian.Uint16(body))
	body = body[2:]
	if n > len(body) {
		return nil, nil, fmt.Errorf("%w: part of %d bytes in a body with %d left", ErrValue, n, len(body))
	}
	return body[:n:n], body[n:], nil
}
