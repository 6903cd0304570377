package flow

import (
	"sync"
	"sync/atomic"

	"github.com/weftnet/weft/wire/message"
)

// buffer is pooled memory of a sent payload. The sender's queue holds one
// reference and every message on its way out another.
type buffer struct {
	b     []byte // the payload
	room  []byte // right before it, for an Output that sends without a copy
	class int
	refs  atomic.Int32
}

var bufferClasses = [...]int{256, 1 << 10, 4 << 10, 16 << 10, 32 << 10, 64 << 10}

// bufferPools are shared by all circuits of the process, like those of frames.
var bufferPools [len(bufferClasses)]sync.Pool

func newBuffer(n int) *buffer {
	for i, size := range bufferClasses {
		if n > size {
			continue
		}
		b, _ := bufferPools[i].Get().(*buffer)
		if b == nil {
			b = makeBuffer(size)
			b.class = i
		}
		b.b = b.b[:n]
		b.refs.Store(1)
		return b
	}
	b := makeBuffer(n)
	b.class = -1
	b.refs.Store(1)
	return b
}

// headroom is enough for the prefix and the headers of a payload.
const headroom = 256

func makeBuffer(n int) *buffer {
	mem := make([]byte, headroom+n)
	return &buffer{b: mem[headroom:], room: mem[:headroom]}
}

// Release gives a reference back that an Output was given.
func (b *buffer) Release() { b.release() }

func (b *buffer) retain() { b.refs.Add(1) }

func (b *buffer) release() {
	if b.refs.Add(-1) == 0 && b.class >= 0 {
		b.b = b.b[:cap(b.b)]
		bufferPools[b.class].Put(b)
	}
}

// outMsg is a message on its way to the Output, with the memory it uses.
type outMsg struct {
	m     message.Message
	head  [224]byte
	seqs  []byte  // body of an acknowledgement
	buf   *buffer // body of a payload
	fresh bool    // first transmission of a payload: worth waiting for room
	seq   int32   // of a payload
	ack   bool
}

var outMsgPool = sync.Pool{New: func() any { return new(outMsg) }}

func newOutMsg() *outMsg { return outMsgPool.Get().(*outMsg) }

func (o *outMsg) free() {
	if o.buf != nil {
		o.buf.release()
	}
	o.m, o.buf, o.fresh, o.ack = message.Message{}, nil, false, false
	if cap(o.seqs) > 4096 {
		o.seqs = nil
	}
	o.seqs = o.seqs[:0]
	outMsgPool.Put(o)
}

// batch collects what one step of the state machine wants to send, in order.
type batch struct{ msgs []*outMsg }

var batchPool = sync.Pool{New: func() any { return &batch{msgs: make([]*outMsg, 0, 8)} }}

func newBatch() *batch { return batchPool.Get().(*batch) }

func (b *batch) free() {
	b.clear()
	batchPool.Put(b)
}

func (b *batch) clear() {
	for i, m := range b.msgs {
		if m != nil {
			m.free()
		}
		b.msgs[i] = nil
	}
	b.msgs = b.msgs[:0]
}
