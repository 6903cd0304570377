package control

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// controller answers with what it was asked.
type controller struct {
	session chan *ControllerEnd
	resync  chan bool
	ended   chan []string
	active  chan []string
	gone    chan error
	told    chan proto.Message
}

func (c *controller) HandleRegister(s *ControllerEnd, m *ctrl.Register, reply func(*ctrl.Registered)) {
	reply(&ctrl.Registered{RouterId: s.RouterID, ControllerId: m.Hostname})
	c.session <- s
}
func (c *controller) HandleResync(*ControllerEnd) { c.resync <- true }
func (c *controller) HandleCreateCircuit(_ *ControllerEnd, m *ctrl.CreateCircuit, reply func(*ctrl.CircuitCreated)) {
	reply(&ctrl.CircuitCreated{Sticky: m.CircuitId})
}
func (c *controller) HandleCircuitsEnded(_ *ControllerEnd, ids []string) { c.ended <- ids }
func (c *controller) HandleTerminatorChanges(_ *ControllerEnd, m *ctrl.TerminatorChanges, reply func(*ctrl.TerminatorResults)) {
	go reply(&ctrl.TerminatorResults{Refused: map[string]*ctrl.Refusal{m.Put[0].Id: {Code: "X"}}})
}
func (c *controller) HandleActivity(_ *ControllerEnd, ids []string)      { c.active <- ids }
func (c *controller) HandleCircuitFaults(_ *ControllerEnd, ids []string) { c.ended <- ids }
func (c *controller) HandleConfirmCircuits(_ *ControllerEnd, m *ctrl.ConfirmCircuits, reply func(*ctrl.ConfirmedCircuits)) {
	reply(&ctrl.ConfirmedCircuits{Drop: []string{m.Circuits[0].CircuitId}})
}
func (c *controller) HandleLinkChanges(_ *ControllerEnd, m *ctrl.LinkChanges)        { c.told <- m }
func (c *controller) HandleRouterState(_ *ControllerEnd, m *ctrl.RouterState)        { c.told <- m }
func (c *controller) HandleMetrics(_ *ControllerEnd, m *ctrl.MetricsReport)          { c.told <- m }
func (c *controller) HandleIdentities(_ *ControllerEnd, m *ctrl.ConnectedIdentities) { c.told <- m }
func (c *controller) HandleInterfaces(_ *ControllerEnd, m *ctrl.Interfaces)          { c.told <- m }
func (c *controller) HandleExtend(_ *ControllerEnd, m *ctrl.Extend, reply func(*ctrl.Extended)) {
	reply(&ctrl.Extended{Cert: m.CertCsr})
}
func (c *controller) HandleConfirmExtend(_ *ControllerEnd, m *ctrl.ConfirmExtend, reply func(*ctrl.ExtendConfirmed)) {
	reply(&ctrl.ExtendConfirmed{Refusal: &ctrl.Refusal{Code: m.Cert}})
}
func (c *controller) HandleEnd(_ *ControllerEnd, err error) { c.gone <- err }

// router notes what it is told.
type router struct {
	slices chan *ctrl.SliceUpdate
	ends   chan *ctrl.Unroute
	told   chan proto.Message
}

func (r *router) HandleSlice(u *ctrl.SliceUpdate)   { r.slices <- u }
func (r *router) HandleUnroute(u *ctrl.Unroute)     { r.ends <- u }
func (r *router) HandlePeers(m *ctrl.Peers)         { r.told <- m }
func (r *router) HandleEndpoints(m *ctrl.Endpoints) { r.told <- m }
func (r *router) HandleCloseLink(m *ctrl.CloseLink) { r.told <- m }
func (r *router) HandleRoute(ctx context.Context, m *ctrl.Route) *ctrl.RouteResult {
	if m.TimeoutMillis > 0 {
		<-ctx.Done()
	}
	return &ctrl.RouteResult{Failure: &ctrl.Failure{Message: m.CircuitId}}
}
func (r *router) HandleInspect(_ context.Context, m *ctrl.Inspect) *ctrl.InspectResult {
	return &ctrl.InspectResult{Values: map[string]string{m.Keys[0]: "v"}}
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// connect returns both ends of a session.
func connect(t *testing.T) (*RouterEnd, *router, *controller) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := channel.NewMux(inner, channel.MuxConfig{})
	pl, err := mux.Listener(&tls.Config{Certificates: []tls.Certificate{certificate(t)}}, ctrl.ALPN)
	if err != nil {
		t.Fatal(err)
	}
	c := &controller{
		session: make(chan *ControllerEnd, 1), resync: make(chan bool, 1), ended: make(chan []string, 1),
		active: make(chan []string, 1), gone: make(chan error, 1), told: make(chan proto.Message, 1),
	}
	l := channel.NewListener(pl, channel.ListenerConfig{Options: Tuning{}.ChannelOptions(), Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		return &channel.Accepted{Handler: NewControllerEnd("r1", c, Tuning{})}, nil
	}})
	go mux.Serve()
	go l.Serve()
	t.Cleanup(func() { l.Close(); mux.Close() })
	r := &router{slices: make(chan *ctrl.SliceUpdate, 10), ends: make(chan *ctrl.Unroute, 10), told: make(chan proto.Message, 10)}
	end, err := Dial(t.Context(), DialConfig{Address: inner.Addr().String(), TLS: &tls.Config{InsecureSkipVerify: true}, Handler: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end.Close)
	return end, r, c
}

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing arrived")
		panic("unreachable")
	}
}

func TestSession(t *testing.T) {
	end, r, c := connect(t)
	registered, err := end.Register(t.Context(), &ctrl.Register{Hostname: "h"})
	if err != nil || registered.RouterId != "r1" || registered.ControllerId != "h" {
		t.Fatal(registered, err)
	}
	s := receive(t, c.session)
	if !s.Alive(t.Context(), time.Second) || s.Peer() == nil {
		t.Error("not alive")
	}
	if a, err := end.CreateCircuit(t.Context(), &ctrl.CreateCircuit{CircuitId: "x"}); err != nil || a.Sticky != "x" {
		t.Error(a, err)
	}
	a, err := end.ChangeTerminators(t.Context(), &ctrl.TerminatorChanges{Put: []*ctrl.Terminator{{Id: "t"}}})
	if err != nil || a.Refused["t"].GetCode() != "X" {
		t.Error(a, err)
	}
	if err := errors.Join(end.CircuitsEnded(t.Context(), []string{"a"}), end.Activity(t.Context(), []string{"b"})); err != nil || !end.Resync() {
		t.Error(err)
	}
	if receive(t, c.ended)[0] != "a" || receive(t, c.active)[0] != "b" || !receive(t, c.resync) {
		t.Error("reports")
	}

	slice := filled(100)
	s.PushSlice(WholeSlice(slice))
	if u := receive(t, r.slices); !u.Reset_ || !u.Last || len(u.Items) != 100 {
		t.Error(u)
	}
	s.Unroute(&ctrl.Unroute{CircuitIds: []string{"c1"}, Reason: "why"})
	if u := receive(t, r.ends); u.CircuitIds[0] != "c1" || u.Reason != "why" {
		t.Error(u)
	}
	if a, err := s.Route(t.Context(), &ctrl.Route{CircuitId: "c2"}); err != nil || a.Failure.Message != "c2" {
		t.Error(a, err)
	}
	if a, err := s.Inspect(t.Context(), []string{"k"}); err != nil || a.Values["k"] != "v" {
		t.Error(a, err)
	}

	waiting := make(chan error, 1)
	go func() {
		_, err := s.Route(context.Background(), &ctrl.Route{CircuitId: "c3", TimeoutMillis: 1})
		waiting <- err
	}()
	s.Close()
	if err := receive(t, waiting); !errors.Is(err, channel.ErrClosed) {
		t.Error(err)
	}
	receive(t, c.gone)
	receive(t, end.Done())
	if _, err := end.CreateCircuit(t.Context(), &ctrl.CreateCircuit{}); err == nil || end.Err() == nil {
		t.Error("an ended session answers")
	}
}

func TestReports(t *testing.T) {
	end, _, c := connect(t)
	if _, err := end.Register(t.Context(), &ctrl.Register{}); err != nil {
		t.Fatal(err)
	}
	for _, report := range []struct {
		m    proto.Message
		send func() error
	}{
		{&ctrl.LinkChanges{Whole: true}, func() error { return end.LinkChanges(t.Context(), &ctrl.LinkChanges{Whole: true}) }},
		{&ctrl.RouterState{Quiesced: true}, func() error { return end.State(t.Context(), &ctrl.RouterState{Quiesced: true}) }},
		{&ctrl.MetricsReport{AtMillis: 1}, func() error { return end.Metrics(t.Context(), &ctrl.MetricsReport{AtMillis: 1}) }},
		{&ctrl.ConnectedIdentities{Whole: true}, func() error { return end.Identities(t.Context(), &ctrl.ConnectedIdentities{Whole: true}) }},
		{&ctrl.Interfaces{}, func() error { return end.Interfaces(t.Context(), &ctrl.Interfaces{}) }},
	} {
		if err := report.send(); err != nil {
			t.Error(err)
		}
		if got := receive(t, c.told); !proto.Equal(got, report.m) {
			t.Errorf("%T: %v", got, got)
		}
	}
	if err := end.CircuitFaults(t.Context(), []string{"f"}); err != nil || receive(t, c.ended)[0] != "f" {
		t.Error(err)
	}
	confirmed, err := end.ConfirmCircuits(t.Context(), &ctrl.ConfirmCircuits{Circuits: []*ctrl.IdleCircuit{{CircuitId: "i"}}})
	if err != nil || confirmed.Drop[0] != "i" {
		t.Error(confirmed, err)
	}
	extended, err := end.Extend(t.Context(), &ctrl.Extend{CertCsr: "csr"})
	if err != nil || extended.Cert != "csr" {
		t.Error(extended, err)
	}
	done, err := end.ConfirmExtend(t.Context(), &ctrl.ConfirmExtend{Cert: "pem"})
	if err != nil || done.Refusal.GetCode() != "pem" {
		t.Error(done, err)
	}
}

func TestPushes(t *testing.T) {
	end, r, c := connect(t)
	if _, err := end.Register(t.Context(), &ctrl.Register{}); err != nil {
		t.Fatal(err)
	}
	s := receive(t, c.session)
	s.PushPeers(&ctrl.Peers{Whole: true})
	s.PushEndpoints(&ctrl.Endpoints{Index: 3})
	s.CloseLink(&ctrl.CloseLink{LinkId: "l"})
	for _, want := range []proto.Message{&ctrl.Peers{Whole: true}, &ctrl.Endpoints{Index: 3}, &ctrl.CloseLink{LinkId: "l"}} {
		if got := receive(t, r.told); !proto.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestMalformedBodiesEndTheSession(t *testing.T) {
	for _, contentType := range []int32{ctrl.TypeRegister, ctrl.TypeCreateCircuit, ctrl.TypeCircuitsEnded, ctrl.TypeTerminatorChanges, ctrl.TypeActivity} {
		end, _, c := connect(t)
		if err := end.ch.Send(t.Context(), message.New(9999, []byte("of a later release"))); err != nil {
			t.Fatal(err)
		}
		if err := end.ch.Send(t.Context(), message.New(contentType, []byte{255})); err != nil {
			t.Fatal(err)
		}
		receive(t, c.gone)
		receive(t, end.Done())
	}
}
