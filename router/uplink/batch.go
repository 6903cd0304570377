package uplink

import (
	"context"
	"errors"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/wire/ctrl"
)

// TerminatorLimits bound the changes of terminators.
type TerminatorLimits struct {
	// Window bounds the changes that are on their way to the controller; it adapts
	// to how fast the controller answers. Nil sets no bound.
	Window *limit.WindowConfig
	// Messages on their way at once, 1 by default. A terminator is in one of them
	// at most.
	Workers int
	// Queue bounds the terminators that wait to be sent, 0 for no bound.
	Queue int
	// Took is told how long the answer to a message took; it may be nil and must not
	// block.
	Took func(time.Duration)
}

// ErrTerminatorQueue is returned by AddTerminator when too many terminators wait
// for the controller.
var ErrTerminatorQueue = errors.New("uplink: too many terminators wait for the controller, see forwarder.rateLimitedQueueLength")

func newWindow(cfg Config) *limit.Window {
	if cfg.Terminators.Window == nil {
		return nil
	}
	return limit.NewWindow(*cfg.Terminators.Window, cfg.Now)
}

// batch is a message of changes under way.
type batch struct {
	changes *ctrl.TerminatorChanges
	ids     []string
	done    []func(limit.Outcome)
}

// batch returns the next message, nil if there is nothing to send or the limits
// allow none now.
func (l *terminators) batch() *batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.batches >= max(l.u.cfg.Terminators.Workers, 1) {
		return nil
	}
	b := &batch{changes: &ctrl.TerminatorChanges{}}
	for id := range l.removed {
		if !l.busy[id] && l.admit(b, id) {
			b.changes.Remove = append(b.changes.Remove, id)
			delete(l.removed, id)
		}
	}
	for id := range l.put {
		if !l.busy[id] && l.admit(b, id) {
			b.changes.Put = append(b.changes.Put, l.want[id])
			delete(l.put, id)
		}
	}
	if len(b.ids) == 0 {
		return nil
	}
	l.batches++
	return b
}

// admit makes room for a change in a message, with the lock held.
func (l *terminators) admit(b *batch, id string) bool {
	if len(b.ids) == maxChanges {
		return false
	}
	if l.window != nil {
		done, ok := l.window.Acquire()
		if !ok {
			return false
		}
		b.done = append(b.done, done)
	}
	l.busy[id] = true
	b.ids = append(b.ids, id)
	return true
}

// deliver has a message answered. What was lost with it comes with the whole
// set.
func (l *terminators) deliver(ctx context.Context, s *control.RouterEnd, b *batch) {
	begun := l.u.cfg.Now()
	err := l.send(ctx, s, b.changes)
	if f := l.u.cfg.Terminators.Took; f != nil && err == nil {
		f(l.u.cfg.Now().Sub(begun))
	}
	outcome := limit.Success
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		outcome = limit.Backoff
	case err != nil:
		outcome = limit.Failed
	}
	for _, done := range b.done {
		done(outcome)
	}
	l.mu.Lock()
	l.batches--
	for _, id := range b.ids {
		delete(l.busy, id)
	}
	l.lost = l.lost || err != nil
	l.mu.Unlock()
	l.signal()
}

// takeLost reports whether a message was lost since the last call.
func (l *terminators) takeLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.lost
	l.lost = false
	return lost
}

// send has a message answered and tells those who wait.
func (l *terminators) send(ctx context.Context, s *control.RouterEnd, m *ctrl.TerminatorChanges) error {
	if w := l.u.cfg.Terminators.Window; w != nil && w.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.Timeout)
		defer cancel()
	}
	results, err := s.ChangeTerminators(ctx, m)
	if err != nil {
		return err
	}
	for _, t := range m.Put {
		l.settle(t, results.Refused[t.Id])
	}
	return nil
}

// TerminatorQueue returns how many terminators wait to be sent, and how many
// messages with changes are under way.
func (u *Uplink) TerminatorQueue() (waiting, messages int) {
	l := u.terminators
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.put) + len(l.removed), l.batches
}

// TerminatorWindow returns how many changes of terminators may be on their way
// to the controller, 0 without a bound, and how many are.
func (u *Uplink) TerminatorWindow() (window, underWay int) {
	if w := u.terminators.window; w != nil {
		return w.Size()
	}
	u.terminators.mu.Lock()
	defer u.terminators.mu.Unlock()
	return 0, len(u.terminators.busy)
}
