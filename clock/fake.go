package clock

import (
	"sync"
	"time"
)

// Fake is a clock that stands still until Advance moves it. Functions of
// AfterFunc run within Advance, in order of their time.
type Fake struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*fakeTimer]struct{}
}

// NewFake returns a fake clock that shows start.
func NewFake(start time.Time) *Fake {
	return &Fake{now: start, timers: make(map[*fakeTimer]struct{})}
}

// Now returns the time that the clock shows.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Timers returns how many timers run.
func (f *Fake) Timers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.timers)
}

// AfterFunc runs fn when Advance passes d.
func (f *Fake) AfterFunc(d time.Duration, fn func()) Timer { return f.start(d, fn, nil) }

// NewTimer returns a timer that fires when Advance passes d.
func (f *Fake) NewTimer(d time.Duration) Timer { return f.start(d, nil, make(chan time.Time, 1)) }

func (f *Fake) start(d time.Duration, fn func(), c chan time.Time) Timer {
	t := &fakeTimer{clock: f, fn: fn, c: c}
	t.Reset(d)
	return t
}

// Advance moves the clock by d and fires every timer that became due, each
// at its own time.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	end := f.now.Add(d)
	f.mu.Unlock()
	for {
		t := f.due(end)
		if t == nil {
			return
		}
		t.fire()
	}
}

// due takes the earliest timer up to end off the clock and moves the clock
// there, or to end when there is none.
func (f *Fake) due(end time.Time) *fakeTimer {
	f.mu.Lock()
	defer f.mu.Unlock()
	var first *fakeTimer
	for t := range f.timers {
		if !t.at.After(end) && (first == nil || t.at.Before(first.at)) {
			first = t
		}
	}
	if first == nil {
		f.now = end
		return nil
	}
	delete(f.timers, first)
	if first.at.After(f.now) {
		f.now = first.at
	}
	return first
}

type fakeTimer struct {
	clock *Fake
	at    time.Time
	fn    func()
	c     chan time.Time
}

func (t *fakeTimer) fire() {
	if t.fn != nil {
		t.fn()
		return
	}
	select {
	case t.c <- t.at:
	default: // the last tick was not read; a timer holds one
	}
}

func (t *fakeTimer) C() <-chan time.Time { return t.c }

func (t *fakeTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, running := t.clock.timers[t]
	delete(t.clock.timers, t)
	return running
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, running := t.clock.timers[t]
	t.at = t.clock.now.Add(d)
	t.clock.timers[t] = struct{}{}
	return running
}
