package blackbox

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/edge"
)

// routerCertificate is the client certificate of the network's own router.
func (n *network) routerCertificate(t *testing.T) *tls.Certificate {
	t.Helper()
	c, err := tls.LoadX509KeyPair(filepath.Join(n.Dir, "pki", "router.cert.pem"), filepath.Join(n.Dir, "pki", "router.key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// controllerCertificate is the client certificate of the controller.
func (n *network) controllerCertificate(t *testing.T) *tls.Certificate {
	t.Helper()
	c, err := tls.LoadX509KeyPair(filepath.Join(n.Dir, "pki", "controller.cert.pem"), filepath.Join(n.Dir, "pki", "controller.key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// issue makes a certificate with a key of its own.
func issue(t *testing.T, ca *pki.Authority, l pki.Leaf) *tls.Certificate {
	t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	l.PublicKey = key.Public()
	l.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	chain, err := ca.Issue(l, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	out := &tls.Certificate{PrivateKey: key}
	for _, c := range chain {
		out.Certificate = append(out.Certificate, c.Raw)
	}
	return out
}

// foreignCA is an authority that the network has never heard of.
func foreignCA(t *testing.T) *pki.Authority {
	t.Helper()
	ca, err := pki.NewRoot("Foreign Root", "foreign.example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// trustDomain of the network, from a certificate.
func trustDomain(t *testing.T, c *tls.Certificate) string {
	t.Helper()
	u, err := pki.SPIFFE(leafOf(t, c))
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func leafOf(t *testing.T, c *tls.Certificate) *x509.Certificate {
	t.Helper()
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

// withFiller presents c and, behind it, the certificates of others as filler.
func withFiller(c *tls.Certificate, others ...*tls.Certificate) *tls.Certificate {
	out := &tls.Certificate{PrivateKey: c.PrivateKey, Certificate: append([][]byte(nil), c.Certificate...)}
	for _, o := range others {
		out.Certificate = append(out.Certificate, o.Certificate...)
	}
	return out
}

// lookalikes are certificates of somebody else that pretend to be the victim.
func lookalikes(t *testing.T, n *network, victim *person) map[string]*tls.Certificate {
	t.Helper()
	name := pki.Leaf{
		Subject: pkix.Name{CommonName: victim.id},
		URIs:    []*url.URL{pki.IdentitySPIFFE(trustDomain(t, &victim.cert), victim.id)},
	}
	foreign := issue(t, foreignCA(t), name)
	selfSigned, err := pki.NewRoot(victim.id, trustDomain(t, &victim.cert), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	self := &tls.Certificate{PrivateKey: selfSigned.Key, Certificate: [][]byte{selfSigned.Certificate.Raw}}
	return map[string]*tls.Certificate{
		"foreign CA":                            foreign,
		"foreign CA, victim's chain as filler":  withFiller(foreign, &victim.cert),
		"self-signed":                           self,
		"self-signed, victim's chain as filler": withFiller(self, &victim.cert),
	}
}

func TestForeignCertificates(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	victim := n.person(t)
	for name, cert := range lookalikes(t, n, victim) {
		t.Run(name, func(t *testing.T) {
			t.Run("login", func(t *testing.T) {
				wantRefusal(t, n.client(cert).loginCertificate(), 401, "INVALID_AUTH")
				wantRefusal(t, n.rest("/edge/management/v1", cert).loginCertificate(), 401, "INVALID_AUTH")
			})
			t.Run("router", func(t *testing.T) {
				wantLogged(t, n.Router, func() {
					c, err := dialTLS(t, n.RouterAddress(), cert)
					if err != nil {
						return // refused in the handshake already
					}
					m := (&edge.Hello{Token: victim.api.Token}).Encode()
					_, _ = c.Write(m.Append(nil))
					wantClosed(t, c)
				}, "connection refused", "TLS handshake", "does not chain to a trusted CA")
			})
			t.Run("control", func(t *testing.T) {
				wantLogged(t, n.Controller, func() {
					c, err := dialTLS(t, n.APIAddress(), cert, "weft-ctrl")
					if err != nil {
						return
					}
					wantClosed(t, c)
				}, "connection refused", "TLS handshake", "does not chain to a trusted CA")
			})
		})
	}
	n.unharmed(t)
}

// TestNoCertificate: neither a router nor the control listener talk to somebody
// without a certificate.
func TestNoCertificate(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, tt := range []struct {
		name, address string
		alpn          []string
		process       *process
	}{
		{"router", n.RouterAddress(), nil, n.Router},
		{"control", n.APIAddress(), []string{"weft-ctrl"}, n.Controller},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLogged(t, tt.process, func() {
				c, err := dialTLS(t, tt.address, nil, tt.alpn...)
				if err == nil {
					wantClosed(t, c)
				}
			}, "connection refused", "TLS handshake", "certificate")
		})
	}
	wantRefusal(t, n.client(nil).loginCertificate(), 401, "INVALID_AUTH")
	n.unharmed(t)
}

// TestFiller: of what a client presents only the leaf names it, whatever comes
// behind.
func TestFiller(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	attacker, victim := n.person(t), n.person(t)
	cert := withFiller(&attacker.cert, &victim.cert)

	t.Run("login is the leaf's", func(t *testing.T) {
		api := n.client(cert)
		if err := api.loginCertificate(); err != nil {
			t.Fatal(err)
		}
		var who struct{ ID string }
		if err := api.call("GET", "/current-identity", nil, &who); err != nil {
			t.Fatal(err)
		}
		if who.ID != attacker.id {
			t.Fatalf("logged in as %s, want %s, the owner of the leaf (the filler is %s)", who.ID, attacker.id, victim.id)
		}
	})
	t.Run("router, the victim's token", func(t *testing.T) {
		if e := n.hello(t, cert, &edge.Hello{Token: victim.api.Token}); !e.refused() {
			t.Fatal("a filler certificate was taken for the client's")
		}
	})
	t.Run("router, own token", func(t *testing.T) {
		if e := n.hello(t, cert, &edge.Hello{Token: attacker.api.Token}); e.refused() {
			t.Fatal("filler must not matter")
		}
	})
	t.Run("control, a router as filler", func(t *testing.T) {
		cert := withFiller(&attacker.cert, n.routerCertificate(t))
		wantControlRefused(t, n, cert, "no router has this certificate")
	})
	n.unharmed(t)
}

// TestControlIsForRouters: a good certificate of the network that is not a
// router's gets nowhere at the control listener.
func TestControlIsForRouters(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	routerName := pki.Leaf{
		Subject: pkix.Name{CommonName: n.RouterID},
		URIs:    []*url.URL{pki.RouterSPIFFE(trustDomain(t, &p.cert), n.RouterID)},
	}
	for name, cert := range map[string]*tls.Certificate{
		"an identity":                    &p.cert,
		"the controller":                 n.controllerCertificate(t),
		"the router's name, another key": issue(t, n.authority(t), routerName),
	} {
		t.Run(name, func(t *testing.T) { wantControlRefused(t, n, cert, "no router has this certificate") })
	}
	n.unharmed(t)
}

// wantControlRefused says hello to the control listener and wants a refusal
// with the text, to the peer and in the log.
func wantControlRefused(t *testing.T, n *network, cert *tls.Certificate, text string) {
	t.Helper()
	wantLogged(t, n.Controller, func() {
		c := mustDialTLS(t, n.APIAddress(), cert, "weft-ctrl")
		r := sayHello(t, c)
		if r == nil || r.Success {
			t.Fatalf("got %+v, want a refusal", r)
		}
		if r.Message == "" {
			t.Fatal("the refusal says nothing")
		}
		wantClosed(t, c)
	}, "connection refused", text)
}

// TestExpiredCertificates: an expired certificate of an API session opens
// nothing; that of an identity counts as long as its fingerprint is known,
// since clients renew it by logging in with it.
func TestExpiredCertificates(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p, other := n.person(t), n.person(t)
	ca := n.authority(t)
	var session struct{ ID string }
	if err := p.api.call("GET", "/current-api-session", nil, &session); err != nil {
		t.Fatal(err)
	}
	domain := trustDomain(t, &p.cert)
	expired := func(u *url.URL) *tls.Certificate {
		return issue(t, ca, pki.Leaf{
			Subject: pkix.Name{CommonName: p.id}, URIs: []*url.URL{u},
			NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour),
		})
	}
	ofSession := expired(pki.SessionSPIFFE(domain, p.id, session.ID, "1"))
	ofIdentity := expired(pki.IdentitySPIFFE(domain, p.id))
	ofRouter := issue(t, ca, pki.Leaf{
		Subject: pkix.Name{CommonName: n.RouterID}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour),
	})

	t.Run("session certificate at the router", func(t *testing.T) {
		wantLogged(t, n.Router, func() {
			if e := n.hello(t, ofSession, &edge.Hello{Token: p.api.Token}); !e.refused() {
				t.Fatal("an expired session certificate was accepted")
			}
		}, "connection refused", "hello rejected", "validity")
	})
	t.Run("session certificate that is valid", func(t *testing.T) {
		good := issue(t, ca, pki.Leaf{Subject: pkix.Name{CommonName: p.id}, URIs: []*url.URL{pki.SessionSPIFFE(domain, p.id, session.ID, "1")}})
		if e := n.hello(t, good, &edge.Hello{Token: p.api.Token}); e.refused() {
			t.Fatalf("refused: %+v", e.result)
		}
		if e := n.hello(t, good, &edge.Hello{Token: other.api.Token}); !e.refused() {
			t.Fatal("a certificate of one session opened another")
		}
	})
	t.Run("login with an unknown fingerprint", func(t *testing.T) {
		wantRefusal(t, n.client(ofIdentity).loginCertificate(), 401, "INVALID_AUTH")
		wantRefusal(t, n.client(ofSession).loginCertificate(), 401, "INVALID_AUTH")
	})
	t.Run("identity certificate with another's token", func(t *testing.T) {
		if e := n.hello(t, ofIdentity, &edge.Hello{Token: other.api.Token}); !e.refused() {
			t.Fatal("accepted")
		}
	})
	t.Run("router certificate at the control listener", func(t *testing.T) {
		wantControlRefused(t, n, ofRouter, "no router has this certificate")
	})
	n.unharmed(t)
}

// TestTokenOfAnother: a session token is worth nothing with another
// certificate, and a token that was made up is worth nothing at all.
func TestTokenOfAnother(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	attacker, victim := n.person(t), n.person(t)
	for name, token := range map[string]string{
		"another identity's":  victim.api.Token,
		"the administrator's": n.admin.Token,
		"none":                "",
		"a UUID":              "96fdf813-9bce-4e5d-9091-95c84eb887a7",
		"cut":                 attacker.api.Token[:len(attacker.api.Token)-1],
		"altered":             alter(attacker.api.Token),
		"a JWT":               "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.",
	} {
		t.Run(name, func(t *testing.T) {
			wantLogged(t, n.Router, func() {
				e := n.hello(t, &attacker.cert, &edge.Hello{Token: token})
				if !e.refused() {
					t.Fatal("accepted")
				}
				e.wantEnd()
			}, "connection refused", "hello rejected")
		})
	}
	n.unharmed(t)
}

// alter changes one character in the middle of a text.
func alter(s string) string {
	b := []byte(s)
	i := len(b) / 2
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

// TestEndedSession: a session that has ended opens nothing, and what it had
// opened is closed.
func TestEndedSession(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for name, end := range map[string]func(p *person) error{
		"logout": func(p *person) error { return p.api.call("DELETE", "/current-api-session", nil, nil) },
		"removed by the administrator": func(p *person) error {
			var s struct{ ID string }
			err := p.api.call("GET", "/current-api-session", nil, &s)
			return errors.Join(err, n.admin.call("DELETE", "/api-sessions/"+s.ID, nil, nil))
		},
		"identity disabled": func(p *person) error {
			return n.admin.call("POST", "/identities/"+p.id+"/disable", map[string]int{"durationMinutes": 0}, nil)
		},
		"identity deleted": func(p *person) error { return n.admin.call("DELETE", "/identities/"+p.id, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := n.person(t)
			e := p.connect(t)
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			e.wantEnd()
			t.Logf("the connection was closed after %s", time.Since(begin).Round(time.Millisecond))
			eventually(t, "hello refused", func() bool {
				return n.hello(t, &p.cert, &edge.Hello{Token: p.api.Token}).refused()
			})
			err := p.api.call("GET", "/current-identity", nil, nil)
			wantRefusal(t, err, 401, "UNAUTHORIZED")
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// lookalikeName is what a router of somebody else's network may be called.
func lookalikeName() pki.Leaf { return pki.Leaf{Subject: pkix.Name{CommonName: "their-router"}} }
