package field

import (
	"context"
	"crypto/tls"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	wire "github.com/weftnet/weft/wire/message"
)

// link is a message connection to a router. Messages are numbered from what the
// client starts with; answers are found by the number alone.
type link struct {
	t    testing.TB
	conn *tls.Conn
	done chan struct{} // closed when nothing more is read

	writing sync.Mutex
	next    int32 // sequence

	mu        sync.Mutex
	waiting   map[int32]chan *message
	nextID    uint32 // of a virtual connection
	streams   map[uint32]*stream
	listeners map[uint32]func(*message) bool // on the reading goroutine; false for what it does not know
	unknown   func(*message)                 // gets the rest
}

var linkLimits = wire.Limits{Headers: 64 << 10, Body: 16 << 20}

// dialLink connects and says hello with the sequence first; it returns the
// router's verdict.
func dialLink(t testing.TB, address string, me *enrolled, hello *message, first int32) (*link, *message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := dialField(ctx, address, "ziti-edge", &me.cert, trusting(me.ca))
	if err != nil {
		t.Fatal(err)
	}
	if p := conn.ConnectionState().NegotiatedProtocol; p != "ziti-edge" {
		t.Fatalf("the router chose ALPN %q", p)
	}
	l := &link{t: t, conn: conn, done: make(chan struct{}), next: first,
		waiting: make(map[int32]chan *message), streams: make(map[uint32]*stream), listeners: make(map[uint32]func(*message) bool)}
	_ = conn.SetDeadline(time.Now().Add(patience))
	l.post(hello)
	result, err := wire.Read(conn, wire.HelloLimits)
	if err != nil {
		t.Fatalf("hello: %v", err)
	}
	_ = conn.SetDeadline(time.Time{})
	l.welcome(result, first)
	return l, result
}

// welcome checks what every client wants of the result of a hello.
func (l *link) welcome(m *message, seq int32) {
	l.t.Helper()
	if to, ok := m.Headers.Int32(edge.HeaderReplyFor); !ok || to != seq || m.Type != edge.TypeResult {
		l.t.Fatalf("hello %d is answered by %s for %d", seq, edge.TypeName(m.Type), to)
	}
	if !m.Headers.Bool(edge.HeaderResultSuccess) {
		l.t.Fatalf("hello refused: %s", m.Body)
	}
	if v := strings.Split(m.Headers.String(edge.HeaderHelloVersion), "|"); len(v) != 5 {
		l.t.Errorf("the version has %d parts: %q", len(v), v)
	}
	if m.Headers.String(edge.HeaderID) == "" {
		l.t.Error("the router does not say its id")
	}
}

// read hands out what comes until the end.
func (l *link) read() {
	l.t.Cleanup(l.close)
	go func() {
		defer close(l.done)
		for {
			m, err := wire.Read(l.conn, linkLimits)
			if err != nil {
				l.ended()
				return
			}
			l.dispatch(m)
		}
	}()
}

func (l *link) dispatch(m *message) {
	if to, ok := m.Headers.Int32(edge.HeaderReplyFor); ok {
		l.mu.Lock()
		w := l.waiting[to]
		delete(l.waiting, to)
		l.mu.Unlock()
		if w != nil {
			w <- m
			return
		}
	}
	id, _ := m.Headers.Uint32(edge.HeaderConnID)
	l.mu.Lock()
	s, listener := l.streams[id], l.listeners[id]
	l.mu.Unlock()
	switch {
	case s != nil && (m.Type == edge.TypeData || m.Type == edge.TypeStateClosed):
		s.push(m)
	case listener != nil && listener(m):
	default:
		l.unknown(m)
	}
}

func (l *link) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.streams {
		s.push(nil)
	}
	for _, w := range l.waiting {
		close(w)
	}
	l.waiting = nil
}

func (l *link) close() {
	l.conn.Close()
	<-l.done
}

// post sends messages in one write and returns the sequence of the first.
func (l *link) post(ms ...*message) int32 {
	l.writing.Lock()
	defer l.writing.Unlock()
	first := l.next
	var b []byte
	for _, m := range ms {
		m.Seq = l.next
		l.next++
		b = m.Append(b)
	}
	_, _ = l.conn.Write(b) // a broken connection shows in the reading
	return first
}

// ask sends a request and returns its answer, nil if the connection ended.
func (l *link) ask(m *message) *message {
	l.t.Helper()
	w := make(chan *message, 1)
	l.writing.Lock()
	m.Seq = l.next
	l.next++
	l.mu.Lock()
	if l.waiting == nil {
		l.mu.Unlock()
		l.writing.Unlock()
		return nil
	}
	l.waiting[m.Seq] = w
	l.mu.Unlock()
	_, _ = l.conn.Write(m.Append(nil))
	l.writing.Unlock()
	select {
	case a := <-w:
		return a
	case <-time.After(patience):
		l.t.Errorf("no answer to %s", edge.TypeName(m.Type))
		return nil
	}
}

// probe is a latency probe; header 128 must come back as it is.
func (l *link) probe(value []byte) {
	l.t.Helper()
	m := wire.New(edge.TypeLatency, nil)
	if value != nil {
		m.Headers.PutBytes(edge.HeaderUUID, value)
	}
	a := l.ask(m)
	if a == nil || a.Type != edge.TypeResult {
		l.t.Fatalf("a latency probe is answered by %+v", a)
	}
	if got, _ := a.Headers.Get(edge.HeaderUUID); string(got) != string(value) {
		l.t.Errorf("header 128 came back as %x, sent %x", got, value)
	}
	if !a.Headers.Bool(edge.HeaderResultSuccess) {
		l.t.Error("the probe was no success")
	}
}

// reserve takes the next id of a virtual connection.
func (l *link) reserve() uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.nextID
	l.nextID++
	return id
}

// attach takes what comes for the id from now on; it must come before the
// message that opens the connection.
func (l *link) attach(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams[s.id] = s
}

// listen hands f what is about a listener.
func (l *link) listen(id uint32, f func(*message) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners[id] = f
}

func (l *link) detach(id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.streams, id)
	delete(l.listeners, id)
}

// about starts a message about one virtual connection.
func about(contentType int32, id uint32, body []byte) *message {
	m := wire.New(contentType, body)
	m.Headers.PutUint32(edge.HeaderConnID, id)
	return m
}

// replyTo marks m as the answer to a request.
func replyTo(request, m *message) *message {
	m.Headers.PutUint32(edge.HeaderReplyFor, uint32(request.Seq))
	return m
}

// message is a message of the wire; tests that handle few need no more of it.
type message = wire.Message
