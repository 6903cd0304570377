package limit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weftnet/weft/clock"
)

func TestSlots(t *testing.T) {
	s := NewSlots(1)
	if !s.Try() || s.Try() {
		t.Fatal("one slot admits exactly one")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Wait returned %v", err)
	}
	s.Free()
	if err := s.Wait(context.Background()); err != nil || s.InUse() != 1 {
		t.Fatalf("Wait returned %v, %d in use", err, s.InUse())
	}
}

func TestWindowShrinksAndGrows(t *testing.T) {
	w := NewWindow(WindowConfig{Min: 5, Max: 20}, nil)
	run := func(n int, o Outcome) {
		for range n {
			done, ok := w.Acquire()
			if !ok {
				t.Fatal("refused although nothing is in flight")
			}
			done(o)
		}
	}
	run(500, Backoff)
	if size, _ := w.Size(); size != 5 {
		t.Fatalf("window %d after backoffs, want 5", size)
	}
	run(50, Failed)
	if size, _ := w.Size(); size != 5 {
		t.Fatalf("window %d, failures must not change it", size)
	}
	run(500, Success)
	if size, inFlight := w.Size(); size != 20 || inFlight != 0 {
		t.Fatalf("window %d with %d in flight, want 20 with 0", size, inFlight)
	}
}

func TestWindowRefusesWhenFull(t *testing.T) {
	w := NewWindow(WindowConfig{Min: 1, Max: 2}, nil)
	first, _ := w.Acquire()
	if _, ok := w.Acquire(); !ok {
		t.Fatal("second refused")
	}
	if _, ok := w.Acquire(); ok {
		t.Fatal("third admitted")
	}
	first(Success)
	if _, ok := w.Acquire(); !ok {
		t.Fatal("refused after one ended")
	}
}

func TestWindowSlowSuccessIsBackoff(t *testing.T) {
	f := clock.NewFake(time.Unix(0, 0))
	w := NewWindow(WindowConfig{Min: 1, Max: 10, DecreaseEvery: 1, Timeout: time.Second, Success: 0.99}, f.Now)
	done, _ := w.Acquire()
	f.Advance(2 * time.Second)
	done(Success)
	if size, _ := w.Size(); size != 9 {
		t.Fatalf("window %d, want 9", size)
	}
}

func TestKeyed(t *testing.T) {
	f := clock.NewFake(time.Unix(0, 0))
	k := NewKeyed(1, 2, 2, f.Now)
	for i, want := range []bool{true, true, false} {
		if got := k.Allow("a"); got != want {
			t.Fatalf("call %d: %v", i, got)
		}
	}
	f.Advance(time.Second)
	if !k.Allow("a") || k.Allow("a") {
		t.Fatal("one second refills one token")
	}
	k.Allow("b")
	k.Allow("c") // forgets a
	if len(k.buckets) != 2 {
		t.Fatalf("%d keys kept, want 2", len(k.buckets))
	}
	if !k.Allow("a") {
		t.Fatal("a forgotten key starts anew")
	}
}
