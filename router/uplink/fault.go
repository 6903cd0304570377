package uplink

import (
	"context"
	"sync"
	"time"
)

// maxFaults bounds the faulted circuits that wait to be reported; more are not
// noted, the controller hears of their link.
const maxFaults = 100_000

// faultList collects circuits whose messages cannot be passed on.
type faultList struct {
	every time.Duration // 0: nothing is collected

	mu   sync.Mutex
	ids  map[string]struct{}
	wake chan struct{}
}

func newFaultList(every time.Duration) *faultList {
	return &faultList{every: every, ids: make(map[string]struct{}), wake: make(chan struct{}, 1)}
}

// CircuitFault reports that messages of a circuit cannot be passed on: at once
// if none was reported for Config.FaultInterval, else together with others. It
// does not wait, and may be called for every message.
func (u *Uplink) CircuitFault(circuitID string) {
	l := u.faults
	if l.every <= 0 {
		return
	}
	l.mu.Lock()
	_, known := l.ids[circuitID]
	if !known && len(l.ids) < maxFaults {
		l.ids[circuitID] = struct{}{}
	}
	l.mu.Unlock()
	if !known {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// take empties the list.
func (l *faultList) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, 0, len(l.ids))
	for id := range l.ids {
		out = append(out, id)
	}
	clear(l.ids)
	return out
}

// run reports what is collected. Without a controller it is forgotten: a new
// session begins with a report of all circuits and links.
func (l *faultList) run(ctx context.Context, u *Uplink) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		wait(ctx, endedDelay)
		ids := l.take()
		if s, _ := u.current(); s != nil && len(ids) > 0 {
			_ = s.CircuitFaults(ctx, ids)
			wait(ctx, l.every)
		}
	}
}
