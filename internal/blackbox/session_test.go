package blackbox

import (
	"testing"

	"github.com/weftnet/weft/wire/edge"
)

// TestServiceTokens: a service session is worth something only for the
// identity, the login and the purpose that it was made for.
func TestServiceTokens(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	attacker, victim := n.person(t), n.person(t)
	service, name := n.openService(t)
	l, err := n.person(t).sdk(t).Listen(name) // so that a good token would connect
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go serveEcho(l)
	second := &person{net: n, id: attacker.id, cert: attacker.cert, api: n.client(&attacker.cert)}
	if err := second.api.loginCertificate(); err != nil {
		t.Fatal(err)
	}
	own := attacker.serviceToken(t, service, "Dial")
	if m := attacker.connect(t).request(connectMessage(7, own, false)); m.Type != edge.TypeStateConnected {
		t.Fatalf("the good token: %s %q", edge.TypeName(m.Type), m.Body)
	}
	for _, tt := range []struct {
		name, token string
		bind        bool
	}{
		{"the raw service id", service, false},
		{"nothing", "", false},
		{"noise", "\x00\xff\x01", false},
		{"an API session token", attacker.api.Token, false},
		{"altered", alter(own), false},
		{"without signature", own[:len(own)-20], false},
		{"a JWT of nobody", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", false},
		{"an empty JWT", "ey..", false},
		{"another identity's", victim.serviceToken(t, service, "Dial"), false},
		{"another login's", second.serviceToken(t, service, "Dial"), false},
		{"made for hosting", attacker.serviceToken(t, service, "Bind"), false},
		{"made for dialing", own, true},
		{"another identity's, hosting", victim.serviceToken(t, service, "Bind"), true},
		{"the raw service id, hosting", service, true},
	} {
		for _, xgress := range []bool{false, true} {
			name := tt.name
			if xgress {
				name += " with client-side flow control"
			}
			t.Run(name, func(t *testing.T) {
				e := attacker.connect(t)
				m := connectMessage(7, tt.token, xgress)
				if tt.bind {
					b := &edge.Bind{ConnID: 7, Token: []byte(tt.token), RouterConnID: true, UseXgress: xgress}
					m = b.Encode()
				}
				closed := wantStateClosed(t, e.request(m))
				t.Logf("refused: %s", closed.Reason)
				if closed.ConnID != 7 {
					t.Errorf("refused for connection %d, want 7", closed.ConnID)
				}
				e.alive()
			})
		}
	}
	n.unharmed(t)
}

// TestDialerCannotLie: who dials is what the router knows, not what the message
// says.
func TestDialerCannotLie(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	attacker, victim, host := n.person(t), n.person(t), n.person(t)
	service, name := n.openService(t)
	l, err := host.sdk(t).Listen(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := connectMessage(1, attacker.serviceToken(t, service, "Dial"), false)
	m.Headers.PutString(edge.HeaderDialerIdentityID, victim.id)
	m.Headers.PutString(edge.HeaderDialerIdentityName, victim.name)
	e := attacker.connect(t)
	go e.send(m)
	c, err := l.AcceptConn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if p := c.Peer(); p.IdentityID != attacker.id || p.IdentityName != attacker.name {
		t.Fatalf("the host was told %+v, want %s %s", p, attacker.id, attacker.name)
	}
	n.unharmed(t)
}

// TestGroups: joining a group takes its secret and its certificate.
func TestGroups(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	owner, attacker := n.person(t), n.person(t)
	first := n.hello(t, &owner.cert, &edge.Hello{Token: owner.api.Token, Grouped: true, First: true, UnderlayType: edge.UnderlayDefault})
	if first.refused() || !first.result.Grouped || len(first.result.GroupSecret) == 0 {
		t.Fatalf("no group: %+v", first.result)
	}
	join := func(secret []byte, id, token string) *edge.Hello {
		return &edge.Hello{Token: token, Grouped: true, UnderlayType: edge.UnderlayDefault, ConnectionID: id, GroupSecret: secret}
	}
	id, secret := first.result.ConnectionID, first.result.GroupSecret
	wrong := append([]byte(nil), secret...)
	wrong[0]++
	for _, tt := range []struct {
		name  string
		who   *person
		hello *edge.Hello
		log   string
	}{
		{"wrong secret", owner, join(wrong, id, owner.api.Token), "wrong group secret"},
		{"no secret", owner, join(nil, id, owner.api.Token), "wrong group secret"},
		{"part of the secret", owner, join(secret[:len(secret)-1], id, owner.api.Token), "wrong group secret"},
		{"another certificate", attacker, join(secret, id, attacker.api.Token), "another certificate"},
		{"another certificate, the owner's token", attacker, join(secret, id, owner.api.Token), "another certificate"},
		{"unknown group", owner, join(secret, "no-such-group", owner.api.Token), "unknown group"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLogged(t, n.Router, func() {
				e := n.hello(t, &tt.who.cert, tt.hello)
				if !e.refused() {
					e.wantEnd() // the answer may come before the verdict
				}
			}, "connection refused", tt.log)
			first.alive()
		})
	}
	t.Run("the owner", func(t *testing.T) {
		e := n.hello(t, &owner.cert, join(secret, id, owner.api.Token))
		if e.refused() {
			t.Fatalf("refused: %+v", e.result)
		}
		answered := make(chan error, 2) // on either connection
		for _, c := range []*edgeConn{e, first} {
			go func() {
				_, err := c.next()
				answered <- err
			}()
		}
		e.send(edgeProbe())
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	})
	n.unharmed(t)
}
