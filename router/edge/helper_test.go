package edge

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serviceToken is a stand-in for the JWT of a service session.
func serviceToken(session, identity, service, kind string) string {
	return "ey|" + strings.Join([]string{session, identity, service, kind}, "|")
}

// network is a Directory and a Controller in memory.
type network struct {
	mu          sync.Mutex
	sessions    map[string]Session // by token
	dead        map[string]bool    // sessions and service sessions
	denied      map[string]bool    // action/identity/service
	changed     chan struct{}
	terminators map[string]*ctrl.Terminator
	refuse      *RefusedError // answer to PutTerminator
	puts        int
	removed     []string
	down        bool
	absent      bool // no controller is connected
	asked       []*ctrl.CreateCircuit
	onCreate    func() // called with the lock for every CreateCircuit
	ended       []string
	next        int
}

func newNetwork() *network {
	return &network{
		sessions: make(map[string]Session), dead: make(map[string]bool), denied: make(map[string]bool),
		changed: make(chan struct{}), terminators: make(map[string]*ctrl.Terminator),
	}
}

func (n *network) Session(_ context.Context, token string, _ []*x509.Certificate) (Session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, ok := n.sessions[token]
	if !ok {
		return s, errors.New("invalid api session")
	}
	return s, nil
}

func (n *network) Alive(s Session) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead[s.ID] {
		return errors.New("the api session has ended")
	}
	return nil
}

func (n *network) Service(text string) (token.Service, error) {
	p := strings.Split(text, "|")
	if len(p) != 5 {
		return token.Service{}, errors.New("token is malformed: token contains an invalid number of segments")
	}
	s := token.Service{ID: strings.Join(p[1:], "/"), APISessionID: p[1], IdentityID: p[2], ServiceID: p[3], Type: p[4]}
	return s, n.ServiceAlive(s.ID)
}

func (n *network) ServiceAlive(id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead[id] {
		return errors.New("the service session has ended")
	}
	return nil
}

func (n *network) Access(a policy.Action, identity, service string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.denied[a.String()+"/"+identity+"/"+service] {
		return fmt.Errorf("no service policy lets identity %s %s service %s", identity, a, service)
	}
	return nil
}

func (n *network) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

func (n *network) kill(session string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead[session] = true
}

func (n *network) deny(a policy.Action, identity, service string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.denied[a.String()+"/"+identity+"/"+service] = true
}

func (n *network) CreateCircuit(_ context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return nil, errors.New("no controller available")
	}
	if n.absent {
		return nil, ErrNotConnected
	}
	if n.onCreate != nil {
		n.onCreate()
	}
	n.asked = append(n.asked, proto.Clone(m).(*ctrl.CreateCircuit))
	if m.Attempt > 2 {
		return &ctrl.CircuitCreated{Refusal: &ctrl.Refusal{
			Message: fmt.Sprintf("exceeded maximum [2] retries creating circuit [c/%s] (%s)", m.CircuitId, m.Failure.Reason()),
		}}, nil
	}
	var fit []*ctrl.Terminator
	for _, t := range n.terminators {
		if t.ServiceId == m.ServiceId && t.InstanceId == m.InstanceId {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 {
		return &ctrl.CircuitCreated{Refusal: &ctrl.Refusal{Message: "service " + m.ServiceId + " has no terminators"}}, nil
	}
	n.next++
	t := fit[n.next%len(fit)]
	return &ctrl.CircuitCreated{
		PeerData: t.PeerData,
		Sticky:   "stick-" + t.Id,
		Route:    &ctrl.Route{CircuitId: m.CircuitId, Egress: &ctrl.Egress{TerminatorId: t.Id, Binding: t.Binding, Address: t.Address}},
	}, nil
}

func (n *network) PutTerminator(_ context.Context, t *ctrl.Terminator) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.puts++
	if n.refuse != nil {
		return n.refuse
	}
	n.terminators[t.Id] = t
	return nil
}

func (n *network) RemoveTerminator(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.terminators, id)
	n.removed = append(n.removed, id)
}

func (n *network) circuitEnded(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = append(n.ended, id)
}

func (n *network) hosted() []*ctrl.Terminator {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []*ctrl.Terminator
	for _, t := range n.terminators {
		out = append(out, t)
	}
	return out
}

// bed is one router's edge on a loopback port.
type bed struct {
	t     testing.TB
	net   *network
	srv   *Server
	table *forward.Table
	addr  string
	dial  net.Dialer // of clients
}

func leaf(t testing.TB, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func newBed(t testing.TB, change ...func(*Config)) *bed {
	t.Helper()
	return newBedOn(t, &net.ListenConfig{}, change...)
}

// newSmallBed is newBed where the kernel stores little for the sockets of the
// router: what the router stores shows after few messages.
func newSmallBed(t testing.TB, change ...func(*Config)) *bed {
	t.Helper()
	small := func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			for _, of := range []int{syscall.SO_SNDBUF, syscall.SO_RCVBUF} {
				if err := syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, of, 128<<10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	b := newBedOn(t, &net.ListenConfig{Control: small}, change...)
	b.dial.Control = small
	return b
}

func newBedOn(t testing.TB, on *net.ListenConfig, change ...func(*Config)) *bed {
	t.Helper()
	n := newNetwork()
	table := forward.NewTable(n.circuitEnded)
	tcp := egress.New(egress.Config{})
	table.Register(egress.Binding, tcp)
	cfg := Config{
		RouterID: "router-1", Directory: n, Controller: n, Table: table,
		Version: edge.Version{Version: "v1", Revision: "r", BuildDate: "d", OS: "linux", Arch: "amd64"},
	}
	for _, f := range change {
		f(&cfg)
	}
	srv := New(cfg)
	tl, err := on.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := channel.NewMux(tl, channel.MuxConfig{})
	l, err := mux.Listener(&tls.Config{
		Certificates: []tls.Certificate{leaf(t, "router")}, ClientAuth: tls.RequireAnyClientCert,
	}, "ziti-edge", "")
	if err != nil {
		t.Fatal(err)
	}
	listener := channel.NewListener(l, srv.TunedConfig(srv.cfg.Hosts.Flow))
	var wg sync.WaitGroup
	wg.Go(func() { _ = mux.Serve() })
	wg.Go(func() { _ = listener.Serve() })
	t.Cleanup(func() {
		_ = listener.Close()
		mux.Close()
		srv.Close()
		tcp.Close()
		wg.Wait()
	})
	return &bed{t: t, net: n, srv: srv, table: table, addr: tl.Addr().String()}
}

// sdk is a minimal client: it dispatches by connection id.
type sdk struct {
	t        testing.TB
	identity string
	session  string
	ch       *channel.Channel
	hello    *message.Message

	mu    sync.Mutex
	sinks map[uint32]func(*channel.Frame)
	next  uint32
}

func (b *bed) tlsClient() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{leaf(b.t, "client")}, InsecureSkipVerify: true}
}

func (b *bed) connect(identity string, hello ...func(*edge.Hello)) *sdk {
	b.t.Helper()
	tok := "ws1_" + identity
	b.net.mu.Lock()
	b.net.sessions[tok] = Session{ID: "s-" + identity, IdentityID: identity, IdentityName: identity + "-name"}
	b.net.mu.Unlock()
	s := &sdk{t: b.t, identity: identity, session: "s-" + identity, sinks: make(map[uint32]func(*channel.Frame)), next: 1}
	h := edge.Hello{Token: tok}
	for _, f := range hello {
		f(&h)
	}
	ch, answer, err := channel.Dial(context.Background(), channel.DialConfig{
		Net: b.dial.DialContext, Address: b.addr, TLS: b.tlsClient(), Hello: *h.Encode(), Handler: s,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	s.ch, s.hello = ch, answer
	b.t.Cleanup(func() { ch.Close(); ch.Wait() })
	return s
}

func (s *sdk) HandleFrame(_ *channel.Channel, f *channel.Frame) {
	id, _ := edge.ConnID(f.Headers)
	s.mu.Lock()
	sink := s.sinks[id]
	s.mu.Unlock()
	if sink == nil {
		f.Release()
		return
	}
	sink(f)
}

func (s *sdk) handle(id uint32, f func(*channel.Frame)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sinks[id] = f
}

func (s *sdk) newID() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	return id
}

func (s *sdk) request(m *message.Message) *message.Message {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	r, err := s.ch.Request(ctx, m)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// conn is one end of a connection in a test, with or without a window.
type conn interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// dial connects to a service; the answer is the StateConnected.
func (s *sdk) dial(service string, window bool, opts ...func(*edge.Connect)) (conn, *edge.StateConnected, error) {
	id := s.newID()
	c := edge.Connect{ConnID: id, Token: []byte(serviceToken(s.session, s.identity, service, "Dial")), UseXgress: window}
	for _, f := range opts {
		f(&c)
	}
	var early []*channel.Frame
	var mu sync.Mutex
	s.handle(id, func(f *channel.Frame) { mu.Lock(); early = append(early, f); mu.Unlock() })
	answer := s.request(c.Encode())
	if answer.Type == edge.TypeStateClosed {
		closed, err := edge.ParseStateClosed(answer)
		if err != nil {
			s.t.Fatal(err)
		}
		if closed.Error != nil {
			return nil, nil, errors.New(closed.Error.Message)
		}
		return nil, nil, errors.New(closed.Reason)
	}
	sc, err := edge.ParseStateConnected(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	out := s.newConn(id, sc.CircuitID, flow.Initiator, window)
	mu.Lock()
	for _, f := range early {
		s.HandleFrame(nil, f)
	}
	mu.Unlock()
	return out, sc, nil
}

func (s *sdk) newConn(id uint32, circuit string, role flow.Role, window bool) conn {
	if window {
		fc := flow.New(flow.Config{Circuit: circuit, Role: role, Output: s.ch, ConnID: id, HasConnID: true,
			Closed: func(error) { s.ch.TrySend(xgress.Close(circuit)) }})
		s.handle(id, func(f *channel.Frame) {
			if f.Type == edge.TypeStateClosed {
				fc.PeerClosed(nil)
				f.Release()
				return
			}
			forward.Deliver(fc, f)
		})
		fc.Start()
		return fc
	}
	r := &rawConn{s: s, id: id, in: make(chan []byte, 1<<16), closed: make(chan struct{})}
	s.handle(id, r.handle)
	return r
}

// rawConn is a connection without client-side flow control.
type rawConn struct {
	s      *sdk
	id     uint32
	in     chan []byte // nil: FIN
	rest   []byte
	fin    bool
	closed chan struct{}
	once   sync.Once
	reason string
}

func (r *rawConn) handle(f *channel.Frame) {
	defer f.Release()
	switch f.Type {
	case edge.TypeData:
		d, _ := edge.ParseData(&f.Message)
		if len(d.Body) > 0 {
			r.in <- bytes.Clone(d.Body)
		}
		if d.Flags&edge.FlagFIN != 0 {
			r.in <- nil
		}
	case edge.TypeStateClosed:
		r.once.Do(func() { r.reason = string(f.Body); close(r.closed) })
	}
}

func (r *rawConn) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.fin {
			return 0, io.EOF
		}
		select {
		case b := <-r.in:
			r.rest, r.fin = b, b == nil
			continue
		default:
		}
		select {
		case b := <-r.in:
			r.rest, r.fin = b, b == nil
		case <-r.closed:
			select {
			case b := <-r.in:
				r.rest, r.fin = b, b == nil
			default:
				return 0, io.EOF
			}
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *rawConn) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		part := p[n:min(n+32<<10, len(p))]
		if err := r.s.ch.Send(context.Background(), (&edge.Data{ConnID: r.id, Body: part}).Encode()); err != nil {
			return n, err
		}
		n += len(part)
	}
	return len(p), nil
}

func (r *rawConn) CloseWrite() error {
	return r.s.ch.Send(context.Background(), (&edge.Data{ConnID: r.id, Flags: edge.FlagFIN}).Encode())
}

func (r *rawConn) Close() error {
	return r.s.ch.Send(context.Background(), (&edge.StateClosed{ConnID: r.id}).Encode())
}

// listener is a hosted service of a test.
type listener struct {
	id       uint32
	accepted chan conn
	dials    chan *edge.Dial
	closed   chan *edge.StateClosed
	success  chan struct{}
	refuse   string // DialFailed with this reason
	silent   bool   // no answer to Dial
}

func (s *sdk) host(service string, window bool, opts ...func(*edge.Bind)) *listener {
	s.t.Helper()
	l, answer := s.tryHost(service, window, nil, opts...)
	if answer.Type != edge.TypeStateConnected {
		s.t.Fatalf("bind refused: %s", answer.Body)
	}
	select {
	case <-l.success:
	case <-time.After(10 * time.Second):
		s.t.Fatal("no BindSuccess")
	}
	return l
}

func (s *sdk) tryHost(service string, window bool, l *listener, opts ...func(*edge.Bind)) (*listener, *message.Message) {
	s.t.Helper()
	if l == nil {
		l = &listener{}
	}
	l.accepted, l.dials = make(chan conn, 1000), make(chan *edge.Dial, 1000)
	l.closed, l.success = make(chan *edge.StateClosed, 10), make(chan struct{}, 10)
	l.id = s.newID()
	b := edge.Bind{
		ConnID: l.id, Token: []byte(serviceToken(s.session, s.identity, service, "Bind")), ListenerID: []byte("listener-of-" + s.identity),
		RouterConnID: true, SupportsBindSuccess: true, UseXgress: window,
	}
	for _, f := range opts {
		f(&b)
	}
	l.id = b.ConnID
	s.handle(l.id, func(f *channel.Frame) { s.serve(l, f) })
	return l, s.request(b.Encode())
}

func (s *sdk) serve(l *listener, f *channel.Frame) {
	defer f.Release()
	switch f.Type {
	case edge.TypeBindSuccess:
		l.success <- struct{}{}
	case edge.TypeStateClosed:
		c, _ := edge.ParseStateClosed(f.Clone())
		l.closed <- c
	case edge.TypeConnInspectRequest:
		r := (&edge.ConnInspectResponse{ConnID: l.id, Type: edge.ConnBind}).Encode()
		s.ch.TryReply(&f.Message, r)
	case edge.TypeDial:
		d, err := edge.ParseDial(f.Clone())
		if err != nil {
			s.t.Error(err)
			return
		}
		select {
		case l.dials <- d:
		default:
		}
		if l.silent {
			return
		}
		if l.refuse != "" {
			s.ch.TryReply(&f.Message, (&edge.DialFailed{ConnID: l.id, Reason: l.refuse}).Encode())
			return
		}
		c := s.newConn(d.NewConnID, d.CircuitID, flow.Terminator, d.UseXgress)
		s.ch.TryReply(&f.Message, (&edge.DialSuccess{ConnID: l.id, NewConnID: 77}).Encode())
		l.accepted <- c
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute) // for a busy machine under the race detector
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*13) ^ byte(i>>9) ^ seed
	}
	return b
}

type (
	frameOf = *channel.Frame
	msg     = message.Message
)
