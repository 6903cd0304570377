package blackbox

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// dialTLS opens a TLS connection with the client certificate, if there is one.
// The server's name is not checked: attackers do not care.
func dialTLS(t *testing.T, address string, cert *tls.Certificate, alpn ...string) (*tls.Conn, error) {
	t.Helper()
	cfg := &tls.Config{InsecureSkipVerify: true, NextProtos: alpn}
	if cert != nil {
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	conn := tls.Client(dialTCP(t, address), cfg)
	if err := conn.Handshake(); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func mustDialTLS(t *testing.T, address string, cert *tls.Certificate, alpn ...string) *tls.Conn {
	t.Helper()
	c, err := dialTLS(t, address, cert, alpn...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dialTCP opens a TCP connection.
func dialTCP(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	noteDialed(t, conn)
	return conn
}

// drain reads until the other side closes and returns what came.
func drain(c net.Conn) ([]byte, error) {
	b, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return b, errors.New("the connection stays open")
	}
	return b, nil // io.EOF, a reset or an alert
}

// wantClosed fails the test unless the other side closes without a word.
func wantClosed(t *testing.T, c net.Conn) {
	t.Helper()
	b, err := drain(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 0 {
		t.Fatalf("got %q before the close, want silence", b)
	}
}

// edgeConn is a connection to the edge of a router that can send anything.
type edgeConn struct {
	*tls.Conn
	t      *testing.T
	seq    int32
	result *edge.HelloResult
}

// hello connects with a certificate and says hello; the verdict is in result,
// which is nil if the router just closed.
func (n *network) hello(t *testing.T, cert *tls.Certificate, h *edge.Hello) *edgeConn {
	t.Helper()
	e := &edgeConn{Conn: mustDialTLS(t, n.RouterAddress(), cert), t: t}
	e.say(h)
	return e
}

// say says hello and waits for the verdict.
func (e *edgeConn) say(h *edge.Hello) {
	e.t.Helper()
	m := h.Encode()
	m.Seq = -1
	e.raw(m.Append(nil))
	answer, err := message.Read(e, message.HelloLimits)
	if err != nil {
		return
	}
	if answer.Type != edge.TypeResult {
		e.t.Errorf("a hello was answered by %s", edge.TypeName(answer.Type))
		return
	}
	if e.result, err = edge.ParseHelloResult(answer); err != nil {
		e.t.Error(err)
	}
}

// welcome is hello of somebody who may come in, nil if the router does not let
// him until the patience is over. It bounds handshakes, hellos and its wait for
// news of new identities at seconds, and on a busy machine one is too late at
// times: as clients do, it asks again.
func (n *network) welcome(t *testing.T, cert *tls.Certificate, h *edge.Hello) *edgeConn {
	t.Helper()
	var last any
	for end := time.Now().Add(patience); time.Now().Before(end); {
		conn, err := dialTLS(t, n.RouterAddress(), cert)
		if err == nil {
			e := &edgeConn{Conn: conn, t: t}
			if e.say(h); !e.refused() {
				return e
			}
			conn.Close()
			last = e.result
		} else {
			last = err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			return nil
		}
	}
	t.Errorf("hello refused: %+v", last)
	return nil
}

// connect opens the edge connection of a person.
func (p *person) connect(t *testing.T) *edgeConn {
	t.Helper()
	e := p.net.welcome(t, &p.cert, &edge.Hello{Token: p.api.Token})
	if e == nil {
		t.FailNow()
	}
	return e
}

func (e *edgeConn) refused() bool { return e.result == nil || !e.result.Success }

// raw writes bytes; what the router thinks of them shows in the reading.
func (e *edgeConn) raw(b []byte) {
	e.t.Helper()
	_ = e.SetDeadline(time.Now().Add(patience))
	if _, err := e.Write(b); err != nil {
		e.t.Logf("write: %v", err)
	}
}

// send sends a message with the next sequence number, which it returns.
func (e *edgeConn) send(m *message.Message) int32 {
	e.t.Helper()
	e.seq++
	m.Seq = e.seq
	e.raw(m.Append(nil))
	return e.seq
}

// next reads a message.
func (e *edgeConn) next() (*message.Message, error) {
	_ = e.SetDeadline(time.Now().Add(patience))
	return message.Read(e, message.Limits{Headers: 64 << 10, Body: 16 << 20})
}

// request sends m and returns its answer; others are dropped.
func (e *edgeConn) request(m *message.Message) *message.Message {
	e.t.Helper()
	return e.answer(e.send(m))
}

// answer reads until the answer to a sequence number comes.
func (e *edgeConn) answer(seq int32) *message.Message {
	e.t.Helper()
	for {
		m, err := e.next()
		if err != nil {
			e.t.Fatalf("no answer: %v", err)
		}
		if to, ok := m.Headers.Int32(1); ok && to == seq {
			return m
		}
	}
}

// alive sends a probe and returns the messages that came before its answer. The
// router handles what was sent before in order, so whatever it answers on the
// reading goroutine is among them.
func (e *edgeConn) alive() []*message.Message {
	e.t.Helper()
	probe := message.New(edge.TypeLatency, nil)
	probe.Headers.PutUint64(128, 1)
	seq := e.send(probe)
	var before []*message.Message
	for {
		m, err := e.next()
		if err != nil {
			e.t.Fatalf("the connection is dead: %v", err)
		}
		if to, ok := m.Headers.Int32(1); ok && to == seq {
			return before
		}
		before = append(before, m)
	}
}

// wantEnd fails the test unless the router closes the connection.
func (e *edgeConn) wantEnd() {
	e.t.Helper()
	for {
		if _, err := e.next(); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				e.t.Fatal("the connection stays open")
			}
			return
		}
	}
}

// connectMessage asks for a service on a connection id.
func connectMessage(connID uint32, token string, xgress bool) *message.Message {
	return (&edge.Connect{ConnID: connID, Token: []byte(token), UseXgress: xgress}).Encode()
}

// bindMessage offers to host on a connection id.
func bindMessage(connID uint32, token string) *message.Message {
	return (&edge.Bind{ConnID: connID, Token: []byte(token), ListenerID: []byte(unique("listener")), RouterConnID: true, SupportsBindSuccess: true}).Encode()
}

// wantStateClosed fails the test unless m is a StateClosed with a reason.
func wantStateClosed(t *testing.T, m *message.Message) *edge.StateClosed {
	t.Helper()
	s, err := edge.ParseStateClosed(m)
	if err != nil {
		t.Fatalf("got %s, want StateClosed: %v", edge.TypeName(m.Type), err)
	}
	if s.Reason == "" {
		t.Fatal("a StateClosed without a reason makes clients drop their session")
	}
	return s
}

// sayHello sends a hello without anything and returns the verdict, nil if the
// other side just closed.
func sayHello(t *testing.T, c *tls.Conn) *edge.HelloResult {
	t.Helper()
	m := message.New(edge.TypeHello, nil)
	m.Seq = -1
	if _, err := c.Write(m.Append(nil)); err != nil {
		return nil
	}
	answer, err := message.Read(c, message.HelloLimits)
	if err != nil {
		return nil
	}
	r, err := edge.ParseHelloResult(answer)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func edgeProbe() *message.Message {
	m := message.New(edge.TypeLatency, nil)
	m.Headers.PutUint64(128, 1)
	return m
}
