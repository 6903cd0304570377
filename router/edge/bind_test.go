package edge

import (
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/edge"
)

// slowDirectory hands out fresh service sessions and has news.
type slowDirectory struct{ *network }

func (d *slowDirectory) Service(text string) (token.Service, error) {
	s, err := d.network.Service(text)
	s.IssuedAt = time.Now()
	return s, err
}

func (l *listener) wantClosed(t *testing.T) *edge.StateClosed {
	t.Helper()
	select {
	case c := <-l.closed:
		return c
	case <-time.After(10 * time.Second):
		t.Fatal("the listener was not closed")
		return nil
	}
}

func TestBindIsAnsweredEarly(t *testing.T) {
	b := newBed(t, func(c *Config) { c.RetryPeriod = 10 * time.Millisecond })
	b.net.refuse = &RefusedError{Code: "X", Message: "not yet"}
	l, answer := b.connect("h").tryHost("svc", true, nil)
	sc, err := edge.ParseStateConnected(answer)
	if err != nil || sc.ConnID != l.id || !sc.RouterConnID {
		t.Fatalf("%+v, %v", sc, err)
	}
	c := l.wantClosed(t)
	if c.Reason != "received error from controller: not yet" || c.Error == nil || c.Error.RetryHint != edge.RetryDefault {
		t.Errorf("%+v", c)
	}
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	if b.net.puts != 3 {
		t.Errorf("%d attempts", b.net.puts)
	}
	select {
	case <-l.success:
		t.Error("success without a terminator")
	default:
	}
}

func TestFinalRefusalIsNotRetried(t *testing.T) {
	b := newBed(t)
	b.net.refuse = &RefusedError{Code: "INVALID_SERVICE", Message: "no such service"}
	l, _ := b.connect("h").tryHost("svc", true, nil)
	if c := l.wantClosed(t); c.Error == nil || c.Error.Code != edge.CodeInvalidService || c.Error.RetryHint != edge.RetryNotRetriable {
		t.Errorf("%+v", c)
	}
	if len(b.srv.Terminators()) != 0 {
		t.Error("still hosted")
	}
}

func TestBindRefusals(t *testing.T) {
	b := newBed(t)
	b.net.deny(policy.Bind, "h", "secret")
	s := b.connect("h")
	cases := map[string]struct {
		change func(*edge.Bind)
		want   string
	}{
		"a token for Dial": {func(r *edge.Bind) { r.Token = []byte(serviceToken("s-h", "h", "svc", "Dial")) }, "rejecting bind, invalid session type. expected Bind, got Dial"},
		"no access":        {func(r *edge.Bind) { r.Token = []byte(serviceToken("s-h", "h", "secret", "Bind")) }, "no service policy lets identity h Bind service secret"},
		"another's token":  {func(r *edge.Bind) { r.Token = []byte(serviceToken("s-x", "x", "svc", "Bind")) }, "api session id (s-h) does not match"},
		"precedence":       {func(r *edge.Bind) { r.Precedence = 9 }, "invalid precedence 9"},
		"ids of its own":   {func(r *edge.Bind) { r.RouterConnID = false }, "connection ids chosen by the router"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, answer := s.tryHost("svc", true, nil, c.change)
			if closed, err := edge.ParseStateClosed(answer); err != nil || closed.Error == nil || !strings.Contains(closed.Error.Message, c.want) {
				t.Errorf("%s %+v", answer.Body, closed)
			}
		})
	}
	if n := len(b.srv.Terminators()); n != 0 {
		t.Errorf("%d terminators are left", n)
	}
}

func TestTakeOver(t *testing.T) {
	b := newBed(t)
	first := b.connect("h").host("svc", true)
	before := b.net.hosted()[0]
	second := b.connect("h").host("svc", true)
	c := first.wantClosed(t)
	if c.Reason != "found a newer terminator for listener id" || c.Error == nil || c.Error.Code != edge.CodeInternal ||
		c.Error.Message != "newer terminator found for listener id" || c.Error.RetryHint != edge.RetryDefault {
		t.Errorf("%+v", c)
	}
	after := b.net.hosted()
	if len(after) != 1 || after[0].Id != before.Id || b.net.puts != 1 || len(b.net.removed) != 0 {
		t.Errorf("terminators %v, %d writes, %v removed", after, b.net.puts, b.net.removed)
	}
	if _, _, err := b.connect("d").dial("svc", true); err != nil {
		t.Fatal(err)
	}
	<-second.accepted
	// The old channel's end takes nothing away.
	if n := len(b.srv.Terminators()); n != 1 {
		t.Errorf("%d terminators", n)
	}
	// Another identity with the same listener id is somebody else.
	b.connect("x").host("svc", true, func(r *edge.Bind) { r.ListenerID = []byte("listener-of-h") })
	if n := len(b.srv.Terminators()); n != 2 {
		t.Errorf("%d terminators", n)
	}
}

func TestRepeatedBind(t *testing.T) {
	b := newBed(t)
	s := b.connect("h")
	s.newID()
	l := s.host("svc", true)
	again := edge.Bind{ConnID: l.id, Token: []byte(serviceToken("s-h", "h", "svc", "Bind")), ListenerID: []byte("listener-of-h"), RouterConnID: true}
	if r := s.request(again.Encode()); r.Type != edge.TypeStateConnected {
		t.Fatalf("%s", r.Body)
	}
	select {
	case <-l.success:
	case <-time.After(10 * time.Second):
		t.Error("no second BindSuccess")
	}
	stale := again
	stale.ConnID = l.id - 1
	s.ch.TrySend(stale.Encode())
	if r := s.request(again.Encode()); r.Type != edge.TypeStateConnected {
		t.Fatalf("%s", r.Body)
	}
	if n := len(b.srv.Terminators()); n != 1 || b.net.puts != 1 {
		t.Errorf("%d terminators, %d writes", n, b.net.puts)
	}
}

func TestUpdatesOfAListener(t *testing.T) {
	b := newBed(t)
	s := b.connect("h")
	l := s.host("svc", true, func(r *edge.Bind) { r.Cost, r.Instance, r.InstanceSecret = 7, "i1", []byte("secret") })
	x := b.net.hosted()[0]
	if x.Cost != 7 || x.Precedence != "default" || x.InstanceId != "i1" || string(x.InstanceSecret) != "secret" || x.HostId != "h" || x.Binding != Binding || x.Address != "hosted:"+x.Id {
		t.Errorf("%v", x)
	}
	tok := []byte(serviceToken("s-h", "h", "svc", "Bind"))
	cost, required := uint16(300), edge.PrecedenceRequired
	s.ch.TrySend((&edge.UpdateBind{ConnID: l.id, Token: tok, Cost: &cost, Precedence: &required}).Encode())
	eventually(t, "cost and precedence change", func() bool { x := b.net.hosted()[0]; return x.Cost == 300 && x.Precedence == "required" })
	s.ch.TrySend((&edge.HealthEvent{ConnID: l.id, Token: tok, Passed: false}).Encode())
	eventually(t, "an ill host comes last", func() bool { return b.net.hosted()[0].Precedence == "failed" })
	s.ch.TrySend((&edge.HealthEvent{ConnID: l.id, Token: tok, Passed: true}).Encode())
	eventually(t, "a healthy host comes back", func() bool { return b.net.hosted()[0].Precedence == "default" })
}

func TestUnbindKeepsConnections(t *testing.T) {
	b := newBed(t)
	s := b.connect("h")
	l := s.host("svc", true)
	c, _, err := b.connect("d").dial("svc", true)
	if err != nil {
		t.Fatal(err)
	}
	r := s.request((&edge.Unbind{ConnID: l.id, Token: []byte(serviceToken("s-h", "h", "svc", "Bind"))}).Encode())
	if r.Type != edge.TypeStateClosed || len(r.Body) == 0 {
		t.Errorf("%+v", r)
	}
	s.ch.TrySend((&edge.StateClosed{ConnID: l.id}).Encode())
	if len(b.net.hosted()) != 0 || len(b.srv.Terminators()) != 0 {
		t.Error("still hosted")
	}
	exchange(t, c, <-l.accepted, 100_000)
}

func TestChannelCloseTakesEverythingAlong(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", true)
	for _, window := range []bool{true, false} {
		d := b.connect("d")
		c, _, err := d.dial("svc", window)
		if err != nil {
			t.Fatal(err)
		}
		host := <-l.accepted
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		d.ch.Close()
		if n, err := host.Read(make([]byte, 1)); err == nil {
			t.Errorf("read %d bytes from nobody", n)
		}
	}
	eventually(t, "circuits end", func() bool { return b.table.Len() == 0 })
	h.ch.Close()
	eventually(t, "terminators go", func() bool { return len(b.net.hosted()) == 0 && len(b.srv.Terminators()) == 0 })
	if got := b.srv.Sessions(); len(got) > 2 {
		t.Errorf("sessions: %v", got)
	}
}

func TestInspection(t *testing.T) {
	b := newBed(t, func(c *Config) { c.InspectPeriod, c.InspectLimit = 10*time.Millisecond, 50*time.Millisecond })
	inspects := func(r *edge.Bind) { r.SupportsInspect = true }
	good := b.connect("good").host("svc", true, inspects)
	answers := map[string]func(s *sdk, l *listener) func(*channel.Frame){
		"no listener": func(s *sdk, l *listener) func(*channel.Frame) {
			return func(f *channel.Frame) {
				if f.Type != edge.TypeConnInspectRequest {
					s.serve(l, f)
					return
				}
				s.ch.TryReply(&f.Message, (&edge.ConnInspectResponse{Type: edge.ConnInvalid}).Encode())
				f.Release()
			}
		},
		"no answer": func(s *sdk, l *listener) func(*channel.Frame) {
			return func(f *channel.Frame) {
				if f.Type != edge.TypeConnInspectRequest {
					s.serve(l, f)
					return
				}
				f.Release()
			}
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			s := b.connect("h " + name)
			l := &listener{accepted: make(chan conn, 1), closed: make(chan *edge.StateClosed, 1), success: make(chan struct{}, 1), id: 40}
			s.handle(l.id, answer(s, l))
			bind := edge.Bind{ConnID: l.id, Token: []byte(serviceToken(s.session, s.identity, "svc", "Bind")), RouterConnID: true, SupportsInspect: true}
			if r := s.request(bind.Encode()); r.Type != edge.TypeStateConnected {
				t.Fatalf("%s", r.Body)
			}
			if c := l.wantClosed(t); c.Reason == "" {
				t.Error("no reason")
			}
		})
	}
	if n := len(b.srv.Terminators()); n != 1 || len(good.closed) != 0 {
		t.Errorf("%d terminators are left", n)
	}
}

func TestAccessLost(t *testing.T) {
	for _, window := range []bool{true, false} {
		b := newBed(t)
		l := b.connect("h").host("svc", window)
		d := b.connect("d")
		c, _, err := d.dial("svc", window)
		if err != nil {
			t.Fatal(err)
		}
		host := <-l.accepted
		b.srv.Recheck(nil)
		if b.table.Len() != 1 || len(b.srv.Terminators()) != 1 {
			t.Fatal("a check took something away")
		}
		b.net.deny(policy.Dial, "d", "svc")
		b.srv.Recheck(func(identity, service string) bool { return identity == "somebody" })
		if b.table.Len() != 1 {
			t.Fatal("a check of somebody else took something away")
		}
		b.srv.Recheck(func(identity, service string) bool { return identity == "d" && service == "svc" })
		for _, end := range []conn{c, host} {
			if _, err := end.Read(make([]byte, 1)); err == nil {
				t.Error("still open")
			}
		}
		if raw, ok := c.(*rawConn); ok && raw.reason != "dial access lost" {
			t.Errorf("the dialer was told %q", raw.reason)
		}
		other := b.connect("e")
		if c, _, err = other.dial("svc", window); err != nil {
			t.Fatal(err)
		}
		b.net.deny(policy.Bind, "h", "svc")
		b.srv.Recheck(nil)
		x := l.wantClosed(t)
		if x.Reason != "bind access lost" || x.Error == nil || x.Error.Code != edge.CodeAccessDenied || x.Error.RetryHint != edge.RetryStartOver {
			t.Errorf("%+v", x)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a circuit of the lost terminator is open")
		}
		eventually(t, "nothing is left", func() bool { return b.table.Len() == 0 && len(b.net.hosted()) == 0 })
	}
}

func TestSessionEnds(t *testing.T) {
	b := newBed(t)
	h, d := b.connect("h"), b.connect("d")
	h.host("svc", true)
	b.net.mu.Lock()
	b.net.dead["s-h"] = true
	b.net.mu.Unlock()
	b.srv.RecheckSessions()
	<-h.ch.Done()
	eventually(t, "its terminator goes", func() bool { return len(b.net.hosted()) == 0 })
	if d.ch.Err() != nil {
		t.Error("another session ended too")
	}
	if got := b.srv.Sessions(); len(got) != 1 || got[0] != "s-d" {
		t.Errorf("sessions: %v", got)
	}
}

func TestServiceSessionEnds(t *testing.T) {
	for _, window := range []bool{true, false} {
		b := newBed(t)
		l := b.connect("h").host("svc", window)
		d := b.connect("d")
		c, _, err := d.dial("svc", window)
		if err != nil {
			t.Fatal(err)
		}
		<-l.accepted
		b.srv.RecheckSessions()
		if b.table.Len() != 1 || len(b.srv.Terminators()) != 1 {
			t.Fatal("a check took something away")
		}
		b.net.kill("s-d/d/svc/Dial")
		b.srv.RecheckSessions()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("the circuit is still open")
		}
		answer := d.request((&edge.Connect{ConnID: d.newID(), Token: []byte(serviceToken("s-d", "d", "svc", "Dial"))}).Encode())
		if x, err := edge.ParseStateClosed(answer); err != nil || x.Error == nil || x.Error.Code != edge.CodeInvalidSession || x.Error.RetryHint != edge.RetryStartOver {
			t.Errorf("a new dial: %+v %v", x, err)
		}
		if d.ch.Err() != nil || len(b.srv.Terminators()) != 1 {
			t.Error("more ended than the service session")
		}
		if c, _, err = b.connect("e").dial("svc", window); err != nil {
			t.Fatal(err)
		}
		b.net.kill("s-h/h/svc/Bind")
		b.srv.RecheckSessions()
		if x := l.wantClosed(t); x.Error == nil || x.Error.Code != edge.CodeInvalidSession || x.Error.RetryHint != edge.RetryStartOver {
			t.Errorf("the host: %+v", x)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a circuit of the lost terminator is open")
		}
		eventually(t, "nothing is left", func() bool { return b.table.Len() == 0 && len(b.net.hosted()) == 0 })
	}
}

func TestServiceSessionEndsDuringADial(t *testing.T) {
	b := newBed(t)
	l := b.connect("h").host("svc", true)
	d := b.connect("d")
	b.net.mu.Lock()
	b.net.onCreate = func() { b.net.dead["s-d/d/svc/Dial"] = true }
	b.net.mu.Unlock()
	if _, _, err := d.dial("svc", true); err == nil || !strings.Contains(err.Error(), "service session has ended") {
		t.Error(err)
	}
	if c := <-l.accepted; c != nil {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("the host keeps its end")
		}
	}
	eventually(t, "nothing is left", func() bool { return b.table.Len() == 0 })
}

func TestRefusedLater(t *testing.T) {
	b := newBed(t)
	l := b.connect("h").host("svc", true)
	b.srv.RefuseTerminator(b.net.hosted()[0].Id, &RefusedError{Code: "INVALID_SERVICE", Message: "service deleted"})
	if c := l.wantClosed(t); !strings.Contains(c.Reason, "service deleted") {
		t.Errorf("%+v", c)
	}
}

func TestUnroute(t *testing.T) {
	b := newBed(t)
	l := b.connect("h").host("svc", false)
	c, sc, err := b.connect("d").dial("svc", true)
	if err != nil {
		t.Fatal(err)
	}
	host := (<-l.accepted).(*rawConn)
	if r := b.table.Reports(); len(r) != 1 || r[0].CircuitId != sc.CircuitID || r[0].IdentityId != "d" || r[0].HostId != "h" || r[0].TerminatorId == "" {
		t.Errorf("%v", r)
	}
	b.table.Unroute("service deleted", sc.CircuitID, "unknown")
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("still open")
	}
	<-host.closed
	if host.reason != "service deleted" {
		t.Errorf("the host was told %q", host.reason)
	}
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	if len(b.net.ended) != 0 {
		t.Error("the controller was told what it had ordered")
	}
}

// TestUpdatesInOrder: of many updates at once the last one counts.
func TestUpdatesInOrder(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", true)
	for cost := range uint16(500) {
		cost++
		u := edge.UpdateBind{ConnID: l.id, Token: []byte(serviceToken("s-h", "h", "svc", "Bind")), Cost: &cost}
		if err := h.ch.Send(t.Context(), u.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the last cost counts", func() bool { return b.srv.Terminators()[0].Cost == 500 && b.net.hosted()[0].Cost == 500 })
}
