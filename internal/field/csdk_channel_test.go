package field

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
)

// cPair is a C host and a C dialler of one service.
type cPair struct {
	n             *network
	service       string
	id            string // of the service
	host, dialler *cClient
	listener      *cListener
}

// newCPair makes both; the host serves what is accepted.
func newCPair(t *testing.T, encrypted bool, serve func(*stream)) *cPair {
	t.Helper()
	p := &cPair{n: common(t), service: unique("c-pair")}
	role := unique("role")
	p.id = p.n.admin.service(t, p.service, encrypted, role)
	p.host, p.dialler = newC(t, p.n, "c-host", role), newC(t, p.n, "c-dial", role)
	p.listener = p.host.host(t, p.service, serve)
	p.n.hosted(t, p.id, 1)
	return p
}

func echoStream(s *stream) { echo(s) }

func mustExchange(t *testing.T, c *cClient, service string) {
	t.Helper()
	s, err := c.dial(t, service, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := exchange(s); err != nil {
		t.Fatal(err)
	}
}

// TestCDial looks at what reaches the host of what the dialler sent.
func TestCDial(t *testing.T) {
	t.Parallel()
	p := newCPair(t, true, echoStream)
	app, err := json.Marshal(map[string]any{"connType": nil, "dst_protocol": "tcp", "dst_hostname": "web.example", "dst_ip": "100.64.0.3",
		"dst_port": "80", "src_protocol": "tcp", "src_ip": "100.64.0.1", "src_port": "40000"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.dialler.dial(t, p.service, app)
	if err != nil {
		t.Fatal(err)
	}
	if s.id != 0 {
		t.Errorf("the first connection has id %d, the client begins at 0", s.id)
	}
	if err := exchange(s); err != nil {
		t.Fatal(err)
	}
	m := <-p.listener.dials
	h := m.Headers
	if got, _ := h.Get(edge.HeaderAppData); !bytes.Equal(got, app) {
		t.Errorf("application data %q, want %q", got, app)
	}
	if got, _ := h.Get(edge.HeaderConnectionMarker); len(got) != 9 || got[8] != 0 {
		t.Errorf("marker %q, want 8 characters and NUL", got)
	}
	for id, want := range map[int32]string{edge.HeaderCallerID: p.dialler.name, edge.HeaderDialerIdentityID: p.dialler.me.id,
		edge.HeaderDialerIdentityName: p.dialler.name, edge.HeaderCircuitID: s.circuit} {
		if got := h.String(id); got != want {
			t.Errorf("header %d is %q, want %q", id, got, want)
		}
	}
	if id, _ := h.Uint32(edge.HeaderRouterProvidedConnID); id < edge.FirstRouterConnID {
		t.Errorf("the router chose the id %d", id)
	}
	if h.Has(edge.HeaderCryptoMethod) {
		t.Error("the text of the crypto method reaches the host: Go hosts refuse it")
	}
	if string(m.Body) != p.listener.token {
		t.Error("the body is not the session of the listener")
	}
}

// TestCFirstData: what the host writes together with DialSuccess arrives, in
// order and in its boundaries, before anybody else has written.
func TestCFirstData(t *testing.T) {
	t.Parallel()
	p := newCPair(t, false, func(s *stream) { echo(s) })
	text := []byte("spoken at once")
	// The listener's answer is replaced by one with data of its own.
	p.host.link().listen(p.listener.id, nil)
	l := p.host.link()
	l.listen(p.listener.id, func(m *message) bool {
		if m.Type != edge.TypeDial {
			return p.listener.handle(m)
		}
		id, _ := m.Headers.Uint32(edge.HeaderRouterProvidedConnID)
		st := newStream(l, id, cManner)
		l.attach(st)
		l.post(replyTo(m, about(edge.TypeDialSuccess, p.listener.id, binary.LittleEndian.AppendUint32(nil, id))),
			st.data(text, 0), st.data(nil, edge.FlagFIN))
		go echo(st)
		return true
	})
	for range 20 {
		s, err := p.dialler.dial(t, p.service, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(s)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("got %q, %v; want %q", got, err, text)
		}
		_ = s.Close()
	}
}

// TestCChannel walks through the rest of the client's life on a channel.
func TestCChannel(t *testing.T) {
	t.Parallel()
	p := newCPair(t, true, echoStream)
	l := p.dialler.link()
	t.Run("probe", func(t *testing.T) { l.probe([]byte{1, 2, 3, 4, 5, 6, 7, 8}) })
	t.Run("probe of the JVM", func(t *testing.T) { newJVM(t, p.n, "probing").connect().probe(nil) })
	t.Run("two listeners of one process", func(t *testing.T) {
		second := p.host.host(t, p.service, echoStream)
		p.n.hosted(t, p.id, 2)
		mustExchange(t, p.dialler, p.service)
		second.unbind(t)
		p.n.hosted(t, p.id, 1)
		mustExchange(t, p.dialler, p.service)
	})
	t.Run("bind again", func(t *testing.T) {
		a := p.host.link().ask(p.listener.bind())
		if a == nil || a.Type != edge.TypeStateConnected {
			t.Fatalf("a repeated Bind is answered by %+v", a)
		}
		mustExchange(t, p.dialler, p.service)
	})
	t.Run("65 bytes of key", func(t *testing.T) { longKey(t, p) })
	t.Run("unknown connections", func(t *testing.T) {
		l.post(about(edge.TypeStateClosed, 4711, nil), about(edge.TypeData, 4711, []byte("x")), about(60999, 4711, nil))
		l.probe([]byte{8, 7, 6, 5, 4, 3, 2, 1})
		mustExchange(t, p.dialler, p.service)
	})
	t.Run("no host", func(t *testing.T) {
		p.listener.unbind(t)
		_, err := p.dialler.dial(t, p.service, nil)
		wantRefused(t, err, "terminator")
	})
}

func wantRefused(t *testing.T, err error, text string) {
	t.Helper()
	var refused *errRefused
	if !errors.As(err, &refused) || !strings.Contains(refused.reason, text) {
		t.Fatalf("got %v, want a refusal with %q", err, text)
	}
}

// hosted waits until a service has this many terminators: the answer to a Bind
// comes before the controller knows of it.
func (n *network) hosted(t *testing.T, service string, want int) {
	t.Helper()
	var got int
	if !within(patience, func() bool {
		got = len(n.admin.call(t, "GET", "/services/"+service+"/terminators", nil, 200).at("data").list())
		return got == want
	}) {
		t.Fatalf("%d terminators, want %d", got, want)
	}
}

// longKey dials as with AES-GCM: a point of 65 bytes goes through both ways.
func longKey(t *testing.T, p *cPair) {
	l := p.dialler.link()
	key := append([]byte{4}, bytes.Repeat([]byte{0x5a}, 64)...)
	answered := make(chan *message, 1)
	hl := p.host.link()
	hl.listen(p.listener.id, func(m *message) bool {
		if m.Type != edge.TypeDial {
			return p.listener.handle(m)
		}
		answered <- m
		id, _ := m.Headers.Uint32(edge.HeaderRouterProvidedConnID)
		a := replyTo(m, about(edge.TypeDialSuccess, p.listener.id, binary.LittleEndian.AppendUint32(nil, id)))
		a.Headers.PutBytes(edge.HeaderPublicKey, key)
		hl.post(a)
		return true
	})
	defer hl.listen(p.listener.id, p.listener.handle)
	st := newStream(l, l.reserve(), cManner)
	m := about(edge.TypeConnect, st.id, []byte(p.dialler.serviceToken(p.dialler.must(p.service), "Dial")))
	m.Headers.PutBytes(edge.HeaderPublicKey, key)
	m.Headers.PutString(edge.HeaderCryptoMethod, "aes-gcm")
	l.attach(st)
	a := l.ask(m)
	if a == nil || a.Type != edge.TypeStateConnected {
		t.Fatalf("Connect is answered by %+v", a)
	}
	if got, _ := (<-answered).Headers.Get(edge.HeaderPublicKey); !bytes.Equal(got, key) {
		t.Errorf("the host got the key %x", got)
	}
	if got, _ := a.Headers.Get(edge.HeaderPublicKey); len(got) != 65 && len(got) != 32 {
		t.Errorf("the dialler got the key %x", got)
	}
	_ = st.Close()
}

// TestCInvalidSession: a session that has ended is refused with the very text
// at which the client gets a new one and tries again.
func TestCInvalidSession(t *testing.T) {
	t.Parallel()
	p := newCPair(t, false, echoStream)
	mustExchange(t, p.dialler, p.service)
	list := p.n.admin.find(t, "sessions", `service="`+p.id+`" and type="Dial"`)
	if len(list) != 1 {
		t.Fatalf("%d sessions to dial, want 1", len(list))
	}
	for _, s := range list {
		p.n.admin.done(t, "DELETE", "/sessions/"+s.at("id").text(), nil)
	}
	l := p.dialler.link()
	service := p.dialler.must(p.service)
	if !within(patience, func() bool {
		st := newStream(l, l.reserve(), cManner)
		l.attach(st)
		defer l.detach(st.id)
		a := l.ask(about(edge.TypeConnect, st.id, []byte(p.dialler.serviceToken(service, "Dial"))))
		if a != nil && a.Type == edge.TypeStateConnected {
			_ = st.Close()
			return false
		}
		if a == nil || string(a.Body) != "Invalid Session" {
			t.Fatalf("a dial with an ended session is answered by %q, want Invalid Session", a.Body)
		}
		return true
	}) {
		t.Fatal("the ended session goes on working")
	}
	mustExchange(t, p.dialler, p.service)
}

// TestCIdentityDeleted: the router closes the channel of a deleted identity.
func TestCIdentityDeleted(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newC(t, n, "doomed")
	l := c.link()
	n.admin.done(t, "DELETE", "/identities/"+c.me.id, nil)
	select {
	case <-l.done:
	case <-time.After(patience):
		t.Fatal("the channel stays open")
	}
}
