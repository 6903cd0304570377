package mesh

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// fixture is a diamond of routers with clients at its two ends:
//
//	          r2
//	dialer  r1  r4  host, server
//	          r3
//
// The server is plain, for the egress of r4. Tests share it and run one after
// the other; each one finds it whole.
type fixture struct {
	View
	mesh   *testnet.Mesh
	dialer *Client // may use r1
	host   *Client // may use r4
	server *Client // without an identity

	serverAddress string
}

var shared fixture

// diamond returns the fixture when all of it works.
func diamond(t *testing.T) *fixture {
	t.Helper()
	if shared.mesh == nil {
		f, err := startDiamond()
		if err != nil {
			t.Fatal(err)
		}
		shared = *f
	}
	shared.whole(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(shared.mesh.Logs())
		}
		if err := shared.mesh.Hosts.Heal(); err != nil {
			t.Error(err)
		}
	})
	return &shared
}

func startDiamond() (_ *fixture, err error) {
	f := &fixture{}
	f.mesh, err = testnet.StartMesh(testnet.MeshOptions{
		Options: testnet.Options{Program: program, Username: "admin", Password: "mesh-admin-1", Patience: patience},
		Routers: []string{"r1", "r2", "r3", "r4"},
		Links:   [][2]string{{"r1", "r2"}, {"r1", "r3"}, {"r2", "r4"}, {"r3", "r4"}},
		// Circuits move to a better path soon, but not for what a busy machine does
		// to latencies.
		Controller: "network:\n  cycleSeconds: 1\n  smart:\n    minCostDelta: 5000\n",
	})
	if err != nil {
		return nil, err
	}
	f.View = View{f.mesh}
	defer func() {
		if err != nil {
			f.mesh.Kill()
		}
	}()
	if f.dialer, err = f.client("dialer", "r1"); err != nil {
		return nil, err
	}
	if f.host, err = f.client("host", "r4"); err != nil {
		return nil, err
	}
	on, err := f.mesh.Hosts.Add("server")
	if err != nil {
		return nil, err
	}
	if f.server, err = NewClient(on, "server", patience); err != nil {
		return nil, err
	}
	f.serverAddress = fmt.Sprintf("%s:7", on.Addr)
	return f, f.server.ListenPlain(f.serverAddress)
}

// client is a client on a host of its own that may use the given routers.
func (f *fixture) client(name string, routers ...string) (*Client, error) {
	on, err := f.mesh.Hosts.Add(name)
	if err != nil {
		return nil, err
	}
	file, err := f.mesh.Enrol(on, name, routers...)
	if err != nil {
		return nil, err
	}
	c, err := NewClient(on, name, patience)
	if err != nil {
		return nil, err
	}
	return c, c.Login(file)
}

// whole waits until everything is as it was at the start.
func (f *fixture) whole(t *testing.T) {
	t.Helper()
	if !testnet.Within(patience, f.mesh.AllOnline) {
		t.Fatalf("the routers are not online\n%s", f.mesh.Logs())
	}
	var links []Link
	if !testnet.Within(patience, func() bool {
		links = f.links(t)
		return len(links) == 4 && !slices.ContainsFunc(links, func(l Link) bool { return !l.Complete() })
	}) {
		t.Fatalf("the links are not what they were: %+v\n%s", links, f.mesh.Logs())
	}
}

// serial makes names unique.
var serial atomic.Int64

// service makes a service and returns its name.
func (f *fixture) service(t *testing.T, more map[string]any) (name, id string) {
	t.Helper()
	name = fmt.Sprintf("service-%d", serial.Add(1))
	id, err := f.mesh.Service(name, more)
	if err != nil {
		t.Fatal(err)
	}
	return name, id
}

// hosted is a service that a client hosts.
func (f *fixture) hosted(t *testing.T, c *Client) string {
	t.Helper()
	name, _ := f.service(t, nil)
	if err := c.Listen(name, 1); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Unlisten(name) })
	return name
}

// egress is a service that a router ends at the plain server.
func (f *fixture) egress(t *testing.T, router string) string {
	t.Helper()
	name, id := f.service(t, nil)
	if _, err := f.mesh.Terminator(id, f.mesh.Router(router), "tcp:"+f.serverAddress); err != nil {
		t.Fatal(err)
	}
	return name
}

func (f *fixture) links(t *testing.T) []Link {
	t.Helper()
	all, err := f.Links()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// link is the link between two routers.
func (f *fixture) link(t *testing.T, a, b string) Link {
	t.Helper()
	all := f.links(t)
	i := slices.IndexFunc(all, func(l Link) bool { return l.Between(a, b) })
	if i < 0 {
		t.Fatalf("no link between %s and %s: %+v", a, b, all)
	}
	return all[i]
}

// moved waits until the path of a circuit is another than through a router.
func (f *fixture) moved(t *testing.T, circuit, from string) (path []string) {
	t.Helper()
	if !testnet.Within(patience, func() bool {
		path = f.Path(circuit)
		return len(path) > 0 && !slices.Contains(path, from)
	}) {
		t.Fatalf("the path is still %v\n%s", path, f.mesh.Logs())
	}
	return path
}

// middle is the router between r1 and r4 on the path of a circuit.
func (f *fixture) middle(t *testing.T, circuit string) string {
	t.Helper()
	path := f.Path(circuit)
	if len(path) != 3 || path[0] != "r1" || path[2] != "r4" {
		t.Fatalf("path %v, want r1, r2 or r3, r4", path)
	}
	return path[1]
}

// goesOn waits until a transfer has moved some more in both directions.
func goesOn(t *testing.T, tr *Transfer, bytes int64) {
	t.Helper()
	before, err := tr.Progress()
	if err != nil {
		t.Fatal(err)
	}
	var now Record
	if !testnet.Within(patience, func() bool {
		now, err = tr.Progress()
		return err != nil || now.Done || now.Received >= before.Received+bytes && now.Sent >= before.Sent+bytes
	}) || err != nil || now.Failure != nil {
		t.Fatalf("the transfer does not go on: %+v, before %+v, %v\n%s", now, before, err, shared.mesh.Logs())
	}
}

func dial(t *testing.T, c *Client, service string) *Conn {
	t.Helper()
	conn, err := c.Dial(service)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// start begins a transfer over a new connection.
func start(t *testing.T, c *Client, service string, l Load) *Transfer {
	t.Helper()
	tr, err := dial(t, c, service).Start(l)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// complete waits for a transfer and wants all of it.
func complete(t *testing.T, tr *Transfer) {
	t.Helper()
	if rec, err := tr.Wait(); err != nil {
		t.Fatalf("after %d bytes up and %d down: %v", rec.Sent, rec.Received, err)
	}
}
