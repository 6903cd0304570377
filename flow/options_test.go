package flow

import (
	"bytes"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

// tuned returns a machine with options, started.
func tuned(role Role, o Options) *machine {
	c := Config{Circuit: "4RKXaP80Gm5AK5KGuDLtZj", Role: role, Options: &o}.withDefaults()
	m := newMachine(&c)
	m.started = true
	return &m
}

func TestMessagesAreCutIntoChunks(t *testing.T) {
	from, to := tuned(Initiator, Options{MTU: 1000}), tuned(Terminator, Options{})
	for _, n := range []int{0, 1, 999, 1000, 1001, 998 + 1000, 999 + 1000, 60_000} {
		want := Item{Data: pattern(n, byte(n)), UUID: []byte("trace"), EdgeFlags: xgress.EdgeFIN << 1, HasEdgeFlags: true}
		out, back := newBatch(), newBatch()
		from.write(0, &want, out)
		for _, o := range out.msgs {
			if o.m.Type != xgress.TypePayload {
				continue
			}
			if len(o.m.Body) > 1000 {
				t.Errorf("a payload of %d bytes", len(o.m.Body))
			}
			to.payload(0, &o.m, nil, back)
		}
		got, ok := to.pull(back)
		if !ok || !bytes.Equal(got.Data, want.Data) || string(got.UUID) != "trace" || got.EdgeFlags != want.EdgeFlags || !got.HasEdgeFlags {
			t.Errorf("%d bytes came as %d, flags %d", n, len(got.Data), got.EdgeFlags)
		}
		if _, more := to.pull(back); more {
			t.Errorf("%d bytes came as several messages", n)
		}
		if n > 1000 == (len(out.msgs) == 1) {
			t.Errorf("%d bytes left in %d payloads", n, len(out.msgs))
		}
	}
}

// TestWriteIsCut: a stream needs no chunks, smaller payloads do.
func TestWriteIsCut(t *testing.T) {
	d, h, stop := pair(Config{Options: &Options{MTU: 1000}})
	defer stop()
	if _, err := d.Write(pattern(2500, 1)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1000, 1000, 500} {
		s, err := h.Next()
		if err != nil || len(s.Data) != want {
			t.Fatalf("a payload of %d bytes, %v; expected %d", len(s.Data), err, want)
		}
		s.Release()
	}
}

func TestWindowOptions(t *testing.T) {
	m := tuned(Initiator, Options{Window: 100_000, MinWindow: 50_000, MaxWindow: 300_000})
	if m.window != 100_000 {
		t.Fatalf("it starts with %d", m.window)
	}
	for range 10 {
		m.grow(m.window)
	}
	if m.window != 300_000 {
		t.Errorf("it grows to %d", m.window)
	}
	for range 20 {
		m.shrink(1, true)
	}
	if m.window != 50_000 {
		t.Errorf("it shrinks to %d", m.window)
	}
	m.peerBuffer = 300_001
	if m.ready() {
		t.Error("sends although the peer holds more than the largest window")
	}
	if m = tuned(Initiator, Options{MinWindow: 1 << 20}); m.window != 1<<20 {
		t.Errorf("the smallest window is %d, and it starts with %d", 1<<20, m.window)
	}
	if m = tuned(Initiator, Options{MaxWindow: 16 << 20}); m.most != 16<<20 {
		t.Errorf("the largest window is %d", m.most)
	}
}

func TestGrowthOptions(t *testing.T) {
	m := tuned(Initiator, Options{Window: 1 << 20, GrowAfter: 10, GrowBy: .5})
	for i := range 25 {
		m.push(0, sent{buf: newBuffer(1000)})
		m.sender.ack(time.Millisecond, int32(i))
		m.judge(time.Millisecond)
	}
	if want := 1<<20 + 2*(10*(1000+overhead)/2); m.window != want {
		t.Errorf("after two growths the window is %d, not %d", m.window, want)
	}
	m = tuned(Initiator, Options{Window: 1 << 20, GrowBy: .25})
	m.turned, m.limited = 1<<20, true
	if m.judge(time.Millisecond); m.window != 1<<20+1<<18 {
		t.Errorf("a quarter more is %d", m.window)
	}
}

func TestShrinkOptions(t *testing.T) {
	m := tuned(Initiator, Options{Window: 1 << 20, ShrinkAfter: 10, ShrinkTo: .5})
	if m.shrink(9, true); m.window != 1<<20 {
		t.Errorf("nine payloads make it %d", m.window)
	}
	if m.shrink(1, false); m.window != 1<<19 {
		t.Errorf("ten make it %d", m.window)
	}
	m = tuned(Initiator, Options{Window: 1 << 20, ShrinkTo: .5})
	if m.shrink(1, false); m.window != 1<<20 {
		t.Errorf("a hole in the acknowledgements makes it %d", m.window)
	}
	if m.shrink(1, true); m.window != 1<<19 {
		t.Errorf("a timeout makes it %d", m.window)
	}
}

// sentAgain returns when a lone payload is sent again, of a sender that has
// measured round trips of the given time, if any.
func sentAgain(o Options, trip time.Duration) time.Duration {
	m := tuned(Initiator, o)
	const now = time.Minute
	if trip > 0 {
		m.sample(now, trip)
	}
	m.push(now, sent{})
	for d := now; d < 2*now; d = m.deadline() {
		out := newBatch()
		if m.tick(d, out); len(out.msgs) > 0 {
			return d - now
		}
	}
	return 0
}

func TestRetransmissionOptions(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		o    Options
		trip time.Duration
		want time.Duration
	}{
		"none, not measured":  {Options{}, 0, time.Second},
		"none, measured":      {Options{}, 100 * ms, time.Second},
		"none, long":          {Options{}, 5 * time.Second, 10 * time.Second},
		"start":               {Options{RetransmitStart: 200 * ms}, 0, 200 * ms},
		"start, measured":     {Options{RetransmitStart: 200 * ms}, 100 * ms, time.Second},
		"scale":               {Options{RetransmitScale: 1.5}, 100 * ms, 150 * ms},
		"scale, not measured": {Options{RetransmitScale: 1.5}, 0, time.Second},
		"scale and addition":  {Options{RetransmitScale: 2, RetransmitAdd: 30 * ms}, 100 * ms, 230 * ms},
		"addition":            {Options{RetransmitAdd: 30 * ms}, 100 * ms, 330 * ms},
		"limit":               {Options{RetransmitMax: 300 * ms}, 5 * time.Second, 300 * ms},
		"no limit":            {Options{RetransmitMax: -1}, 5 * time.Second, 15 * time.Second},
		"at least":            {Options{RetransmitScale: 1}, ms, leastAge},
	} {
		if got := sentAgain(c.o, c.trip); got != c.want {
			t.Errorf("%s: sent again after %v, not %v", name, got, c.want)
		}
	}
}

func TestDuplicatesRaiseTheScale(t *testing.T) {
	m := tuned(Initiator, Options{RetransmitScale: 2, Duplicates: 4, GrowAfter: 1})
	m.sample(0, 100*time.Millisecond)
	for range 8 {
		m.sender.ack(0, 7)
	}
	if got := m.age().Round(time.Millisecond); got != 240*time.Millisecond {
		t.Errorf("after eight the age is %v", got)
	}
	for range 100 {
		m.grow(1)
	}
	if got := m.age(); got != 200*time.Millisecond {
		t.Errorf("after many growths it is %v", got)
	}
}

func TestRoundTripLimit(t *testing.T) {
	for limit, want := range map[int]time.Duration{0: 100*time.Millisecond + 9900*time.Millisecond/8, 1: 112500 * time.Microsecond, 4: 137500 * time.Microsecond} {
		m := tuned(Initiator, Options{MaxRoundTrip: limit})
		m.sample(0, 100*time.Millisecond)
		m.sample(0, 10*time.Second)
		if m.rtt.smooth != want {
			t.Errorf("at most %d times: %v, not %v", limit, m.rtt.smooth, want)
		}
	}
}

// TestTooEarlyIsNoticed: whoever sends everything again before its
// acknowledgement can be there still learns how long the way is.
func TestTooEarlyIsNoticed(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: 300 * time.Millisecond}, Config{Options: &Options{RetransmitStart: leastAge, RetransmitScale: 1.5}})
	w.sides[0].toWrite, w.sides[0].wantFIN = pattern(1<<20, 1), true
	w.start()
	w.run(time.Minute, func() bool { return w.sides[1].sawEnd })
	if age := w.sides[0].m.age(); age < 600*time.Millisecond {
		t.Errorf("payloads still count as lost after %v", age)
	}
	if n := int(w.sides[0].m.next); w.sentN[0] > 3*n {
		t.Errorf("%d payloads were sent %d times", n, w.sentN[0])
	}
}

func TestReceiveBufferOption(t *testing.T) {
	const room, payload = 100_000, 3000
	w := newWorld(t, 1, netRules{delay: time.Millisecond}, Config{Options: &Options{ReceiveBuffer: room}})
	w.sides[1].readStop = true
	data := pattern(1<<20, 3)
	w.sides[0].toWrite, w.sides[0].wantFIN = data, true
	w.sides[0].m.window = 1 << 20
	w.start()
	w.run(time.Hour, func() bool { return w.now > 10*time.Second })
	if held := w.sides[1].maxHeld; held < room || held > room+payload+overhead {
		t.Errorf("receiver held %d bytes of %d", held, room)
	}
	w.sides[1].readStop = false
	w.work(1)
	w.run(time.Hour, func() bool { return w.sides[1].sawEnd })
	if !bytes.Equal(w.sides[1].got, data) {
		t.Error("data differs")
	}
}

func TestDropOption(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: time.Millisecond}, Config{Options: &Options{DropOne: 10}})
	w.sides[0].toWrite, w.sides[0].wantFIN = pattern(4<<20, 3), true
	w.start()
	w.run(time.Hour, func() bool { return w.sides[1].sawEnd })
	if n := int(w.sides[0].m.next); w.sentN[0] < n+n/20 {
		t.Errorf("%d payloads were sent %d times: too few were dropped", n, w.sentN[0])
	}
	if !bytes.Equal(w.sides[1].got, pattern(4<<20, 3)) {
		t.Error("data differs")
	}
}

func TestLingerOption(t *testing.T) {
	for linger, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Second: time.Second, -1: 0} {
		m := tuned(Initiator, Options{Linger: linger})
		m.push(0, sent{})
		out := newBatch()
		m.close(0, out)
		d := time.Duration(0)
		for !m.finished && d < time.Hour {
			if d = m.deadline(); d > 0 {
				m.tick(d, out)
			}
		}
		if d != want {
			t.Errorf("linger %v: gone after %v", linger, d)
		}
	}
}
