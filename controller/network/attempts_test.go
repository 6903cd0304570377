package network

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// scripted is a router that answers routes as a test says.
type scripted struct {
	mu      sync.Mutex
	answer  func(ctx context.Context, m *ctrl.Route) (*ctrl.RouteResult, error)
	routes  []*ctrl.Route
	unroute []string
}

func (s *scripted) Route(ctx context.Context, m *ctrl.Route) (*ctrl.RouteResult, error) {
	s.mu.Lock()
	s.routes = append(s.routes, m)
	answer := s.answer
	s.mu.Unlock()
	if answer == nil {
		return &ctrl.RouteResult{}, nil
	}
	return answer(ctx, m)
}

func (s *scripted) Unroute(m *ctrl.Unroute) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unroute = append(s.unroute, m.CircuitIds...)
}

func (s *scripted) CloseLink(*ctrl.CloseLink) {}

// pair is a bed with r1, where dials begin, and r2, joined by a link.
func pair(t testing.TB) (*bed, *scripted) {
	b, far := newBed(t), &scripted{}
	link := &ctrl.Link{Id: "l", Iteration: 1, DialerId: "r1", AcceptorId: "r2", LatencyNanos: 1}
	b.Attach("r1", &scripted{}, &ctrl.Register{Links: []*ctrl.Link{link}})
	b.Attach("r2", far, &ctrl.Register{Links: []*ctrl.Link{link}})
	return b, far
}

func failing(cause ctrl.Cause) func(context.Context, *ctrl.Route) (*ctrl.RouteResult, error) {
	return func(_ context.Context, m *ctrl.Route) (*ctrl.RouteResult, error) {
		return &ctrl.RouteResult{Failure: &ctrl.Failure{TerminatorId: m.Egress.TerminatorId, Cause: cause, Message: "not today"}}, nil
	}
}

func TestRouteOfTheLastRouter(t *testing.T) {
	b, far := pair(t)
	key := map[uint32][]byte{1003: make([]byte, 32), 5: []byte("five")}
	b.terminator("t2", "r2", func(x *model.Terminator) {
		x.PeerData = map[uint32][]byte{1003: []byte("of the bind"), 9: []byte("nine")}
	})
	far.answer = func(_ context.Context, m *ctrl.Route) (*ctrl.RouteResult, error) {
		return &ctrl.RouteResult{PeerData: map[uint32][]byte{1003: []byte("of the dial")}}, nil
	}
	a := b.create("c", func(m *ctrl.CreateCircuit) { m.PeerData = key })
	if a.Refusal != nil || a.Route.DownstreamLink != "l" || a.Route.Egress != nil || string(a.PeerData[1003]) != "of the dial" || string(a.PeerData[9]) != "nine" {
		t.Fatal(a)
	}
	m := far.routes[0]
	if m.UpstreamLink != "l" || m.DownstreamLink != "" || m.Reroute || m.Path != 1 || m.IdentityId != "dialer" || m.SessionId != "s" ||
		m.TerminatorId != "t2" || m.HostId != "host" || m.TimeoutMillis == 0 || m.TimeoutMillis > 10_000 || m.CreatedMillis == 0 {
		t.Error(m)
	}
	if e := m.Egress; e.TerminatorId != "t2" || e.HostId != "host" || e.Binding != "edge" || e.Address != "t2" || string(e.PeerData[5]) != "five" {
		t.Error(e)
	}
}

func TestAttemptsOverOtherTerminators(t *testing.T) {
	b, far := pair(t)
	b.terminator("near", "r1", func(x *model.Terminator) { x.Cost = 1000 })
	b.terminator("t2", "r2", nil)
	far.answer = failing(ctrl.Cause_REJECTED_BY_APPLICATION)
	a := b.create("c", nil)
	if a.GetRoute().GetEgress().GetTerminatorId() != "near" || a.Route.Path != 2 || len(far.unroute) != 1 {
		t.Fatal("no attempt at the other terminator", a)
	}
	if b.DynamicCost("t2") != costPerFailure || b.DynamicCost("near") != costPerCircuit {
		t.Error(b.DynamicCost("t2"), b.DynamicCost("near"))
	}
	a = b.create("c", func(m *ctrl.CreateCircuit) {
		m.Attempt, m.Failure = 2, &ctrl.Failure{TerminatorId: "near", Cause: ctrl.Cause_GENERIC, Message: "neither"}
	})
	if a.GetRefusal() == nil || !strings.Contains(a.Refusal.Message, "neither") || b.Circuit("c") != nil {
		t.Error("more attempts than there may be", a)
	}
	b.apply(b.command().Delete(model.KindTerminator, "near"))
	a = b.create("d", nil)
	if a.GetRefusal().GetCode() != ctrl.CodeRejected || !strings.Contains(a.Refusal.Message, "not today") || len(b.byIdentity) != 0 {
		t.Error(a)
	}
	far.answer = failing(ctrl.Cause_INVALID_TERMINATOR)
	if a = b.create("e", nil); a.GetRefusal().GetCode() != ctrl.CodeTerminatorGone {
		t.Error(a)
	}
	eventually(t, "removal", func() bool { return state.Get[model.Terminator](b.store.View(), "t2") == nil })
}

func TestSilentRouter(t *testing.T) {
	b, far := pair(t)
	b.cfg.RouteTimeout = 50 * time.Millisecond
	b.terminator("t2", "r2", nil)
	far.answer = func(ctx context.Context, _ *ctrl.Route) (*ctrl.RouteResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if a := b.create("c", nil); a.GetRefusal().GetCode() != ctrl.CodeHostTimedOut || b.DynamicCost("t2") < costPerFailure {
		t.Error(a)
	}
	far.answer = func(context.Context, *ctrl.Route) (*ctrl.RouteResult, error) { return nil, errors.New("gone") }
	if a := b.create("c", nil); a.GetRefusal() == nil || len(b.requests)+len(b.circuits) != 0 {
		t.Error(a)
	}
}

// TestHangingHost: an attempt that hangs leaves time for another terminator, and
// takes all of it where there is none.
func TestHangingHost(t *testing.T) {
	b, far := pair(t)
	b.cfg.RouteTimeout = 200 * time.Millisecond
	b.terminator("near", "r1", func(x *model.Terminator) { x.Cost = 1000 })
	b.terminator("t2", "r2", nil)
	var took []time.Duration
	far.answer = func(ctx context.Context, _ *ctrl.Route) (*ctrl.RouteResult, error) {
		at, _ := ctx.Deadline()
		took = append(took, time.Until(at))
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a := b.create("c", nil)
	if a.GetRoute().GetEgress().GetTerminatorId() != "near" {
		t.Fatal("no time for the other terminator", a)
	}
	if ms := a.Route.TimeoutMillis; ms < 1 || took[0] > 110*time.Millisecond {
		t.Error(took, ms)
	}
	b.apply(b.command().Delete(model.KindTerminator, "near"))
	took = nil
	b.later.Add(int64(time.Second))
	if a := b.create("d", nil); a.GetRefusal() == nil || took[0] < 110*time.Millisecond {
		t.Error("cut short for nothing", took, a)
	}
	b.terminator("near", "r1", nil)
	if a := b.create("e", nil); a.GetRoute().GetEgress() == nil || a.Route.TimeoutMillis > 100 {
		t.Error("the first router's own dial", a)
	}
}

func TestGivenUp(t *testing.T) {
	b, far := pair(t)
	b.terminator("t2", "r2", nil)
	asked, go1 := make(chan bool), make(chan bool)
	far.answer = func(context.Context, *ctrl.Route) (*ctrl.RouteResult, error) {
		asked <- true
		<-go1
		return &ctrl.RouteResult{}, nil
	}
	answer := make(chan *ctrl.CircuitCreated, 1)
	b.CreateCircuit("r1", nil, &ctrl.CreateCircuit{CircuitId: "c", IdentityId: "dialer", SessionId: "s", ServiceId: "svc", Attempt: 1},
		func(a *ctrl.CircuitCreated) { answer <- a })
	<-asked
	if a := b.create("c", nil); a.GetRefusal().GetCode() != CodeDuplicateCircuit {
		t.Error(a)
	}
	b.CircuitsEnded("r1", []string{"c"})
	close(go1)
	if a := <-answer; a.GetRefusal() == nil || b.Circuit("c") != nil || len(far.unroute) != 1 {
		t.Error(a, far.unroute)
	}
}

func TestOwnCircuits(t *testing.T) {
	b, far := pair(t)
	b.terminator("t2", "r2", func(x *model.Terminator) { x.HostID = "" })
	own := func(m *ctrl.CreateCircuit) { m.Own, m.IdentityId, m.SessionId, m.ServiceId = true, "", "", "svc" }
	if a := b.create("c", own); a.Refusal != nil || far.routes[0].IdentityId != "" || b.Circuit("c").ServiceID != "svc" {
		t.Error(a)
	}
	b.apply(b.command().Patch(model.KindService, "svc", map[string]any{"name": "by name"}))
	if a := b.create("d", func(m *ctrl.CreateCircuit) { own(m); m.ServiceId = "by name" }); a.Refusal != nil || b.Circuit("d").ServiceID != "svc" {
		t.Error(a)
	}
	if a := b.create("e", func(m *ctrl.CreateCircuit) { m.ServiceId = "by name" }); a.GetRefusal().GetCode() != CodeInvalidService {
		t.Error("a client dials by name", a)
	}
	b.apply(b.command().Patch(model.KindService, "svc", map[string]any{"encryptionRequired": true}))
	if a := b.create("e", own); a.GetRefusal().GetCode() != CodeEncryptionData || a.Refusal.Remedy == "" {
		t.Error(a)
	}
}

// BenchmarkCreate is a circuit over two routers, its end included.
func BenchmarkCreate(b *testing.B) {
	for _, at := range []string{"r1", "r2"} {
		b.Run(at, func(b *testing.B) {
			bed, _ := pair(b)
			bed.terminator("t", at, nil)
			answer := make(chan *ctrl.CircuitCreated, 1)
			for b.Loop() {
				bed.CreateCircuit("r1", nil, &ctrl.CreateCircuit{CircuitId: "c", IdentityId: "dialer", SessionId: "s", ServiceId: "svc", Attempt: 1},
					func(a *ctrl.CircuitCreated) { answer <- a })
				<-answer
				bed.CircuitsEnded("r1", []string{"c"})
			}
		})
	}
}
