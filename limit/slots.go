// Package limit bounds work before it costs anything: slots for concurrency,
// an adaptive window for work whose speed depends on others, and token
// buckets per caller.
package limit

import "context"

// Slots admits a fixed number of holders at once. It is safe for concurrent
// use.
type Slots struct{ c chan struct{} }

// NewSlots returns n free slots; n below 1 counts as 1.
func NewSlots(n int) *Slots { return &Slots{c: make(chan struct{}, max(n, 1))} }

// Try takes a slot and reports whether one was free.
func (s *Slots) Try() bool {
	select {
	case s.c <- struct{}{}:
		return true
	default:
		return false
	}
}

// Wait takes a slot, waiting for one until ctx ends; the error is that of ctx.
func (s *Slots) Wait(ctx context.Context) error {
	select {
	case s.c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Free gives a slot back. Every successful Try or Wait needs exactly one.
func (s *Slots) Free() { <-s.c }

// InUse returns how many slots are taken.
func (s *Slots) InUse() int { return len(s.c) }
