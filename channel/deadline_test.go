package channel

import (
	"io"
	"testing"
	"time"
)

// TestEagerWriteAfterADeadline: the deadline of a write that is long done does
// not make a later one fail that does not wait at all.
func TestEagerWriteAfterADeadline(t *testing.T) {
	a, b := socketPair(t)
	s := newStream(a)
	s.timeout = 20 * time.Millisecond
	for range 2 {
		if _, err := s.Write([]byte("waits")); err != nil {
			t.Fatal(err)
		}
		timer := time.NewTimer(2 * s.timeout) // passing time is what is tested
		<-timer.C
		if !s.tryCork() {
			t.Fatal("no cork")
		}
		if _, err := s.Write([]byte("eager")); err != nil {
			t.Fatal(err)
		}
		if !s.tryUncork() {
			t.Fatal("not written:", s.werr)
		}
		got := make([]byte, len("waitseager"))
		if _, err := io.ReadFull(b, got); err != nil || string(got) != "waitseager" {
			t.Fatalf("%q, %v", got, err)
		}
	}
}
