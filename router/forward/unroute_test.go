package forward

import (
	"context"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestUnrouteWithDelivery: a circuit that a controller ends with delivery goes on
// until nothing arrives any more, and only one that it ends without is cut off.
func TestUnrouteWithDelivery(t *testing.T) {
	table, sink := transit(t, 2)
	const check = 500 * time.Millisecond
	table.SetCloseCheck(check)
	table.EndCircuits(&ctrl.Unroute{CircuitIds: []string{circuitName(0)}, Reason: "ended", Deliver: true})
	table.EndCircuits(&ctrl.Unroute{CircuitIds: []string{circuitName(1), "unknown"}, Reason: "removed"})
	if table.Get([]byte(circuitName(1))) != nil {
		t.Error("a circuit that was removed is still there")
	}
	c := table.Get([]byte(circuitName(0)))
	end := time.Now().Add(3 * check)
	for time.Now().Before(end) {
		table.Receive("up", payloadFrame(circuitName(0), 10, 0))
		time.Sleep(time.Millisecond)
	}
	if c.Ended() || sink.n == 0 {
		t.Errorf("ended while data arrived, %d passed on", sink.n)
	}
	for deadline := time.Now().Add(20 * time.Second); !c.Ended() || table.Len() != 0; {
		if time.Now().After(deadline) {
			t.Fatal("it stays although nothing arrives")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestIdleIsConfirmed: a controller is asked of circuits that have been silent for long.
func TestIdleIsConfirmed(t *testing.T) {
	table, _ := transit(t, 2)
	never := func(string) time.Duration { return 0 }
	now := time.Now()
	table.Receive("up", payloadFrame(circuitName(0), 10, 0))
	table.EndIdle(now, never) // both begin to be silent
	table.Receive("up", payloadFrame(circuitName(1), 10, 0))
	now = now.Add(time.Minute)
	table.EndIdle(now, never)
	silent := table.Idle(now, 30*time.Second)
	if len(silent) != 1 || silent[0].CircuitId != circuitName(0) || silent[0].IdleMillis != time.Minute.Milliseconds() {
		t.Errorf("silent: %v", silent)
	}
}

// TestOldPath: what a late message says of an older path changes nothing.
func TestOldPath(t *testing.T) {
	m := newMesh(t, 3)
	p := m.open("c", 0, 1, 2)
	old := p.route(1)
	old.Reroute = true
	p.number++
	fresh := p.route(1)
	fresh.Reroute = true
	if r := m.tables[1].Route(t.Context(), fresh); r.Failure != nil {
		t.Fatal(r.Failure)
	}
	if r := m.tables[1].Route(t.Context(), old); r.Failure == nil {
		t.Error("the older path was taken")
	}
	unknown := p.route(1)
	unknown.Reroute, unknown.Path, unknown.DownstreamLink = true, 9, "nowhere"
	r := m.tables[1].Route(t.Context(), unknown)
	if r.GetFailure().GetCause() != ctrl.Cause_INVALID_LINK_DESTINATION {
		t.Errorf("a link that is not there: %v", r)
	}
	got := m.tables[1].Reports()[0]
	if got.Path != 2 || got.UpstreamLink != p.links[0] || got.DownstreamLink != p.links[1] {
		t.Errorf("the path now: %v", got)
	}
	again := p.route(2)
	again.Path = 1
	again.Egress = &ctrl.Egress{Binding: "echo"}
	before := m.tables[2].Get([]byte("c")).Destination(Terminator)
	if r := m.tables[2].Route(t.Context(), again); r.Failure != nil || m.tables[2].Get([]byte("c")).Destination(Terminator) != before {
		t.Errorf("a repeated route dials again: %v", r)
	}
	p.end.conn.Abort(ErrEnded)
	p.c.End("done", true)
	m.eventuallyEmpty()
}

// TestRouteTakenBack: a route that is taken back, or whose controller goes,
// while it is made leaves nothing.
func TestRouteTakenBack(t *testing.T) {
	m := newMesh(t, 3)
	p := m.open("c", 0, 1, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i := 1; i < 3; i++ {
		r := p.route(i)
		r.CircuitId = "late"
		if i == 2 {
			r.Egress = &ctrl.Egress{Binding: "echo"}
		}
		if res := m.tables[i].Route(ctx, r); res.Failure == nil || m.tables[i].Get([]byte("late")) != nil {
			t.Errorf("router %d: %v", i, res)
		}
	}
	again := p.route(1)
	again.Reroute = true
	if res := m.tables[1].Route(ctx, again); res.Failure != nil || m.tables[1].Get([]byte("c")) == nil {
		t.Errorf("a circuit that was there before is gone: %v", res)
	}
	p.end.conn.Abort(ErrEnded)
	p.c.End("done", true)
	m.eventuallyEmpty()
}

// TestQuiesced: a quiesced router refuses new circuits and carries on others.
func TestQuiesced(t *testing.T) {
	m := newMesh(t, 3)
	p := m.open("c", 0, 1, 2)
	m.tables[1].Quiesce(true)
	r := p.route(1)
	r.CircuitId = "new"
	if f := m.tables[1].Route(t.Context(), r).GetFailure(); f.GetCause() != ctrl.Cause_RESOURCES_NOT_AVAILABLE {
		t.Errorf("a new circuit: %v", f)
	}
	p.number++
	r = p.route(1)
	r.Reroute = true
	if f := m.tables[1].Route(t.Context(), r).GetFailure(); f != nil {
		t.Errorf("another path of a circuit: %v", f)
	}
	p.end.conn.Abort(ErrEnded)
	p.c.End("done", true)
	m.eventuallyEmpty()
}
