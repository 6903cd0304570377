package clock

import (
	"testing"
	"time"
)

func TestFakeFiresInOrder(t *testing.T) {
	start := time.Unix(1000, 0)
	f := NewFake(start)
	var got []time.Duration
	note := func() { got = append(got, f.Now().Sub(start)) }
	f.AfterFunc(3*time.Second, note)
	f.AfterFunc(time.Second, func() {
		note()
		f.AfterFunc(time.Second, note)
	})
	stopped := f.AfterFunc(2*time.Second, func() { t.Error("a stopped timer fired") })
	if !stopped.Stop() || stopped.Stop() {
		t.Fatal("Stop has to report a running timer once")
	}
	f.Advance(5 * time.Second)
	want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Fatalf("fired at %v, want %v", got, want)
	}
	if f.Now().Sub(start) != 5*time.Second || f.Timers() != 0 {
		t.Fatalf("clock at %v with %d timers", f.Now().Sub(start), f.Timers())
	}
}

func TestFakeTimerChannel(t *testing.T) {
	f := NewFake(time.Unix(0, 0))
	timer := f.NewTimer(time.Second)
	f.Advance(time.Second)
	select {
	case <-timer.C():
	default:
		t.Fatal("timer did not fire")
	}
	if timer.Reset(time.Second) {
		t.Fatal("a fired timer is not running")
	}
	f.Advance(500 * time.Millisecond)
	select {
	case <-timer.C():
		t.Fatal("timer fired early")
	default:
	}
}

func TestRealClock(t *testing.T) {
	done := make(chan struct{})
	Real().AfterFunc(0, func() { close(done) })
	<-done
	<-Real().NewTimer(0).C()
	if time.Since(Real().Now()) > time.Minute {
		t.Fatal("the real clock is wrong")
	}
}
