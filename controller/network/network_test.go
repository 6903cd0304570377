package network

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is a network over a state without a log.
type bed struct {
	*Network
	t      testing.TB
	store  *state.Store
	engine *policy.Engine
	mu     sync.Mutex
	index  uint64
	now    time.Time    // at the start
	later  atomic.Int64 // nanoseconds
}

func newBed(t testing.TB) *bed {
	t.Helper()
	s, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, store: s, engine: policy.New(), now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	b.Network = New(Config{State: s, Policy: b.engine.View, Writer: b, Now: func() time.Time { return b.now.Add(time.Duration(b.later.Load())) }})
	all := role.Set{All: true}
	b.engine.Apply(b.now,
		policy.Put(&policy.Identity{ID: "dialer"}), policy.Put(&policy.Identity{ID: "host"}),
		policy.Put(&policy.Service{ID: "svc"}), policy.Put(&policy.Router{ID: "r1"}), policy.Put(&policy.Router{ID: "r2"}),
		policy.Put(&policy.ServicePolicy{ID: "d", Action: policy.Dial, Identities: all, Services: all}),
		policy.Put(&policy.ServicePolicy{ID: "b", Action: policy.Bind, Identities: all, Services: all}),
		policy.Put(&policy.EdgeRouterPolicy{ID: "e", Identities: all, Routers: all}),
		policy.Put(&policy.ServiceEdgeRouterPolicy{ID: "s", Services: all, Routers: all}),
	)
	c, err := state.Initial(b.now)
	if err != nil {
		t.Fatal(err)
	}
	b.apply(c)
	b.apply(b.command().
		Create(with("dialer", &model.Identity{Name: "dialer", Type: model.IdentityDefault})).
		Create(with("host", &model.Identity{Name: "host", Type: model.IdentityDefault})).
		Create(with("svc", &model.Service{Name: "svc"})).
		Create(with("r1", &model.EdgeRouter{Name: "r1"})).
		Create(with("r2", &model.EdgeRouter{Name: "r2"})))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return b
}

func with[E model.Entity](id string, e E) E { e.Meta().ID = id; return e }

func (b *bed) command() *state.Command {
	return state.NewCommand(b.now, state.Author{}, state.Source{}).AsSystem()
}

func (b *bed) apply(c *state.Command) {
	b.t.Helper()
	enc, err := c.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	if _, _, err := b.Propose(context.Background(), enc); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) Propose(_ context.Context, cmd []byte) (uint64, any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index++
	res, err := b.store.Apply([]uint64{b.index}, [][]byte{cmd})
	if err != nil {
		return 0, nil, err
	}
	if e, ok := res[0].(error); ok {
		return b.index, nil, e
	}
	return b.index, res[0], nil
}

func (b *bed) terminator(id, router string, edit func(*model.Terminator)) {
	b.t.Helper()
	x := with(id, &model.Terminator{ServiceID: "svc", RouterID: router, Binding: "edge", Address: id, HostID: "host"})
	if edit != nil {
		edit(x)
	}
	b.apply(b.command().Put(x))
}

func (b *bed) create(id string, edit func(*ctrl.CreateCircuit)) *ctrl.CircuitCreated {
	m := &ctrl.CreateCircuit{CircuitId: id, IdentityId: "dialer", SessionId: "s", ServiceId: "svc", Attempt: 1}
	if edit != nil {
		edit(m)
	}
	return b.ask("r1", m)
}

// ask waits for the answer to a request for a circuit.
func (b *bed) ask(routerID string, m *ctrl.CreateCircuit) *ctrl.CircuitCreated {
	out := make(chan *ctrl.CircuitCreated, 1)
	b.CreateCircuit(routerID, nil, m, func(a *ctrl.CircuitCreated) { out <- a })
	return <-out
}

func (f *fakeNode) Route(context.Context, *ctrl.Route) (*ctrl.RouteResult, error) {
	return &ctrl.RouteResult{}, nil
}
func (f *fakeNode) CloseLink(*ctrl.CloseLink) {}

type fakeNode struct {
	mu  sync.Mutex
	ids []string
}

func (f *fakeNode) Unroute(m *ctrl.Unroute) {
	ids := m.CircuitIds
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = append(f.ids, ids...)
}

func TestBands(t *testing.T) {
	tests := []struct {
		precedence string
		cost, want uint32
	}{
		{"required", 0, 0},
		{"required", math.MaxUint32, 1<<30 - 2},
		{"default", 0, 1073741823},
		{"default", math.MaxUint32, 2147483645},
		{"failed", 0, 2147483646},
		{"failed", 5, 2147483651},
		{"unheard of", 0, 3221225469},
	}
	for _, tt := range tests {
		if got := biased(tt.precedence, tt.cost); got != tt.want {
			t.Errorf("%s %d: got %d, want %d", tt.precedence, tt.cost, got, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	b := newBed(t)
	code := func(a *ctrl.CircuitCreated) string { return a.GetRefusal().GetCode() }
	if got := code(b.create("c", func(m *ctrl.CreateCircuit) { m.ServiceId = "nope" })); got != CodeInvalidService {
		t.Error(got)
	}
	if a := b.create("c", nil); code(a) != CodeNoTerminators || a.Refusal.Message != "service svc has no terminators" {
		t.Error(a)
	}
	b.terminator("t1", "r1", nil)
	if a := b.create("c", nil); code(a) != CodeNoOnlineTerminators {
		t.Error(a)
	}
	b.Attach("r2", &fakeNode{}, nil)
	b.terminator("t2", "r2", nil)
	if a := b.create("c", nil); code(a) != ctrl.CodeNoPath {
		t.Error(a)
	}
	b.Attach("r1", &fakeNode{}, nil)
	if a := b.create("c", func(m *ctrl.CreateCircuit) { m.InstanceId = "x" }); a.Refusal.GetMessage() != "service svc has no terminators for instanceId x" {
		t.Error(a)
	}
	if a := b.create("c", nil); code(a) != "" || a.Route.Egress.TerminatorId != "t1" {
		t.Error(a)
	}
	if a := b.ask("r2", &ctrl.CreateCircuit{CircuitId: "c", IdentityId: "dialer", ServiceId: "svc", Attempt: 1}); code(a) != CodeDuplicateCircuit {
		t.Error(a)
	}
	b.apply(b.command().Patch(model.KindService, "svc", map[string]any{"encryptionRequired": true}))
	if a := b.create("c2", nil); code(a) != CodeEncryptionData || !strings.Contains(a.Refusal.Message, "initiator") {
		t.Error(a)
	}
	key := map[uint32][]byte{1003: make([]byte, 32)}
	if a := b.create("c2", func(m *ctrl.CreateCircuit) { m.PeerData = key }); code(a) != CodeEncryptionData || !strings.Contains(a.Refusal.Message, "terminator") {
		t.Error(a)
	}
	b.terminator("t1", "r1", func(x *model.Terminator) { x.PeerData = key })
	if a := b.create("c2", func(m *ctrl.CreateCircuit) { m.PeerData = key }); code(a) != "" || len(a.PeerData[1003]) != 32 {
		t.Error(a)
	}
	b.engine.Apply(b.now, policy.Put(&policy.Identity{ID: "host", Disabled: true}))
	if a := b.create("c3", func(m *ctrl.CreateCircuit) { m.PeerData = key }); code(a) != CodeNoOnlineTerminators {
		t.Error("a host without access is dialed:", a)
	}
}

func TestStrategies(t *testing.T) {
	b := newBed(t)
	b.Attach("r1", &fakeNode{}, nil)
	b.terminator("cheap", "r1", nil)
	b.terminator("dear", "r1", func(x *model.Terminator) { x.Cost = 100 })
	b.terminator("required", "r1", func(x *model.Terminator) { x.Cost = 60000; x.Precedence = "required"; x.InstanceID = "other" })
	b.terminator("failed", "r1", func(x *model.Terminator) { x.Precedence = "failed" })
	count := func(strategy, sticky string) map[string]int {
		b.apply(b.command().Patch(model.KindService, "svc", map[string]any{"terminatorStrategy": strategy}))
		out := make(map[string]int)
		for range 300 {
			a := b.create("c", func(m *ctrl.CreateCircuit) { m.Sticky = sticky })
			if strategy == "sticky" && a.Sticky != a.Route.Egress.TerminatorId {
				t.Error("no token", a)
			}
			out[a.Route.Egress.TerminatorId]++
			b.CircuitsEnded("r1", []string{"c"})
		}
		return out
	}
	if got := count("smartrouting", ""); got["cheap"] != 300 {
		t.Error(got)
	}
	if got := count("random", ""); got["cheap"] < 100 || got["dear"] < 100 || got["failed"] > 0 {
		t.Error(got)
	}
	if got := count("weighted", ""); got["cheap"] < 270 || got["failed"] > 0 {
		t.Error(got)
	}
	if got := count("sticky", "dear"); got["dear"] != 300 {
		t.Error(got)
	}
	if got := count("sticky", "gone"); got["cheap"] != 300 {
		t.Error(got)
	}
	for i := range 60 { // load moves dials to the other
		b.create("load"+string(rune('A'+i)), nil)
	}
	if c := b.DynamicCost("cheap"); c < 100 || c > 110 || b.DynamicCost("dear") == 0 {
		t.Error(c, b.DynamicCost("dear"))
	}
}

func TestFailedAttempts(t *testing.T) {
	b := newBed(t)
	b.Attach("r1", &fakeNode{}, nil)
	b.terminator("t1", "r1", nil)
	b.terminator("t2", "r1", func(x *model.Terminator) { x.Cost = 10; x.Binding = "transport"; x.HostID = "" })
	next := func(attempt uint32, id string, cause ctrl.Cause) *ctrl.CircuitCreated {
		return b.create("c", func(m *ctrl.CreateCircuit) {
			m.Attempt = attempt
			m.Failure = &ctrl.Failure{TerminatorId: id, Cause: cause, Message: "not today"}
		})
	}
	if a := b.create("c", nil); a.Route.Egress.TerminatorId != "t1" {
		t.Fatal(a)
	}
	a := next(2, "t1", ctrl.Cause_REJECTED_BY_APPLICATION)
	if a.Route.GetEgress().GetTerminatorId() != "t2" || b.DynamicCost("t1") < 18 {
		t.Fatal(a, b.DynamicCost("t1"))
	}
	a = next(3, "t2", ctrl.Cause_CONNECTION_REFUSED)
	want := "exceeded maximum [2] retries creating circuit [c/c] (failed to establish connection with terminator address t2. error: (not today))"
	if a.GetRefusal().GetCode() != ctrl.CodeConnectionRefused || !strings.Contains(a.Refusal.Remedy, "start the server at ") || a.Refusal.Message != want || b.Circuit("c") != nil {
		t.Error(a)
	}
	cost := b.DynamicCost("t1")
	b.later.Add(int64(time.Minute))
	if got := b.DynamicCost("t1"); got >= cost {
		t.Errorf("no credit: %d, then %d", cost, got)
	}
	b.later.Add(int64(time.Hour))
	if got := b.DynamicCost("t1"); got != 0 {
		t.Errorf("cost %d after an hour", got)
	}

	b.ask("r2", &ctrl.CreateCircuit{CircuitId: "x", IdentityId: "dialer", ServiceId: "svc", Attempt: 2,
		Failure: &ctrl.Failure{TerminatorId: "t1", Cause: ctrl.Cause_INVALID_TERMINATOR}}) // not its terminator
	next(2, "t2", ctrl.Cause_INVALID_TERMINATOR)
	eventually(t, "precedence", func() bool {
		return state.Get[model.Terminator](b.store.View(), "t2").Precedence == "failed"
	})
	if state.Get[model.Terminator](b.store.View(), "t1") == nil {
		t.Fatal("another router had a terminator removed")
	}
	next(2, "t1", ctrl.Cause_INVALID_TERMINATOR)
	eventually(t, "removal", func() bool { return state.Get[model.Terminator](b.store.View(), "t1") == nil })
}

func TestEndSessionAndCircuit(t *testing.T) {
	b := newBed(t)
	n := &fakeNode{}
	b.Attach("r1", n, nil)
	b.terminator("t1", "r1", nil)
	b.create("c1", nil)
	b.create("c2", func(m *ctrl.CreateCircuit) { m.SessionId = "other" })
	b.EndSession("s")
	if b.Circuit("c1") != nil || b.Circuit("c2") == nil || len(n.ids) != 1 {
		t.Error(n.ids)
	}
	if !b.EndCircuit("c2", "by hand") || b.EndCircuit("c2", "") || len(n.ids) != 2 {
		t.Error(n.ids)
	}
	b.apply(b.command().Create(with("s", &model.Revocation{Type: model.RevokeAPISession, ExpiresAt: b.now.Add(time.Hour)})))
	if a := b.create("c3", nil); a.GetRefusal().GetCode() != CodeSessionEnded {
		t.Error(a)
	}
	b.cfg.SessionAlive = func(id, _ string) bool { return id != "asleep" }
	if a := b.create("c4", func(m *ctrl.CreateCircuit) { m.SessionId = "asleep" }); a.GetRefusal().GetCode() != CodeSessionEnded {
		t.Error("a session that ended by inactivity:", a)
	}
	b.cfg.SessionAlive = func(_, identity string) bool { return identity != "dialer" }
	if a := b.create("c5", nil); a.GetRefusal().GetCode() != CodeSessionEnded {
		t.Error("the session of another identity:", a)
	}
	b.Detach("r1", &fakeNode{})
	if !b.Online("r1") {
		t.Error("an old connection takes the new one away")
	}
	b.Detach("r1", n)
	if b.Online("r1") {
		t.Error("still online")
	}
}

func TestTerminatorsOfOthers(t *testing.T) {
	b := newBed(t)
	b.terminator("taken", "r2", nil)
	b.terminator("kept", "r1", nil)
	done := make(chan *ctrl.TerminatorResults, 1)
	b.ChangeTerminators("r1", &ctrl.TerminatorChanges{
		Put: []*ctrl.Terminator{
			{Id: "taken", ServiceId: "svc", Binding: "edge", Address: "a", HostId: "host"},
			{Id: "wrong", ServiceId: "svc", Binding: "transport", Address: "tcp:a:1", HostId: "host"},
			{Id: "", ServiceId: "svc", Binding: "edge", Address: "a", HostId: "host"},
			{Id: "dear", ServiceId: "svc", Binding: "edge", Address: "a", HostId: "host", Cost: 70000},
			{Id: "fine", ServiceId: "svc", Binding: "edge", Address: "a", HostId: "host"},
		},
		Remove: []string{"taken", "unknown"},
	}, func(r *ctrl.TerminatorResults) { done <- r })
	r := <-done
	for id, code := range map[string]string{
		"taken": CodeTerminatorConflict, "wrong": CodeInvalidTerminator, "": CodeInvalidTerminator, "dear": CodeInvalidTerminator, "fine": "",
	} {
		if got := r.Refused[id].GetCode(); got != code {
			t.Errorf("%q: %q", id, got)
		}
	}
	v := b.store.View()
	if v.Count(model.KindTerminator) != 3 || state.Get[model.Terminator](v, "fine") == nil || state.Get[model.Terminator](v, "taken").RouterID != "r2" {
		t.Error("stored terminators")
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("not reached: " + what)
		}
	}
}

func TestCircuitsOfAnIdentityAreBounded(t *testing.T) {
	b := newBed(t)
	b.cfg.MaxCircuits = 2
	b.Attach("r1", &fakeNode{}, nil)
	b.terminator("t1", "r1", nil)
	for _, id := range []string{"1", "2", "2"} { // the next attempt at a circuit is no further one
		if a := b.create(id, nil); a.Refusal != nil {
			t.Fatal(id, a)
		}
	}
	if a := b.create("3", nil); a.GetRefusal().GetCode() != CodeTooManyCircuits || a.Refusal.Remedy == "" || b.Circuit("3") != nil {
		t.Error(a)
	}
	b.CircuitsEnded("r1", []string{"1"})
	if a := b.create("3", nil); a.Refusal != nil {
		t.Error(a)
	}
}

func TestFailuresAreExplained(t *testing.T) {
	b := newBed(t)
	b.Attach("r1", &fakeNode{}, nil)
	for _, tt := range []struct {
		cause        ctrl.Cause
		binding      string
		code, remedy string
	}{
		{ctrl.Cause_CONNECTION_REFUSED, "transport", ctrl.CodeConnectionRefused, "start the server at tcp:a:1, which router r1 dials"},
		{ctrl.Cause_DIAL_TIMED_OUT, "transport", ctrl.CodeDialTimedOut, "router r1 reaches tcp:a:1"},
		{ctrl.Cause_DNS_RESOLUTION_FAILED, "transport", ctrl.CodeNameNotResolved, "tcp:a:1"},
		{ctrl.Cause_PORT_NOT_ALLOWED, "transport", ctrl.CodePortNotAllowed, "router r1"},
		{ctrl.Cause_RESOURCES_NOT_AVAILABLE, "transport", ctrl.CodeResourcesNotAvailable, "router r1"},
		{ctrl.Cause_GENERIC, "transport", ctrl.CodeDialFailed, "router r1, whose log has more"},
		{ctrl.Cause_DIAL_TIMED_OUT, "edge", ctrl.CodeHostTimedOut, "host"},
		{ctrl.Cause_REJECTED_BY_APPLICATION, "edge", ctrl.CodeRejected, "log of the host"},
	} {
		t.Run(tt.code, func(t *testing.T) {
			b.terminator("t", "r1", func(x *model.Terminator) { x.Binding, x.Address = tt.binding, "tcp:a:1" })
			a := b.create("c", func(m *ctrl.CreateCircuit) {
				m.Attempt, m.Failure = 3, &ctrl.Failure{TerminatorId: "t", Cause: tt.cause, Message: "why"}
			})
			if r := a.GetRefusal(); r.GetCode() != tt.code || !strings.Contains(r.GetRemedy(), tt.remedy) || !strings.HasSuffix(r.GetMessage(), "error: (why))") {
				t.Error(a)
			}
		})
	}
}
