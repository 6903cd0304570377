package uplink

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/wire/ctrl"
)

// terminators is the set that the router wants the controller to have, and
// what of it has not been written yet.
type terminators struct {
	u *Uplink

	mu      sync.Mutex
	want    map[string]*ctrl.Terminator
	put     map[string]bool // changed since the last message
	removed map[string]bool
	waiting map[string][]chan error // callers of Add, by id
	busy    map[string]bool         // on their way to the controller: one change of an id at a time
	batches int                     // messages on their way
	lost    bool                    // a message had no answer
	window  *limit.Window           // nil without a limit
	wake    chan struct{}
}

// maxChanges bounds the terminators of one message.
const maxChanges = 1000

func newTerminators(u *Uplink) *terminators {
	return &terminators{
		u: u, want: make(map[string]*ctrl.Terminator), put: make(map[string]bool),
		removed: make(map[string]bool), waiting: make(map[string][]chan error), busy: make(map[string]bool),
		window: newWindow(u.cfg), wake: make(chan struct{}, 1),
	}
}

// ErrTerminatorRemoved is returned by AddTerminator if RemoveTerminator came
// before the controller's answer.
var ErrTerminatorRemoved = errors.New("uplink: terminator removed")

// AddTerminator has a terminator written, or changed if its id is known, and
// waits for the controller's answer, for a controller too if none is connected.
// The uplink keeps t and reports it after every reconnect until
// RemoveTerminator. Errors: *Refused, after which the terminator is forgotten,
// ErrTerminatorRemoved, ErrTerminatorQueue, and that of ctx: if it ends while waiting, the uplink
// goes on trying; if it has ended before, nothing happens, so that whoever
// cancels first and then removes leaves nothing behind.
func (u *Uplink) AddTerminator(ctx context.Context, t *ctrl.Terminator) error {
	done := make(chan error, 1)
	l := u.terminators
	l.mu.Lock()
	if err := ctx.Err(); err != nil {
		l.mu.Unlock()
		return err
	}
	if old, ok := l.want[t.Id]; ok && !l.put[t.Id] && proto.Equal(old, t) {
		l.mu.Unlock()
		return nil
	}
	if queue := l.u.cfg.Terminators.Queue; queue > 0 && !l.put[t.Id] && len(l.put) >= queue {
		l.mu.Unlock()
		return ErrTerminatorQueue
	}
	l.want[t.Id] = t
	l.put[t.Id] = true
	delete(l.removed, t.Id)
	l.waiting[t.Id] = append(l.waiting[t.Id], done)
	l.mu.Unlock()
	l.signal()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RemoveTerminator has a terminator deleted. It does not wait.
func (u *Uplink) RemoveTerminator(id string) {
	l := u.terminators
	l.mu.Lock()
	_, known := l.want[id]
	if known {
		delete(l.want, id)
		delete(l.put, id)
		l.removed[id] = true
	}
	waiting := l.take(id)
	l.mu.Unlock()
	answer(waiting, ErrTerminatorRemoved)
	if known {
		l.signal()
	}
}

func (l *terminators) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take removes and returns the callers that wait for id, with the lock held.
func (l *terminators) take(id string) []chan error {
	w := l.waiting[id]
	delete(l.waiting, id)
	return w
}

func answer(waiting []chan error, err error) {
	for _, w := range waiting {
		w <- err
	}
}

// run sends changes, several messages at once if the limits allow it, and
// everything after a reconnect or a message that was lost.
func (l *terminators) run(ctx context.Context) {
	var (
		reported *control.RouterEnd // session that has had the whole set
		sending  sync.WaitGroup
	)
	defer sending.Wait()
	for ctx.Err() == nil {
		s, changed := l.u.current()
		var err error
		switch {
		case s == nil:
		case s != reported || l.takeLost():
			sending.Wait() // what is under way belongs to what comes whole now
			reported = nil
			if err = l.send(ctx, s, l.whole()); err == nil {
				reported = s
				continue
			}
		default:
			if b := l.batch(); b != nil {
				sending.Go(func() { l.deliver(ctx, s, b) })
				continue
			}
		}
		if err != nil && s.Err() == nil {
			l.u.cfg.Log.Warn("terminators not written", "error", err)
			wait(ctx, l.u.cfg.RetryMax/10)
			continue
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-l.wake:
		}
	}
}

// whole returns the message with everything that is wanted.
func (l *terminators) whole() *ctrl.TerminatorChanges {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &ctrl.TerminatorChanges{Whole: true}
	for _, t := range l.want {
		m.Put = append(m.Put, t)
	}
	clear(l.put)
	clear(l.removed)
	l.lost = false
	return m
}

func (l *terminators) settle(t *ctrl.Terminator, refusal *ctrl.Refusal) {
	l.mu.Lock()
	if l.want[t.Id] != t { // replaced or removed meanwhile
		l.mu.Unlock()
		return
	}
	var err error
	if refusal != nil {
		delete(l.want, t.Id)
		delete(l.put, t.Id)
		err = refused(refusal)
	}
	waiting := l.take(t.Id)
	l.mu.Unlock()
	answer(waiting, err)
	if refusal != nil && len(waiting) == 0 {
		l.u.cfg.Node.TerminatorRefused(t.Id, refused(refusal))
	}
}
