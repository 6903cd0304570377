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

// TestControllerEndsASilentSession has a router that takes nothing any more.
func TestControllerEndsASilentSession(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := channel.NewMux(inner, channel.MuxConfig{})
	pl, err := mux.Listener(&tls.Config{Certificates: []tls.Certificate{certificate(t)}}, ctrl.ALPN)
	if err != nil {
		t.Fatal(err)
	}
	c := &controller{gone: make(chan error, 1), resync: make(chan bool, 1)}
	var mu sync.Mutex
	seen := make(map[int32]Direction)
	tuning := Tuning{
		Queue: 300, WriteTimeout: time.Minute, Heartbeats: Heartbeats{Interval: time.Millisecond, Close: 50 * time.Millisecond},
		Trace: func(routerID string) Trace {
			return func(d Direction, contentType int32, _ []byte) {
				mu.Lock()
				defer mu.Unlock()
				seen[contentType] = d
			}
		},
	}
	if o := tuning.ChannelOptions(); o.QueueMessages != 300 || o.WriteTimeout != time.Minute {
		t.Errorf("%+v", o)
	}
	l := channel.NewListener(pl, channel.ListenerConfig{Options: tuning.ChannelOptions(), Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		return &channel.Accepted{Handler: NewControllerEnd("r1", c, tuning)}, nil
	}})
	var work sync.WaitGroup
	work.Go(func() { mux.Serve() })
	work.Go(func() { l.Serve() })
	t.Cleanup(func() { l.Close(); mux.Close(); work.Wait() })
	v := &valve{}
	end, err := Dial(t.Context(), DialConfig{
		Address: inner.Addr().String(), TLS: &tls.Config{InsecureSkipVerify: true}, Handler: &router{},
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
	if !end.Resync() {
		t.Fatal("not sent")
	}
	eventually(t, "the trace has the message, sent by the router", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return seen[ctrl.TypeSliceResync] == Sent
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-c.gone:
	case <-time.After(20 * time.Second):
		t.Fatal("the session goes on")
	}
}
