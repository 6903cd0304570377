package edge

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
)

// browserListener is a WebSocket listener whose channels answer every message
// with itself.
type browserListener struct {
	t    *testing.T
	addr string
}

func newBrowserListener(t *testing.T, cfg WebSocketConfig) *browserListener {
	t.Helper()
	cfg.TLS = &tls.Config{Certificates: []tls.Certificate{leaf(t, "router")}, ClientAuth: tls.RequireAnyClientCert}
	if cfg.HandshakeTimeout == 0 {
		cfg.HandshakeTimeout = 5 * time.Second
	}
	if cfg.PingInterval == 0 {
		cfg.PingInterval = time.Minute
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sockets := NewWebSockets(l.Addr(), cfg)
	server := &http.Server{Handler: sockets, ReadTimeout: 5 * time.Second}
	listener := channel.NewListener(sockets, channel.ListenerConfig{Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		return &channel.Accepted{Handler: mirror{}}, nil
	}})
	var work sync.WaitGroup
	work.Go(func() {
		_ = server.Serve(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{leaf(t, "browser")}}))
	})
	work.Go(func() { _ = listener.Serve() })
	t.Cleanup(func() { listener.Close(); server.Close(); work.Wait() })
	return &browserListener{t: t, addr: l.Addr().String()}
}

// mirror sends every message back.
type mirror struct{}

func (mirror) HandleFrame(c *channel.Channel, f *channel.Frame) {
	if !c.TrySendFrame(f) {
		f.Release()
	}
}

// open makes a WebSocket and what a client sees of it beneath its own TLS.
func (b *browserListener) open(path string, compress bool) (net.Conn, error) {
	d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, EnableCompression: compress}
	ws, answer, err := d.Dial("wss://"+b.addr+path, http.Header{"Origin": {"https://elsewhere.example"}})
	if answer != nil && answer.Body != nil {
		answer.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	s := newSocket(ws, WebSocketConfig{PingInterval: time.Hour})
	ws.EnableWriteCompression(compress)
	b.t.Cleanup(func() { s.Close() })
	return s, nil
}

type received struct{ frames chan *channel.Frame }

func (r received) HandleFrame(_ *channel.Channel, f *channel.Frame) { r.frames <- f }

func (b *browserListener) dial(compress bool, certificates ...tls.Certificate) (*channel.Channel, received, error) {
	in := received{make(chan *channel.Frame, 1)}
	ch, _, err := channel.Dial(context.Background(), channel.DialConfig{
		Address: b.addr, TLS: &tls.Config{Certificates: certificates, InsecureSkipVerify: true}, Handler: in,
		Net: func(context.Context, string, string) (net.Conn, error) { return b.open(WebSocketPath, compress) },
	})
	if err == nil {
		b.t.Cleanup(func() { ch.Close(); ch.Wait() })
	}
	return ch, in, err
}

func TestWebSocketCarriesAChannel(t *testing.T) {
	for name, compress := range map[string]bool{"plain": false, "compressed": true} {
		t.Run(name, func(t *testing.T) {
			b := newBrowserListener(t, WebSocketConfig{Compression: compress, ReadBuffer: 1024, WriteBuffer: 1024, WriteTimeout: 10 * time.Second, PongTimeout: 10 * time.Second})
			ch, in, err := b.dial(compress, leaf(t, "client"))
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{0, 1, 5000, 700 << 10} {
				body := make([]byte, size)
				_, _ = rand.Read(body)
				if err := ch.Send(t.Context(), &message.Message{Type: 5000, Body: body}); err != nil {
					t.Fatal(err)
				}
				f := <-in.frames
				if !bytes.Equal(f.Body, body) {
					t.Errorf("%d bytes came back as %d", size, len(f.Body))
				}
				f.Release()
			}
		})
	}
}

func TestWebSocketNeedsTheClientsCertificate(t *testing.T) {
	b := newBrowserListener(t, WebSocketConfig{})
	if _, _, err := b.dial(false); err == nil {
		t.Error("a client without a certificate is in")
	}
	if _, err := b.open("/elsewhere", false); err == nil {
		t.Error("another path leads to the edge")
	}
}

// TestWebSocketPings: a client that answers pings stays, one that does not is
// closed.
func TestWebSocketPings(t *testing.T) {
	b := newBrowserListener(t, WebSocketConfig{PingInterval: 20 * time.Millisecond, PongTimeout: 300 * time.Millisecond})
	ch, _, err := b.dial(false, leaf(t, "client"))
	if err != nil {
		t.Fatal(err)
	}
	dead, err := b.open(WebSocketPath, false)
	if err != nil {
		t.Fatal(err)
	}
	// A client that never reads after its handshake: its pongs are missing.
	inside := tls.Client(dead, &tls.Config{Certificates: []tls.Certificate{leaf(t, "client")}, InsecureSkipVerify: true})
	if err := inside.Handshake(); err != nil {
		t.Fatal(err)
	}
	raw := dead.(*socket).ws.NetConn() // whoever reads WebSocket frames from it answers pings
	_ = raw.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, raw); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a silent client is still connected")
	}
	if ch.Err() != nil {
		t.Errorf("a client that answers is closed: %v", ch.Err())
	}
}
