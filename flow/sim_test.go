package flow

import (
	"bytes"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// world is two machines and a hostile network between them, in virtual time.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	now    time.Duration
	events eventHeap
	sides  [2]*side
	rules  netRules
	owned  int // memory handed to receivers and not released
	order  int
	sentN  [2]int // payload messages by side, retransmissions included
}

type netRules struct {
	lose, double  float64
	delay, jitter time.Duration
}

type side struct {
	m        machine
	toWrite  []byte // what the application still wants to write
	wantFIN  bool
	got      []byte
	sawEnd   bool
	readStop bool // the application does not read
	ticking  time.Duration
	maxHeld  int
	maxChunk int
}

type event struct {
	at    time.Duration
	order int
	to    int
	msg   *message.Message // nil: timer
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

type token struct{ w *world }

func (t *token) Release() {
	if t.w == nil {
		panic("released twice")
	}
	t.w.owned--
	t.w = nil
}

func newWorld(t *testing.T, seed uint64, r netRules, cfg Config) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 7)), rules: r, now: time.Second}
	for i := range w.sides {
		c := cfg
		c.Circuit, c.Role = "4RKXaP80Gm5AK5KGuDLtZj", Role(i == 1)
		c = c.withDefaults()
		w.sides[i] = &side{m: newMachine(&c), maxChunk: 3000}
	}
	return w
}

func (w *world) push(at time.Duration, to int, m *message.Message) {
	w.order++
	heap.Push(&w.events, event{at, w.order, to, m})
}

// transmit puts the messages of side i on the network.
func (w *world) transmit(i int, out *batch) {
	for k := 0; k < len(out.msgs); k++ {
		o := out.msgs[k]
		if o.m.Type == xgress.TypePayload {
			w.sentN[i]++
		} else {
			w.sides[i].m.acked(out)
		}
		for n := 1; n > 0; n-- {
			if w.rng.Float64() < w.rules.double {
				n++
			}
			if w.rng.Float64() < w.rules.lose {
				continue
			}
			c := &message.Message{Type: o.m.Type, Headers: o.m.Headers.Clone(), Body: bytes.Clone(o.m.Body)}
			d := w.rules.delay
			if w.rules.jitter > 0 {
				d += time.Duration(w.rng.Int64N(int64(w.rules.jitter)))
			}
			w.push(w.now+d, 1-i, c)
		}
	}
	out.free()
}

// work lets the application of side i write and read what it can.
func (w *world) work(i int) {
	s := w.sides[i]
	out := newBatch()
	for len(s.toWrite) > 0 && s.m.writeErr == nil {
		if !s.m.ready() {
			s.m.blocked(w.now)
			break
		}
		n := min(len(s.toWrite), 1+w.rng.IntN(s.maxChunk))
		s.m.write(w.now, &Item{Data: s.toWrite[:n]}, out)
		s.toWrite = s.toWrite[n:]
	}
	if len(s.toWrite) == 0 && s.wantFIN && !s.m.finWanted {
		s.m.closeWrite(w.now, out)
	}
	for !s.readStop {
		seg, ok := s.m.pull(out)
		if !ok {
			break
		}
		s.got = append(s.got, seg.Data...)
		if seg.HasEdgeFlags && seg.EdgeFlags&xgress.EdgeFIN != 0 {
			s.sawEnd = true
		}
		seg.Release()
	}
	s.maxHeld = max(s.maxHeld, s.m.buffered)
	s.sawEnd = s.sawEnd || s.m.eof && !s.readStop
	w.transmit(i, out)
	w.schedule(i)
}

func (w *world) schedule(i int) {
	s := w.sides[i]
	if d := s.m.deadline(); d != 0 && (s.ticking == 0 || d < s.ticking) {
		s.ticking = max(d, w.now)
		w.push(s.ticking, i, nil)
	}
}

func (w *world) start() {
	for i := range w.sides {
		out := newBatch()
		w.sides[i].m.start(w.now, out)
		w.transmit(i, out)
		w.work(i)
	}
}

// run handles events until done says so or limit has passed.
func (w *world) run(limit time.Duration, done func() bool) {
	w.t.Helper()
	for end := w.now + limit; !done(); {
		if w.events.Len() == 0 {
			w.t.Fatalf("nothing left to happen at %v: %s", w.now, w.describe())
		}
		e := heap.Pop(&w.events).(event)
		if w.now = max(w.now, e.at); w.now > end {
			w.t.Fatalf("not done after %v: %s", limit, w.describe())
		}
		w.handle(e)
	}
}

func (w *world) handle(e event) {
	s := w.sides[e.to]
	out := newBatch()
	switch {
	case e.msg == nil:
		if e.at != s.ticking {
			break
		}
		s.ticking = 0
		s.m.tick(w.now, out)
	case e.msg.Type == xgress.TypePayload:
		w.owned++
		s.m.payload(w.now, e.msg, &token{w}, out)
	default:
		s.m.ack(w.now, e.msg, out)
	}
	w.transmit(e.to, out)
	w.work(e.to)
}

func (w *world) describe() string {
	var b bytes.Buffer
	for i, s := range w.sides {
		fmt.Fprintf(&b, "\nside %d: to write %d, got %d, end %v, in flight %d (%d), peer holds %d, window %d, held %d, next %d, want %d, ahead %d",
			i, len(s.toWrite), len(s.got), s.sawEnd, s.m.inFlight, s.m.pending(), s.m.peerBuffer, s.m.window, s.m.buffered, s.m.next, s.m.want, len(s.m.ahead))
	}
	return b.String()
}

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) ^ byte(i>>8) ^ seed
	}
	return b
}

func TestHostileNetwork(t *testing.T) {
	cases := map[string]struct {
		rules netRules
		cfg   Config
		size  int
	}{
		"perfect":         {netRules{delay: time.Millisecond}, Config{}, 3 << 20},
		"no delay":        {netRules{}, Config{}, 1 << 20},
		"reorder":         {netRules{delay: time.Millisecond, jitter: 30 * time.Millisecond}, Config{}, 1 << 20},
		"duplicates":      {netRules{delay: time.Millisecond, double: .3}, Config{}, 1 << 20},
		"one in ten lost": {netRules{delay: 2 * time.Millisecond, lose: .1}, Config{}, 1 << 20},
		"half lost":       {netRules{delay: time.Millisecond, lose: .5}, Config{}, 64 << 10},
		"everything":      {netRules{delay: 5 * time.Millisecond, jitter: 200 * time.Millisecond, lose: .2, double: .2}, Config{}, 256 << 10},
		"chunks":          {netRules{delay: time.Millisecond, lose: .05, jitter: time.Millisecond}, Config{Options: &Options{MTU: 500}}, 128 << 10},
		"dropped":         {netRules{delay: time.Millisecond}, Config{Options: &Options{DropOne: 20}}, 1 << 20},
		"hasty":           {netRules{delay: 100 * time.Millisecond, lose: .05}, Config{Options: &Options{RetransmitStart: 50 * time.Millisecond, RetransmitScale: 1, Duplicates: 8}}, 128 << 10},
		"little room":     {netRules{delay: time.Millisecond}, Config{Options: &Options{ReceiveBuffer: 20 << 10}}, 1 << 20},
		"all options": {netRules{delay: 2 * time.Millisecond, lose: .1}, Config{Options: &Options{
			MTU: 1200, Window: 32 << 10, MinWindow: 8 << 10, MaxWindow: 1 << 20, GrowAfter: 28, GrowBy: 1, ShrinkAfter: 64, ShrinkTo: .75, Duplicates: 64,
			ReceiveBuffer: 1 << 20, RetransmitStart: 200 * time.Millisecond, RetransmitScale: 1.5, RetransmitAdd: 10 * time.Millisecond,
			RetransmitMax: time.Second, MaxRoundTrip: 4, DropOne: 50,
		}}, 1 << 20},
		"smallest windows": {netRules{delay: time.Millisecond, jitter: time.Millisecond, lose: .05}, Config{Window: 1, MaxWindow: 4096}, 128 << 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(6) {
				w := newWorld(t, seed, c.rules, c.cfg)
				want := [2][]byte{pattern(c.size, 1), pattern(c.size/2, 2)}
				for i, s := range w.sides {
					s.toWrite, s.wantFIN = want[i], true
				}
				w.start()
				w.run(2*time.Hour, func() bool { return w.sides[0].sawEnd && w.sides[1].sawEnd })
				for i := range w.sides {
					if !bytes.Equal(w.sides[1-i].got, want[i]) {
						t.Fatalf("seed %d: side %d received %d bytes, not the %d sent", seed, 1-i, len(w.sides[1-i].got), len(want[i]))
					}
				}
				w.finish()
			}
		})
	}
}

// finish closes both sides and checks that no memory is left behind.
func (w *world) finish() {
	w.t.Helper()
	for i, s := range w.sides {
		out := newBatch()
		s.m.close(w.now, out)
		w.transmit(i, out)
		w.schedule(i)
	}
	w.run(time.Hour, func() bool { return w.sides[0].m.finished && w.sides[1].m.finished })
	for w.events.Len() > 0 {
		w.handle(heap.Pop(&w.events).(event))
	}
	if w.owned != 0 {
		w.t.Errorf("%d received frames were not released", w.owned)
	}
	for i, s := range w.sides {
		if s.m.pending() != 0 || s.m.inFlight != 0 || s.m.deadline() != 0 {
			w.t.Errorf("side %d is not at rest: %s", i, w.describe())
		}
	}
}

func TestStalledReaderNeverOverflows(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: time.Millisecond}, Config{Window: 64 << 10, MaxWindow: 256 << 10})
	w.sides[1].readStop = true
	data := pattern(2<<20, 3)
	w.sides[0].toWrite, w.sides[0].wantFIN = data, true
	w.start()
	w.run(time.Hour, func() bool { return w.now > 10*time.Second })
	if most := 256<<10 + 8000; w.sides[1].maxHeld > most {
		t.Fatalf("receiver held %d bytes, more than a window", w.sides[1].maxHeld)
	}
	if w.sides[1].m.want != w.sides[0].m.base {
		t.Fatalf("the stall was taken for a loss: %s", w.describe())
	}
	w.sides[1].readStop = false
	w.work(1)
	w.run(time.Minute, func() bool { return w.sides[1].sawEnd })
	if !bytes.Equal(w.sides[1].got, data) {
		t.Fatal("data differs after the stall")
	}
}

func TestNoNeedlessRetransmission(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: 40 * time.Millisecond, jitter: 5 * time.Millisecond}, Config{})
	w.sides[0].toWrite, w.sides[0].wantFIN = pattern(8<<20, 1), true
	w.sides[0].maxChunk = 32 << 10
	w.start()
	w.run(time.Minute, func() bool { return w.sides[1].sawEnd })
	if n := int(w.sides[0].m.next); w.sentN[0] != n {
		t.Errorf("%d payloads were sent %d times", n, w.sentN[0])
	}
	if got := w.sides[0].m.window; got <= 512<<10 {
		t.Errorf("window stayed at %d on a long quiet path", got)
	}
}

func TestWindowStaysWhenQueuesBuildUp(t *testing.T) {
	var s sender
	s.o, s.window, s.most = &ownWays, 512<<10, 4<<20
	now := time.Second
	for range 2000 {
		for s.ready() {
			s.push(now, sent{buf: newBuffer(32 << 10)})
		}
		s.limited = true
		now += 10 * time.Millisecond // an acknowledgement every 10 ms: the round trip is all queue
		s.ack(now, s.base)
		s.judge(now)
		s.rtt.lowest, s.rtt.lowedAt = 100*time.Microsecond, now
	}
	if s.window > tryMost {
		t.Errorf("window grew to %d into a queue", s.window)
	}
}

// TestWindowGrowsOnABusyMachine: whatever makes the turns long, while a larger
// window brings more, it grows, and no further.
func TestWindowGrowsOnABusyMachine(t *testing.T) {
	for _, c := range []struct {
		name string
		room int // bytes per turn that the path takes
		want int
	}{
		{"room for any window", 1 << 30, tryMost},
		{"room for 256 KiB", 256 << 10, 256 << 10},
	} {
		var s sender
		s.o, s.window, s.most = &ownWays, 64<<10, 4<<20
		now := time.Second
		for range 500 {
			n := 0
			for s.ready() {
				n++
				s.push(now, sent{buf: newBuffer(32 << 10)})
			}
			s.limited = true
			now += 20 * time.Millisecond * time.Duration(max(1, s.inFlight/c.room))
			for range n {
				s.ack(now, s.base)
			}
			s.judge(now)
			s.rtt.lowest, s.rtt.lowedAt = 100*time.Microsecond, now
		}
		if s.window > 2*c.want || s.window < c.want {
			t.Errorf("%s: the window is %d", c.name, s.window)
		}
	}
}

func TestIdleCircuitHasNoDeadline(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: time.Millisecond}, Config{})
	w.sides[0].toWrite = []byte("hello")
	w.start()
	for w.events.Len() > 0 {
		w.now = max(w.now, w.events[0].at)
		w.handle(heap.Pop(&w.events).(event))
	}
	if w.now > startLimit+2*time.Second {
		t.Errorf("timers ran until %v", w.now)
	}
	for i, s := range w.sides {
		if d := s.m.deadline(); d != 0 {
			t.Errorf("side %d has a deadline while idle", i)
		}
		if s.m.queue != nil && cap(s.m.queue) > 16 {
			t.Errorf("side %d keeps a queue of %d", i, cap(s.m.queue))
		}
	}
	if string(w.sides[1].got) != "hello" {
		t.Error("data did not arrive")
	}
}
