package blackbox

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/sdk"
	"github.com/weftnet/weft/wire/edge"
)

// TestKilledController: kill -9 while entities are created loses no acknowledged
// one and nobody's session, and running circuits do not notice.
func TestKilledController(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	ctx, stop := context.WithCancel(context.Background())
	var mu sync.Mutex
	made := make(map[string]string) // name by id
	var creators sync.WaitGroup
	for range 4 {
		creators.Go(func() {
			pause := time.NewTicker(5 * time.Millisecond)
			defer pause.Stop()
			for ctx.Err() == nil {
				name := unique("written")
				id, err := n.admin.create("identities", map[string]any{"name": name, "type": "Default", "isAdmin": false})
				if err == nil {
					mu.Lock()
					made[id] = name
					mu.Unlock()
					continue
				}
				var refused *apiError
				if errors.As(err, &refused) && refused.Status < 500 {
					t.Errorf("refused: %v", refused)
					return
				}
				<-pause.C
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(made)
	}
	for round := range 3 {
		more := count() + 100
		eventually(t, "more entities", func() bool { return count() >= more })
		n.Controller.Kill()
		n.good.mu.Lock()
		if err := echo(n.good.long); err != nil {
			t.Errorf("a running circuit without a controller: %v", err)
		}
		n.good.mu.Unlock()
		begin := time.Now()
		if err := n.Controller.Start(); err != nil {
			t.Fatal(err)
		}
		more = count() + 1
		eventually(t, "the controller takes writes again", func() bool { return count() >= more })
		t.Logf("round %d: %d entities, a write %s after the start", round, count(), time.Since(begin).Round(time.Millisecond))
	}
	stop()
	creators.Wait()
	for id, name := range made {
		var e struct{ Name string }
		if err := n.admin.call("GET", "/identities/"+id, nil, &e); err != nil || e.Name != name {
			t.Fatalf("the acknowledged identity %s (%s) is %+v, %v", name, id, e, err)
		}
	}
	if err := p.api.call("GET", "/current-identity", nil, nil); err != nil {
		t.Errorf("the session from before: %v", err)
	}
	if e := n.hello(t, &p.cert, &edge.Hello{Token: p.api.Token}); e.refused() {
		t.Error("the router does not know the session from before any more")
	}
	if !within(patience, n.RouterOnline) {
		t.Error("the router is not online again")
	}
	n.unharmed(t)
}

// TestRestartedRouter: clients and hosts come back by themselves.
func TestRestartedRouter(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.unharmed(t)
	for _, end := range []func(){n.Router.Kill, func() { wantCleanEnd(t, n.Router) }} {
		end()
		begin := time.Now()
		if err := n.Router.Start(); err != nil {
			t.Fatal(err)
		}
		var err error
		if !within(patience, func() bool {
			c, e := n.good.guest.DialWithOptions(context.Background(), n.good.service, sdk.DialOptions{Timeout: time.Second})
			if err = e; e != nil {
				return false
			}
			defer c.Close()
			err = echo(c)
			return err == nil
		}) {
			t.Fatalf("never served again: %v", err)
		}
		t.Logf("served again %s after the start", time.Since(begin).Round(time.Millisecond))
	}
}

// TestRouterAlone: a router that starts while no controller is there serves
// from what it has kept, and says what it cannot do.
func TestRouterAlone(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	p.connect(t).Close() // the router knows the identity
	if _, err := n.Router.Interrupt(patience); err != nil {
		t.Fatal(err)
	}
	n.Controller.Kill()
	if err := n.Router.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the port of the router is open", func() bool { return open(n.RouterAddress()) })
	e := p.connect(t)
	if closed := wantStateClosed(t, e.request(connectMessage(1, "ey", false))); closed.Reason == "" {
		t.Error("no reason")
	}
	if err := n.Controller.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the router is online", n.RouterOnline)
	e.alive() // the connection outlived the change
	eventually(t, "everybody is served again", func() bool { return n.good.checkNew() == nil })
}

// open reports whether somebody listens at an address.
func open(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// lost are ways in which an identity loses access to a service.
var lost = []struct {
	name string
	end  func(n *network, g *guest) error
	bind bool // the host loses it
}{
	{"policy deleted", func(n *network, g *guest) error { return n.admin.call("DELETE", "/service-policies/"+g.dial, nil, nil) }, false},
	{"policy changed", func(n *network, g *guest) error {
		return n.admin.call("PATCH", "/service-policies/"+g.dial, map[string]any{"identityRoles": []string{"#nobody"}}, nil)
	}, false},
	{"attribute of the identity removed", func(n *network, g *guest) error {
		return n.admin.call("PATCH", "/identities/"+g.person.id, map[string]any{"roleAttributes": []string{}}, nil)
	}, false},
	{"service deleted", func(n *network, g *guest) error { return n.admin.call("DELETE", "/services/"+g.service, nil, nil) }, false},
	{"identity disabled", func(n *network, g *guest) error {
		return n.admin.call("POST", "/identities/"+g.person.id+"/disable", map[string]int{"durationMinutes": 0}, nil)
	}, false},
	{"host's policy deleted", func(n *network, g *guest) error { return n.admin.call("DELETE", "/service-policies/"+g.bind, nil, nil) }, true},
	{"host deleted", func(n *network, g *guest) error { return n.admin.call("DELETE", "/identities/"+g.host.id, nil, nil) }, true},
}

// guest is an identity with an open connection to a service.
type guest struct {
	person, host  *person
	service, name string
	dial, bind    string // policies
	client        *sdk.Client
	conn          *sdk.Conn
}

func (n *network) newGuest(t *testing.T) *guest {
	t.Helper()
	mark := unique("guests")
	g := &guest{name: unique("watched"), person: n.person(t, mark), host: n.person(t, mark)}
	var err error
	if g.service, g.dial, g.bind, err = n.service(g.name, false, "#"+mark); err != nil {
		t.Fatal(err)
	}
	l, err := g.host.sdk(t).Listen(g.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go serveEcho(l)
	g.client = g.person.sdk(t)
	if g.conn, err = g.client.DialWithOptions(context.Background(), g.name, sdk.DialOptions{Timeout: patience}); err != nil {
		t.Fatal(err)
	}
	if err := echo(g.conn); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestAccessLost: a change of policies, attributes or entities ends running
// circuits and refuses new dials, within a second as a rule.
func TestAccessLost(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, tt := range lost {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := n.newGuest(t)
			ended := make(chan time.Time, 1)
			_ = g.conn.SetDeadline(time.Time{})
			go func() {
				_, _ = g.conn.Read(make([]byte, 1))
				ended <- time.Now()
			}()
			if err := tt.end(n, g); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			var refusal error
			for time.Since(begin) < patience && !isClear(refusal, tt.bind) {
				c, err := g.client.DialWithOptions(context.Background(), g.name, sdk.DialOptions{Timeout: patience})
				if err == nil {
					c.Close()
				}
				refusal = err
			}
			refused := time.Since(begin)
			select {
			case at := <-ended:
				t.Logf("the circuit ended after %s, a dial was refused after %s: %v", at.Sub(begin).Round(time.Millisecond), refused.Round(time.Millisecond), refusal)
				if at.Sub(begin) > quick || refused > quick {
					t.Error("that is too late")
				}
			case <-time.After(patience):
				t.Error("the circuit goes on")
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// isClear reports whether err is a refusal by the network that says why, and not
// just a connection that was lost at the moment of the change.
func isClear(err error, bind bool) bool {
	if bind {
		return errors.Is(err, sdk.ErrNoTerminator)
	}
	return errors.Is(err, sdk.ErrAccessDenied) || errors.Is(err, sdk.ErrServiceNotFound) || errors.Is(err, sdk.ErrLogin)
}
