package field

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	wire "github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/secretstream"
)

// connect opens the channels to all routers at once, each by its name.
func (c *cClient) connect() {
	c.t.Helper()
	for name, address := range c.routers {
		if c.links[name] == nil {
			c.links[name] = c.hello(address)
		}
	}
}

// hello asks for a group, without ever opening a second connection of it.
func (c *cClient) hello(address string) *link {
	c.t.Helper()
	name, _ := os.Hostname()
	m := wire.New(edge.TypeHello, []byte("ziti-sdk-c[0]@"+name))
	m.Headers.PutString(edge.HeaderSessionToken, c.token)
	m.Headers.PutBool(edge.HeaderSupportsInspect, true)
	m.Headers.PutBool(edge.HeaderIsGrouped, true)
	m.Headers.PutBool(edge.HeaderIsFirstGroupConnection, true)
	m.Headers.PutString(edge.HeaderUnderlayType, edge.UnderlayDefault)
	l, result := dialLink(c.t, address, c.me, m, 1)
	if result.Headers.Bool(edge.HeaderIsGrouped) {
		secret, _ := result.Headers.Get(edge.HeaderGroupSecret)
		if len(secret) == 0 || result.Headers.String(edge.HeaderConnectionID) == "" || result.Headers.String(edge.HeaderUnderlayType) != edge.UnderlayDefault {
			c.t.Errorf("a group without secret, id or type: %v", result.Headers)
		}
	}
	l.unknown = func(m *message) { c.unknown(l, m) }
	l.read()
	return l
}

// unknown answers what is about no connection that the client has.
func (c *cClient) unknown(l *link, m *message) {
	id, ok := m.Headers.Uint32(edge.HeaderConnID)
	switch {
	case !ok || m.Type == edge.TypeStateClosed:
	case m.Type == edge.TypeConnInspectRequest:
		a := replyTo(m, about(edge.TypeConnInspectResponse, id, []byte(fmt.Sprintf("invalid conn id[%d]", id))))
		a.Headers.PutByte(edge.HeaderConnType, byte(edge.ConnInvalid))
		l.post(a)
	default:
		l.post(about(edge.TypeStateClosed, id, nil))
	}
}

// link is the channel to any router.
func (c *cClient) link() *link {
	c.t.Helper()
	c.connect()
	for _, l := range c.links {
		return l
	}
	c.t.Fatal("no router")
	return nil
}

// errRefused is what a router says to a Connect.
type errRefused struct{ reason string }

func (e *errRefused) Error() string { return "refused: " + e.reason }

// cTries is how often the C SDK connects while its session is called invalid.
const cTries = 3

// dial connects to a service.
func (c *cClient) dial(t testing.TB, service string, appData []byte) (*stream, error) {
	t.Helper()
	s := c.must(service)
	for try := 1; ; try++ {
		st, err := c.attempt(t, s, appData)
		var refused *errRefused
		if err == nil || !errors.As(err, &refused) {
			return st, err
		}
		// The client compares as many bytes as the answer has.
		if n := len(refused.reason); n > len("Invalid Session") || refused.reason != "Invalid Session"[:n] || try == cTries {
			return nil, err
		}
		if refused.reason == "" {
			t.Error("a refusal without a reason makes the client drop its session")
		}
		delete(c.sessions, s.id+"Dial")
	}
}

func (c *cClient) attempt(t testing.TB, s cService, appData []byte) (*stream, error) {
	t.Helper()
	l := c.link()
	st := newStream(l, l.reserve(), cManner)
	st.sealed = s.encrypted
	m := about(edge.TypeConnect, st.id, []byte(c.serviceToken(s, "Dial")))
	m.Headers.PutUint32(edge.HeaderSeq, 0)
	m.Headers.PutString(edge.HeaderCallerID, c.name)
	m.Headers.PutBytes(edge.HeaderConnectionMarker, marker())
	m.Headers.PutBytes(edge.HeaderAppData, appData)
	key, err := secretstream.NewKeyPair()
	if err != nil {
		return nil, err
	}
	if s.encrypted {
		m.Headers.PutBytes(edge.HeaderPublicKey, key.Public())
		m.Headers.PutString(edge.HeaderCryptoMethod, "libsodium")
	}
	l.attach(st)
	a := l.ask(m)
	if err := st.accepted(a, key); err != nil {
		l.detach(st.id)
		l.post(about(edge.TypeStateClosed, st.id, nil)) // also to a refusal
		return nil, err
	}
	return st, nil
}

// accepted reads the answer to a Connect and starts the encryption.
func (s *stream) accepted(a *message, key *secretstream.KeyPair) error {
	switch {
	case a == nil:
		return errors.New("the link ended")
	case a.Type == edge.TypeStateClosed:
		return &errRefused{string(a.Body)}
	case a.Type != edge.TypeStateConnected:
		return fmt.Errorf("a Connect is answered by %s", edge.TypeName(a.Type))
	}
	if s.circuit = a.Headers.String(edge.HeaderCircuitID); s.circuit == "" {
		return errors.New("no circuit id in StateConnected")
	}
	if id, ok := a.Headers.Uint32(edge.HeaderConnID); !ok || id != s.id {
		return fmt.Errorf("StateConnected is about %d, want %d", id, s.id)
	}
	if !s.sealed {
		return nil
	}
	peer, _ := a.Headers.Get(edge.HeaderPublicKey)
	keys, err := secretstream.ClientKeys(key, peer)
	if err != nil {
		return fmt.Errorf("key of the host: %w", err)
	}
	return s.seal(keys, func(m *message) { s.l.post(m) })
}

// seal sets the keys and sends the stream header.
func (s *stream) seal(keys secretstream.SessionKeys, send func(*message)) error {
	s.rx, s.tx = keys.RX, keys.TX
	m, err := s.begin()
	if err != nil {
		return err
	}
	send(m)
	return nil
}

// marker is 8 printable characters and the NUL that the C SDK sends with them.
func marker() []byte {
	b := make([]byte, 6)
	_, _ = rand.Read(b)
	return append([]byte(base64.URLEncoding.EncodeToString(b)), 0)
}

// cListener hosts a service.
type cListener struct {
	c       *cClient
	l       *link
	id      uint32
	service cService
	name    []byte // listener id
	token   string
	key     *secretstream.KeyPair
	accept  func(*stream)
	dials   chan *message  // as they came, for tests that look
	asked   chan struct{}  // one for each inspection
	closed  chan string    // reasons of the router
	more    func(*message) // options of the Bind, may be nil
}

// host offers to host a service on the channel.
func (c *cClient) host(t testing.TB, service string, accept func(*stream)) *cListener {
	t.Helper()
	return c.hostOn(t, c.link(), service, printable(32), accept, nil)
}

// hostOn is host on a channel, with a listener id and options.
func (c *cClient) hostOn(t testing.TB, l *link, service string, name []byte, accept func(*stream), more func(*message)) *cListener {
	t.Helper()
	s := c.must(service)
	h := &cListener{c: c, l: l, id: l.reserve(), service: s, name: name, token: c.serviceToken(s, "Bind"), accept: accept,
		dials: make(chan *message, 64), asked: make(chan struct{}, 16), closed: make(chan string, 16), more: more}
	var err error
	if h.key, err = secretstream.NewKeyPair(); err != nil {
		t.Fatal(err)
	}
	l.listen(h.id, h.handle)
	a := l.ask(h.bind())
	if a == nil || a.Type != edge.TypeStateConnected {
		t.Fatalf("Bind is answered by %+v", a)
	}
	if yes, _ := a.Headers.Get(edge.HeaderRouterProvidedConnID); len(yes) != 1 || yes[0] != 1 {
		t.Errorf("header 1012 of the answer is %x, want 01", yes)
	}
	select { // the router looks at once whether the listener lives
	case <-h.asked:
	case <-time.After(patience):
		t.Error("the listener is not inspected")
	}
	return h
}

func (h *cListener) bind() *message {
	m := about(edge.TypeBind, h.id, []byte(h.token))
	m.Headers.PutUint32(edge.HeaderSeq, 0)
	m.Headers.PutBytes(edge.HeaderListenerID, h.name)
	m.Headers.PutBool(edge.HeaderSupportsInspect, true)
	m.Headers.PutBool(edge.HeaderRouterProvidedConnID, true)
	if h.service.encrypted {
		m.Headers.PutBytes(edge.HeaderPublicKey, h.key.Public())
	}
	if h.more != nil {
		h.more(m)
	}
	return m
}

// printable is any printable text: more than letters and digits.
func printable(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = ' ' + b[i]%95
	}
	return b
}

// handle is a message for the listener; false if the client knows none like it.
func (h *cListener) handle(m *message) bool {
	switch m.Type {
	case edge.TypeConnInspectRequest:
		a := replyTo(m, about(edge.TypeConnInspectResponse, h.id,
			[]byte(fmt.Sprintf("id[%d] serviceName[%s] listenerId[%s] closed[N] encrypted[Y]", h.id, h.service.name, h.name))))
		a.Headers.PutByte(edge.HeaderConnType, byte(edge.ConnBind))
		h.l.post(a)
		offer(h.asked, struct{}{})
	case edge.TypeDial:
		offer(h.dials, m)
		if err := h.answer(m); err != nil {
			h.l.t.Errorf("%s: dial: %v", h.service.name, err)
		}
	case edge.TypeBindSuccess:
		h.l.t.Error("BindSuccess for a client that did not ask for it")
	case edge.TypeStateClosed:
		offer(h.closed, string(m.Body))
	default:
		return false
	}
	return true
}

// answer accepts a dial; the stream header is in the same write, before the
// router can have connected anything.
func (h *cListener) answer(m *message) error {
	id, ok := m.Headers.Uint32(edge.HeaderRouterProvidedConnID)
	if !ok {
		return errors.New("header 1012 is no id")
	}
	st := newStream(h.l, id, cManner)
	st.circuit = m.Headers.String(edge.HeaderCircuitID)
	ms := []*message{replyTo(m, about(edge.TypeDialSuccess, h.id, binary.LittleEndian.AppendUint32(nil, id)))}
	ms[0].Headers.PutUint32(edge.HeaderSeq, 0)
	if st.sealed = h.service.encrypted; st.sealed {
		dialer, _ := m.Headers.Get(edge.HeaderPublicKey)
		keys, err := secretstream.ServerKeys(h.key, dialer)
		if err != nil {
			return err
		}
		ms[0].Headers.PutBytes(edge.HeaderPublicKey, h.key.Public())
		if err := st.seal(keys, func(m *message) { ms = append(ms, m) }); err != nil {
			return err
		}
	}
	h.l.attach(st)
	h.l.post(ms...)
	go h.accept(st)
	return nil
}

// unbind is a request to the client: it waits for any answer, then closes.
func (h *cListener) unbind(t testing.TB) {
	t.Helper()
	m := about(edge.TypeUnbind, h.id, []byte(h.token))
	m.Headers.PutBytes(edge.HeaderListenerID, h.name)
	if a := h.l.ask(m); a == nil {
		t.Error("no answer to Unbind")
	}
	h.l.detach(h.id)
	h.l.post(about(edge.TypeStateClosed, h.id, nil))
}

// offer gives v to whoever looks; the reading goroutine does not wait for that.
func offer[T any](to chan T, v T) {
	select {
	case to <- v:
	default:
	}
}
