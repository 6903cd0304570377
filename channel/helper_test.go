package channel

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/wire/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func leaf(t testing.TB, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func serverTLS(t testing.TB) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{leaf(t, "server")}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
}

func clientTLS(t testing.TB) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{leaf(t, "client")}, InsecureSkipVerify: true}
}

func startMux(t testing.TB, cfg MuxConfig) *Mux {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := NewMux(l, cfg)
	done := make(chan error, 1)
	go func() { done <- m.Serve() }()
	t.Cleanup(func() {
		m.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return m
}

// recorder passes clones of what it gets to a channel and the events of its life.
type recorder struct {
	frames chan *message.Message
	opened chan *Channel
	closed chan error
}

func newRecorder() *recorder {
	return &recorder{frames: make(chan *message.Message, 10000), opened: make(chan *Channel, 10), closed: make(chan error, 10)}
}

func (r *recorder) HandleFrame(_ *Channel, f *Frame) {
	r.frames <- f.Clone()
	f.Release()
}
func (r *recorder) HandleOpen(c *Channel)             { r.opened <- c }
func (r *recorder) HandleClose(_ *Channel, err error) { r.closed <- err }

type handlerFunc func(c *Channel, f *Frame)

func (h handlerFunc) HandleFrame(c *Channel, f *Frame) { h(c, f) }

func accept(h Handler) func(context.Context, *Peer) (*Accepted, error) {
	return func(context.Context, *Peer) (*Accepted, error) {
		a := &Accepted{Handler: h}
		a.Headers.PutString(HeaderID, "router-1")
		return a, nil
	}
}

func startListener(t testing.TB, cfg ListenerConfig, protos ...string) (*Mux, *Listener) {
	t.Helper()
	m := startMux(t, MuxConfig{})
	if len(protos) == 0 {
		protos = []string{"ziti-edge", ""}
	}
	pl, err := m.Listener(serverTLS(t), protos...)
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(pl, cfg)
	done := make(chan error, 1)
	go func() { done <- l.Serve() }()
	t.Cleanup(func() {
		l.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return m, l
}

func dial(t testing.TB, m *Mux, h Handler, o Options) *Channel {
	t.Helper()
	c, _, err := Dial(t.Context(), DialConfig{Address: m.Addr().String(), TLS: clientTLS(t), ALPN: "ziti-edge", Handler: h, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); c.Wait() })
	return c
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing arrived")
		panic("unreachable")
	}
}

// raw makes a TLS connection without a hello.
func raw(t testing.TB, m *Mux, cfg *tls.Config, protos ...string) *tls.Conn {
	t.Helper()
	cfg = cfg.Clone()
	cfg.NextProtos = protos
	c, err := tls.Dial("tcp", m.Addr().String(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}
