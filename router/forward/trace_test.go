package forward

import (
	"testing"
	"time"
)

// TestTraceOverRouters: every hop of a path tells what it is.
func TestTraceOverRouters(t *testing.T) {
	m := newMesh(t, 3)
	p := m.open("c", 0, 1, 2)
	for hops, want := range []Hop{
		1: {Type: HopRouter, ID: "router-1"},
		2: {Type: HopRouter, ID: "router-2"},
		3: {Type: HopEgress},
		4: {Type: HopEgress, Left: 1},
	} {
		if hops == 0 {
			continue
		}
		got := make(chan Hop, 1)
		p.c.Trace(Terminator, uint32(hops), 7, func(h Hop) { got <- h })
		select {
		case h := <-got:
			if h != want {
				t.Errorf("%d hops away: %+v, want %+v", hops, h, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("no answer")
		}
	}
	p.c.End("done", true)
	m.eventuallyEmpty()
}
