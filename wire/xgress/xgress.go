// Package xgress is the bytes of end-to-end flow control: payloads,
// acknowledgements, control and close messages of a circuit. The same messages
// run between an SDK that keeps its own window and a router, and between the
// two ends of a circuit. Byte order is mixed by tradition: header integers are
// little-endian, acknowledged sequences and the capability mask big-endian.
package xgress

import (
	"encoding/binary"
	"errors"

	"github.com/weftnet/weft/wire/message"
)

// Content types.
const (
	TypePayload         int32 = 1100
	TypeAcknowledgement int32 = 1101
	TypeControl         int32 = 1102
	TypeClose           int32 = 1103
)

// Header ids. A payload header with key k (0..255) travels as HeaderPayload+k.
const (
	HeaderConnID         int32 = 1000 // uint32, the virtual connection at the receiver
	HeaderPayload        int32 = 2000
	HeaderUUID           int32 = 2000 // 16 bytes, opaque
	HeaderCapabilities   int32 = 2001 // 4 bytes big-endian
	HeaderEdgeFlags      int32 = 2016 // 4 bytes little-endian, flags of a Data message
	HeaderCircuitID      int32 = 2256 // text
	HeaderSequence       int32 = 2257 // uint64, 31 bits used
	HeaderFlags          int32 = 2258 // uint32, absent when 0
	HeaderRecvBufferSize int32 = 2259 // uint32 bytes
	HeaderRTT            int32 = 2260 // uint16, milliseconds of the sender's clock
)

const headerReplyFor int32 = 1 // of the channel layer

// CapEOF is the capability bit of a peer that understands FlagEOF.
const CapEOF uint32 = 1 << 8

// EdgeFIN is the half-close bit among the edge flags; flow control must know it.
const EdgeFIN uint32 = 1

// Flags of a payload; an acknowledgement uses FlagOriginator only.
type Flags uint32

// The bits of Flags.
const (
	FlagCircuitEnd   Flags = 1 << iota // last payload of the circuit in this direction
	FlagOriginator                     // set by the terminator, clear from the initiator
	FlagCircuitStart                   // first payload of the initiator
	FlagChunk                          // part of a larger write, whose total length is a leading uvarint
	FlagRetransmit                     // sent before
	FlagEOF                            // no more data in this direction
	FlagWriteFailed                    // the sender of this flag cannot deliver what it receives
)

// Errors of the decoders; match them with errors.Is.
var (
	ErrType     = errors.New("xgress: unexpected content type")
	ErrCircuit  = errors.New("xgress: circuit id missing")
	ErrSequence = errors.New("xgress: sequence missing or out of range")
	ErrBody     = errors.New("xgress: malformed body")
	ErrHeader   = errors.New("xgress: malformed header")
)

// Address is what a relay needs of any message of a circuit. The slices alias
// the message, so ConnID may be patched in place.
type Address struct {
	Circuit []byte // nil if the message names none
	ConnID  []byte // 4 bytes little-endian, nil if absent
	Seq     int32  // of a payload, -1 if absent or out of range
	Flags   Flags
	// Reply says that the message claims to answer a request. A relay must not
	// pass that on: the number belongs to another channel.
	Reply bool
}

// AddressOf scans the headers of m once. It allocates nothing.
func AddressOf(m *message.Message) Address {
	a := Address{Seq: -1}
	m.Headers.Each(func(id int32, v []byte) bool {
		switch id {
		case HeaderCircuitID:
			a.Circuit = v
		case HeaderConnID:
			if len(v) == 4 {
				a.ConnID = v
			}
		case HeaderSequence:
			if len(v) == 8 && v[7]|v[6]|v[5]|v[4]|v[3]&0x80 == 0 {
				a.Seq = int32(binary.LittleEndian.Uint32(v))
			}
		case HeaderFlags:
			a.Flags = flagsOf(v)
		case headerReplyFor:
			a.Reply = true
		}
		return true
	})
	return a
}
