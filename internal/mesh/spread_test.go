package mesh

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// twoHosts are hosts at r2 and r3.
func (f *fixture) twoHosts(t *testing.T) map[string]*Client {
	t.Helper()
	hosts := make(map[string]*Client)
	for _, at := range []string{"r2", "r3"} {
		c, err := f.client(fmt.Sprintf("at-%s-%d", at, serial.Add(1)), at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		hosts[at] = c
	}
	return hosts
}

// TestHostsOnTwoRouters: open circuits spread over two hosts that cost the same.
func TestHostsOnTwoRouters(t *testing.T) {
	f := diamond(t)
	name, id := f.service(t, nil)
	for _, c := range f.twoHosts(t) {
		if err := c.Listen(name, 1); err != nil {
			t.Fatal(err)
		}
	}
	f.terminators(t, id, 2)
	f.measured(t)
	taken := make(map[string]int)
	for range 200 { // links that differ by milliseconds count too
		conn := dial(t, f.dialer, name)
		if _, err := conn.Echo(1, 100); err != nil {
			t.Fatal(err)
		}
		if taken[last(f.Path(conn.Circuit))]++; taken["r2"] >= 3 && taken["r3"] >= 3 {
			return
		}
	}
	t.Errorf("circuits lead to %v", taken)
}

// TestInstances: a client dials the instance that it names, wherever it is.
func TestInstances(t *testing.T) {
	f := diamond(t)
	name, id := f.service(t, nil)
	for at, c := range f.twoHosts(t) {
		if err := c.ListenAs(name, "the one at "+at); err != nil {
			t.Fatal(err)
		}
	}
	f.terminators(t, id, 2)
	for range 3 {
		for _, at := range []string{"r2", "r3"} {
			conn, err := f.dialer.DialAs(name, "the one at "+at)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Echo(1, 100); err != nil {
				t.Error(err)
			}
			if path := f.Path(conn.Circuit); last(path) != at {
				t.Errorf("the instance at %s: path %v", at, path)
			}
			_ = conn.Close()
		}
	}
	if _, err := f.dialer.DialAs(name, "nobody"); err == nil {
		t.Error("an instance that nobody is")
	}
}

// TestServerDown: a dial that fails goes to another terminator at once, and the
// cost of failures keeps later dials away from the first.
func TestServerDown(t *testing.T) {
	f := diamond(t)
	name, id := f.service(t, nil)
	nobody := "tcp:" + strings.TrimSuffix(f.serverAddress, ":7") + ":9"
	for router, address := range map[string]string{"r2": nobody, "r3": "tcp:" + f.serverAddress} {
		if _, err := f.mesh.Terminator(id, f.mesh.Router(router), address); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		conn := dial(t, f.dialer, name)
		if path := f.Path(conn.Circuit); last(path) != "r3" {
			t.Errorf("path %v", path)
		}
		if _, err := conn.Echo(1, 100); err != nil {
			t.Error(err)
		}
	}
}

// TestEndRouterRestarts: a circuit whose end router was killed ends when the
// router is back, with a reason.
func TestEndRouterRestarts(t *testing.T) {
	f := diamond(t)
	tr := start(t, f.dialer, f.hosted(t, f.host), Load{Up: 640 * mib, Down: 640 * mib, Rate: 8 * mib})
	goesOn(t, tr, mib)
	f.mesh.Router("r4").Process.Kill()
	if err := f.mesh.StartRouters(); err != nil {
		t.Fatal(err)
	}
	_, err := tr.Wait()
	if fail, is := err.(*Failure); !is || fail.Code != "PEER_GONE" {
		t.Errorf("the dialer is told %+v", err)
	}
	f.whole(t)
	f.agrees(t)
}

// measured waits until the costs of links are those of their latency.
func (f *fixture) measured(t *testing.T) {
	t.Helper()
	if !testnet.Within(patience, func() bool {
		return !slices.ContainsFunc(f.links(t), func(l Link) bool { return l.Cost > 1000 })
	}) {
		t.Fatalf("links are not measured: %+v", f.links(t))
	}
}

func last(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// terminators waits until a service has so many.
func (f *fixture) terminators(t *testing.T, serviceID string, count int) {
	t.Helper()
	var all []struct{ Router Ref }
	if !testnet.Within(patience, func() bool {
		all = nil
		err := f.mesh.Admin.Call(t.Context(), "GET", "/services/"+serviceID+"/terminators", nil, &all)
		return err == nil && len(all) == count
	}) {
		t.Fatalf("terminators at %v", all)
	}
}
