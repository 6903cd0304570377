package field

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/edge"
	wire "github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/secretstream"
)

// jvmClient is the JVM SDK: one plain channel per router, no inspection
// announced, numbers on everything.
type jvmClient struct {
	t      testing.TB
	me     *enrolled
	name   string
	api    *manager // the client API
	router string
	l      *link
	own    uint32 // its own ids of accepted connections
}

// newJVM enrols an identity and logs in right after it, by certificate and
// without a body.
func newJVM(t testing.TB, n *network, name string, roles ...string) *jvmClient {
	t.Helper()
	name = unique(name)
	_, token := n.admin.invite(t, name, roles...)
	j := &jvmClient{t: t, me: enrolJVM(t, token), name: name}
	j.api = &manager{base: j.me.api + "/edge/client/v1", http: plainClient(j.me.ca, j.me.cert)}
	d := j.api.call(t, "POST", "/authenticate?method=cert", nil, 200)
	j.api.token = d.at("data", "token").text()
	for _, c := range j.api.call(t, "GET", "/controllers", nil, 200).at("data").list() {
		for _, a := range c.at("apiAddresses", "edge-client").list() {
			a.at("url")
		}
	}
	for _, r := range j.api.call(t, "GET", "/current-identity/edge-routers", nil, 200).at("data").list() {
		if address, ok := r.at("supportedProtocols").maybe("tls"); ok {
			j.router = strings.TrimPrefix(address.text(), "tls://")
		}
	}
	return j
}

// connect says hello with the first value of a counter.
func (j *jvmClient) connect() *link {
	j.t.Helper()
	if j.l != nil {
		return j.l
	}
	m := wire.New(edge.TypeHello, []byte(j.me.id))
	m.Headers.PutString(edge.HeaderSessionToken, j.api.token)
	l, result := dialLink(j.t, j.router, j.me, m, 0)
	if result.Headers.Bool(edge.HeaderIsGrouped) {
		j.t.Error("a group that was not asked for")
	}
	l.nextID = 1
	l.unknown = func(m *message) {
		id, _ := m.Headers.Uint32(edge.HeaderConnID)
		if m.Type == edge.TypeConnInspectRequest {
			l.post(inspected(m, id, edge.ConnInvalid))
		}
	}
	l.read()
	j.l = l
	return l
}

func inspected(m *message, id uint32, kind edge.ConnType) *message {
	a := replyTo(m, about(edge.TypeConnInspectResponse, id, []byte("jvm")))
	a.Headers.PutByte(edge.HeaderConnType, byte(kind))
	return a
}

func (j *jvmClient) session(t testing.TB, service, kind string) (token string, encrypted bool) {
	t.Helper()
	list := j.api.call(t, "GET", "/services?filter="+url.QueryEscape(`name="`+service+`"`), nil, 200).at("data").list()
	if len(list) != 1 {
		t.Fatalf("%d services %s", len(list), service)
	}
	d := j.api.call(t, "POST", "/sessions", map[string]any{"serviceId": list[0].at("id").text(), "type": kind}, 201)
	return d.at("data", "token").text(), list[0].at("encryptionRequired").flag()
}

func (j *jvmClient) dial(t testing.TB, service string, appData []byte) (*stream, error) {
	t.Helper()
	token, encrypted := j.session(t, service, "Dial")
	l := j.connect()
	st := newStream(l, l.reserve(), jvmManner)
	st.sealed = encrypted
	m := about(edge.TypeConnect, st.id, []byte(token))
	m.Headers.PutUint32(edge.HeaderSeq, 0)
	m.Headers.PutString(edge.HeaderCallerID, j.name)
	if appData != nil {
		m.Headers.PutBytes(edge.HeaderAppData, appData)
	}
	key, err := secretstream.NewKeyPair()
	if err != nil {
		return nil, err
	}
	if encrypted {
		m.Headers.PutBytes(edge.HeaderPublicKey, key.Public())
		m.Headers.PutUint32(edge.HeaderCryptoMethod, 0)
	}
	l.attach(st)
	if err := st.accepted(l.ask(m), key); err != nil {
		l.detach(st.id)
		return nil, err
	}
	return st, nil
}

func (j *jvmClient) host(t testing.TB, service string, accept func(*stream)) {
	t.Helper()
	token, encrypted := j.session(t, service, "Bind")
	l := j.connect()
	id := l.reserve()
	key, err := secretstream.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	name := make([]byte, 16)
	_, _ = rand.Read(name)
	m := about(edge.TypeBind, id, []byte(token))
	m.Headers.PutUint32(edge.HeaderSeq, 0)
	m.Headers.PutBytes(edge.HeaderListenerID, name)
	m.Headers.PutBool(edge.HeaderRouterProvidedConnID, true)
	if encrypted {
		m.Headers.PutBytes(edge.HeaderPublicKey, key.Public())
	}
	l.listen(id, func(m *message) bool {
		switch m.Type {
		case edge.TypeConnInspectRequest: // answered although not announced
			l.post(inspected(m, id, edge.ConnBind))
		case edge.TypeBindSuccess:
			t.Error("BindSuccess for a client that did not ask for it")
		case edge.TypeDial:
			if err := j.answer(m, id, encrypted, key, accept); err != nil {
				t.Errorf("%s: dial: %v", service, err)
			}
		default:
			return false
		}
		return true
	})
	if a := l.ask(m); a == nil || a.Type != edge.TypeStateConnected {
		t.Fatalf("Bind is answered by %+v", a)
	}
}

// answer accepts a dial; the body has an id of the client's own, which says
// nothing to the router.
func (j *jvmClient) answer(m *message, id uint32, encrypted bool, key *secretstream.KeyPair, accept func(*stream)) error {
	given, ok := m.Headers.Uint32(edge.HeaderRouterProvidedConnID)
	if !ok {
		return errors.New("header 1012 is no id")
	}
	st := newStream(j.l, given, jvmManner)
	st.sealed = encrypted
	j.own++
	success := replyTo(m, about(edge.TypeDialSuccess, id, binary.LittleEndian.AppendUint32(nil, j.own)))
	success.Headers.PutUint32(edge.HeaderSeq, 0)
	j.l.attach(st)
	j.l.post(success)
	if encrypted {
		dialer, _ := m.Headers.Get(edge.HeaderPublicKey)
		keys, err := secretstream.ServerKeys(key, dialer)
		if err != nil {
			return fmt.Errorf("key of the dialler: %w", err)
		}
		if err := st.seal(keys, func(m *message) { j.l.post(m) }); err != nil {
			return err
		}
	}
	go accept(st)
	return nil
}
