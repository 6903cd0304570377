package forward

import (
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/xgress"
)

// TestForeignLink: a router that knows the id of a circuit which does not cross
// its link can neither put anything into it nor end it.
func TestForeignLink(t *testing.T) {
	table, sink := transit(t, 1)
	name := circuitName(0)
	c := table.Get([]byte(name))
	leave := xgress.Leave{Circuit: []byte(name), Reason: "forged", Drop: true}
	ack := xgress.Ack{Circuit: []byte(name), Flags: xgress.FlagOriginator, RecvBuffer: 1 << 30}
	am := ack.Message(nil)
	trace := c.control(Terminator, &xgress.Control{Type: xgress.ControlTrace, Circuit: name, HopCount: 3})
	for _, f := range []*channel.Frame{
		payloadFrame(name, 10, 0), payloadFrame(name, 10, xgress.FlagOriginator),
		channel.NewFrame(&am, 0), channel.NewFrame(leave.Message(), 0), trace,
	} {
		table.Receive("foreign", f)
	}
	if sink.n != 0 || c.Ended() {
		t.Fatalf("%d forged messages passed on, ended: %v", sink.n, c.Ended())
	}
	for range 10_000 {
		table.Receive("foreign", payloadFrame(name, 1000, 0))
	}
	if n := table.early.Load(); n > earlyBytes {
		t.Errorf("%d bytes are held for one circuit", n)
	}
	table.Receive("up", payloadFrame(name, 10, 0))
	if sink.n != 1 {
		t.Errorf("%d messages of the circuit itself passed on, not 1", sink.n)
	}
	c.Abandon("end")
	if n := table.early.Load(); n != 0 {
		t.Errorf("%d bytes are held after the end", n)
	}
}

// TestEarly: what comes by the link of a path that the router has not heard of
// yet is passed on when it has.
func TestEarly(t *testing.T) {
	m := newMesh(t, 2)
	p := m.open("c", 0, 1)
	table := m.tables[0]
	next := m.connect(0, 1)
	table.Receive(next, payloadFrame("c", 10, xgress.FlagOriginator))
	if table.early.Load() == 0 {
		t.Fatal("not held")
	}
	p.number, p.links = 2, []string{next}
	if _, err := table.Follow(t.Context(), p.c, p.route(0)); err != nil {
		t.Fatal(err)
	}
	if n := p.c.passed[Initiator].messages.Load(); n == 0 || table.early.Load() != 0 {
		t.Errorf("%d messages passed on, %d bytes held", n, table.early.Load())
	}
	p.end.conn.Abort(ErrEnded)
	p.unroute()
}

// TestTooEarly: what no path comes for is dropped after a while.
func TestTooEarly(t *testing.T) {
	table, _ := transit(t, 1)
	table.Receive("foreign", payloadFrame(circuitName(0), 10, 0))
	c := table.Get([]byte(circuitName(0)))
	c.tooEarly(c.early)
	if table.early.Load() != 0 || table.drops.Load() != 1 {
		t.Errorf("%d bytes held, %d dropped", table.early.Load(), table.drops.Load())
	}
	c.tooEarly(&early{timer: time.NewTimer(0)}) // long gone
	table.EndCircuits(&ctrl.Unroute{CircuitIds: []string{circuitName(0)}})
}

// TestForgedTrace: the answer to a question has to come along its circuit.
func TestForgedTrace(t *testing.T) {
	table, _ := transit(t, 2)
	a, b := table.Get([]byte(circuitName(0))), table.Get([]byte(circuitName(1)))
	var got []Hop
	id, _ := table.traces.add(a, func(h Hop) { got = append(got, h) })
	forged := func(c *Circuit) {
		table.Receive("down", c.control(Initiator, &xgress.Control{Type: xgress.ControlTraceResponse, Circuit: c.ID, UserValue: id, HopID: "x"}))
	}
	if forged(b); len(got) != 0 {
		t.Error("answered along another circuit")
	}
	if forged(a); len(got) != 1 {
		t.Error("not answered along its own")
	}
}
