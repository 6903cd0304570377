package uplink

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// CreateCircuit asks a controller for a circuit or for the next attempt at one.
// A refusal is part of the answer. The circuit must be among Node.Circuits
// before, so that a controller that comes in between learns of it. Errors:
// ErrNoController, those of ctx and of the session; the circuit does not exist
// then.
func (u *Uplink) CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	s, _ := u.current()
	if s == nil {
		return nil, fmt.Errorf("%w, cannot create circuit", ErrNoController)
	}
	answer, err := s.CreateCircuit(ctx, m)
	if err != nil {
		u.CircuitEnded(m.CircuitId) // it may exist at the controller
		if s.Err() != nil {
			err = fmt.Errorf("%w, cannot create circuit: %w", ErrNoController, err)
		}
		return nil, err
	}
	return answer, nil
}

// CircuitEnded tells the controller that a circuit is no longer carried. It
// does not wait.
func (u *Uplink) CircuitEnded(circuitID string) { u.ended.add(circuitID) }

// endedList collects ended circuits into few messages. It is bounded by the
// number of circuits: while no controller is connected there are no new ones,
// and the report of the next session empties it.
type endedList struct {
	mu   sync.Mutex
	ids  []string
	wake chan struct{}
}

// endedDelay is how long ended circuits are collected.
const endedDelay = 5 * time.Millisecond

func newEndedList() *endedList { return &endedList{wake: make(chan struct{}, 1)} }

func (l *endedList) add(circuitID string) {
	l.mu.Lock()
	l.ids = append(l.ids, circuitID)
	l.mu.Unlock()
	l.signal()
}

func (l *endedList) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *endedList) forget() {
	l.mu.Lock()
	l.ids = nil
	l.mu.Unlock()
}

// run reports what is collected; while no controller is connected it waits.
func (l *endedList) run(ctx context.Context, u *Uplink) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		wait(ctx, endedDelay)
		s, changed := u.current()
		if s == nil {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
			l.signal()
			continue
		}
		l.mu.Lock()
		ids := l.ids
		l.ids = nil
		l.mu.Unlock()
		if len(ids) > 0 {
			s.CircuitsEnded(ctx, ids)
		}
	}
}
