package flow

import (
	"encoding/binary"
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

const (
	ackBytes = 128 << 10 // acknowledge at once from here on
	ackCount = 64        // payloads

	early      = 64       // the first payloads, while the peer's window may be small
	earlyBytes = 16 << 10 // acknowledge those at once from here on

	reopenAt = 10000   // announced size above which a drained buffer is announced anew
	laterMax = 1 << 14 // payloads stored out of order

	chunksMost = 8 << 20 // bytes of a message that comes in chunks
)

// later is a payload that waits for earlier ones.
type later struct {
	flags xgress.Flags
	seg   Segment
}

// receiver is the receiving half of an end: order, storage, acknowledgement.
type receiver struct {
	limit    int
	want     int32     // next sequence to deliver
	highest  int32     // highest sequence stored, -1 at first
	stock    []Segment // in order, not read yet
	head     int
	ahead    map[int32]later // nil when empty
	buffered int             // bytes charged for stock and ahead
	discard  bool            // nobody reads any more: acknowledge and drop

	eof    bool // the peer sends no more data
	ended  bool // the peer has left the circuit
	broken bool // the peer breaks the rules of reassembly

	acks      []byte // sequences to acknowledge, encoded
	ackSize   int
	ackAt     time.Duration // when to send them at the latest
	ackRTT    uint16
	ackNow    bool
	announced int  // buffer size as last told
	untold    bool // an announcement did not get out
	acking    bool // an acknowledgement is on its way out
	ackAgain  bool // another one is wanted

	chunk      []byte // reassembly
	chunkTotal int
}

func charge(s *Segment) int { return len(s.Data) + overhead }

// take stores one payload; the segment's memory belongs to the receiver from
// here on. It reports whether the payload is new.
func (r *receiver) take(now time.Duration, p *xgress.Payload, seg Segment) bool {
	_, held := r.ahead[p.Seq]
	if p.Seq < r.want || held {
		seg.Release()
		r.note(now, p, 0)
		r.ackNow = true
		return false
	}
	if p.Seq > r.highest && (r.buffered > r.limit || len(r.ahead) >= laterMax) {
		seg.Release()
		return false
	}
	r.highest = max(r.highest, p.Seq)
	r.note(now, p, len(p.Data))
	r.buffered += charge(&seg)
	if p.Seq != r.want {
		if r.ahead == nil {
			r.ahead = make(map[int32]later)
		}
		r.ahead[p.Seq] = later{p.Flags, seg}
		r.ackNow = true
		return true
	}
	r.deliver(p.Flags, seg)
	for len(r.ahead) > 0 {
		l, ok := r.ahead[r.want]
		if !ok {
			break
		}
		delete(r.ahead, r.want)
		r.deliver(l.flags, l.seg)
	}
	if len(r.ahead) == 0 {
		r.ahead = nil
	}
	return true
}

// note remembers to acknowledge p.
func (r *receiver) note(now time.Duration, p *xgress.Payload, size int) {
	if len(r.acks) == 0 {
		r.ackAt = now + ackDelay
	}
	r.acks = xgress.AppendSeq(r.acks, p.Seq)
	r.ackSize += size
	r.ackRTT = p.RTT
	const urgent = xgress.FlagCircuitEnd | xgress.FlagCircuitStart | xgress.FlagEOF | xgress.FlagRetransmit
	soon := p.Seq < early && r.ackSize >= earlyBytes
	if p.Flags&urgent != 0 || soon || r.ackSize >= ackBytes || len(r.acks) >= 4*ackCount {
		r.ackNow = true
	}
}

// deliver takes the payload that is next in sequence.
func (r *receiver) deliver(flags xgress.Flags, seg Segment) {
	r.want++
	r.buffered -= charge(&seg)
	const layer = xgress.FlagCircuitStart | xgress.FlagEOF | xgress.FlagCircuitEnd
	done := r.eof || r.discard
	if flags&xgress.FlagCircuitEnd != 0 {
		// Without an EOF before it, this is how a peer that does not yet know our
		// capabilities ends its data; it still reads.
		r.ended = r.eof
	}
	if flags&(xgress.FlagEOF|xgress.FlagCircuitEnd) != 0 {
		r.eof = true
	}
	if flags&xgress.FlagChunk != 0 && !done {
		if seg = r.assemble(seg); seg.Data == nil {
			return
		}
		flags &^= xgress.FlagChunk
	}
	if done || (len(seg.Data) == 0 && !seg.HasEdgeFlags && (flags&layer != 0 || seg.layer)) {
		seg.Release()
		return
	}
	r.buffered += charge(&seg)
	r.stock = append(r.stock, seg)
}

// assemble joins chunked payloads: the first one begins with the total length
// as an unsigned varint. It returns an empty segment until all is there.
func (r *receiver) assemble(seg Segment) Segment {
	data := seg.Data
	if r.chunk == nil {
		n, k := binary.Uvarint(data)
		if k <= 0 || n == 0 || n > chunksMost {
			seg.Release()
			r.broken = true
			return Segment{}
		}
		data = data[k:]
		if uint64(len(data)) == n {
			seg.Data = data
			return seg
		}
		r.chunk, r.chunkTotal = make([]byte, 0, min(int(n), 256<<10)), int(n)
	}
	r.chunk = append(r.chunk, data[:min(len(data), r.chunkTotal-len(r.chunk))]...)
	whole := Segment{UUID: seg.UUID, EdgeFlags: seg.EdgeFlags, HasEdgeFlags: seg.HasEdgeFlags}
	if whole.UUID != nil {
		whole.UUID = append([]byte(nil), whole.UUID...)
	}
	seg.Release()
	if len(r.chunk) < r.chunkTotal {
		return Segment{}
	}
	whole.Data, r.chunk = r.chunk, nil
	return whole
}

// pop returns the next segment in order.
func (r *receiver) pop() (Segment, bool) {
	if r.head == len(r.stock) {
		return Segment{}, false
	}
	s := r.stock[r.head]
	r.stock[r.head] = Segment{}
	r.head++
	r.buffered -= charge(&s)
	switch {
	case r.head == len(r.stock):
		r.stock, r.head = r.stock[:0], 0
		if cap(r.stock) > 8 {
			r.stock = nil
		}
	case r.head >= 64 && r.head*2 >= len(r.stock):
		n := copy(r.stock, r.stock[r.head:])
		clear(r.stock[n:])
		r.stock, r.head = r.stock[:n], 0
	}
	return s, true
}

// drained reports that the peer believes the buffer to be much fuller than it is.
func (r *receiver) drained() bool {
	return r.announced > reopenAt && r.buffered < r.announced/2
}

// drop forgets all stored data and stores none from here on.
func (r *receiver) drop() {
	r.discard = true
	for i := r.head; i < len(r.stock); i++ {
		r.stock[i].Release()
	}
	for _, l := range r.ahead {
		l.seg.Release()
	}
	if len(r.ahead) > 0 {
		// Their flags and order still matter, their data does not.
		for seq, l := range r.ahead {
			r.ahead[seq] = later{flags: l.flags &^ xgress.FlagChunk}
		}
	}
	r.stock, r.head, r.chunk = nil, 0, nil
	r.buffered = len(r.ahead) * overhead
}

// abandon forgets what waits for payloads that will not come.
func (r *receiver) abandon() {
	for _, l := range r.ahead {
		r.buffered -= charge(&l.seg)
		l.seg.Release()
	}
	r.ahead, r.chunk = nil, nil
}
