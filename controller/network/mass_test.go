package network

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// busyNode is a router that takes its time for a route, and no more of them at
// once than a real one.
type busyNode struct {
	fakeNode
	takes           time.Duration
	now, most, many atomic.Int64
}

func (b *busyNode) Route(ctx context.Context, _ *ctrl.Route) (*ctrl.RouteResult, error) {
	now := b.now.Add(1)
	defer b.now.Add(-1)
	if now > 1024 {
		return nil, errors.New("the router is busy")
	}
	for was := b.most.Load(); now > was && !b.most.CompareAndSwap(was, now); was = b.most.Load() {
	}
	b.many.Add(1)
	time.Sleep(b.takes)
	return &ctrl.RouteResult{}, nil
}

// mass is a bed whose r1 has so many circuits to r2, all of them over link l;
// link spare costs more.
func mass(t testing.TB, circuits int, takes time.Duration) (*bed, *busyNode) {
	b, near, far := newBed(t), &busyNode{takes: takes}, &busyNode{}
	links := []*ctrl.Link{
		{Id: "l", Iteration: 1, DialerId: "r1", AcceptorId: "r2", LatencyNanos: 1},
		{Id: "spare", Iteration: 1, DialerId: "r1", AcceptorId: "r2", LatencyNanos: 50e6},
	}
	b.Attach("r1", near, &ctrl.Register{Links: links})
	b.Attach("r2", far, &ctrl.Register{Links: links})
	b.terminator("t2", "r2", nil)
	for i := range circuits {
		if a := b.create(fmt.Sprintf("circuit-%016d", i), nil); a.Refusal != nil {
			t.Fatal(a)
		}
	}
	return b, near
}

// lose takes link l away; moved returns how many circuits have left it.
func (b *bed) lose() {
	b.LinkChanges("r1", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l", Iteration: 1}}})
}

func (b *bed) moved() int {
	b.Network.mu.Lock()
	defer b.Network.mu.Unlock()
	return len(b.byLink["spare"])
}

// TestDialsDuringAMassReroute: circuits are made while thousands of others get
// another path, and no router is asked for more at once than it works at.
func TestDialsDuringAMassReroute(t *testing.T) {
	const circuits = 3000
	b, near := mass(t, circuits, 10*time.Millisecond)
	b.lose()
	dialed := 0
	for b.moved() < circuits {
		if a := b.create(fmt.Sprint("new", dialed), nil); a.GetRoute().GetDownstreamLink() != "spare" {
			t.Fatal(a)
		}
		dialed++
		if dialed == 1 && b.moved() >= circuits {
			t.Error("the first dial waited for all the others")
		}
	}
	if near.most.Load() > maxMovers {
		t.Errorf("%d routes at once", near.most.Load())
	}
	eventually(t, "all well", func() bool {
		b.Network.mu.Lock()
		defer b.Network.mu.Unlock()
		return len(b.unwell) == 0 && len(b.byLink["l"]) == 0
	})
	if n := near.many.Load(); n > circuits+circuits/10 {
		t.Errorf("%d routes for %d circuits", n, circuits)
	}
}

// BenchmarkMassReroute is 10,000 circuits on a link that dies; routers answer at
// once. B/circuit is what a circuit costs the controller.
func BenchmarkMassReroute(b *testing.B) {
	const circuits = 10_000
	for b.Loop() {
		b.StopTimer()
		var before, after, moving runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		bed, _ := mass(b, circuits, 0)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.StartTimer()
		bed.lose()
		for bed.moved() < circuits {
			time.Sleep(time.Millisecond)
		}
		b.StopTimer()
		runtime.ReadMemStats(&moving)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/circuits, "B/circuit")
		b.ReportMetric(float64(moving.TotalAlloc-after.TotalAlloc)/circuits, "B/move")
		b.StartTimer()
	}
}
