package network

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// TestIncompleteLeavesNothing: a circuit that ends before all of its routers
// have reported it is forgotten for all of them.
func TestIncompleteLeavesNothing(t *testing.T) {
	b := newBed(t)
	report := func(up, down string) *ctrl.Register {
		return &ctrl.Register{Circuits: []*ctrl.Circuit{{
			CircuitId: "c", IdentityId: "dialer", ServiceId: "svc", TerminatorId: "t", HostId: "host", UpstreamLink: up, DownstreamLink: down, Path: 1,
		}}}
	}
	b.Attach("r1", &fakeNode{}, report("l1", "l2"))
	b.Attach("r2", &fakeNode{}, report("", "l9"))
	if !b.EndCircuit("c", "test") {
		t.Fatal("not adopted")
	}
	b.Network.mu.Lock()
	defer b.Network.mu.Unlock()
	if len(b.byRouter)+len(b.byLink)+len(b.unwell)+len(b.byIdentity)+len(b.circuits) != 0 {
		t.Errorf("left: %v %v %v %v", b.byRouter, b.byLink, b.unwell, b.byIdentity)
	}
}

// TestEndedSessionIsNotAdopted: a circuit of a session that has ended while its
// router was away does not come back with the router.
func TestEndedSessionIsNotAdopted(t *testing.T) {
	b := newBed(t)
	b.apply(b.command().Create(with("over", &model.Revocation{Type: "API_SESSION", ExpiresAt: b.now.AddDate(0, 0, 1)})))
	drop := b.Attach("r1", &fakeNode{}, &ctrl.Register{Circuits: []*ctrl.Circuit{
		{CircuitId: "a", IdentityId: "dialer", ServiceId: "svc", TerminatorId: "t", SessionId: "over", Path: 1},
		{CircuitId: "b", IdentityId: "dialer", ServiceId: "svc", TerminatorId: "t", SessionId: "alive", Path: 1},
	}})
	if len(drop) != 1 || drop[0] != "a" || b.Circuit("a") != nil || b.Circuit("b") == nil {
		t.Errorf("to be dropped: %v", drop)
	}
}

// slowNode never answers.
type slowNode struct{ fakeNode }

func (*slowNode) Route(ctx context.Context, _ *ctrl.Route) (*ctrl.RouteResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestRequestsOfOneRouter: a router that asks for circuits without end does not
// take the room of the others.
func TestRequestsOfOneRouter(t *testing.T) {
	b := newBed(t)
	b.terminator("t2", "r2", nil)
	link := []*ctrl.Link{{Id: "l", Iteration: 1, DialerId: "r1", AcceptorId: "r2"}}
	b.Attach("r1", &fakeNode{}, &ctrl.Register{Links: link})
	b.Attach("r2", &slowNode{}, &ctrl.Register{Links: link})
	ask := func(router, id string) *ctrl.CircuitCreated {
		out := make(chan *ctrl.CircuitCreated, 1)
		m := &ctrl.CreateCircuit{CircuitId: id, IdentityId: "dialer", SessionId: "s", ServiceId: "svc", Attempt: 1}
		b.CreateCircuit(router, nil, m, func(a *ctrl.CircuitCreated) { out <- a })
		select {
		case a := <-out:
			return a
		default:
			return nil
		}
	}
	for i := range maxRouterRequests {
		if a := ask("r1", fmt.Sprint("c", i)); a != nil {
			t.Fatal(i, a)
		}
	}
	if a := ask("r1", "more"); a.GetRefusal().GetCode() != busy().Code {
		t.Errorf("one more: %v", a)
	}
	if a := ask("r2", "other"); a.GetRefusal() != nil || a.GetRoute() == nil {
		t.Errorf("of another router: %v", a)
	}
}

// TestServiceOfProxiesDeleted: circuits of on-ramps end with their service, also
// if no policy is about it.
func TestServiceOfProxiesDeleted(t *testing.T) {
	b := newBed(t)
	b.apply(b.command().Create(with("lone", &model.Service{Name: "lone"})))
	b.engine.Apply(b.now, policy.Remove(policy.KindServicePolicy, "d"), policy.Remove(policy.KindServicePolicy, "b"), policy.Put(&policy.Service{ID: "lone"}))
	b.terminator("t", "r1", func(x *model.Terminator) { x.ServiceID, x.Binding, x.HostID = "lone", "transport", "" })
	b.Attach("r1", &fakeNode{}, &ctrl.Register{})
	if a := b.ask("r1", &ctrl.CreateCircuit{CircuitId: "own", ServiceId: "lone", Own: true, Attempt: 1}); a.GetRoute() == nil {
		t.Fatal(a)
	}
	effects := b.engine.Apply(b.now, policy.Remove(policy.KindService, "lone"))
	b.AccessChanged(effects)
	if b.Circuit("own") != nil {
		t.Error("the circuit goes on")
	}
}

// TestCircuitsOfOneRouter: a router cannot have circuits without end, in its own
// name either, nor any with an id that nobody can handle.
func TestCircuitsOfOneRouter(t *testing.T) {
	b := newBed(t)
	b.terminator("t", "r1", nil)
	b.Attach("r1", &fakeNode{}, &ctrl.Register{})
	for _, id := range []string{"", strings.Repeat("x", maxIDLength+1)} {
		if a := b.create(id, nil); a.GetRefusal() == nil {
			t.Errorf("%d bytes of id: %v", len(id), a)
		}
	}
	full := make(map[string]*held, maxRouterCircuits)
	for i := range maxRouterCircuits {
		full[fmt.Sprint(i)] = nil
	}
	b.Network.mu.Lock()
	b.byRouter["r1"] = full
	b.Network.mu.Unlock()
	own := func(m *ctrl.CreateCircuit) { m.Own = true }
	if a := b.create("c", own); a.GetRefusal().GetCode() != CodeTooManyCircuits {
		t.Errorf("one more: %v", a)
	}
	b.Network.mu.Lock()
	delete(b.byRouter, "r1")
	b.Network.mu.Unlock()
	if a := b.create("c", own); a.GetRoute() == nil {
		t.Error(a)
	}
}

// TestTerminatorFlood: changes of a router that nobody has written yet do not
// pile up without end.
func TestTerminatorFlood(t *testing.T) {
	q := newJobs()
	for range maxJobs {
		if !q.add(&job{routerID: "r1"}) {
			t.Fatal("refused")
		}
	}
	if q.add(&job{routerID: "r1"}) || !q.add(&job{routerID: "r2"}) || !q.add(&job{}) {
		t.Error("not bounded by router")
	}
	for len(q.list) > 0 {
		q.take()
	}
	if len(q.byRouter) != 0 || !q.add(&job{routerID: "r1"}) {
		t.Errorf("no room when they are written: %v", q.byRouter)
	}
}

// TestNumbersOfPathsGrow: the number of the next path is above all that a router
// of the circuit has heard of, though the path is the one that is known: another
// controller may have numbered it. A router would refuse a lower one.
func TestNumbersOfPathsGrow(t *testing.T) {
	b := newBed(t)
	b.terminator("t", "r1", nil)
	b.Attach("r1", &fakeNode{}, &ctrl.Register{})
	if a := b.create("c", nil); a.GetRoute() == nil {
		t.Fatal(a)
	}
	b.Attach("r1", &fakeNode{}, &ctrl.Register{Circuits: []*ctrl.Circuit{
		{CircuitId: "c", IdentityId: "dialer", ServiceId: "svc", TerminatorId: "t", Path: 7},
	}})
	b.Network.mu.Lock()
	defer b.Network.mu.Unlock()
	if n := b.circuits["c"].number; n != 7 {
		t.Errorf("the highest number is %d", n)
	}
}

// TestLongReason: what a router says of a failure is not passed on without end.
func TestLongReason(t *testing.T) {
	b := newBed(t)
	b.terminator("t", "r1", nil)
	b.Attach("r1", &fakeNode{}, &ctrl.Register{})
	b.create("c", nil)
	a := b.create("c", func(m *ctrl.CreateCircuit) {
		m.Attempt, m.Failure = 9, &ctrl.Failure{TerminatorId: strings.Repeat("t", 1e6), Message: strings.Repeat("x", 1e6)}
	})
	if n := len(a.GetRefusal().GetMessage()); n == 0 || n > 2*longestReason {
		t.Errorf("%d bytes", n)
	}
}
