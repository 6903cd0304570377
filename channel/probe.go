package channel

import (
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Round is the measurement of one probe.
type Round struct {
	Queue time.Duration // from the call until the probe went to the operating system
	Trip  time.Duration // from then until the answer came
}

// Probe asks the peer for a sign of life and returns at once; false if there is
// no room for the question or the channel has ended. answered is called at most
// once, on a reading goroutine of the channel, and must not block. A peer whose
// own queue is full does not answer: it sends something else then.
func (c *Channel) Probe(answered func(Round)) bool {
	m := message.New(TypeLatency, nil)
	u, err := c.pick(TypeLatency)
	if err != nil || !u.queue.hasRoom(m.Size()) {
		return false
	}
	f := encode(m)
	seq := c.seq.Add(1)
	f.setSeq(seq)
	p := &probe{asked: time.Now(), answered: answered}
	f.written = func() { p.waited.Store(int64(time.Since(p.asked))) }
	if !c.expectProbe(seq, p) {
		f.Release()
		return false
	}
	n, ok := u.queue.tryPut(f, false)
	if !ok {
		f.Release()
		c.forgetProbe(seq)
		return false
	}
	u.announce(n, nil)
	return true
}

// probe is a question under way.
type probe struct {
	asked    time.Time
	waited   atomic.Int64 // nanoseconds from then until the question left
	answered func(Round)
}

// maxProbes bounds the probes without an answer; a further one replaces all of
// them.
const maxProbes = 16

func (c *Channel) expectProbe(seq int32, p *probe) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	if len(c.probes) >= maxProbes {
		c.waiting.Add(-int32(len(c.probes)))
		clear(c.probes)
	}
	if c.probes == nil {
		c.probes = make(map[int32]*probe)
	}
	c.probes[seq] = p
	c.waiting.Add(1)
	return true
}

func (c *Channel) forgetProbe(seq int32) *probe {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.probes[seq]
	if p != nil {
		delete(c.probes, seq)
		c.waiting.Add(-1)
	}
	return p
}

// probed reports whether f answers a probe, and takes it then.
func (c *Channel) probed(seq int32, f *Frame) bool {
	p := c.forgetProbe(seq)
	if p == nil {
		return false
	}
	f.Release()
	queue := time.Duration(p.waited.Load())
	p.answered(Round{Queue: queue, Trip: time.Since(p.asked) - queue})
	return true
}

// Traffic is what has moved on the connections of a channel.
type Traffic struct {
	In  uint64 // bytes received
	Out uint64 // bytes handed to the operating system
	// MessagesIn and MessagesOut are those in it, approximately for the latter: a
	// message counts when it is taken for writing.
	MessagesIn, MessagesOut uint64
	// Acked tells how many bytes of Out the peer's system has confirmed, where the own
	// one tells; it equals Out elsewhere.
	Acked uint64
}

// Traffic returns what has moved on the running connections of the channel. It
// asks the operating system.
func (c *Channel) Traffic() Traffic {
	var t Traffic
	for _, u := range c.list() {
		if u.stream == nil {
			continue
		}
		out := u.stream.out.Load()
		t.In += u.stream.in.Load()
		t.Out += out
		t.MessagesIn += u.framesIn.Load()
		t.MessagesOut += u.framesOut.Load()
		t.Acked += u.stream.acked(out)
	}
	return t
}
