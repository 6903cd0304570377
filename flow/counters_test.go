package flow

import (
	"bytes"
	"testing"
	"time"
)

// TestCounters: what a hostile network makes of a transfer, and a reader that
// stands still for a while, is counted at both ends.
func TestCounters(t *testing.T) {
	var n Counters
	var waits int
	n.Waited = func(d time.Duration) {
		if d <= 0 {
			t.Errorf("a wait of %v", d)
		}
		waits++
	}
	w := newWorld(t, 3, netRules{lose: 0.1, double: 0.1, delay: 5 * time.Millisecond, jitter: 5 * time.Millisecond}, Config{Counters: &n, Window: 64 << 10})
	data := pattern(1<<20, 1)
	w.sides[0].toWrite, w.sides[0].wantFIN = data, true
	w.sides[1].toWrite, w.sides[1].wantFIN = pattern(10_000, 2), true
	w.sides[1].readStop = true
	w.start()
	w.run(time.Hour, func() bool { return n.WaitingRemote.Load() == 1 })
	w.sides[1].readStop = false
	w.work(1)
	w.run(time.Hour, func() bool { return w.sides[0].sawEnd && w.sides[1].sawEnd })
	if !bytes.Equal(w.sides[1].got, data) {
		t.Fatal("data differs")
	}
	w.finish()
	again := w.sentN[0] + w.sentN[1] - int(w.sides[0].m.next) - int(w.sides[1].m.next)
	if got := n.Retransmissions.Load(); again == 0 || got != uint64(again) {
		t.Errorf("%d retransmissions, %d counted", again, got)
	}
	if n.DuplicatePayloads.Load() == 0 || n.DuplicateAcks.Load() == 0 || n.AcksReceived.Load() == 0 {
		t.Errorf("duplicates %d and %d, acknowledgements %d", n.DuplicatePayloads.Load(), n.DuplicateAcks.Load(), n.AcksReceived.Load())
	}
	if n.BlockedLocal.Load() == 0 || n.BlockedRemote.Load() == 0 || waits == 0 {
		t.Errorf("waits for the network %d, for the reader %d, told %d", n.BlockedLocal.Load(), n.BlockedRemote.Load(), waits)
	}
	if l, r := n.WaitingLocal.Load(), n.WaitingRemote.Load(); l != 0 || r != 0 {
		t.Errorf("still waiting: %d and %d", l, r)
	}
}

// TestUnacked: what is under way between two ends.
func TestUnacked(t *testing.T) {
	d, h, stop := pair(Config{Counters: new(Counters)})
	defer stop()
	if _, err := d.Write(pattern(1000, 1)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	if _, err := h.Read(buf); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if payloads, bytes := d.Unacked(); payloads == 0 && bytes == 0 && h.WaitingAcks() == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("never acknowledged")
		}
	}
	if d.cfg.Counters.AcksSent.Load() == 0 {
		t.Error("no acknowledgement is counted")
	}
}
