// Package clock is the time that rooms with timers are given, so that their
// tests decide what time it is.
package clock

import "time"

// Clock tells the time and starts timers. Implementations are safe for
// concurrent use.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// AfterFunc runs f in its own goroutine after d.
	AfterFunc(d time.Duration, f func()) Timer
	// NewTimer returns a timer whose channel receives once, after d.
	NewTimer(d time.Duration) Timer
}

// Timer is a running timer.
type Timer interface {
	// C is the channel of a NewTimer; nil for an AfterFunc.
	C() <-chan time.Time
	// Stop ends the timer and reports whether it was still running.
	Stop() bool
	// Reset starts the timer again with d and reports whether it was running.
	Reset(d time.Duration) bool
}

// Real returns the clock of the operating system.
func Real() Clock { return real{} }

type real struct{}

func (real) Now() time.Time { return time.Now() }

func (real) AfterFunc(d time.Duration, f func()) Timer { return realTimer{time.AfterFunc(d, f)} }

func (real) NewTimer(d time.Duration) Timer { return realTimer{time.NewTimer(d)} }

type realTimer struct{ *time.Timer }

func (t realTimer) C() <-chan time.Time { return t.Timer.C }
