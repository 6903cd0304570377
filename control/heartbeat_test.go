package control

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
)

// valve is a connection whose reads can be held back.
type valve struct {
	net.Conn
	mu sync.RWMutex
}

func (v *valve) Read(b []byte) (int, error) {
	n, err := v.Conn.Read(b)
	v.mu.RLock()
	defer v.mu.RUnlock()
	return n, err
}

// beating returns a session with heartbeats, and what holds back the answers.
func beating(t *testing.T, beats Heartbeats) (*RouterEnd, *valve) {
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
	c := &controller{gone: make(chan error, 1)}
	l := channel.NewListener(pl, channel.ListenerConfig{Options: Tuning{}.ChannelOptions(), Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		return &channel.Accepted{Handler: NewControllerEnd("r1", c, Tuning{})}, nil
	}})
	go mux.Serve()
	go l.Serve()
	t.Cleanup(func() { l.Close(); mux.Close() })
	v := &valve{}
	end, err := Dial(t.Context(), DialConfig{
		Address: inner.Addr().String(), TLS: &tls.Config{InsecureSkipVerify: true}, Handler: &router{}, Heartbeats: beats,
		Net: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			v.Conn = conn
			return v, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end.Close)
	return end, v
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

func TestPulseSeesASlowController(t *testing.T) {
	end, v := beating(t, Heartbeats{Interval: 10 * time.Millisecond, Check: 5 * time.Millisecond, Unresponsive: 200 * time.Millisecond, Close: time.Minute})
	is := func(responsive bool) func() bool {
		return func() bool { trip, r := end.Pulse(); return trip > 0 && r == responsive }
	}
	eventually(t, "a controller that answers is responsive", is(true))
	v.mu.Lock()
	eventually(t, "one that does not is not", is(false))
	v.mu.Unlock()
	eventually(t, "one that answers again is", is(true))
	if end.Err() != nil {
		t.Error("the session ended")
	}
}

func TestPulseEndsASilentSession(t *testing.T) {
	end, v := beating(t, Heartbeats{Interval: 10 * time.Millisecond, Close: 100 * time.Millisecond})
	v.mu.Lock()
	defer v.mu.Unlock()
	receive(t, end.Done())
	if _, responsive := end.Pulse(); responsive {
		t.Error("an ended session is responsive")
	}
}
