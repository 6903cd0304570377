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
func (c *controller) HandleActivity(_ *ControllerEnd, ids []string) { c.active <- ids }
func (c *controller) HandleEnd(_ *ControllerEnd, err error)         { c.gone <- err }

// router notes what it is told.
type router struct {
	slices chan *ctrl.SliceUpdate
	ends   chan *ctrl.Unroute
}

func (r *router) HandleSlice(u *ctrl.SliceUpdate) { r.slices <- u }
func (r *router) HandleUnroute(u *ctrl.Unroute)   { r.ends <- u }
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
		active: make(chan []string, 1), gone: make(chan error, 1),
	}
	l := channel.NewListener(pl, channel.ListenerConfig{Options: ChannelOptions(), Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		return &channel.Accepted{Handler: NewControllerEnd("r1", c)}, nil
	}})
	go mux.Serve()
	go l.Serve()
	t.Cleanup(func() { l.Close(); mux.Close() })
	r := &router{slices: make(chan *ctrl.SliceUpdate, 10), ends: make(chan *ctrl.Unroute, 10)}
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
	s.Unroute([]string{"c1"}, "why")
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
