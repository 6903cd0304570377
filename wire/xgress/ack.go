package xgress

import (
	"encoding/binary"

	"github.com/weftnet/weft/wire/message"
)

// UnknownRecvBuffer stands for an acknowledgement without a buffer size.
const UnknownRecvBuffer uint32 = 1<<32 - 1

// Ack acknowledges payloads one by one; an empty list only updates the window.
// A decoded Ack aliases the message it came from.
type Ack struct {
	Circuit    []byte
	Flags      Flags  // FlagOriginator says the role of the acknowledging side
	RecvBuffer uint32 // bytes that the acknowledging side holds undelivered
	RTT        uint16 // copied from a payload, 0 = none

	ConnID    uint32
	HasConnID bool

	Seqs []byte // 4 bytes big-endian each; read with Len and Seq, write with AppendSeq
}

// ParseAck decodes m. It returns ErrType, ErrCircuit or ErrBody. It allocates nothing.
func ParseAck(m *message.Message) (Ack, error) {
	a := Ack{RecvBuffer: UnknownRecvBuffer, Seqs: m.Body}
	if m.Type != TypeAcknowledgement {
		return a, ErrType
	}
	m.Headers.Each(func(id int32, v []byte) bool {
		switch {
		case id == HeaderCircuitID:
			a.Circuit = v
		case id == HeaderFlags:
			a.Flags = flagsOf(v)
		case id == HeaderRecvBufferSize && len(v) == 4:
			a.RecvBuffer = binary.LittleEndian.Uint32(v)
		case id == HeaderRTT && len(v) == 2:
			a.RTT = binary.LittleEndian.Uint16(v)
		case id == HeaderConnID && len(v) == 4:
			a.ConnID, a.HasConnID = binary.LittleEndian.Uint32(v), true
		}
		return true
	})
	if len(a.Circuit) == 0 {
		return a, ErrCircuit
	}
	if len(a.Seqs)%4 != 0 {
		return a, ErrBody
	}
	return a, nil
}

// Len is the number of acknowledged sequences.
func (a *Ack) Len() int { return len(a.Seqs) / 4 }

// Seq returns the i-th acknowledged sequence.
func (a *Ack) Seq(i int) int32 { return int32(binary.BigEndian.Uint32(a.Seqs[4*i:])) }

// AppendSeq appends one sequence to the body b of an acknowledgement.
func AppendSeq(b []byte, seq int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(seq)) }

// AppendHeaders appends the header entries of a to h.
func (a *Ack) AppendHeaders(h message.Headers) message.Headers {
	if a.HasConnID {
		h.PutUint32(HeaderConnID, a.ConnID)
	}
	h.PutBytes(HeaderCircuitID, a.Circuit)
	if a.Flags != 0 {
		h.PutUint32(HeaderFlags, uint32(a.Flags))
	}
	h.PutUint32(HeaderRecvBufferSize, a.RecvBuffer)
	return putRTT(h, a.RTT)
}

// Message returns a as a message with headers appended to scratch, which it
// keeps, and a.Seqs as body.
func (a *Ack) Message(scratch message.Headers) message.Message {
	return message.Message{Type: TypeAcknowledgement, Headers: a.AppendHeaders(scratch), Body: a.Seqs}
}
