package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

func TestHello(t *testing.T) {
	b := newBed(t)
	s := b.connect("d", func(h *edge.Hello) {
		h.Grouped, h.First, h.UnderlayType, h.SupportsInspect = true, true, edge.UnderlayDefault, true
	})
	r, err := edge.ParseHelloResult(s.hello)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Success || r.RouterID != "router-1" || !r.SupportsBindSuccess || r.SupportsPosture ||
		r.Version.Version != "v1" || r.Version.Arch != "amd64" || r.ConnectionID == "" {
		t.Errorf("hello result: %+v", r)
	}
	for name, token := range map[string]string{"no token": "", "unknown token": "nobody"} {
		t.Run(name, func(t *testing.T) {
			hello := (&edge.Hello{Token: token}).Encode()
			_, _, err := channel.Dial(context.Background(), channel.DialConfig{Address: b.addr, TLS: b.tlsClient(), Hello: *hello})
			if err == nil {
				t.Fatal("accepted")
			}
		})
	}
}

func TestConnectRefusals(t *testing.T) {
	b := newBed(t)
	b.connect("h").host("svc", true)
	b.net.deny(policy.Dial, "d", "secret")
	s := b.connect("d")
	tok := func(session, identity, service, kind string) func(*edge.Connect) {
		return func(c *edge.Connect) { c.Token = []byte(serviceToken(session, identity, service, kind)) }
	}
	cases := map[string]struct {
		change func(*edge.Connect)
		want   string
		code   edge.ErrorCode
	}{
		"raw service id":     {func(c *edge.Connect) { c.Token = []byte("4mEo5pGKN3GkjTq0QP3d6j") }, "unable to get service token either by JWT parsing or id lookup", edge.CodeInvalidSession},
		"empty token":        {func(c *edge.Connect) { c.Token = nil }, "unable to get service token", edge.CodeInvalidSession},
		"broken JWT":         {func(c *edge.Connect) { c.Token = []byte("eyJh") }, "failed to create service token from JWT: token is malformed", edge.CodeInvalidSession},
		"another's session":  {tok("s-h", "h", "svc", "Dial"), "api session id (s-d) does not match service session api session id (s-h)", edge.CodeInvalidSession},
		"another's identity": {tok("s-d", "h", "svc", "Dial"), "invalid session", edge.CodeInvalidSession},
		"a token for Bind":   {tok("s-d", "d", "svc", "Bind"), "incorrect session type", edge.CodeWrongSessionType},
		"no access":          {tok("s-d", "d", "secret", "Dial"), "no service policy lets identity d Dial service secret", edge.CodeAccessDenied},
		"no terminators":     {tok("s-d", "d", "other", "Dial"), "service other has no terminators", edge.CodeInternal},
		"unknown instance":   {func(c *edge.Connect) { c.Instance = "x" }, "has no terminators", edge.CodeInternal},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := edge.Connect{ConnID: s.newID(), Token: []byte(serviceToken("s-d", "d", "svc", "Dial"))}
			c.change(&req)
			answer := s.request(req.Encode())
			closed, err := edge.ParseStateClosed(answer)
			if err != nil {
				t.Fatal(err)
			}
			if closed.ConnID != req.ConnID || closed.Error == nil || closed.Error.Code != c.code || !strings.Contains(closed.Error.Message, c.want) {
				t.Errorf("refusal: %+v %+v", closed, closed.Error)
			}
			// Clients on the C SDK try again at this very text.
			if (closed.Reason == "Invalid Session") != (c.code == edge.CodeInvalidSession) || closed.Reason == "" {
				t.Errorf("reason %q for the code %s", closed.Reason, c.code)
			}
		})
	}
	t.Run("no connection id", func(t *testing.T) {
		m := message.New(edge.TypeConnect, []byte(serviceToken("s-d", "d", "svc", "Dial")))
		closed, _ := edge.ParseStateClosed(s.request(m))
		if closed.ConnID != 0 || closed.Reason != "connId not set, required" {
			t.Errorf("%+v", closed)
		}
	})
	t.Run("id in use", func(t *testing.T) {
		_, _, err := s.dial("svc", false)
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		s.next--
		s.mu.Unlock()
		if _, _, err = s.dial("svc", false); err == nil || !strings.HasSuffix(err.Error(), "already in use") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no controller", func(t *testing.T) {
		b.net.mu.Lock()
		b.net.down = true
		b.net.mu.Unlock()
		if _, _, err := s.dial("svc", true); err == nil || !strings.HasPrefix(err.Error(), "no controller available, cannot create circuit; wait: ") {
			t.Errorf("%v", err)
		}
	})
	eventually(t, "nothing is left behind", func() bool { return b.table.Len() == 1 })
}

func TestDialCarriesWhatItShould(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	key := strings.Repeat("k", 65) // of a method with longer keys
	l := h.host("svc", true, func(r *edge.Bind) { r.PublicKey = []byte("host key") })
	d := b.connect("d")
	_, sc, err := d.dial("svc", false, func(c *edge.Connect) {
		c.PublicKey, c.CryptoMethod = []byte(key), []byte("libsodium")
		c.CallerID, c.AppData, c.Marker = "anybody", []byte("app data"), "abcdefg\x00"
		c.StickinessToken = []byte("sticky")
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(sc.PublicKey) != "host key" || sc.CircuitID == "" || !strings.HasPrefix(string(sc.StickinessToken), "stick-") || sc.UseXgress {
		t.Errorf("answer: %+v", sc)
	}
	x := <-l.dials
	if string(x.Token) != serviceToken("s-h", "h", "svc", "Bind") || x.ConnID != l.id || !x.RouterConnID || x.NewConnID != edge.FirstRouterConnID {
		t.Errorf("dial: %+v", x)
	}
	if x.DialerID != "d" || x.DialerName != "d-name" || x.CallerID != "anybody" || string(x.AppData) != "app data" || x.Marker != "abcdefg\x00" ||
		string(x.PublicKey) != key || x.CryptoMethod != nil || x.CircuitID != sc.CircuitID || !x.UseXgress || x.XgressAddress == "" || x.XgressCtrlID == "" {
		t.Errorf("dial: %+v", x)
	}
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	if b.net.asked[0].Sticky != "sticky" || b.net.asked[0].IdentityId != "d" {
		t.Errorf("the controller was asked %v", b.net.asked[0])
	}
}

func TestForgedDialerIdentity(t *testing.T) {
	b := newBed(t)
	l := b.connect("h").host("svc", true)
	d := b.connect("d")
	m := (&edge.Connect{ConnID: 9, Token: []byte(serviceToken("s-d", "d", "svc", "Dial"))}).Encode()
	m.Headers.PutString(edge.HeaderDialerIdentityID, "admin")
	m.Headers.PutString(edge.HeaderDialerIdentityName, "admin")
	if answer := d.request(m); answer.Type != edge.TypeStateConnected {
		t.Fatalf("%s", answer.Body)
	}
	if x := <-l.dials; x.DialerID != "d" || x.DialerName != "d-name" {
		t.Errorf("the host was told %q %q", x.DialerID, x.DialerName)
	}
}

func TestHostRejects(t *testing.T) {
	b := newBed(t, func(c *Config) { c.DialTimeout = 50 * time.Millisecond })
	cases := map[string]struct {
		l    *listener
		want string
	}{
		"with a reason": {&listener{refuse: "go away"}, "error: (rejected by application: go away)"},
		"by silence":    {&listener{silent: true}, "did not answer in time"},
	}
	d := b.connect("d")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			svc := "svc " + name
			if _, answer := b.connect("h").tryHost(svc, true, c.l); answer.Type != edge.TypeStateConnected {
				t.Fatalf("%s", answer.Body)
			}
			<-c.l.success
			_, _, err := d.dial(svc, true)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "exceeded maximum [2] retries") {
				t.Errorf("%v", err)
			}
			if first, second := <-c.l.dials, <-c.l.dials; first.CircuitID != second.CircuitID || first.NewConnID == second.NewConnID {
				t.Errorf("attempts: %+v, %+v", first, second)
			}
			eventually(t, "the circuit is gone", func() bool { return b.table.Len() == 0 })
		})
	}
}

func TestClientGivesUp(t *testing.T) {
	b := newBed(t)
	l, answer := b.connect("h").tryHost("svc", true, &listener{silent: true})
	if answer.Type != edge.TypeStateConnected {
		t.Fatal("bind refused")
	}
	<-l.success
	d := b.connect("d")
	d.ch.TrySend((&edge.Connect{ConnID: 5, Token: []byte(serviceToken("s-d", "d", "svc", "Dial"))}).Encode())
	<-l.dials
	d.ch.TrySend((&edge.StateClosed{ConnID: 5}).Encode())
	eventually(t, "the circuit is gone", func() bool { return b.table.Len() == 0 })
	// The id may be used again.
	if r := d.request((&edge.Connect{ConnID: 5, Token: []byte(serviceToken("s-d", "d", "none", "Dial"))}).Encode()); string(r.Body) != "service none has no terminators" {
		t.Errorf("%s", r.Body)
	}
}

func TestFreshSessionWaitsForPolicies(t *testing.T) {
	b := newBed(t, func(c *Config) {
		c.Directory, c.ServicePatience = &slowDirectory{network: c.Directory.(*network)}, 10*time.Second
	})
	b.connect("h").host("svc", true)
	b.net.deny(policy.Dial, "d", "svc")
	s := b.connect("d")
	done := make(chan error, 1)
	go func() { _, _, err := s.dial("svc", true); done <- err }()
	select {
	case err := <-done:
		t.Fatalf("answered before the news: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	b.net.mu.Lock()
	clear(b.net.denied)
	close(b.net.changed)
	b.net.changed = make(chan struct{})
	b.net.mu.Unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestClientsWithoutConnectionIDs(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", false)
	d := b.connect("d")
	req := edge.Connect{ConnID: 3, Token: []byte(serviceToken("s-d", "d", "svc", "Dial")), UseXgress: true}
	got := make(chan *message.Message, 100)
	d.handle(3, func(f *channel.Frame) { got <- f.Clone(); f.Release() })
	sc, err := edge.ParseStateConnected(d.request(req.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	host := (<-l.accepted).(*rawConn)
	send := func(p xgress.Payload) {
		p.Circuit = []byte(sc.CircuitID)
		m := p.Message(nil)
		d.ch.TrySend(&m)
	}
	send(xgress.Payload{Flags: xgress.FlagCircuitStart, Capabilities: xgress.CapEOF, HasCapabilities: true})
	send(xgress.Payload{Seq: 1, Data: []byte("hello")})
	if b := <-host.in; string(b) != "hello" {
		t.Fatalf("%q", b)
	}
	// A payload of another circuit under one's own id goes nowhere.
	forged := xgress.Payload{Circuit: []byte("4RKXaP80Gm5AK5KGuDLtZj"), Seq: 2, ConnID: 3, HasConnID: true, Data: []byte("forged")}
	m := forged.Message(nil)
	d.ch.TrySend(&m)
	send(xgress.Payload{Seq: 2, Data: []byte("world")})
	if b := <-host.in; string(b) != "world" {
		t.Fatalf("%q", b)
	}
	if _, err := host.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	for m := range got {
		if !m.Headers.Has(edge.HeaderConnID) {
			t.Error("no connection id")
		}
		if p, err := xgress.ParsePayload(m); err == nil && string(p.Data) == "answer" {
			break
		}
	}
	d.ch.TrySend(xgress.Close(sc.CircuitID))
	select {
	case <-host.closed:
	case <-time.After(10 * time.Second):
		t.Fatal("the host was not told")
	}
	eventually(t, "the circuit is gone", func() bool { return b.table.Len() == 0 })
}

func TestNeedlessRetransmissionsStop(t *testing.T) {
	b := newBed(t)
	h := b.connect("h")
	l := h.host("svc", true)
	d := b.connect("d")
	c, sc, err := d.dial("svc", true)
	if err != nil {
		t.Fatal(err)
	}
	host := (<-l.accepted).(*flow.Conn)
	dial := <-l.dials
	if _, err := c.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if s, err := host.Next(); err != nil || string(s.Data) != "abc" {
		t.Fatal(err)
	}
	seen := make(chan xgress.Payload, 10)
	h.handle(dial.NewConnID, func(f *channel.Frame) {
		if p, err := xgress.ParsePayload(f.Clone()); err == nil {
			seen <- p
		}
		f.Release()
	})
	again := xgress.Payload{Circuit: []byte(sc.CircuitID), Seq: 1, Flags: xgress.FlagRetransmit, ConnID: 1, HasConnID: true, Data: []byte("abc")}
	m := again.Message(nil)
	d.ch.TrySend(&m)
	fresh := xgress.Payload{Circuit: []byte(sc.CircuitID), Seq: 2, ConnID: 1, HasConnID: true, Data: []byte("def")}
	n := fresh.Message(nil)
	d.ch.TrySend(&n)
	if p := <-seen; string(p.Data) != "def" {
		t.Errorf("the host got %q", p.Data)
	}
	// Without any progress a repetition may be needed.
	eventually(t, "a retransmission passes", func() bool {
		d.ch.TrySend(&m)
		select {
		case p := <-seen:
			return string(p.Data) == "abc"
		case <-time.After(20 * time.Millisecond):
			return false
		}
	})
}

func TestOddMessagesAreHarmless(t *testing.T) {
	b := newBed(t)
	s := b.connect("d")
	for _, typ := range []int32{edge.TypeData, edge.TypeStateClosed, edge.TypeXgPayload, edge.TypeXgAcknowledgement, edge.TypeXgControl,
		edge.TypeXgClose, edge.TypeDialSuccess, edge.TypeConnInspectResponse, edge.TypeBind, edge.TypeUnbind, edge.TypeUpdateBind,
		edge.TypeHealthEvent, edge.TypePostureResponse, edge.TypeSubscribeToServiceUpdates, edge.TypeTraceRoute, 424242} {
		s.ch.TrySend(message.New(typ, []byte("x")))
		m := message.New(typ, nil)
		m.Headers.PutUint32(edge.HeaderConnID, 4711)
		s.ch.TrySend(m)
	}
	if r := s.request(message.New(channel.TypeLatency, nil)); r.Type != channel.TypeResult {
		t.Errorf("%+v", r)
	}
	v2 := (&edge.Connect{ConnID: 8, ServiceID: "svc"}).Encode()
	if r := s.request(v2); r.Type != edge.TypeStateClosed || string(r.Body) != "connect-v2 requires an OIDC API session" {
		t.Errorf("%+v", r)
	}
}

func TestTrace(t *testing.T) {
	b := newBed(t)
	b.connect("h").host("svc", true)
	s := b.connect("d")
	if _, _, err := s.dial("svc", true); err != nil {
		t.Fatal(err)
	}
	for hops, want := range map[uint32]string{1: "xgress/edge", 2: "forwarder"} {
		r, err := edge.ParseTraceRouteResponse(s.request((&edge.TraceRoute{ConnID: 1, Hops: hops, Timestamp: 5}).Encode()))
		if err != nil || r.HopType != want || r.Timestamp != 5 || r.Error != "" {
			t.Errorf("%d hops: %+v, %v", hops, r, err)
		}
	}
}

func TestTokenUpdateIsRefused(t *testing.T) {
	b := newBed(t)
	s := b.connect("d")
	r, err := edge.ParseUpdateTokenResult(s.request((&edge.UpdateToken{Token: "eyJ"}).Encode()))
	if err != nil || r.Error == nil || r.Error.Code != edge.CodeInvalidAPISessionType {
		t.Errorf("%+v, %v", r, err)
	}
	<-s.ch.Done()
}
