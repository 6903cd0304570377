package topology

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// chart is a topology that tests build.
type chart struct {
	*Topology
	now time.Time
}

func newChart() *chart {
	c := &chart{now: time.Unix(1000, 0)}
	c.Topology = New(Config{MinRouterCost: 10, InitialLatency: 65 * time.Second, Now: func() time.Time { return c.now }})
	return c
}

func (c *chart) routers(ids ...string) *chart {
	for _, id := range ids {
		c.SetRouter(id, Router{})
	}
	return c
}

func entry(id, dialer, acceptor string, latency time.Duration) *ctrl.Link {
	return &ctrl.Link{
		Id: id, Iteration: 1, DialerId: dialer, AcceptorId: acceptor, Key: dialer + "-" + acceptor + id, Protocol: "tls",
		LatencyNanos: int64(latency),
	}
}

// link has both ends report a link.
func (c *chart) link(id, dialer, acceptor string, latency time.Duration) {
	for _, r := range []string{dialer, acceptor} {
		c.Report(r, &ctrl.LinkChanges{Put: []*ctrl.Link{entry(id, dialer, acceptor, latency)}})
	}
}

func (c *chart) route(from, to string) string {
	p := c.Path(from, to, nil)
	if p == nil {
		return "none"
	}
	s := fmt.Sprint(p.Cost, ":")
	for _, h := range p.Hops {
		s += " " + h.RouterID
		if h.Link != "" {
			s += " " + h.Link
		}
	}
	return s
}

func (c *chart) expect(t *testing.T, from, to, want string) {
	t.Helper()
	if got := c.route(from, to); got != want {
		t.Errorf("%s to %s: %s, want %s", from, to, got, want)
	}
}

func TestPaths(t *testing.T) {
	c := newChart().routers("a", "b", "c", "d")
	c.expect(t, "a", "a", "0: a")
	c.expect(t, "a", "b", "none")
	c.expect(t, "a", "nobody", "none")
	c.Report("a", &ctrl.LinkChanges{Put: []*ctrl.Link{entry("ab", "a", "b", 0)}})
	c.expect(t, "a", "b", "130011: a ab b")
	c.expect(t, "b", "a", "130011: b ab a")
	c.link("ab", "a", "b", 5*time.Millisecond)
	c.expect(t, "a", "b", "21: a ab b")
	c.link("bc", "b", "c", 0)
	c.link("ad", "a", "d", 20*time.Millisecond)
	c.link("dc", "d", "c", 20*time.Millisecond)
	c.expect(t, "a", "c", "102: a ad d dc c")
	c.link("bc", "b", "c", time.Millisecond)
	c.expect(t, "a", "c", "34: a ab b bc c")
	c.link("bc2", "b", "c", time.Microsecond)
	c.expect(t, "a", "c", "32: a ab b bc2 c")
	c.SetRouter("b", Router{Cost: 500})
	c.expect(t, "a", "c", "102: a ad d dc c")
	c.SetRouter("b", Router{NoTraversal: true})
	c.expect(t, "a", "c", "102: a ad d dc c")
	c.expect(t, "a", "b", "21: a ab b")
	c.expect(t, "b", "c", "11: b bc2 c")
	c.RemoveRouter("d")
	c.expect(t, "a", "c", "none")
	c.SetRouter("b", Router{})
	c.expect(t, "a", "c", "32: a ab b bc2 c")
	c.Report("c", &ctrl.LinkChanges{Put: []*ctrl.Link{{Id: "bc2", Iteration: 1, DialerId: "b", AcceptorId: "c", LatencyNanos: 1, Unresponsive: true}}})
	c.expect(t, "a", "c", "34: a ab b bc c")
	if p := c.Path("a", "c", &Avoid{Links: map[string]bool{"bc": true}}); p != nil {
		t.Error("an avoided link is used", p)
	}
	if p := c.Path("a", "b", &Avoid{Routers: map[string]bool{"b": true}}); p == nil {
		t.Error("an end is avoided")
	}
}

func TestEqualPathsAreAlwaysTheSame(t *testing.T) {
	for range 20 {
		c := newChart().routers("a", "b", "c", "d", "e")
		links := [][2]string{{"a", "c"}, {"c", "e"}, {"a", "b"}, {"b", "e"}, {"a", "d"}, {"d", "e"}}
		rand.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		for _, l := range links {
			c.link(l[0]+l[1], l[0], l[1], time.Microsecond)
		}
		c.expect(t, "a", "e", "22: a ab b be e")
	}
}

func TestReports(t *testing.T) {
	c := newChart().routers("a", "b")
	kinds := func(router string, m *ctrl.LinkChanges) (out []Kind) {
		for _, x := range c.Report(router, m) {
			out = append(out, x.Kind)
		}
		return out
	}
	check := func(what string, got []Kind, want ...Kind) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	put := func(iteration uint32, edit func(*ctrl.Link)) *ctrl.LinkChanges {
		l := entry("l", "a", "b", 0)
		l.Iteration = iteration
		if edit != nil {
			edit(l)
		}
		return &ctrl.LinkChanges{Put: []*ctrl.Link{l}}
	}
	check("of others", kinds("x", put(1, nil)))
	check("of itself", kinds("a", put(1, func(l *ctrl.Link) { l.AcceptorId = "a" })))
	check("first end", kinds("a", put(1, nil)), Appeared)
	check("second end", kinds("b", put(1, nil)), Known)
	check("measured", kinds("b", put(1, func(l *ctrl.Link) { l.LatencyNanos = 5e6; l.QueueNanos = 2e6 })), Measured)
	if l := c.Link("l"); l.AcceptorLatency != 7*time.Millisecond || l.DialerLatency != 65*time.Second || l.Cost() != 65008 || !l.Usable() {
		t.Errorf("%+v", l)
	}
	check("silent", kinds("b", put(1, func(l *ctrl.Link) { l.Unresponsive = true })), Measured, Mute)
	check("back", kinds("b", put(1, nil)), Measured, Heard)
	check("hijacked", kinds("x", put(9, func(l *ctrl.Link) { l.DialerId = "x" })))
	check("old", kinds("a", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l", Iteration: 0}}}))
	check("gone", kinds("a", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l", Iteration: 1}}}), Lost)
	check("the other end goes on", kinds("b", put(1, nil)), Measured)
	if l := c.Link("l"); l == nil || l.State != Failed || l.Usable() || len(c.Half()) != 1 || !c.Half()[0].Denied {
		t.Errorf("%+v", l)
	}
	check("made anew", kinds("a", put(2, nil)), Replaced)
	check("everything, made before this", kinds("b", &ctrl.LinkChanges{Whole: true}))
	if l := c.Link("l"); !l.Usable() || len(c.Half()) != 1 || c.Half()[0].Denied {
		t.Errorf("%+v", l)
	}
	check("it comes late", kinds("b", put(2, nil)), Known)
	check("everything but this", kinds("b", &ctrl.LinkChanges{Whole: true}), Lost)
	check("it comes again", kinds("b", put(2, nil)), Measured)
	if !c.Link("l").Usable() {
		t.Error("not usable")
	}
	check("duplicate", kinds("a", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l", Iteration: 2, Reason: "duplicate of x"}}}), Lost)
	if c.Link("l").State != Duplicate {
		t.Error(c.Link("l").State)
	}
	check("both", kinds("b", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l", Iteration: 2}}}))
	if c.Link("l") != nil || len(c.Links()) != 0 || len(c.pairs) != 0 || len(c.of) != 0 {
		t.Error("something is left")
	}
}

func TestSettingsOutliveTheLink(t *testing.T) {
	c := newChart().routers("a", "b")
	c.link("l", "a", "b", time.Millisecond)
	cost, down := 100, true
	if l := c.Change("l", &cost, nil); l.Cost() != 102 || c.Change("x", &cost, nil) != nil {
		t.Error(l)
	}
	c.expect(t, "a", "b", "112: a l b")
	c.Report("a", &ctrl.LinkChanges{Whole: true})
	c.Report("b", &ctrl.LinkChanges{Whole: true})
	c.link("l", "a", "b", time.Millisecond)
	c.expect(t, "a", "b", "112: a l b")
	c.Change("l", nil, &down)
	c.expect(t, "a", "b", "none")
	if len(c.Idle()) != 1 {
		t.Error("not idle")
	}
	if l := c.Remove("l"); l == nil || l.State != Failed || c.Remove("l") != nil {
		t.Error(l)
	}
}

// TestAgainstAllPaths compares the search with one that tries every path.
func TestAgainstAllPaths(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := newChart()
		n := 2 + r.IntN(6)
		name := func(i int) string { return string(rune('a' + i)) }
		nodes := make([]Router, n)
		for i := range n {
			nodes[i] = Router{Cost: r.IntN(3) * 20, NoTraversal: r.IntN(5) == 0}
			c.SetRouter(name(i), nodes[i])
		}
		for i := range r.IntN(3 * n) {
			a, b := r.IntN(n), r.IntN(n)
			c.link(fmt.Sprint("l", i), name(a), name(b), time.Duration(1+r.IntN(40))*time.Millisecond)
			if id := fmt.Sprint("l", r.IntN(i+1)); r.IntN(6) == 0 {
				c.Remove(id)
			}
		}
		for a := range n {
			for b := range n {
				want := cheapest(c, nodes, a, b)
				p := c.Path(name(a), name(b), nil)
				switch {
				case p == nil && want == math.MaxInt:
				case p == nil || p.Cost != want:
					t.Fatalf("seed %d, %d to %d: %v, want %d", seed, a, b, p, want)
				default:
					costs(t, c, nodes, p)
				}
			}
		}
	}
}

// cheapest tries all simple paths.
func cheapest(c *chart, nodes []Router, from, to int) int {
	best := math.MaxInt
	links := c.Links()
	seen := make([]bool, len(nodes))
	var walk func(at, cost int)
	walk = func(at, cost int) {
		if at == to {
			best = min(best, cost)
			return
		}
		if at != from && nodes[at].NoTraversal {
			return
		}
		seen[at] = true
		for _, l := range links {
			if o := l.Other(string(rune('a' + at))); o != "" && l.Usable() && !seen[o[0]-'a'] {
				next := int(o[0] - 'a')
				walk(next, cost+l.Cost()+max(nodes[next].Cost, 10))
			}
		}
		seen[at] = false
	}
	walk(from, 0)
	return best
}

// costs checks that the hops of a path hang together and cost what it says.
func costs(t *testing.T, c *chart, nodes []Router, p *Path) {
	t.Helper()
	sum := 0
	for i, h := range p.Hops[:len(p.Hops)-1] {
		l, next := c.Link(h.Link), p.Hops[i+1].RouterID
		if l == nil || !l.Joins(h.RouterID, next) {
			t.Fatal("no link joins", p)
		}
		sum += l.Cost() + max(nodes[next[0]-'a'].Cost, 10)
	}
	whole, ok := c.CostOf(p.Hops)
	if sum != p.Cost || !ok || whole != sum+c.RouterCost(p.Hops[0].RouterID) {
		t.Fatal("cost", sum, whole, p)
	}
}

// grid makes a network of n routers with about four links each.
func grid(n int) *chart {
	c := newChart()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		c.SetRouter(fmt.Sprint("r", i), Router{})
		for j := range min(i, 2) {
			c.link(fmt.Sprint(i, ".", j), fmt.Sprint("r", i), fmt.Sprint("r", r.IntN(i)), time.Duration(1+r.IntN(50))*time.Millisecond)
		}
	}
	return c
}

// BenchmarkPath is the cost of a path when nothing has changed.
func BenchmarkPath(b *testing.B) {
	c := grid(5000)
	for b.Loop() {
		c.Path("r7", "r4321", nil)
	}
}

// BenchmarkPathAfterChange is that after a change of the topology.
func BenchmarkPathAfterChange(b *testing.B) {
	c := grid(5000)
	for i := 0; b.Loop(); i++ {
		c.SetRouter("r100", Router{Cost: i % 100})
		c.Path("r7", "r4321", nil)
	}
}
