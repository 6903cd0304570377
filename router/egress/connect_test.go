package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// server serves TCP connections, each with f, until the end of the test.
func server(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, l, f)
	return l.Addr().String()
}

func serve(t *testing.T, l net.Listener, f func(net.Conn)) {
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				f(c)
			})
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
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
			n, from, err := l.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = l.WriteTo(b[:n], from)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.LocalAddr().String()
}

func TestAddressesOfABinding(t *testing.T) {
	for _, tt := range []struct {
		binding, address string
		ok               bool
	}{
		{Binding, "tls:host:443", true},
		{Binding, "udp:host:53", true},
		{Binding, "udp6:[::1]:53", true},
		{BindingUDP, "udp4:host:53", true},
		{BindingUDP, "unixgram:/run/log", true},
		{BindingUDP2, "tcp:host:53", false},
		{BindingUDP, "tls:host:53", false},
		{Binding, "wss:host:443", false},
		{Binding, "tcp:host:0", false},
		{Binding, "tcp:host:port", false},
		{Binding, "tcp:host:99999", false},
		{BindingEdge, "tls:host:443", true},
		{Binding, "unixgram:", false},
	} {
		_, err := parseAddress(tt.binding, tt.address)
		if (err == nil) != tt.ok {
			t.Errorf("%s %s: %v", tt.binding, tt.address, err)
		}
	}
}

// TestPeerAddresses: a dial returns both addresses of its socket.
func TestPeerAddresses(t *testing.T) {
	remote := make(chan string, 1)
	at := server(t, func(s net.Conn) {
		remote <- s.RemoteAddr().String()
		_, _ = io.Copy(io.Discard, s)
	})
	_, peer, err := newDialer(t, Config{}).dial("c1", "tcp:"+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(peer[HeaderRemoteAddress]); got != at {
		t.Errorf("remote %q, want %q", got, at)
	}
	if got, want := string(peer[HeaderLocalAddress]), <-remote; got != want {
		t.Errorf("local %q, want %q", got, want)
	}
}

func TestDatagramServer(t *testing.T) {
	for _, binding := range []string{Binding, BindingUDP, BindingUDP2} {
		c, _, err := newDialer(t, Config{Binding: binding}).dial("c1", "udp:"+udpEcho(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"one", "", "two", strings.Repeat("x", 65507)} {
			if err := c.conn.WriteMessage(flow.Item{Data: []byte(want)}); err != nil {
				t.Fatal(err)
			}
			s, err := c.conn.Next()
			if err != nil || string(s.Data) != want {
				t.Fatalf("%s: %d bytes came back as %d, %v", binding, len(want), len(s.Data), err)
			}
			s.Release()
		}
	}
}

// TestNobodyListens: datagrams to a closed port are lost, the circuit lives.
func TestNobodyListens(t *testing.T) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.LocalAddr().String()
	l.Close()
	c, _, err := newDialer(t, Config{Binding: BindingUDP}).dial("c1", "udp:"+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := c.conn.WriteMessage(flow.Item{Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if l, err = net.ListenPacket("udp", at); err != nil {
		t.Skip("the port has another owner now")
	}
	defer l.Close()
	if err := c.conn.WriteMessage(flow.Item{Data: []byte("now")}); err != nil {
		t.Fatal(err)
	}
	_ = l.SetReadDeadline(time.Now().Add(10 * time.Second))
	for b := make([]byte, 10); ; {
		n, _, err := l.ReadFrom(b)
		if err != nil {
			t.Fatal(err)
		}
		if string(b[:n]) == "now" {
			return
		}
	}
}

// certificate makes a certificate for localhost that is its own authority.
func certificate(t *testing.T, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

// TestServerWithTLS: the server's name is verified and it sees our certificate.
func TestServerWithTLS(t *testing.T) {
	own, pool := certificate(t, "router")
	cert, roots := certificate(t, "server")
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}), func(s net.Conn) {
		if _, err := io.Copy(s, s); err == nil {
			_ = s.(*tls.Conn).CloseWrite()
		}
		_, _ = io.Copy(io.Discard, s)
	})
	_, port, _ := net.SplitHostPort(l.Addr().String())
	d := newDialer(t, Config{TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}}})
	c, _, err := d.dial("c1", "tls:localhost:"+port, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 4000, 300_000, 5} { // beyond the small buffer and back
		want := strings.Repeat("x", size)
		if _, err := c.conn.Write([]byte(want)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, size)
		if _, err := io.ReadFull(c.conn, got); err != nil || string(got) != want {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	_ = c.conn.CloseWrite()
	if rest, err := io.ReadAll(c.conn); err != nil || len(rest) > 0 {
		t.Errorf("after the half close: %q, %v", rest, err)
	}
	_, _, err = d.dial("c2", "tls:127.0.0.1:"+port, nil)
	var failed *forward.DialError
	if !errors.As(err, &failed) || failed.Cause != ctrl.Cause_GENERIC || !strings.Contains(failed.Message, "127.0.0.1") {
		t.Errorf("a name that is not the server's: %v", err)
	}
}

// TestDialerThatNeverBegins: the server's connection is given up.
func TestDialerThatNeverBegins(t *testing.T) {
	ended := make(chan struct{})
	at := server(t, func(s net.Conn) {
		_, _ = io.Copy(io.Discard, s)
		close(ended)
	})
	table := forward.NewTable(nil)
	transport := New(Config{StartTimeout: 50 * time.Millisecond})
	t.Cleanup(transport.Close)
	circuit, err := table.Add(forward.Info{ID: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.Dial(t.Context(), circuit, &ctrl.Egress{Address: "tcp:" + at}); err != nil {
		t.Fatal(err)
	}
	<-ended
}
