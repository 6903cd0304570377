package forward

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/weftnet/weft/channel"
)

// Sender is the part of a channel that an Outlet needs.
type Sender interface {
	TrySendFrame(f *channel.Frame) bool
	SendFrame(ctx context.Context, f *channel.Frame) error
}

// Outlet shares a channel among the circuits that leave by it. While the
// channel has room, messages pass straight through: TrySendFrame never waits,
// so it may be called with the lock of a lane held. When it has none, each
// circuit waits in its own Lane and one goroutine serves the lanes in turn; it
// ends when nothing waits.
type Outlet struct {
	ch     Sender
	ctx    context.Context
	budget *Budget

	waiting atomic.Int64 // bytes in all its lanes

	running atomic.Bool // somebody serves the ring; set with mu
	mu      sync.Mutex
	ring    []*Lane
}

// take reserves n bytes for a lane if there is room. One channel cannot use up
// what all share.
func (o *Outlet) take(n int) bool {
	if o.waiting.Load()+int64(n) > o.budget.max*(stretch-1) || !o.budget.takeMore(n) {
		return false
	}
	o.waiting.Add(int64(n))
	return true
}

// force reserves n bytes whether there is room or not.
func (o *Outlet) force(n int) {
	o.budget.Force(n)
	o.waiting.Add(int64(n))
}

func (o *Outlet) give(n int) {
	o.budget.Give(n)
	o.waiting.Add(int64(-n))
}

// weight is the memory that a waiting frame keeps.
func weight(f *channel.Frame) int { return cap(f.Raw()) }

// NewOutlet returns an outlet to ch. Waiting ends with ctx.
func NewOutlet(ctx context.Context, ch Sender, budget *Budget) *Outlet {
	return &Outlet{ch: ch, ctx: ctx, budget: budget}
}

// pass sends f at once if the channel has room and nobody waits for it: who comes
// later does not overtake. It takes ownership of f if it returns true.
func (o *Outlet) pass(f *channel.Frame) bool { return !o.running.Load() && o.ch.TrySendFrame(f) }

// quietMost is how many bytes may be on their way into a channel that counts as
// quiet: a TLS record.
const quietMost = 16 << 10

// quiet reports whether what is sent now leaves at once. Acknowledgements need no
// way of their own then, and leave together with payloads that came with them.
func (o *Outlet) quiet() bool {
	ch, ok := o.ch.(interface{ Queued() int })
	return ok && !o.running.Load() && ch.Queued() < quietMost
}

func (o *Outlet) enqueue(l *Lane) {
	o.mu.Lock()
	o.ring = append(o.ring, l)
	start := !o.running.Swap(true)
	o.mu.Unlock()
	if start {
		go o.serve()
	}
}

func (o *Outlet) serve() {
	for {
		o.mu.Lock()
		if len(o.ring) == 0 {
			o.running.Store(false)
			o.ring = nil
			o.mu.Unlock()
			return
		}
		l := o.ring[0]
		o.ring[0] = nil
		o.ring = o.ring[1:]
		o.mu.Unlock()
		f := l.next()
		if f == nil {
			continue
		}
		// An error means that the channel is gone; the lanes are closed then.
		_ = o.ch.SendFrame(o.ctx, f)
		o.enqueue(l)
	}
}

// laneLimit bounds what waits in a lane. Flow control at both ends keeps well
// below; whoever ignores it loses messages.
const laneLimit = 24 << 20

// mostWindow is the largest window that the ends of a circuit use, in bytes.
const mostWindow = 4 << 20

// Lane is the way of one circuit, or of one pull source, through an Outlet.
type Lane struct {
	o    *Outlet
	pull func() *channel.Frame // nil for a lane that is only pushed

	mu      sync.Mutex
	frames  []*channel.Frame
	waiting int  // bytes of frames
	active  bool // in the ring, or somebody is sending from it
	again   bool // pull had news while active
	held    bool
	closed  bool
}

// Lane returns a new lane. pull, if not nil, is asked for frames after each
// Kick until it returns nil; it is never called concurrently. A held lane keeps
// everything until Open.
func (o *Outlet) Lane(pull func() *channel.Frame, held bool) *Lane {
	return &Lane{o: o, pull: pull, held: held}
}

// Push sends f after everything pushed before. It takes ownership of f and
// reports false if it had to be dropped.
func (l *Lane) Push(f *channel.Frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		f.Release()
		return false
	}
	if !l.held && !l.active && l.o.pass(f) {
		return true
	}
	n := weight(f)
	switch {
	case l.waiting == 0 || l.waiting+n <= int(l.o.budget.least()):
		l.o.force(n)
	case l.waiting+n > laneLimit || !l.o.take(n):
		f.Release()
		return false
	}
	l.frames = append(l.frames, f)
	l.grow(n)
	if !l.held && !l.active {
		l.active = true
		l.o.enqueue(l)
	}
	return true
}

// Open ends the holding: first, if not nil, goes out before all others.
func (l *Lane) Open(first *channel.Frame) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		if first != nil {
			first.Release()
		}
		return
	}
	l.held = false
	if first != nil && (len(l.frames) > 0 || l.active || !l.o.pass(first)) {
		l.o.force(weight(first))
		l.frames = append([]*channel.Frame{first}, l.frames...)
		l.grow(weight(first))
	}
	if len(l.frames) > 0 && !l.active {
		l.active = true
		l.o.enqueue(l)
	}
	l.mu.Unlock()
	if l.pull != nil {
		l.Kick()
	}
}

// Kick says that pull may have frames.
func (l *Lane) Kick() {
	l.mu.Lock()
	if l.closed || l.held || l.active {
		l.again = true
		l.mu.Unlock()
		return
	}
	l.active = true
	l.mu.Unlock()
	for f := l.pull(); ; f = l.pull() {
		if f == nil {
			if l.rest() {
				return
			}
			continue
		}
		if !l.o.pass(f) {
			l.stash(f)
			l.o.enqueue(l)
			return
		}
	}
}

// rest ends the activity of the lane unless there is news; it reports whether
// the caller is done with it.
func (l *Lane) rest() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.frames) > 0 && !l.closed {
		l.o.enqueue(l)
		return true
	}
	if l.again && !l.closed {
		l.again = false
		return false
	}
	l.active = false
	return true
}

func (l *Lane) stash(f *channel.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		f.Release()
		return
	}
	n := weight(f)
	l.o.force(n)
	l.frames = append([]*channel.Frame{f}, l.frames...)
	l.grow(n)
}

// grow counts n bytes more or less in the lane, with the lock held.
func (l *Lane) grow(n int) {
	if l.waiting == 0 && n > 0 {
		l.o.budget.lanes.Add(1)
	}
	if l.waiting += n; l.waiting == 0 && n < 0 {
		l.o.budget.lanes.Add(-1)
	}
}

// Brake returns by how much the source of what waits here has to be slowed
// down: so many bytes are added to what its receiver says to have stored. It is
// 0 while the router has room; else it grows with what waits, and takes the
// whole window from a circuit that has its share waiting.
func (l *Lane) Brake() int {
	b := l.o.budget
	if !b.scarce() {
		return 0
	}
	l.mu.Lock()
	waiting := l.waiting
	l.mu.Unlock()
	return int(int64(waiting) * (mostWindow + 1) / b.share())
}

// next returns the frame to send, nil if the lane has come to rest.
func (l *Lane) next() *channel.Frame {
	for {
		l.mu.Lock()
		if len(l.frames) > 0 {
			f := l.frames[0]
			l.frames[0] = nil
			if l.frames = l.frames[1:]; len(l.frames) == 0 {
				l.frames = nil
			}
			l.grow(-weight(f))
			l.o.give(weight(f))
			l.mu.Unlock()
			return f
		}
		if l.pull == nil || l.closed {
			l.active = false
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		if f := l.pull(); f != nil {
			return f
		}
		if l.rest() {
			return nil
		}
	}
}

// Close drops what waits and everything pushed later.
func (l *Lane) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.clear()
}

// Clear drops what waits.
func (l *Lane) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

func (l *Lane) clear() {
	l.o.give(l.waiting)
	l.grow(-l.waiting)
	for _, f := range l.frames {
		f.Release()
	}
	l.frames = nil
}
