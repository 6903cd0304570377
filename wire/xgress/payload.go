package xgress

import (
	"encoding/binary"
	"math"

	"github.com/weftnet/weft/wire/message"
)

// Payload is one numbered piece of a direction of a circuit. A decoded payload
// aliases the message it came from.
type Payload struct {
	Circuit []byte
	Seq     int32
	Flags   Flags
	RTT     uint16 // low 16 bits of the sender's clock in ms, 0 = none

	ConnID    uint32
	HasConnID bool

	Capabilities    uint32
	HasCapabilities bool

	EdgeFlags    uint32
	HasEdgeFlags bool

	UUID []byte // nil if absent
	Data []byte
}

// ParsePayload decodes m. It returns ErrType, ErrCircuit, ErrSequence or
// ErrHeader; unknown headers are ignored. It allocates nothing.
func ParsePayload(m *message.Message) (Payload, error) {
	var p Payload
	if m.Type != TypePayload {
		return p, ErrType
	}
	p.Data = m.Body
	seq, bad := uint64(math.MaxUint64), false
	m.Headers.Each(func(id int32, v []byte) bool {
		switch id {
		case HeaderCircuitID:
			p.Circuit = v
		case HeaderSequence:
			if len(v) == 8 {
				seq = binary.LittleEndian.Uint64(v)
			}
		case HeaderFlags:
			p.Flags = flagsOf(v)
		case HeaderRTT:
			if len(v) == 2 {
				p.RTT = binary.LittleEndian.Uint16(v)
			}
		case HeaderConnID:
			if len(v) == 4 {
				p.ConnID, p.HasConnID = binary.LittleEndian.Uint32(v), true
			}
		case HeaderUUID:
			p.UUID = v
		case HeaderCapabilities:
			if bad = len(v) != 4; !bad {
				p.Capabilities, p.HasCapabilities = binary.BigEndian.Uint32(v), true
			}
		case HeaderEdgeFlags:
			if bad = len(v) != 4; !bad {
				p.EdgeFlags, p.HasEdgeFlags = binary.LittleEndian.Uint32(v), true
			}
		}
		return !bad
	})
	switch {
	case bad:
		return p, ErrHeader
	case len(p.Circuit) == 0:
		return p, ErrCircuit
	case seq > math.MaxInt32:
		return p, ErrSequence
	}
	p.Seq = int32(seq)
	return p, nil
}

func flagsOf(v []byte) Flags {
	if len(v) != 4 {
		return 0
	}
	return Flags(binary.LittleEndian.Uint32(v))
}

// AppendHeaders appends the header entries of p to h.
func (p *Payload) AppendHeaders(h message.Headers) message.Headers {
	if p.HasConnID {
		h.PutUint32(HeaderConnID, p.ConnID)
	}
	if p.UUID != nil {
		h.PutBytes(HeaderUUID, p.UUID)
	}
	if p.HasCapabilities {
		h = putBytes4(h, HeaderCapabilities)
		binary.BigEndian.PutUint32(h[len(h)-4:], p.Capabilities)
	}
	if p.HasEdgeFlags {
		h.PutUint32(HeaderEdgeFlags, p.EdgeFlags)
	}
	h.PutBytes(HeaderCircuitID, p.Circuit)
	h = binary.LittleEndian.AppendUint32(h, uint32(HeaderSequence))
	h = binary.LittleEndian.AppendUint32(h, 8)
	h = binary.LittleEndian.AppendUint64(h, uint64(p.Seq))
	if p.Flags != 0 {
		h.PutUint32(HeaderFlags, uint32(p.Flags))
	}
	return putRTT(h, p.RTT)
}

// Message returns p as a message with headers appended to scratch, which it
// keeps, and p.Data as body.
func (p *Payload) Message(scratch message.Headers) message.Message {
	return message.Message{Type: TypePayload, Headers: p.AppendHeaders(scratch), Body: p.Data}
}

func putBytes4(h message.Headers, id int32) message.Headers {
	h.PutUint32(id, 0)
	return h
}

func putRTT(h message.Headers, rtt uint16) message.Headers {
	h = binary.LittleEndian.AppendUint32(h, uint32(HeaderRTT))
	h = binary.LittleEndian.AppendUint32(h, 2)
	return binary.LittleEndian.AppendUint16(h, rtt)
}
