package ingress

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// network is a router whose services have one terminator each.
type network struct {
	t      testing.TB
	table  *forward.Table
	egress map[string]*egress.Transport

	mu       sync.Mutex
	services map[string]*ctrl.Egress
	refusal  *ctrl.Refusal
	log      bytes.Buffer
}

func newNetwork(t testing.TB) *network {
	n := &network{t: t, table: forward.NewTable(nil), egress: make(map[string]*egress.Transport), services: make(map[string]*ctrl.Egress)}
	for _, binding := range []string{egress.Binding, egress.BindingUDP} {
		n.egress[binding] = egress.New(egress.Config{Binding: binding})
		n.table.Register(binding, n.egress[binding])
		t.Cleanup(n.egress[binding].Close)
	}
	return n
}

// Open implements Circuits.
func (n *network) Open(ctx context.Context, o forward.Own) (*forward.Circuit, *forward.Established, error) {
	return n.table.Open(ctx, n, o)
}

// CreateCircuit is the controller.
func (n *network) CreateCircuit(_ context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e := n.services[m.ServiceId]; {
	case n.refusal != nil:
		return &ctrl.CircuitCreated{Refusal: n.refusal}, nil
	case e == nil || m.Attempt > 1:
		return &ctrl.CircuitCreated{Refusal: &ctrl.Refusal{Code: "NO_TERMINATORS", Message: "none", Remedy: "start a host"}}, nil
	default:
		own := &ctrl.Egress{Binding: e.Binding, Address: e.Address, TerminatorId: e.TerminatorId}
		return &ctrl.CircuitCreated{Route: &ctrl.Route{CircuitId: m.CircuitId, Egress: own}}, nil
	}
}

func (n *network) service(name, binding, address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.services[name] = &ctrl.Egress{Binding: binding, Address: address, TerminatorId: name}
}

func (n *network) config(service string) Config {
	return Config{Name: "test", Service: service, Circuits: n, Log: slog.New(slog.NewTextHandler(lockedWriter{n}, nil))}
}

type lockedWriter struct{ n *network }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.n.mu.Lock()
	defer w.n.mu.Unlock()
	return w.n.log.Write(b)
}

func (n *network) logged() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.log.String()
}

// streams serves a TCP listener until the end of the test.
func (n *network) streams(cfg Config) (*Streams, string) {
	n.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		n.t.Fatal(err)
	}
	s := NewStreams(l, cfg)
	n.serve(s.Serve, s.Close)
	return s, l.Addr().String()
}

// packets serves a UDP socket until the end of the test.
func (n *network) packets(cfg Config) (*Packets, string) {
	n.t.Helper()
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		n.t.Fatal(err)
	}
	p := NewPackets(l, cfg)
	n.serve(p.Serve, p.Close)
	return p, l.LocalAddr().String()
}

func (n *network) serve(serve, stop func() error) {
	done := make(chan error, 1)
	go func() { done <- serve() }()
	n.t.Cleanup(func() {
		if err := stop(); err != nil {
			n.t.Error(err)
		}
		if err := <-done; err != nil {
			n.t.Error(err)
		}
	})
}

// server serves TCP connections, each with f, until the end of the test.
func server(t testing.TB, f func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				f(c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return l.Addr().String()
}

// udpEcho answers every datagram with itself until the end of the test.
func udpEcho(t *testing.T) string {
	t.Helper()
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 64<<10)
		for {
			k, from, err := l.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = l.WriteTo(b[:k], from)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.LocalAddr().String()
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come about", what)
		}
	}
}
