package channel

import (
	"encoding/binary"
	"sync"

	"github.com/weftnet/weft/wire/message"
)

// Frame is a received or prepared message in pooled memory. It has one owner
// at a time: whoever owns it either passes it on with SendFrame or calls
// Release, once. Headers and Body alias the frame's memory, so a value patched
// in place is what SendFrame sends; Type, Seq and the lengths are not encoded
// again.
type Frame struct {
	message.Message
	raw   []byte
	class int                    // index into frameClasses, negative for memory that is not pooled
	src   *underlay              // where it was received, nil for a prepared one
	owner interface{ Release() } // of memory that a frame of class sharedFrame borrows

	written func() // called when the frame goes to the operating system; nil for most
}

// Classes of frames without pooled memory of their own.
const (
	singleFrame = -1 // memory used once
	sharedFrame = -2 // memory of somebody else
)

// frameClasses are the sizes of pooled memory in bytes: small control
// messages, and the usual reads of applications plus room for headers.
var frameClasses = [...]int{512, 2 << 10, 9 << 10, 17 << 10, 34 << 10, 68 << 10, 260 << 10}

// framePools is shared by all channels of the process: a frame that one
// channel received is released by another.
var framePools [len(frameClasses)]sync.Pool

// newFrame returns a frame whose raw memory has the given length.
func newFrame(size int) *Frame {
	for i, c := range frameClasses {
		if size > c {
			continue
		}
		f, _ := framePools[i].Get().(*Frame)
		if f == nil {
			f = &Frame{raw: make([]byte, c), class: i}
		}
		f.raw = f.raw[:size]
		return f
	}
	return &Frame{raw: make([]byte, size), class: singleFrame}
}

// NewFrame returns a frame with the type and the headers of m and a body of
// bodySize bytes for the caller to fill in; m.Body is ignored. It saves the
// copy that Send makes. The sequence is set when the frame is sent.
func NewFrame(m *message.Message, bodySize int) *Frame {
	rest := len(m.Headers)
	f := newFrame(message.PrefixSize + rest + bodySize)
	head := message.Message{Type: m.Type, Seq: m.Seq, Headers: m.Headers}
	head.AppendPrefix(f.raw[:0])
	binary.LittleEndian.PutUint32(f.raw[16:], uint32(bodySize))
	f.Message = message.Message{
		Type:    m.Type,
		Seq:     m.Seq,
		Headers: message.Headers(f.raw[message.PrefixSize : message.PrefixSize+rest : message.PrefixSize+rest]),
		Body:    f.raw[message.PrefixSize+rest:],
	}
	return f
}

// encode returns a frame that holds a copy of m.
func encode(m *message.Message) *Frame {
	f := NewFrame(m, len(m.Body))
	copy(f.Body, m.Body)
	return f
}

// sharedFrames are pooled without memory.
var sharedFrames = sync.Pool{New: func() any { return &Frame{class: sharedFrame} }}

// share returns a frame of m that borrows the memory of its body. room is the
// memory right before it, for prefix and headers; false if that is too short.
func share(m *message.Message, room []byte, owner interface{ Release() }) (*Frame, bool) {
	at := len(room) - message.PrefixSize - len(m.Headers)
	if at < 0 {
		return nil, false
	}
	f := sharedFrames.Get().(*Frame)
	m.AppendPrefix(room[at:at])
	f.raw, f.owner = room[at:len(room)+len(m.Body)], owner
	h := room[at+message.PrefixSize:]
	f.Message = message.Message{Type: m.Type, Seq: m.Seq, Headers: message.Headers(h[:len(h):len(h)]), Body: m.Body}
	return f, true
}

// ShareFrame returns a frame of m that borrows the memory of its body until it
// is released, which releases owner. room is the memory right before the body,
// in the same array; prefix and headers are written to its end. It returns nil,
// and keeps nothing, if room is too short.
func ShareFrame(m *message.Message, room []byte, owner interface{ Release() }) *Frame {
	f, _ := share(m, room, owner)
	return f
}

// Raw returns the whole encoded message. It may be patched in place as long as
// no length changes.
func (f *Frame) Raw() []byte { return f.raw }

// Truncate shortens the body to n bytes, n being at most its length.
func (f *Frame) Truncate(n int) {
	f.Body = f.Body[:n]
	f.raw = f.raw[:message.PrefixSize+len(f.Headers)+n]
	binary.LittleEndian.PutUint32(f.raw[16:], uint32(n))
}

// Clone returns a copy of the message in memory of its own.
func (f *Frame) Clone() *message.Message {
	b := append([]byte(nil), f.raw[message.PrefixSize:]...)
	n := len(f.Headers)
	return &message.Message{Type: f.Type, Seq: f.Seq, Headers: message.Headers(b[:n:n]), Body: b[n:]}
}

// Release gives the memory back. The frame, its headers and its body must not
// be used afterwards.
func (f *Frame) Release() {
	f.Message, f.src, f.written = message.Message{}, nil, nil
	switch f.class {
	case singleFrame:
		return
	case sharedFrame:
		owner := f.owner
		f.raw, f.owner = nil, nil
		sharedFrames.Put(f)
		owner.Release()
		return
	}
	f.raw = f.raw[:0]
	framePools[f.class].Put(f)
}

func (f *Frame) setSeq(seq int32) {
	f.Seq = seq
	binary.LittleEndian.PutUint32(f.raw[8:], uint32(seq))
}
