package flow

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

// pathWorld adds to a world a path that goes and comes back elsewhere, at random
// times, from which old messages may still arrive.
type pathWorld struct {
	*world
	told    [2]bool // this side hears of its path
	lost    bool
	changes int
}

// cut takes the path away: of what is under way some is lost, some comes late,
// some comes twice.
func (w *pathWorld) cut() {
	w.lost = true
	keep := w.events[:0]
	late := w.rng.IntN(3)
	var more eventHeap
	for _, e := range w.events {
		switch {
		case e.msg == nil:
		case late == 0 || w.rng.IntN(2) == 0:
			continue // with the whole window
		default:
			e.at += time.Duration(w.rng.Int64N(int64(3 * time.Second)))
			if w.rng.IntN(3) == 0 {
				twin := e
				twin.at += time.Duration(w.rng.Int64N(int64(time.Second)))
				more = append(more, twin)
			}
		}
		keep = append(keep, e)
	}
	w.events = keep
	for _, e := range more {
		w.push(e.at, e.to, e.msg)
	}
	w.rebuild()
	w.rules.lose = 1
	for i := range w.sides {
		if w.told[i] && w.rng.IntN(2) == 0 {
			w.sides[i].m.pathLost = true
		}
	}
}

// join brings another path, with another delay.
func (w *pathWorld) join() {
	w.lost, w.rules.lose = false, 0
	w.changes++
	w.rules.delay = time.Duration(w.rng.Int64N(int64(20 * time.Millisecond)))
	w.rules.jitter = time.Duration(w.rng.Int64N(int64(5 * time.Millisecond)))
	for i, s := range w.sides {
		if !w.told[i] {
			continue
		}
		out := newBatch()
		s.m.rerouted(w.now, out)
		w.transmit(i, out)
		w.work(i)
	}
}

// rebuild restores the order of the events.
func (w *pathWorld) rebuild() {
	all := w.events
	w.events = nil
	for _, e := range all {
		w.push(e.at, e.to, e.msg)
	}
}

// run moves the path so many times while data is under way.
func (w *pathWorld) runChanging(times int) {
	w.t.Helper()
	done := func() bool { return w.sides[0].sawEnd && w.sides[1].sawEnd }
	w.start()
	for range times {
		until := w.now + time.Duration(w.rng.Int64N(int64(100*time.Millisecond)))
		w.run(time.Hour, func() bool { return w.now >= until || done() })
		if done() {
			return
		}
		w.cut()
		until = w.now + time.Duration(w.rng.Int64N(int64(4*time.Second)))
		for w.now < until && w.events.Len() > 0 && w.events[0].at <= until {
			w.run(time.Hour, func() bool { return w.events.Len() == 0 || w.events[0].at > until })
		}
		w.now = max(w.now, until)
		w.join()
	}
	w.run(2*time.Hour, done)
}

// TestRerouteLosesNothing: whatever a change of path loses, delays, doubles and
// brings out of order, what is read is what was written.
func TestRerouteLosesNothing(t *testing.T) {
	for name, told := range map[string][2]bool{
		"both ends know": {true, true}, "one end knows": {true, false}, "no end knows": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(12) {
				w := &pathWorld{world: newWorld(t, seed, netRules{delay: 2 * time.Millisecond}, Config{}), told: told}
				chunk := 1 << (8 + seed%9)
				size := min(4<<20, chunk<<11)
				want := [2][]byte{pattern(size, 1), pattern(size/4, 2)}
				for i, s := range w.sides {
					s.toWrite, s.wantFIN, s.maxChunk = want[i], true, chunk
				}
				w.runChanging(20)
				for i := range w.sides {
					if !bytes.Equal(w.sides[1-i].got, want[i]) {
						t.Fatalf("seed %d: side %d read %d bytes, not the %d written", seed, 1-i, len(w.sides[1-i].got), len(want[i]))
					}
				}
				w.finish()
			}
		})
	}
}

// TestSoonAfterAnOutage: however long the path is away, a transfer goes on about
// a second after it is back, at once if the end is told.
func TestSoonAfterAnOutage(t *testing.T) {
	all := pattern(64<<20, 1)
	for _, outage := range []time.Duration{500 * time.Millisecond, 5 * time.Second, 29 * time.Second} {
		for told, most := range map[bool]time.Duration{false: 1200 * time.Millisecond, true: 50 * time.Millisecond} {
			t.Run(fmt.Sprint(outage, told), func(t *testing.T) {
				w := &pathWorld{world: newWorld(t, 1, netRules{delay: time.Millisecond}, Config{}), told: [2]bool{told, told}}
				w.sides[0].toWrite = all
				w.sides[0].maxChunk = 64 << 10
				w.start()
				start := w.now
				w.run(time.Hour, func() bool { return w.now > start+20*time.Millisecond })
				w.events = w.events[:0]
				for i := range w.sides {
					w.sides[i].ticking = 0
					w.schedule(i)
				}
				w.rules.lose = 1
				if told {
					w.sides[0].m.pathLost = true
				}
				back := w.now + outage
				w.run(time.Hour, func() bool { return w.events.Len() == 0 || w.events[0].at > back })
				w.now = back
				w.rules.lose = 0
				had := len(w.sides[1].got)
				before := w.sides[0].m.inFlight
				if told {
					for i, s := range w.sides {
						out := newBatch()
						s.m.rerouted(w.now, out)
						w.transmit(i, out)
						w.work(i)
					}
				}
				w.run(time.Hour, func() bool { return len(w.sides[1].got) > had+before+1<<20 })
				if took := w.now - back; took > most {
					t.Errorf("it took %v to go on", took)
				}
			})
		}
	}
}

// TestOldWordOfAFullPeer: an acknowledgement that is overtaken by a newer one
// must not stop a writer for good.
func TestOldWordOfAFullPeer(t *testing.T) {
	w := newWorld(t, 1, netRules{delay: time.Millisecond}, Config{Window: 64 << 10, MaxWindow: 64 << 10})
	w.sides[0].toWrite, w.sides[0].wantFIN, w.sides[0].maxChunk = pattern(1<<20, 3), true, 16<<10
	w.start()
	w.run(time.Minute, func() bool { return w.sides[0].m.wantWrite && w.sides[0].m.inFlight > 0 })
	// The last acknowledgement that comes says that the peer is full.
	for i, e := range w.events {
		if e.to == 0 && e.msg != nil && e.msg.Type == xgress.TypeAcknowledgement {
			a, err := xgress.ParseAck(e.msg)
			if err != nil {
				t.Fatal(err)
			}
			a.RecvBuffer = 4 << 20
			m := a.Message(nil)
			w.events[i].msg = &m
		}
	}
	w.run(time.Minute, func() bool { return w.sides[1].sawEnd })
}
