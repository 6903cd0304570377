package interop

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/mesh"
	"github.com/weftnet/weft/sdk"
)

// flock is a stream for every pair of kinds of clients, from router a to b.
type flock struct {
	streams  []*stream
	circuits []string
}

// startFlock dials all pairs; every second pair with end-to-end encryption.
func startFlock(t *testing.T, m *meshNetwork, name string) flock {
	t.Helper()
	var f flock
	conns := make(map[string]net.Conn)
	for i, host := range ends() {
		for j, dialer := range ends() {
			encrypted := (i+j)%2 == 0
			label := fmt.Sprintf("%s-%s-to-%s-%s", name, dialer.name, host.name, nameOf(encrypted))
			id, _, _ := m.service(t, label, encrypted)
			serve(t, host.listen(t, m.network, label))
			m.waitTerminators(t, id, 1)
			c, err := dialer.dial(t, m.network, label)(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			var circuit string
			switch c := c.(type) {
			case interface{ GetCircuitId() string }:
				circuit = c.GetCircuitId()
			case *sdk.Conn:
				circuit = c.CircuitID()
			}
			f.circuits = append(f.circuits, circuit)
			conns[label] = c
		}
	}
	for label, c := range conns {
		f.streams = append(f.streams, startStream(label, c, 0))
	}
	t.Cleanup(func() {
		for _, s := range f.streams {
			_ = s.conn.Close()
		}
	})
	return f
}

// uses reports whether a circuit of the flock has something in its path.
func (f flock) uses(m *meshNetwork, what func(mesh.Circuit) bool) bool {
	all, err := m.Circuits()
	return err != nil || slices.ContainsFunc(all, func(c mesh.Circuit) bool { return slices.Contains(f.circuits, c.ID) && what(c) })
}

func (f flock) leaves(t *testing.T, m *meshNetwork, name string, what func(mesh.Circuit) bool) {
	t.Helper()
	if !eventually(func() bool { return !f.uses(m, what) }) {
		t.Fatalf("circuits stay on %s", name)
	}
}

func (f flock) complete(t *testing.T) {
	t.Helper()
	for _, s := range f.streams {
		close(s.stop)
	}
	for _, s := range f.streams {
		if err := s.wait(patience); err != nil {
			t.Error(err)
		}
	}
}

// paths are the times at which the circuits of the flock got their paths.
func (f flock) paths(t *testing.T, m *meshNetwork) map[string]time.Time {
	t.Helper()
	all, err := m.Circuits()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]time.Time, len(all))
	for _, c := range all {
		out[c.ID] = c.UpdatedAt
	}
	return out
}

// circuit returns the first one of the flock for which ok holds, nil if none does.
func (f flock) circuit(m *meshNetwork, ok func(mesh.Circuit) bool) *mesh.Circuit {
	all, _ := m.Circuits()
	i := slices.IndexFunc(all, func(c mesh.Circuit) bool { return slices.Contains(f.circuits, c.ID) && ok(c) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// linked holds for a circuit whose path is known in whole.
func linked(c mesh.Circuit) bool { return len(c.Path.Links) > 0 }

// transit holds for a circuit with a router between its ends.
func transit(c mesh.Circuit) bool { return len(c.Path.Nodes) > 2 }

func overRouter(name string) func(mesh.Circuit) bool {
	return func(c mesh.Circuit) bool { return slices.Contains(c.Routers(), name) }
}

func overLink(id string) func(mesh.Circuit) bool {
	return func(c mesh.Circuit) bool {
		return slices.ContainsFunc(c.Path.Links, func(l mesh.Ref) bool { return l.ID == id })
	}
}

// enough bytes of every stream show that a path works.
const enough = 256 << 10

// TestMeshReroute takes links and a router away from running transfers, and
// the controller: not one byte is lost, doubled or out of order.
func TestMeshReroute(t *testing.T) {
	m := sharedMesh(t)
	if err := m.whole(); err != nil {
		t.Fatal(err)
	}
	f := startFlock(t, m, "reroute")
	goesOn(t, f.streams, enough)
	// removeLink takes away a link that circuits use, wherever they go by now.
	removeLink := func() {
		t.Helper()
		if !eventually(func() bool { return f.circuit(m, linked) != nil }) {
			t.Fatal("no circuit has a link")
		}
		path, before := f.circuit(m, linked).Path, f.paths(t, m)
		id, last := path.Links[len(path.Links)-1].ID, path.Nodes[len(path.Nodes)-2].Name
		if err := m.RemoveLink(id); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		// The link comes back under its id at once, and circuits may use it again.
		f.leaves(t, m, "the removed link", func(c mesh.Circuit) bool { return overLink(id)(c) && c.UpdatedAt.Equal(before[c.ID]) })
		moved := time.Since(began)
		goesOn(t, f.streams, enough)
		t.Logf("circuits had moved off the link between %s and b after %v, all streams had %d bytes more after %v", last,
			moved.Round(time.Millisecond), enough, time.Since(began).Round(time.Millisecond))
		if err := m.whole(); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		removeLink()
	}
	for range 10 {
		if f.circuit(m, transit) == nil {
			removeLink()
		}
	}
	between := f.circuit(m, transit)
	if between == nil {
		t.Fatal("no circuit goes over a router between")
	}
	middle := between.Routers()[1]
	m.Mesh.Router(middle).Process.Kill()
	f.leaves(t, m, "the dead router", overRouter(middle))
	goesOn(t, f.streams, enough)
	if err := m.Mesh.StartRouters(); err != nil {
		t.Fatal(err)
	}
	m.Mesh.Controller.Kill()
	goesOn(t, f.streams, enough)
	if err := m.Mesh.StartController(); err != nil {
		t.Fatal(err)
	}
	if err := m.login(); err != nil {
		t.Fatal(err)
	}
	if err := m.whole(); err != nil {
		t.Fatal(err)
	}
	adopted := func() bool {
		all, err := m.Circuits()
		return err == nil && !slices.ContainsFunc(f.circuits, func(id string) bool {
			return !slices.ContainsFunc(all, func(c mesh.Circuit) bool { return c.ID == id })
		})
	}
	if !eventually(adopted) {
		t.Fatal("the controller does not take over what runs")
	}
	removeLink()
	f.complete(t)
}
