package xgress

import (
	"github.com/weftnet/weft/wire/message"
)

// Header ids of a control message.
const (
	headerHopCount  int32 = 20
	headerHopType   int32 = 21
	headerHopID     int32 = 22
	headerTimestamp int32 = 23
	headerUserValue int32 = 24
	headerError     int32 = 25
)

// ControlType says what a Control asks or answers.
type ControlType byte

// The control types in use.
const (
	ControlTrace         ControlType = 1
	ControlTraceResponse ControlType = 2
)

// Control is a trace request or its answer, sent along a circuit.
type Control struct {
	Type      ControlType
	Circuit   string
	HopCount  uint32
	HopType   string
	HopID     string
	Timestamp uint64 // ms since the epoch
	UserValue uint32
	Error     string

	ConnID    uint32
	HasConnID bool
}

// ParseControl decodes m. It returns ErrType or ErrBody.
func ParseControl(m *message.Message) (Control, error) {
	if m.Type != TypeControl {
		return Control{}, ErrType
	}
	if len(m.Body) < 2 {
		return Control{}, ErrBody
	}
	c := Control{
		Type:    ControlType(m.Body[0]),
		Circuit: string(m.Body[1:]),
		HopType: m.Headers.String(headerHopType),
		HopID:   m.Headers.String(headerHopID),
		Error:   m.Headers.String(headerError),
	}
	c.HopCount, _ = m.Headers.Uint32(headerHopCount)
	c.Timestamp, _ = m.Headers.Uint64(headerTimestamp)
	c.UserValue, _ = m.Headers.Uint32(headerUserValue)
	c.ConnID, c.HasConnID = m.Headers.Uint32(HeaderConnID)
	return c, nil
}

// Message encodes c.
func (c *Control) Message() *message.Message {
	m := message.New(TypeControl, append([]byte{byte(c.Type)}, c.Circuit...))
	m.Headers.PutUint32(headerHopCount, c.HopCount)
	m.Headers.PutUint64(headerTimestamp, c.Timestamp)
	if c.HopType != "" {
		m.Headers.PutString(headerHopType, c.HopType)
	}
	if c.HopID != "" {
		m.Headers.PutString(headerHopID, c.HopID)
	}
	if c.UserValue != 0 {
		m.Headers.PutUint32(headerUserValue, c.UserValue)
	}
	if c.Error != "" {
		m.Headers.PutString(headerError, c.Error)
	}
	if c.HasConnID {
		m.Headers.PutUint32(HeaderConnID, c.ConnID)
	}
	return m
}

// Close returns the message by which a client leaves a circuit.
func Close(circuit string) *message.Message { return message.New(TypeClose, []byte(circuit)) }

// ParseClose returns the circuit id of a close message, or ErrType or ErrCircuit.
func ParseClose(m *message.Message) (string, error) {
	switch {
	case m.Type != TypeClose:
		return "", ErrType
	case len(m.Body) == 0:
		return "", ErrCircuit
	}
	return string(m.Body), nil
}
