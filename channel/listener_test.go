package channel

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/message"
)

func helloBytes(headers, body int) []byte {
	b := append([]byte(nil), message.Marker[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(TypeHello))
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, uint32(headers))
	return binary.LittleEndian.AppendUint32(b, uint32(body))
}

func TestBadFirstMessages(t *testing.T) {
	notHello := message.New(TypePing, nil)
	tests := []struct {
		name string
		send []byte
		want []byte
	}{
		{"garbage", []byte("GET / HTTP/1.1\r\n\r\n"), message.VersionNotice},
		{"four wrong bytes", []byte("abcd"), message.VersionNotice},
		{"headers too long", helloBytes(16385, 0), nil},
		{"body too long", helloBytes(0, 4193), nil},
		{"not a hello", notHello.Append(nil), nil},
		{"broken headers", append(helloBytes(9, 0), 1, 0, 0, 0, 200, 0, 0, 0, 1), nil},
	}
	m, _ := startListener(t, ListenerConfig{Accept: accept(nil)})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := raw(t, m, clientTLS(t))
			c.Write(tt.send)
			got, _ := io.ReadAll(c)
			if !bytes.Equal(got, tt.want) {
				t.Errorf("got %x, want %x", got, tt.want)
			}
		})
	}
}

func TestSlowHelloIsClosed(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(nil), HelloTimeout: 50 * time.Millisecond})
	c := raw(t, m, clientTLS(t))
	c.Write(helloBytes(100, 0))
	if got, _ := io.ReadAll(c); len(got) > 0 {
		t.Errorf("got %x", got)
	}
}

func TestRejectedHello(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: func(context.Context, *Peer) (*Accepted, error) {
		return nil, errors.New("not you")
	}})
	_, _, err := Dial(t.Context(), DialConfig{Address: m.Addr().String(), TLS: clientTLS(t)})
	var rejected *RejectedError
	if !errors.As(err, &rejected) || rejected.Reason != "not you" {
		t.Error(err)
	}
}

func TestDialOfAnotherVersion(t *testing.T) {
	m := startMux(t, MuxConfig{})
	l, err := m.Listener(serverTLS(t), "")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Write(message.VersionNotice)
		io.Copy(io.Discard, c)
		c.Close()
	}()
	_, _, err = Dial(t.Context(), DialConfig{Address: m.Addr().String(), TLS: clientTLS(t)})
	if !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

func TestMalformedLaterMessages(t *testing.T) {
	good := message.Message{Type: TypeHello}
	tests := []struct {
		name string
		send []byte
		want error
	}{
		{"marker", bytes.Repeat([]byte{9}, 20), message.ErrMarker},
		{"headers", append(helloBytes(9, 0), 1, 0, 0, 0, 200, 0, 0, 0, 1), message.ErrHeaders},
		{"too large", helloBytes(0, 2000), message.ErrTooLarge},
		{"cut short", helloBytes(0, 500), io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRecorder()
			m, _ := startListener(t, ListenerConfig{Accept: accept(r), Options: Options{Limits: message.Limits{Headers: 100, Body: 1000}}})
			c := raw(t, m, clientTLS(t))
			c.Write(good.Append(nil))
			receive(t, r.opened)
			c.Write(tt.send)
			if tt.want == io.ErrUnexpectedEOF {
				c.CloseWrite()
			}
			if err := receive(t, r.closed); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSplitByALPN(t *testing.T) {
	m := startMux(t, MuxConfig{})
	for _, protos := range [][]string{{"ziti-edge", ""}, {"ziti-link"}, {"h2", "http/1.1"}} {
		l, err := m.Listener(serverTLS(t), protos...)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				io.WriteString(c, protos[0]+" "+c.(*tls.Conn).ConnectionState().NegotiatedProtocol)
				c.Close()
			}
		}()
	}
	if _, err := m.Listener(serverTLS(t), "ziti-link"); err == nil {
		t.Error("one protocol, two listeners")
	}
	tests := []struct {
		offer []string
		want  string // empty: refused
	}{
		{nil, "ziti-edge "},
		{[]string{"ziti-edge"}, "ziti-edge ziti-edge"},
		{[]string{"ziti-edge", "ziti-link"}, "ziti-link ziti-link"},
		{[]string{"unknown", "ziti-edge"}, "ziti-edge ziti-edge"},
		{[]string{"h2", "http/1.1"}, "h2 h2"},
		{[]string{"http/1.1"}, "h2 http/1.1"},
		{[]string{"ziti-ctrl"}, ""},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.offer, ","), func(t *testing.T) {
			cfg := clientTLS(t)
			cfg.NextProtos = tt.offer
			c, err := tls.Dial("tcp", m.Addr().String(), cfg)
			if err != nil {
				if tt.want != "" || !strings.Contains(err.Error(), "internal error") {
					t.Fatal(err)
				}
				return
			}
			defer c.Close()
			got, _ := io.ReadAll(c)
			if string(got) != tt.want || tt.want == "" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHTTPServerOnMux(t *testing.T) {
	m := startMux(t, MuxConfig{})
	cfg := serverTLS(t)
	cfg.ClientAuth = tls.RequestClientCert
	l, err := m.Listener(cfg, "h2", "http/1.1", "")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Write(bytes.Repeat([]byte(r.Proto[:6]), int(n)))
	})}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	for _, h2 := range []bool{true, false} {
		tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: h2}
		c := &http.Client{Transport: tr}
		for range 3 {
			res, err := c.Post("https://"+m.Addr().String(), "", bytes.NewReader(make([]byte, 100_000)))
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			want := map[bool]string{true: "HTTP/2", false: "HTTP/1"}[h2]
			if len(b) != 600_000 || string(b[:6]) != want || res.TLS == nil {
				t.Errorf("h2 %v: %d bytes, %s", h2, len(b), b[:6])
			}
		}
		tr.CloseIdleConnections()
	}
	srv.Close()
	<-done
}

func TestSilentConnectionsDoNotShutOutOthers(t *testing.T) {
	m := startMux(t, MuxConfig{MaxSilent: 16, MaxHandshakes: 4})
	pl, err := m.Listener(serverTLS(t), "ziti-edge")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(pl, ListenerConfig{Accept: accept(nil), MaxHellos: 4})
	go l.Serve()
	defer l.Close()
	for i := range 200 {
		c, err := net.Dial("tcp", m.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%20 == 0 { // the beginning of a handshake
			c.Write([]byte{22, 3, 1, 2, 0, 1})
		}
	}
	for range 6 {
		raw(t, m, clientTLS(t), "ziti-edge") // no hello
	}
	c := dial(t, m, nil, Options{})
	if _, err := c.Request(t.Context(), message.New(TypePing, nil)); err != nil {
		t.Error(err)
	}
}

func TestHandshakeTimeout(t *testing.T) {
	m := startMux(t, MuxConfig{HandshakeTimeout: 50 * time.Millisecond})
	for _, send := range []string{"", "\x16\x03\x01", "garbage, not a handshake"} {
		c, err := net.Dial("tcp", m.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, send)
		c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: still open", send)
		}
		c.Close()
	}
}

func TestNoClientCertificate(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(nil)})
	c := raw(t, m, &tls.Config{InsecureSkipVerify: true}, "ziti-edge")
	if _, err := c.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "certificate required") {
		t.Error(err)
	}
}
