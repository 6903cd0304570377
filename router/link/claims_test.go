package link

import (
	"crypto/tls"
	"fmt"
	"testing"

	"github.com/weftnet/weft/channel"
)

// greet opens a connection to a with a hello that the router id makes up.
func greet(t *testing.T, a *node, id string, h hello) error {
	t.Helper()
	h.routerID, h.target, h.listener, h.kind, h.address = id, a.id, "default", KindPayload, a.addr
	c, _, err := channel.Dial(t.Context(), channel.DialConfig{
		Address: a.addr, ALPN: ALPN, Hello: h.message(),
		TLS: &tls.Config{Certificates: []tls.Certificate{leaf(t, id)}, InsecureSkipVerify: true},
	})
	if err == nil {
		t.Cleanup(func() { c.Close(); c.Wait() })
	}
	return err
}

// TestLinkIDOfAnother: a router cannot take the place of a link of others by
// claiming its id, nor give two links of its own one id.
func TestLinkIDOfAnother(t *testing.T) {
	net := newNetwork()
	a, b := newNode(t, net, "A", ""), newNode(t, net, "B", "")
	tell(b, a)
	l := connected(t, a, b)
	for _, id := range []string{"C", "B"} {
		err := greet(t, a, id, hello{linkID: l.id, iteration: 9, started: 9, dialer: "eth7"})
		if err == nil || refusalOf(err).Code != CodeRefused {
			t.Errorf("the id of a link of A and B, claimed by %s: %v", id, err)
		}
	}
	if got := a.link(l.id); got == nil || got.peer != "B" || got.key != l.key {
		t.Errorf("the link is %+v now", got)
	}
}

// TestLinksOfOneRouter: a router has no more links than so many with another
// one, whatever interfaces it claims to have.
func TestLinksOfOneRouter(t *testing.T) {
	net := newNetwork()
	a := newNode(t, net, "A", "")
	for i := range maxLinks {
		if err := greet(t, a, "C", hello{linkID: fmt.Sprint("l", i), iteration: 1, started: 1, dialer: fmt.Sprint("eth", i)}); err != nil {
			t.Fatal(err)
		}
		wait(t, "the link", func() bool { return len(a.all()) == i+1 })
	}
	if err := greet(t, a, "C", hello{linkID: "more", iteration: 1, started: 1, dialer: "more"}); err == nil || refusalOf(err).Code != CodeTooMany {
		t.Errorf("one more: %v", err)
	}
	if err := greet(t, a, "D", hello{linkID: "other", iteration: 1, started: 1, dialer: "more"}); err != nil {
		t.Errorf("of another router: %v", err)
	}
}
