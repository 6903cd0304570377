package channel

import (
	"crypto/tls"
	"io"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

func groupedHello(connectionID, kind string, secret []byte, first bool) *message.Message {
	m := &message.Message{Type: TypeHello, Seq: 1}
	m.Headers.PutBool(HeaderIsGrouped, true)
	m.Headers.PutString(HeaderUnderlayType, kind)
	if first {
		m.Headers.PutBool(HeaderIsFirstOfGroup, true)
	}
	if connectionID != "" {
		m.Headers.PutString(HeaderConnectionID, connectionID)
	}
	if secret != nil {
		m.Headers.PutBytes(HeaderGroupSecret, secret)
	}
	return m
}

func hello(t *testing.T, m *Mux, cfg *tls.Config, h *message.Message) (*tls.Conn, *message.Message) {
	t.Helper()
	c := raw(t, m, cfg)
	c.Write(h.Append(nil))
	res, err := message.Read(c, message.HelloLimits)
	if err != nil {
		return c, nil
	}
	if seq, _ := res.Headers.Int32(HeaderReplyFor); seq != h.Seq || !res.Headers.Bool(HeaderResultSuccess) {
		t.Fatalf("answer %+v", res)
	}
	return c, res
}

func TestGroup(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r), Groups: true, Options: Options{
		IsControl: func(typ int32) bool { return typ == 60787 },
	}})
	cfg := clientTLS(t)
	first, res := hello(t, m, cfg, groupedHello("", UnderlayDefault, nil, true))
	id := res.Headers.String(HeaderConnectionID)
	secret, _ := res.Headers.Get(HeaderGroupSecret)
	if !res.Headers.Bool(HeaderIsGrouped) || res.Headers.String(HeaderUnderlayType) != UnderlayDefault || id == "" || len(secret) != 16 {
		t.Fatalf("answer %+v", res)
	}
	c := receive(t, r.opened)
	refused := []struct {
		name  string
		cfg   *tls.Config
		hello *message.Message
	}{
		{"wrong secret", cfg, groupedHello(id, UnderlayControl, []byte("0123456789abcdef"), false)},
		{"no secret", cfg, groupedHello(id, UnderlayControl, nil, false)},
		{"another certificate", clientTLS(t), groupedHello(id, UnderlayControl, secret, false)},
		{"unknown group", cfg, groupedHello("nobody", UnderlayControl, secret, false)},
	}
	for _, tt := range refused {
		if _, res := hello(t, m, tt.cfg, tt.hello); res != nil {
			t.Errorf("%s: joined", tt.name)
		}
	}
	second, res := hello(t, m, cfg, groupedHello(id, UnderlayControl, secret, false))
	if res == nil || res.Headers.String(HeaderConnectionID) != id || res.Headers.String(HeaderID) != "router-1" {
		t.Fatalf("answer %+v", res)
	}
	ping := message.Message{Type: typeData, Seq: 5, Body: []byte("over the second")}
	second.Write(ping.Append(nil))
	if got := receive(t, r.frames); string(got.Body) != "over the second" {
		t.Errorf("got %+v", got)
	}
	c.Send(t.Context(), message.New(60787, nil))
	c.Send(t.Context(), message.New(typeData, nil))
	if got, err := message.Read(second, message.HelloLimits); err != nil || got.Type != 60787 {
		t.Errorf("control connection: %+v, %v", got, err)
	}
	if got, err := message.Read(first, message.HelloLimits); err != nil || got.Type != typeData || got.Seq != 2 {
		t.Errorf("default connection: %+v, %v", got, err)
	}

	second.Close() // control messages go over the default connection again
	for {
		c.Send(t.Context(), message.New(60787, nil))
		if len(c.list()) == 1 {
			break
		}
	}
	c.Send(t.Context(), message.New(60787, []byte("last")))
	for {
		got, err := message.Read(first, message.HelloLimits)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Body) == "last" {
			break
		}
	}
	first.Close()
	receive(t, r.closed)
}

func TestGroupEndsWithItsDefaultConnection(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r), Groups: true})
	cfg := clientTLS(t)
	first, res := hello(t, m, cfg, groupedHello("mine", UnderlayDefault, []byte("secret"), true))
	if res.Headers.String(HeaderConnectionID) != "mine" {
		t.Fatalf("answer %+v", res)
	}
	second, res := hello(t, m, cfg, groupedHello("mine", UnderlayControl, []byte("secret"), false))
	if res == nil {
		t.Fatal("not joined")
	}
	first.Close()
	receive(t, r.closed)
	if _, err := io.ReadAll(second); err != nil {
		t.Log(err) // closed either way
	}
}

func TestGroupNotOffered(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(nil)})
	_, res := hello(t, m, clientTLS(t), groupedHello("", UnderlayDefault, nil, true))
	if res.Headers.Has(HeaderIsGrouped) {
		t.Error("a listener without groups grants one")
	}
}
