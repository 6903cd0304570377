package field

import (
	"bytes"
	"crypto/rand"
	"io"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
)

// reason waits for the router's reason to end a listener.
func (h *cListener) reason(t *testing.T) string {
	t.Helper()
	select {
	case r := <-h.closed:
		if r == "" {
			t.Error("the listener was ended without a reason")
		}
		return r
	case <-time.After(patience):
		t.Fatal("the listener is not ended")
		return ""
	}
}

// TestCBindOptions: what a Bind asks for is what the terminator has.
func TestCBindOptions(t *testing.T) {
	t.Parallel()
	n := common(t)
	role, service := unique("role"), unique("options")
	id := n.admin.service(t, service, true, role)
	c := newC(t, n, "c-host", role)
	c.hostOn(t, c.link(), service, printable(32), echoStream, func(m *message) {
		m.Headers.PutUint16(edge.HeaderCost, 300)
		m.Headers.PutByte(edge.HeaderPrecedence, edge.PrecedenceRequired)
		m.Headers.PutString(edge.HeaderTerminatorIdentity, "instance-1")
	})
	n.hosted(t, id, 1)
	d := n.admin.call(t, "GET", "/services/"+id+"/terminators", nil, 200).at("data").list()[0]
	d.at("cost").want(300)
	d.at("precedence").want("required")
	d.at("identity").want("instance-1")
	d.at("binding").want("edge")
	d.at("routerId").want(n.RouterID)
}

// TestCListenerMoves: the same listener on a new channel takes the place of the
// old one, which may still be open.
func TestCListenerMoves(t *testing.T) {
	t.Parallel()
	served := make(chan string, 16)
	serve := func(name string) func(*stream) {
		return func(s *stream) {
			offer(served, name)
			echo(s)
		}
	}
	p := newCPair(t, true, serve("old"))
	mustExchange(t, p.dialler, p.service)
	if got := <-served; got != "old" {
		t.Fatalf("served by %s", got)
	}
	var address string
	for _, a := range p.host.routers {
		address = a
	}
	again := p.host.hello(address)
	p.host.hostOn(t, again, p.service, p.listener.name, serve("new"), nil)
	p.listener.reason(t)
	p.n.hosted(t, p.id, 1)
	mustExchange(t, p.dialler, p.service)
	if got := <-served; got != "new" {
		t.Errorf("served by the %s listener after it moved", got)
	}
	// The old channel goes away; the new listener stays.
	p.listener.l.close()
	mustExchange(t, p.dialler, p.service)
	p.n.hosted(t, p.id, 1)
}

// TestCAccessLost: who loses access is told so at once, with a reason.
func TestCAccessLost(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"Dial", "Bind"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := newCPair(t, true, echoStream)
			s, err := p.dialler.dial(t, p.service, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, policy := range p.n.admin.find(t, "service-policies", `name="`+p.service+kind+`"`) {
				p.n.admin.done(t, "DELETE", "/service-policies/"+policy.at("id").text(), nil)
			}
			m, err := s.pop()
			for err == nil && m != nil && m.Type != edge.TypeStateClosed {
				m, err = s.pop()
			}
			if err != nil || m == nil || len(m.Body) == 0 {
				t.Fatalf("the circuit ends with %+v, %v; want StateClosed with a reason", m, err)
			}
			if kind == "Bind" {
				p.listener.reason(t)
				p.n.hosted(t, p.id, 0)
			}
			if !within(patience, p.dialler.poll) {
				t.Error("the dialler does not learn of the change")
			}
		})
	}
}

// TestCBulk moves more than any buffer holds through two clients without flow
// control of their own.
func TestCBulk(t *testing.T) {
	t.Parallel()
	p := newCPair(t, true, echoStream)
	s, err := p.dialler.dial(t, p.service, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	part := make([]byte, 1<<20)
	_, _ = rand.Read(part)
	const parts = 12
	go func() {
		for range parts {
			_, _ = s.Write(part)
		}
		_ = s.CloseWrite()
	}()
	got := make([]byte, len(part))
	for i := range parts {
		if _, err := io.ReadFull(s, got); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		if !bytes.Equal(got, part) {
			t.Fatalf("part %d is different", i)
		}
	}
	if n, err := s.Read(got); err != io.EOF {
		t.Errorf("%d bytes and %v at the end, want EOF", n, err)
	}
}
