package channel

import (
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{})
	before := c.Traffic()
	rounds := make(chan Round, 1)
	if !c.Probe(func(r Round) { rounds <- r }) {
		t.Fatal("not asked")
	}
	got := receive(t, rounds)
	if got.Trip <= 0 || got.Trip > 10*time.Second || got.Queue < 0 {
		t.Errorf("measured %+v", got)
	}
	after := c.Traffic()
	if after.In <= before.In || after.Out <= before.Out || after.MessagesIn != before.MessagesIn+1 || after.MessagesOut != before.MessagesOut+1 {
		t.Errorf("traffic %+v, before %+v", after, before)
	}
	for c.Traffic().Acked < after.Out {
		time.Sleep(time.Millisecond) // the system confirms what the peer has answered
	}
	if n := c.waiting.Load(); n != 0 || len(c.probes) != 0 {
		t.Errorf("%d waiters, %d probes are left", n, len(c.probes))
	}
}

// TestProbesWithoutAnswer: a peer that reads and never answers costs no more
// than a few notes.
func TestProbesWithoutAnswer(t *testing.T) {
	opened := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(opened)})
	silent, _ := hello(t, m, clientTLS(t), groupedHello("", UnderlayDefault, nil, true))
	defer silent.Close()
	c := receive(t, opened.opened)
	for range 10 * maxProbes {
		if !c.Probe(func(Round) { t.Error("answered") }) {
			t.Fatal("not asked")
		}
	}
	if len(c.probes) > maxProbes || int(c.waiting.Load()) != len(c.probes) {
		t.Errorf("%d probes, %d waiters", len(c.probes), c.waiting.Load())
	}
}

func TestQueueBoundedInMessages(t *testing.T) {
	q := newQueue(1<<20, 2)
	f := func() *Frame { return newFrame(10) }
	for range 2 {
		if _, ok := q.tryPut(f(), false); !ok {
			t.Fatal("no room")
		}
	}
	if _, ok := q.tryPut(f(), false); ok {
		t.Fatal("room for a third message")
	}
	done := make(chan error, 1)
	go func() {
		_, err := q.put(t.Context(), f())
		done <- err
	}()
	for waits := false; !waits; {
		q.mu.Lock()
		waits = q.waiting > 0
		q.mu.Unlock()
	}
	if n := len(q.take(nil)); n != 2 {
		t.Fatalf("took %d", n)
	}
	if err := receive(t, done); err != nil {
		t.Fatal(err)
	}
	q.close(ErrClosed)
}
