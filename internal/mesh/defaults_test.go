package mesh

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// TestDefaultTimes: with the times that links have by default a silent cut in
// one direction is gone round long before the link is closed, and a router that
// comes back is dialed at once, not when its next dial is due.
func TestDefaultTimes(t *testing.T) {
	long(t)
	mesh, err := testnet.StartMesh(testnet.MeshOptions{
		Options:      testnet.Options{Program: program, Username: "admin", Password: "mesh-admin-1", Patience: patience},
		Routers:      []string{"r1", "r2", "r3"},
		Links:        [][2]string{{"r1", "r2"}, {"r1", "r3"}, {"r2", "r3"}},
		DefaultTimes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(mesh.Logs())
		}
		if err := mesh.End(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{View: View{mesh}, mesh: mesh}
	dialer, err := f.client("dialer", "r1")
	if err != nil {
		t.Fatal(err)
	}
	host, err := f.client("host", "r2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = dialer.Close(), host.Close() })
	service := f.hosted(t, host)
	ready := func() bool {
		links, err := f.Links()
		return err == nil && len(links) == 3 && !slices.ContainsFunc(links, func(l Link) bool { return !l.Complete() || l.Cost > 1000 })
	}
	if !testnet.Within(2*time.Minute, ready) {
		t.Fatalf("links %+v", f.links(t))
	}
	conn := dial(t, dialer, service)
	tr, err := conn.Start(Load{Up: 16 * mib, Down: 16 * mib, Rate: mib})
	if err != nil {
		t.Fatal(err)
	}
	if path := f.Path(conn.Circuit); !slices.Equal(path, []string{"r1", "r2"}) {
		t.Fatalf("path %v", path)
	}
	link := f.link(t, "r1", "r2")
	if err := testnet.CutOneWay(mesh.Router("r2").Host, mesh.Router("r1").Host); err != nil {
		t.Fatal(err)
	}
	if !testnet.Within(patience, func() bool { return len(f.Path(conn.Circuit)) == 3 }) {
		t.Fatalf("the circuit stays on a link that is silent: %v", f.Path(conn.Circuit))
	}
	if now := f.link(t, "r1", "r2"); now.ID != link.ID {
		t.Error("the link was closed before its circuit moved")
	}
	complete(t, tr)
	if err := mesh.Hosts.Heal(); err != nil {
		t.Fatal(err)
	}

	mesh.Router("r2").Process.Kill()
	if !testnet.Within(patience, func() bool {
		text, err := mesh.CLI("agent", "-p", fmt.Sprint(mesh.Router("r1").Process.PID()), "-o", "json", "links")
		return err == nil && strings.Contains(text, "refused") // a dial has failed, the next one is due much later
	}) {
		t.Error("no dial of a router that is gone")
	}
	if err := mesh.StartRouters(); err != nil {
		t.Fatal(err)
	}
	if !testnet.Within(20*time.Second, func() bool {
		links, err := f.Links()
		return err == nil && slices.ContainsFunc(links, func(l Link) bool { return l.Between("r1", "r2") && l.State == "Connected" })
	}) {
		t.Errorf("a router that is back is not dialed: %+v", f.links(t))
	}
}
