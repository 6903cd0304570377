package mesh

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// TestHostOnTwoRouters: when a router of a host dies, new dials go to the
// other.
func TestHostOnTwoRouters(t *testing.T) {
	f := diamond(t)
	both, err := f.client(fmt.Sprintf("both-%d", serial.Add(1)), "r2", "r3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = both.Close() })
	name, id := f.service(t, nil)
	if err := both.Listen(name, 2); err != nil {
		t.Fatal(err)
	}
	terminators := func() []string {
		var all []struct{ Router Ref }
		if err := f.mesh.Admin.Call(t.Context(), "GET", "/services/"+id+"/terminators", nil, &all); err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, x := range all {
			at = append(at, x.Router.Name)
		}
		slices.Sort(at)
		return at
	}
	if !testnet.Within(patience, func() bool { return slices.Equal(terminators(), []string{"r2", "r3"}) }) {
		t.Fatalf("terminators at %v", terminators())
	}
	for _, victim := range []string{"r2", "r3"} {
		f.mesh.Router(victim).Process.Kill()
		for range 5 {
			conn := dial(t, f.dialer, name)
			if _, err := conn.Echo(1, 100); err != nil {
				t.Errorf("without %s: %v", victim, err)
			}
		}
		if err := f.mesh.StartRouters(); err != nil {
			t.Fatal(err)
		}
		f.whole(t)
		if !testnet.Within(patience, func() bool { return slices.Equal(terminators(), []string{"r2", "r3"}) }) {
			t.Fatalf("terminators at %v after %s is back", terminators(), victim)
		}
	}
}

// TestAllRoutersRestart: routers that start all at once find each other, their
// clients and their hosts again.
func TestAllRoutersRestart(t *testing.T) {
	f := diamond(t)
	services := []string{f.hosted(t, f.host), f.egress(t, "r4"), f.hosted(t, f.dialer)}
	for _, s := range services {
		if _, err := dial(t, f.dialer, s).Echo(1, 100); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range f.mesh.Routers {
		r.Process.Kill()
	}
	if err := f.mesh.StartRouters(); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
	for _, s := range services {
		var err error
		if !testnet.Within(patience, func() bool {
			var conn *Conn
			if conn, err = f.dialer.Dial(s); err == nil {
				_, err = conn.Echo(1, 100)
				_ = conn.Close()
			}
			return err == nil
		}) {
			t.Errorf("%s: %v\n%s", s, err, f.mesh.Logs())
		}
	}
	f.agrees(t)
}

// TestControllerDown: without a controller circuits go on, clients of one
// router dial hosts of the same router, and everything else is refused with a
// reason.
func TestControllerDown(t *testing.T) {
	f := diamond(t)
	near, far := f.hosted(t, f.dialer), f.hosted(t, f.host)
	for _, s := range []string{near, far} { // service sessions
		if _, err := dial(t, f.dialer, s).Echo(1, 100); err != nil {
			t.Fatal(err)
		}
	}
	running := start(t, f.dialer, far, Load{Up: 64 * mib, Down: 64 * mib, Rate: 16 * mib})
	goesOn(t, running, mib)
	f.mesh.Controller.Kill()
	for range 3 {
		conn, err := f.dialer.Dial(near)
		if err != nil {
			t.Errorf("dial at the same router: %v", err)
			continue
		}
		if _, err := conn.Echo(1, 100); err != nil {
			t.Error(err)
		}
		_ = conn.Close()
	}
	complete(t, running)
	if err := f.mesh.StartController(); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
	if _, err := dial(t, f.dialer, far).Echo(1, 100); err != nil {
		t.Error(err)
	}
}

// TestFrozenRouter: a router that is there and does nothing is gone round, and
// is whole again when it goes on.
func TestFrozenRouter(t *testing.T) {
	long(t)
	f := diamond(t)
	conn := dial(t, f.dialer, f.hosted(t, f.host))
	tr, err := conn.Start(Load{Up: 64 * mib, Down: 64 * mib, Rate: 8 * mib})
	if err != nil {
		t.Fatal(err)
	}
	goesOn(t, tr, mib)
	victim := f.middle(t, conn.Circuit)
	p := f.mesh.Router(victim).Process
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Thaw() })
	f.moved(t, conn.Circuit, victim)
	goesOn(t, tr, mib)
	if err := p.Thaw(); err != nil {
		t.Fatal(err)
	}
	complete(t, tr)
	f.whole(t)
	_ = conn.Close()
	f.agrees(t)
}
