package xgress

import "github.com/weftnet/weft/wire/message"

// Header ids of a Leave, on links between Weft's routers only.
const (
	headerLeaveCause  int32 = 2300 // uint32
	headerLeaveDrop   int32 = 2301 // bool
	headerLeaveCode   int32 = 2302 // text
	headerLeaveReason int32 = 2303 // text
)

// Leave tells the routers along a circuit that one of its ends is gone. It is a
// close message with the address of a payload, so that it travels behind the
// payloads sent before.
type Leave struct {
	Circuit []byte
	Flags   Flags  // FlagOriginator says that the terminator side is gone
	Cause   uint32 // why, as the routers number it
	Drop    bool   // what is under way must not be delivered any more
	Code    string // stable, may be empty
	Reason  string
}

// ParseLeave decodes m. It returns ErrType or ErrCircuit. The result aliases m.
func ParseLeave(m *message.Message) (Leave, error) {
	a := AddressOf(m)
	switch {
	case m.Type != TypeClose:
		return Leave{}, ErrType
	case len(a.Circuit) == 0:
		return Leave{}, ErrCircuit
	}
	l := Leave{
		Circuit: a.Circuit, Flags: a.Flags, Drop: m.Headers.Bool(headerLeaveDrop),
		Code: m.Headers.String(headerLeaveCode), Reason: m.Headers.String(headerLeaveReason),
	}
	l.Cause, _ = m.Headers.Uint32(headerLeaveCause)
	return l, nil
}

// Message encodes l.
func (l *Leave) Message() *message.Message {
	m := message.New(TypeClose, nil)
	m.Headers.PutBytes(HeaderCircuitID, l.Circuit)
	if l.Flags != 0 {
		m.Headers.PutUint32(HeaderFlags, uint32(l.Flags))
	}
	m.Headers.PutUint32(headerLeaveCause, l.Cause)
	if l.Drop {
		m.Headers.PutBool(headerLeaveDrop, true)
	}
	if l.Code != "" {
		m.Headers.PutString(headerLeaveCode, l.Code)
	}
	if l.Reason != "" {
		m.Headers.PutString(headerLeaveReason, l.Reason)
	}
	return m
}
