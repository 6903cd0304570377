package topology

import (
	"fmt"
	"math"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestLatenciesOfALiar: no latency makes a link cheaper than one that has none.
func TestLatenciesOfALiar(t *testing.T) {
	c := newChart().routers("a", "b")
	for _, n := range []int64{math.MinInt64, -1, math.MaxInt64} {
		for _, queue := range []int64{math.MinInt64, -1, math.MaxInt64} {
			e := entry("l", "a", "b", 0)
			e.LatencyNanos, e.QueueNanos = n, queue
			for _, r := range []string{"a", "b"} {
				c.Report(r, &ctrl.LinkChanges{Put: []*ctrl.Link{e}})
			}
			if cost := c.Link("l").Cost(); cost < DefaultStaticCost {
				t.Errorf("latency %d, queue %d: cost %d", n, queue, cost)
			}
			if p := c.Path("a", "b", nil); p == nil || p.Cost < 0 {
				t.Errorf("latency %d, queue %d: path %+v", n, queue, p)
			}
		}
	}
}

// TestLinksOfALiar: a router that reports links without end fills its own share
// of the tables and nobody else's.
func TestLinksOfALiar(t *testing.T) {
	c := newChart().routers("a", "b", "liar")
	m := &ctrl.LinkChanges{}
	for i := range 2 * maxReported {
		m.Put = append(m.Put, entry(fmt.Sprint("x", i), "liar", "a", 1))
	}
	c.Report("liar", m)
	if n := len(c.Links()); n != maxReported {
		t.Errorf("%d links of one router", n)
	}
	c.link("good", "a", "b", 1)
	if c.Link("good") == nil {
		t.Error("no room for a link of others")
	}
	c.Report("liar", &ctrl.LinkChanges{Whole: true})
	c.Report("liar", &ctrl.LinkChanges{Put: []*ctrl.Link{entry("y", "liar", "a", 1)}})
	if c.Link("y") == nil {
		t.Error("no room after the links are gone")
	}
}
