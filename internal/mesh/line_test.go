package mesh

import (
	"slices"
	"testing"
)

// TestLine: circuits over one, two and three routers, to hosts and servers.
func TestLine(t *testing.T) {
	f := diamond(t)
	for _, tt := range []struct {
		name    string
		service string
		path    int
	}{
		{"host at the same router", f.hosted(t, f.dialer), 1},
		{"egress of the same router", f.egress(t, "r1"), 1},
		{"egress of the next router", f.egress(t, "r2"), 2},
		{"host at the third router", f.hosted(t, f.host), 3},
		{"egress of the third router", f.egress(t, "r4"), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, f.dialer, tt.service)
			if _, err := conn.Echo(10, 1000); err != nil {
				t.Error(err)
			}
			if path := f.Path(conn.Circuit); len(path) != tt.path || path[0] != "r1" {
				t.Errorf("path %v, want one of %d routers", path, tt.path)
			}
			complete(t, start(t, f.dialer, tt.service, Load{Up: 10 * mib, Down: 10 * mib}))
		})
	}
}

// TestCost: costs, noTraversal and disabled routers decide the way of new
// circuits.
func TestCost(t *testing.T) {
	f := diamond(t)
	service := f.hosted(t, f.host)
	through := func(want string) {
		t.Helper()
		conn := dial(t, f.dialer, service)
		if _, err := conn.Echo(1, 10); err != nil {
			t.Fatal(err)
		}
		if path := f.Path(conn.Circuit); !slices.Equal(path, []string{"r1", want, "r4"}) {
			t.Errorf("path %v, want through %s", path, want)
		}
	}
	change := func(router string, fields map[string]any) {
		t.Helper()
		if err := f.ChangeRouter(f.mesh.Router(router).ID, fields); err != nil {
			t.Fatal(err)
		}
	}
	change("r2", map[string]any{"cost": 1000})
	through("r3")
	change("r2", map[string]any{"cost": 0})
	change("r3", map[string]any{"cost": 1000})
	through("r2")
	change("r3", map[string]any{"cost": 0})
	change("r2", map[string]any{"noTraversal": true})
	through("r3")
	change("r2", map[string]any{"noTraversal": false})
	dear := f.link(t, "r1", "r3")
	if err := f.ChangeLink(dear.ID, map[string]any{"staticCost": 1000}); err != nil {
		t.Fatal(err)
	}
	through("r2")
	if err := f.ChangeLink(dear.ID, map[string]any{"staticCost": 1}); err != nil {
		t.Fatal(err)
	}
	change("r3", map[string]any{"disabled": true})
	through("r2")
	change("r3", map[string]any{"disabled": false})
	f.whole(t)
}

// TestBetterPath: a circuit moves by itself when there is a much cheaper path,
// without a break in its data.
func TestBetterPath(t *testing.T) {
	f := diamond(t)
	conn := dial(t, f.dialer, f.hosted(t, f.host))
	tr, err := conn.Start(Load{Up: 32 * mib, Down: 32 * mib, Rate: 8 * mib})
	if err != nil {
		t.Fatal(err)
	}
	goesOn(t, tr, mib)
	middle := f.middle(t, conn.Circuit)
	dear := f.link(t, "r1", middle)
	if err := f.ChangeLink(dear.ID, map[string]any{"staticCost": 20000}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.ChangeLink(dear.ID, map[string]any{"staticCost": 1}); err != nil {
			t.Error(err)
		}
	})
	f.moved(t, conn.Circuit, middle)
	complete(t, tr)
}
