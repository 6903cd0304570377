package flow

import (
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

const (
	overhead       = 256 // bytes charged per payload, so that empty ones are not free
	minWindow      = 16 << 10
	retransmitMost = 16 // payloads per step
	reroutedMost   = 64 // payloads sent again at once on another path; acknowledgements bring on the rest
)

// sent is a payload that is not acknowledged yet.
type sent struct {
	flags    xgress.Flags
	edge     uint32
	hasEdge  bool
	caps     bool
	acked    bool
	held     bool  // found no room in the channel yet
	suspect  bool  // sent by a path that is gone, and not again since
	times    uint8 // transmissions, saturating
	buf      *buffer
	uuid     []byte
	at       time.Duration // last transmission
	attached int           // bytes charged to the window
}

// sender is the sending half of an end: numbering, window, retransmission.
type sender struct {
	o            *Options
	room         Room // nil for any
	window, most int
	least        int    // the window never shrinks below
	next         int32  // next sequence
	base         int32  // sequence of queue[head]
	queue        []sent // contiguous sequences
	head         int
	inFlight     int // bytes charged for queue[head:] without the acknowledged
	peerBuffer   int // bytes the peer holds undelivered, as it last said
	rtt          roundTrip
	timeouts     uint          // in a row, without an acknowledgement between them
	suspects     int           // payloads of the queue that are suspect
	limited      bool          // ran out of credit since the window was last judged
	turned       int           // bytes acknowledged since then
	turnedAt     time.Duration // when that was
	stayed       int           // turns since then in which it was the limit
	rate         float64       // bytes per nanosecond, about what was reached when the window last grew
	probe        bool          // one payload may go without credit
	timed        bool          // the options say when to send again

	// What follows counts for options only.
	confirmed int // payloads acknowledged since the last growth
	again     int // payloads sent again since the last shrinking
	doubles   int // acknowledgements of what is acknowledged
	extra     float64
	sampled   bool // a round trip was measured since the last look
}

func (s *sender) pending() int { return len(s.queue) - s.head }

func (s *sender) credit() int { return s.span() - s.inFlight - s.peerBuffer }

// ready reports whether one more payload may be sent, whatever its size: a
// receiver judges its limit before it stores, so one payload never overflows it.
func (s *sender) ready() bool { return s.credit() > 0 || s.probe }

// reopened reports whether waking a waiting writer is worth it: room for more
// than crumbs, or nothing under way that could make more room.
func (s *sender) reopened() bool {
	c := s.credit()
	return c >= min(s.span()/4, 64<<10) || (c > 0 && s.inFlight == 0) || s.probe
}

func (s *sender) push(now time.Duration, p sent) (*sent, int32) {
	size := overhead
	if p.buf != nil {
		size += len(p.buf.b)
	}
	p.at, p.times, p.attached = now, 1, size
	s.inFlight += size
	s.probe = false
	seq := s.next
	if s.pending() == 0 {
		s.base = seq
	}
	s.queue = append(s.queue, p)
	s.next++
	return &s.queue[len(s.queue)-1], seq
}

// ack takes one acknowledged sequence; fresh is false for one that is unknown
// or acknowledged before. It returns when the payload was last sent if that
// transmission is the one acknowledged, else 0.
func (s *sender) ack(now time.Duration, seq int32) (at time.Duration, fresh bool) {
	i := int(seq) - int(s.base)
	if i < 0 || i >= s.pending() || s.queue[s.head+i].acked {
		s.double()
		return 0, false
	}
	p := &s.queue[s.head+i]
	p.acked = true
	s.clear(p)
	s.inFlight -= p.attached
	s.turned += p.attached
	s.confirmed++
	if p.buf != nil {
		p.buf.release()
		p.buf = nil
	}
	if p.times == 1 || now-p.at >= s.rtt.lowest {
		at = p.at
		if p.times == 1 {
			s.sample(now, now-p.at)
		}
	}
	s.trim()
	return at, true
}

// trim forgets acknowledged payloads at the front.
func (s *sender) trim() {
	for s.head < len(s.queue) && s.queue[s.head].acked {
		s.queue[s.head] = sent{}
		s.head++
		s.base++
	}
	switch {
	case s.head == len(s.queue):
		s.queue, s.head = s.queue[:0], 0
		if cap(s.queue) > 16 {
			s.queue = nil
		}
	case s.head >= 64 && s.head*2 >= len(s.queue):
		n := copy(s.queue, s.queue[s.head:])
		clear(s.queue[n:])
		s.queue, s.head = s.queue[:n], 0
	}
}

// fullPeer is more than a receiver stores: a router says so in its place that has
// no room for what is under way.
const fullPeer = 4 << 20

// judge grows the window when it was the limit for a whole turn, there is room for
// it here and at the peer, and it is worth it. It shrinks the window when a
// router on the way has no room.
func (s *sender) judge(now time.Duration) {
	if s.o.GrowAfter > 0 {
		s.growCounted()
		return
	}
	if s.turned < s.window {
		return
	}
	rate := float64(s.turned) / float64(max(1, now-s.turnedAt))
	switch {
	case s.peerBuffer > fullPeer:
		s.window = max(s.least, s.window/2)
	case s.limited && s.peerBuffer < s.window && s.span() == s.window && s.worthIt(rate):
		s.grow(s.window)
		s.rate, s.stayed = rate, 0
	default:
		s.stayed++
		s.rate += (rate - s.rate) / 4
	}
	s.limited, s.turned, s.turnedAt = false, 0, now
}

const (
	worth    = 1.25      // times the rate: what a growth has to bring
	tryMost  = 1 << 20   // bytes, up to which growing is cheap
	tryAgain = 256 << 10 // up to which it is tried again and again
)

// worthIt decides whether to grow the window at the rate of the last turn: as long
// as no queue is building up on the path and the last growth has paid. Up to
// tryMost either will do, for on a busy machine turns get longer for other
// reasons; what waits in a larger window than needed is out of the processor's
// caches when its turn comes.
func (s *sender) worthIt(rate float64) bool {
	calm, paid := s.rtt.calm(), rate > worth*s.rate
	again := s.window < tryAgain && s.stayed >= 4 // its rate says little: it may have been a burst
	return calm && paid || s.window < tryMost && (calm || paid) || again
}

// tries is how many payloads are sent again at a timeout: few, for that may be a
// queue that has become long as well as a path that is gone. The acknowledgement
// of one of them tells, and brings on what else is lost.
func (s *sender) tries() int {
	if s.timeouts > 0 {
		return 1
	}
	return 2
}

// suspectAll notes that the path of everything under way is gone.
func (s *sender) suspectAll() {
	for i := s.head; i < len(s.queue); i++ {
		if p := &s.queue[i]; !p.acked && !p.suspect && !p.held {
			p.suspect = true
			s.suspects++
		}
	}
}

func (s *sender) clear(p *sent) {
	if p.suspect {
		p.suspect = false
		s.suspects--
	}
}

// overdue yields suspect payloads and those sent before the given time, oldest
// first, so many at most, and notes their retransmission.
func (s *sender) overdue(now, before time.Duration, most int, yield func(*sent, int32)) int {
	n := 0
	for i := s.head; i < len(s.queue) && n < most; i++ {
		p := &s.queue[i]
		if p.acked || p.at > before && !p.suspect {
			continue
		}
		s.clear(p)
		p.at = now
		if p.times < 255 {
			p.times++
		}
		yield(p, s.base+int32(i-s.head))
		n++
	}
	return n
}

// hold notes that a payload found no room in the channel.
func (s *sender) hold(seq int32) bool {
	i := int(seq) - int(s.base)
	if i < 0 || i >= s.pending() || s.queue[s.head+i].acked {
		return false
	}
	s.queue[s.head+i].held = true
	return true
}

// release yields the payloads that found no room.
func (s *sender) release(now time.Duration, yield func(*sent, int32)) {
	for i := s.head; i < len(s.queue); i++ {
		if p := &s.queue[i]; p.held && !p.acked {
			p.held, p.at = false, now
			yield(p, s.base+int32(i-s.head))
		}
	}
}

// oldest returns when the first unacknowledged payload was last sent.
func (s *sender) oldest() (time.Duration, bool) {
	if s.pending() == 0 {
		return 0, false
	}
	return s.queue[s.head].at, true
}

// drop forgets everything unacknowledged.
func (s *sender) drop() {
	for i := s.head; i < len(s.queue); i++ {
		if s.queue[i].buf != nil {
			s.queue[i].buf.release()
		}
	}
	s.base = s.next
	s.queue, s.head, s.inFlight, s.suspects = nil, 0, 0, 0
}
