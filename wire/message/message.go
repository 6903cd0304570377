// Package message is the framing of every channel: edge connections of SDKs,
// and the control, peer and link channels between Weft's own processes.
//
//	 0        4              8          12               16            20
//	+--------+--------------+----------+----------------+-------------+---------+------+
//	| marker | content type | sequence | headers length | body length | headers | body |
//	+--------+--------------+----------+----------------+-------------+---------+------+
//
// All integers are little-endian. The header area is a list of entries
// (id int32, length uint32, value). A message keeps that area encoded: it is
// short, so a linear scan is cheaper than a map, and a relay can patch a value
// in place and pass the bytes on.
package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// PrefixSize is the size of the fixed part of a message in bytes.
const PrefixSize = 20

// Marker is the first four bytes of every message.
var Marker = [4]byte{0x03, 0x06, 0x09, 0x0c}

// VersionNotice is what a listener writes before it closes a connection whose
// first bytes are not the marker: a marker of its own, then the count and the
// list of supported framing versions.
var VersionNotice = []byte{3, 6, 9, 10, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}

// Errors that a decoder returns; match them with errors.Is.
var (
	ErrMarker   = errors.New("message: bytes do not start with the marker")
	ErrTooLarge = errors.New("message: length exceeds the limit")
	ErrHeaders  = errors.New("message: malformed header area")
	ErrShort    = errors.New("message: too few bytes")
)

// Message is one message of a channel. It is not safe for concurrent use.
type Message struct {
	Type    int32   // content type
	Seq     int32   // sequence number of the sender; opaque to the receiver
	Headers Headers // encoded header area
	Body    []byte
}

// New returns a message of the given content type with a body, which it keeps.
func New(contentType int32, body []byte) *Message {
	return &Message{Type: contentType, Body: body}
}

// Prefix is the decoded fixed part of a message.
type Prefix struct {
	Type       int32
	Seq        int32
	HeadersLen uint32 // bytes
	BodyLen    uint32 // bytes
}

// ParsePrefix decodes the first PrefixSize bytes of b. It returns ErrShort or
// ErrMarker and does not judge the lengths: that is for the caller's Limits.
func ParsePrefix(b []byte) (Prefix, error) {
	if len(b) < PrefixSize {
		return Prefix{}, ErrShort
	}
	if [4]byte(b[:4]) != Marker {
		return Prefix{}, ErrMarker
	}
	return Prefix{
		Type:       int32(binary.LittleEndian.Uint32(b[4:])),
		Seq:        int32(binary.LittleEndian.Uint32(b[8:])),
		HeadersLen: binary.LittleEndian.Uint32(b[12:]),
		BodyLen:    binary.LittleEndian.Uint32(b[16:]),
	}, nil
}

// Limits bounds what a decoder accepts, in bytes.
type Limits struct {
	Headers uint32
	Body    uint32
}

// HelloLimits bounds the first message of a connection.
var HelloLimits = Limits{Headers: 16384, Body: 4192}

// Check returns ErrTooLarge with the offending length if p exceeds l.
func (l Limits) Check(p Prefix) error {
	if p.HeadersLen > l.Headers {
		return fmt.Errorf("%w: %d bytes of headers, at most %d", ErrTooLarge, p.HeadersLen, l.Headers)
	}
	if p.BodyLen > l.Body {
		return fmt.Errorf("%w: %d bytes of body, at most %d", ErrTooLarge, p.BodyLen, l.Body)
	}
	return nil
}

// Size is the encoded size of m in bytes.
func (m *Message) Size() int { return PrefixSize + len(m.Headers) + len(m.Body) }

// AppendPrefix appends the fixed part and the headers of m to b, without the body.
func (m *Message) AppendPrefix(b []byte) []byte {
	b = append(b, Marker[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Type))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Seq))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.Headers)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.Body)))
	return append(b, m.Headers...)
}

// Append appends the encoding of m to b.
func (m *Message) Append(b []byte) []byte {
	return append(m.AppendPrefix(b), m.Body...)
}

// Parse decodes one message at the start of b and returns the number of bytes
// it took. Headers and Body of the result alias b.
func Parse(b []byte, l Limits) (*Message, int, error) {
	p, err := ParsePrefix(b)
	if err != nil {
		return nil, 0, err
	}
	if err := l.Check(p); err != nil {
		return nil, 0, err
	}
	total := uint64(PrefixSize) + uint64(p.HeadersLen) + uint64(p.BodyLen)
	if uint64(len(b)) < total {
		return nil, 0, ErrShort
	}
	m, err := p.Message(b[PrefixSize:total:total])
	return m, int(total), err
}

// Message makes the message of p from the bytes that follow the prefix; rest
// must hold exactly the header area and the body, which the message aliases.
func (p Prefix) Message(rest []byte) (*Message, error) {
	m := new(Message)
	if err := p.Fill(m, rest); err != nil {
		return nil, err
	}
	return m, nil
}

// Fill is Message into memory of the caller; m is unchanged after an error.
func (p Prefix) Fill(m *Message, rest []byte) error {
	h := Headers(rest[:p.HeadersLen:p.HeadersLen])
	if err := h.Validate(); err != nil {
		return err
	}
	*m = Message{Type: p.Type, Seq: p.Seq, Headers: h, Body: rest[p.HeadersLen:]}
	return nil
}

// Read reads one message from r into memory of its own. It is meant for hellos
// and tests; a channel reads in larger pieces.
func Read(r io.Reader, l Limits) (*Message, error) {
	var head [PrefixSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	p, err := ParsePrefix(head[:])
	if err != nil {
		return nil, err
	}
	if err := l.Check(p); err != nil {
		return nil, err
	}
	rest := make([]byte, uint64(p.HeadersLen)+uint64(p.BodyLen))
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, fmt.Errorf("message: body cut short: %w", err)
	}
	return p.Message(rest)
}
