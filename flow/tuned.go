package flow

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

// grow adds to the window what so many acknowledged bytes earn.
func (s *sender) grow(n int) {
	s.window = min(s.window+s.o.growth(n), s.most)
	s.extra = max(0, s.extra-extraDown)
}

// growCounted grows the window every so many acknowledged payloads.
func (s *sender) growCounted() {
	if s.confirmed < s.o.GrowAfter {
		return
	}
	s.grow(s.turned)
	s.confirmed, s.turned, s.limited = 0, 0, false
}

// shrink makes the window smaller when the n payloads that were sent again call
// for it: the first of several timeouts does, unless their number decides.
func (s *sender) shrink(n int, timeout bool) {
	if most := s.o.ShrinkAfter; most > 0 {
		if s.again += n; s.again < most {
			return
		}
		s.again, s.confirmed, s.turned = 0, 0, 0
	} else if !timeout {
		return
	}
	s.window = max(s.least, s.o.shrunk(s.window))
}

const (
	extraUp   = 0.2  // on the scale of the round trip, after too many needless retransmissions
	extraDown = 0.01 // with every growth of the window
)

// double counts an acknowledgement of what is acknowledged already: it was sent
// again too early.
func (s *sender) double() {
	if s.o.Duplicates == 0 {
		return
	}
	if s.doubles++; s.doubles >= s.o.Duplicates {
		s.doubles = 0
		s.extra += extraUp
	}
}

// age is the age at which a payload counts as lost.
func (s *sender) age() time.Duration {
	if s.timed {
		return s.o.age(s.rtt.smooth, s.extra)
	}
	return s.rtt.timeout()
}

// sample takes a measured round trip.
func (s *sender) sample(now, d time.Duration) {
	if most := s.o.MaxRoundTrip; most > 0 && s.rtt.smooth > 0 {
		d = min(d, s.rtt.smooth*time.Duration(max(2, most)))
	}
	s.rtt.sample(now, d)
	s.sampled = true
}

// sampleEcho takes the round trip from the clock of an acknowledgement when no
// payload has shown it: those sent again do not, and if that is done too early
// there are no others.
func (s *sender) sampleEcho(now time.Duration, echo uint16) {
	if !s.sampled && echo != 0 {
		s.sample(now, max(1, time.Duration(stamp(now)-echo))*time.Millisecond)
	}
	s.sampled = false
}

// writeChunks sends a message in payloads of at most so many bytes. The first
// one begins with the length of all; what accompanies the message is in each.
func (m *machine) writeChunks(now time.Duration, p sent, data []byte, most int, out *batch) {
	p.flags |= xgress.FlagChunk
	var head [binary.MaxVarintLen64]byte
	first := head[:binary.PutUvarint(head[:], uint64(len(data)))]
	for len(data) > 0 {
		part := data[:min(most-len(first), len(data))]
		p.buf = newBuffer(len(first) + len(part))
		copy(p.buf.b[copy(p.buf.b, first):], part)
		m.emit(now, p, out)
		data, first = data[len(part):], nil
	}
}

// drops decides whether a received payload is dropped on purpose.
func (o *Options) drops() bool { return o.DropOne > 0 && rand.IntN(o.DropOne) == 0 }
