package uplink

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// crowd is a Node with many sessions.
type crowd struct {
	Node
	ids []string
}

func (c *crowd) LiveSessions() []string { return c.ids }

// told notes when which part of the sessions came.
type told struct {
	begun time.Time
	parts []int
	at    []time.Duration
	done  chan struct{}
}

func (t *told) Activity(_ context.Context, ids []string) error {
	t.parts, t.at = append(t.parts, len(ids)), append(t.at, time.Since(t.begun))
	return nil
}

func (t *told) Done() <-chan struct{} { return t.done }

// TestSessionsAreToldInParts: after the connection in parts with random pauses,
// later at the configured interval.
func TestSessionsAreToldInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &crowd{ids: make([]string, 25)}
		for i := range n.ids {
			n.ids[i] = fmt.Sprint(i)
		}
		u := New(Config{Node: n, Sessions: SessionReports{Interval: 30 * time.Second, Chunk: 10, MinPause: 2 * time.Second, MaxPause: 4 * time.Second}})
		to := &told{begun: time.Now(), done: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), 65*time.Second)
		defer cancel()
		u.activityLoop(ctx, to, u.cfg.Sessions.every(10))
		if want := "[10 10 5 25 25]"; fmt.Sprint(to.parts) != want {
			t.Fatalf("%v at %v, want %s", to.parts, to.at, want)
		}
		for i, at := range to.at[:3] {
			if least, most := time.Duration(2*i)*time.Second, time.Duration(4*i)*time.Second; at < least || at > most {
				t.Errorf("part %d after %v", i, at)
			}
		}
		if to.at[3] != 30*time.Second || to.at[4] != 60*time.Second {
			t.Errorf("later reports at %v", to.at[3:])
		}
		close(to.done)
		u.activityLoop(t.Context(), to, time.Hour) // ends with the session
	})
}

// TestIntervalOfReports: without a configured one it is what the controller wants.
func TestIntervalOfReports(t *testing.T) {
	own := SessionReports{Interval: 20 * time.Second}
	registered := &ctrl.Registered{ActivitySeconds: 7}
	if d := own.every(registered.ActivitySeconds); d != 20*time.Second {
		t.Error(d)
	}
	if d := (SessionReports{}).every(registered.ActivitySeconds); d != 7*time.Second {
		t.Error(d)
	}
	if d := (SessionReports{}).every(0); d != time.Minute {
		t.Error(d)
	}
}
