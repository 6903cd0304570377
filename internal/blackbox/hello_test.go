package blackbox

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// helloTime is what a connection has for its hello; the limits around it allow
// for a slow machine but not for a limit that is missing.
const (
	helloTime    = 5 * time.Second
	helloTooSoon = helloTime - time.Second
	helloTooLate = helloTime + slowdown*20*time.Second
)

// prefix encodes the fixed part of a message with any claims.
func prefix(contentType, seq int32, headers, body uint32) []byte {
	b := append([]byte(nil), message.Marker[:]...)
	for _, v := range []uint32{uint32(contentType), uint32(seq), headers, body} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// padded is a good hello whose headers and body have exactly these sizes.
func (p *person) padded(headers, body int) []byte {
	m := (&edge.Hello{Token: p.api.Token}).Encode()
	m.Seq = -1
	m.Headers.PutBytes(99, make([]byte, headers-len(m.Headers)-8))
	m.Body = make([]byte, body)
	return m.Append(nil)
}

func TestHelloLimits(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	for _, tt := range []struct {
		name  string
		hello []byte
	}{
		{"headers one byte too long", p.padded(16385, 0)},
		{"body one byte too long", p.padded(16384, 4193)},
		{"claims huge headers and sends nothing", prefix(edge.TypeHello, -1, 1<<31, 0)},
		{"claims a huge body and sends nothing", prefix(edge.TypeHello, -1, 0, 1<<32-1)},
		{"claims that overflow when added", prefix(edge.TypeHello, -1, 1<<32-1, 1<<32-1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLogged(t, n.Router, func() {
				c := mustDialTLS(t, n.RouterAddress(), &p.cert)
				begin := time.Now()
				_, _ = c.Write(tt.hello)
				wantClosed(t, c)
				if took := time.Since(begin); took > helloTooSoon {
					t.Fatalf("closed after %s: by the time limit, not by the size", took)
				}
			}, "connection refused", "no valid hello", "exceeds the limit")
		})
	}
	t.Run("largest hello that is allowed", func(t *testing.T) {
		c := mustDialTLS(t, n.RouterAddress(), &p.cert)
		if _, err := c.Write(p.padded(16384, 4192)); err != nil {
			t.Fatal(err)
		}
		m, err := message.Read(c, message.HelloLimits)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := edge.ParseHelloResult(m); err != nil || !r.Success {
			t.Fatalf("got %+v, %v; want success", r, err)
		}
	})
	n.unharmed(t)
}

func TestSlowHello(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	router := n.routerCertificate(t)
	for _, tt := range []struct {
		name    string
		address string
		alpn    []string
		cert    *tls.Certificate
		process *process
	}{
		{"router", n.RouterAddress(), nil, &p.cert, n.Router},
		{"router by name", n.RouterAddress(), []string{"ziti-edge"}, &p.cert, n.Router},
		{"control", n.APIAddress(), []string{"weft-ctrl"}, router, n.Controller},
	} {
		for _, half := range []struct {
			name string
			text []byte
			drip bool
		}{
			{"silent", nil, false},
			{"half a prefix", prefix(edge.TypeHello, -1, 100, 0)[:10], false},
			{"headers missing", prefix(edge.TypeHello, -1, 100, 0), false},
			{"byte by byte", make([]byte, 0), true},
		} {
			t.Run(tt.name+"/"+half.name, func(t *testing.T) {
				t.Parallel()
				c := mustDialTLS(t, tt.address, tt.cert, tt.alpn...)
				begin := time.Now()
				_, _ = c.Write(half.text)
				if half.drip {
					go drip(c, prefix(edge.TypeHello, -1, 1000, 0), 300*time.Millisecond)
				}
				wantClosed(t, c)
				if took := time.Since(begin); took < helloTooSoon || took > helloTooLate {
					t.Fatalf("closed after %s, want about %s", took, helloTime)
				}
				eventually(t, "a line about the slow hello", func() bool {
					return tt.process.Logged(0, "connection refused", "hello") != ""
				})
			})
		}
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// drip sends b byte by byte, and goes on with zeros, until the connection fails.
func drip(c net.Conn, b []byte, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 0; ; i++ {
		one := []byte{0}
		if i < len(b) {
			one[0] = b[i]
		}
		if _, err := c.Write(one); err != nil {
			return
		}
		<-tick.C
	}
}

func TestFirstMessage(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	malformed := append(prefix(edge.TypeHello, -1, 12, 0), make([]byte, 12)...)
	binary.LittleEndian.PutUint32(malformed[24:], 1<<30) // entry longer than the area
	for _, tt := range []struct {
		name   string
		send   []byte
		answer []byte
		log    string
	}{
		{"not the marker", []byte("GET / HTTP/1.1\r\n\r\n"), message.VersionNotice, "do not start with the marker"},
		{"zeros", make([]byte, 64), message.VersionNotice, "do not start with the marker"},
		{"another content type", message.New(edge.TypeLatency, nil).Append(nil), nil, "not a hello"},
		{"a Connect", connectMessage(1, p.api.Token, false).Append(nil), nil, "not a hello"},
		{"malformed headers", malformed, nil, "malformed header area"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLogged(t, n.Router, func() {
				c := mustDialTLS(t, n.RouterAddress(), &p.cert)
				if _, err := c.Write(tt.send); err != nil {
					t.Fatal(err)
				}
				got, err := drain(c)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, tt.answer) {
					t.Fatalf("got % x, want % x", got, tt.answer)
				}
			}, "connection refused", tt.log)
		})
	}
	n.unharmed(t)
}
