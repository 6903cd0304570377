package uplink

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

// SessionReports say how the router tells a controller which API sessions are
// connected, which keeps these alive. Zero values mean the defaults.
type SessionReports struct {
	Interval time.Duration // between two reports, by default what the controller wants
	// Chunk is how many sessions a message of the first report to a controller
	// names, 1000 by default. Between two of these messages there is a random pause
	// between MinPause and MaxPause, so that a controller that comes back is not
	// told everything by everybody at once.
	Chunk              int
	MinPause, MaxPause time.Duration
}

// mostSessions is how many sessions a message of later reports names.
const mostSessions = 10_000

// every returns the time between two reports to a controller that wants them so
// often.
func (r SessionReports) every(seconds uint32) time.Duration {
	switch {
	case r.Interval > 0:
		return r.Interval
	case seconds > 0:
		return time.Duration(seconds) * time.Second
	}
	return time.Minute
}

func (r SessionReports) chunk() int {
	if r.Chunk <= 0 {
		return 1000
	}
	return r.Chunk
}

func (r SessionReports) pause() time.Duration {
	if spread := r.MaxPause - r.MinPause; spread > 0 {
		return r.MinPause + rand.N(spread)
	}
	return r.MinPause
}

// listener is the controller that is told, as a *control.RouterEnd.
type listener interface {
	Activity(ctx context.Context, sessionIDs []string) error
	Done() <-chan struct{}
}

// activityLoop reports the live API sessions until the session or ctx ends.
func (u *Uplink) activityLoop(ctx context.Context, s listener, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	slow := time.NewTimer(0) // the next part of the first report
	defer slow.Stop()
	first := u.cfg.Node.LiveSessions()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Done():
			return
		case controllerID := <-u.strange:
			if controllerID == u.Status().ControllerID {
				return
			}
		case <-slow.C:
			if first = sendSessions(ctx, s, first, u.cfg.Sessions.chunk()); len(first) > 0 {
				slow.Reset(u.cfg.Sessions.pause())
			}
		case <-t.C:
			for ids := range slices.Chunk(u.cfg.Node.LiveSessions(), mostSessions) {
				s.Activity(ctx, ids)
			}
		}
	}
}

// sendSessions sends the first of the sessions and returns the rest.
func sendSessions(ctx context.Context, s listener, ids []string, most int) []string {
	n := min(most, len(ids))
	if n > 0 {
		s.Activity(ctx, ids[:n])
	}
	return ids[n:]
}
