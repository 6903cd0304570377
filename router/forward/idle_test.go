package forward

import (
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/xgress"
)

type quietEnd struct{ reason string }

func (s *quietEnd) Forward(f *channel.Frame)       { f.Release() }
func (s *quietEnd) Unrouted(reason string, _ bool) { s.reason = reason }

func TestIdleCircuits(t *testing.T) {
	var reported []string
	table := NewTable(func(id string) { reported = append(reported, id) })
	add := func(id, service string) (*Circuit, *quietEnd) {
		c, err := table.Add(Info{ID: id, ServiceID: service})
		if err != nil {
			t.Fatal(err)
		}
		s := &quietEnd{}
		c.Attach(Terminator, s)
		return c, s
	}
	limits := map[string]time.Duration{"limited": time.Minute}
	limit := func(service string) time.Duration { return limits[service] }
	now := time.Now()
	look := func(after time.Duration, want int, due time.Duration) {
		t.Helper()
		now = now.Add(after)
		ended, next := table.EndIdle(now, limit)
		if len(ended) != want || next != due {
			t.Errorf("%d ended, next in %v, want %d and %v", len(ended), next, want, due)
		}
	}
	send := func(c *Circuit) {
		m := xgress.Close(c.ID)
		c.Send(Terminator, channel.NewFrame(m, len(m.Body)))
	}

	free, freeEnd := add("free", "unlimited")
	look(time.Hour, 0, 0)
	silent, silentEnd := add("silent", "limited")
	busy, busyEnd := add("busy", "limited")
	look(0, 0, time.Minute)
	send(busy)
	look(30*time.Second, 0, 30*time.Second)
	look(30*time.Second, 1, 30*time.Second)
	if table.Get([]byte(silent.ID)) != nil || silentEnd.reason == "" || len(reported) != 1 || reported[0] != "silent" {
		t.Errorf("the silent circuit: %q, reported %v", silentEnd.reason, reported)
	}
	send(busy)
	look(59*time.Second, 0, time.Minute)
	look(time.Minute, 1, 0)
	if busyEnd.reason == "" || freeEnd.reason != "" {
		t.Errorf("busy %q, free %q", busyEnd.reason, freeEnd.reason)
	}
	limits["unlimited"] = time.Second // the service was changed
	look(0, 0, time.Second)
	look(time.Second, 1, 0)
	if table.Get([]byte(free.ID)) != nil {
		t.Error("a new limit is not applied")
	}
}
