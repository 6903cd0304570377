package interop

import (
	"context"
	"net"
	"testing"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"
)

// meshHosts hosts a service by the third-party SDK under the names b, c and d,
// each on the router of that name.
func (m *meshNetwork) meshHosts(t *testing.T, service, serviceID string, change func(name string, o *ziti.ListenOptions)) map[string]edge.Listener {
	t.Helper()
	all := make(map[string]edge.Listener)
	for _, name := range []string{"b", "c", "d"} {
		there := *m.network
		there.extra = []string{"at-" + name}
		all[name] = there.hostNamed(t, service, name, func(o *ziti.ListenOptions) {
			if change != nil {
				change(name, o)
			}
		})
	}
	m.waitTerminators(t, serviceID, 3)
	return all
}

// TestMeshStickiness: a token leads back to the host that gave it, on whatever
// router it is, until that host is gone; then another one answers and gives a
// token of its own.
func TestMeshStickiness(t *testing.T) {
	m := sharedMesh(t)
	id, err := m.Mesh.Service("mesh-sticky", map[string]any{"encryptionRequired": true, "terminatorStrategy": "sticky"})
	if err != nil {
		t.Fatal(err)
	}
	hosts := m.meshHosts(t, "mesh-sticky", id, nil)
	ctx := m.client(t, "mesh-sticky-dialer", "mesh-sticky-dial")
	var token []byte
	with := func() (net.Conn, error) {
		c, err := ctx.DialWithOptions("mesh-sticky", &ziti.DialOptions{ConnectTimeout: patience, StickinessToken: token})
		if err == nil {
			token = c.GetStickinessToken()
		}
		return c, err
	}
	first := whoAnswers(t, with)
	for range 8 {
		if got := whoAnswers(t, with); got != first {
			t.Fatalf("the token of host %s led to %s", first, got)
		}
	}
	_ = hosts[first].Close()
	m.waitTerminators(t, id, 2)
	second := whoAnswers(t, with)
	if second == first {
		t.Fatalf("host %s answers after its end", first)
	}
	for range 8 {
		if got := whoAnswers(t, with); got != second {
			t.Fatalf("the token of host %s led to %s", second, got)
		}
	}
}

// TestMeshPrecedence: hosts on three routers answer by precedence; the next one
// takes over when a host withdraws or goes.
func TestMeshPrecedence(t *testing.T) {
	m := sharedMesh(t)
	id, _, _ := m.service(t, "mesh-precedence", true)
	order := map[string]ziti.Precedence{"c": ziti.PrecedenceRequired, "d": ziti.PrecedenceDefault, "b": ziti.PrecedenceFailed}
	hosts := m.meshHosts(t, "mesh-precedence", id, func(name string, o *ziti.ListenOptions) { o.Precedence = order[name] })
	ctx := m.client(t, "mesh-precedence-dialer", "mesh-precedence-dial")
	dial := func() (net.Conn, error) { return ctx.Dial("mesh-precedence") }
	for left, name := range []string{"c", "d", "b"} {
		for range 6 {
			if got := whoAnswers(t, dial); got != name {
				t.Fatalf("host %s answered instead of %s", got, name)
			}
		}
		_ = hosts[name].Close()
		m.waitTerminators(t, id, 2-left)
	}
	if c, err := dial(); err == nil {
		_ = c.Close()
		t.Fatal("a dial without a host")
	}
}

// TestMeshSpread: the strategies that spread dials reach hosts on all routers.
func TestMeshSpread(t *testing.T) {
	m := sharedMesh(t)
	for _, strategy := range []string{"weighted", "random"} {
		t.Run(strategy, func(t *testing.T) {
			service := "mesh-" + strategy
			id, err := m.Mesh.Service(service, map[string]any{"encryptionRequired": true, "terminatorStrategy": strategy})
			if err != nil {
				t.Fatal(err)
			}
			m.meshHosts(t, service, id, nil)
			ctx := m.client(t, service+"-dialer", service+"-dial")
			seen := make(map[string]int)
			for i := 0; i < 500 && len(seen) < 3; i++ {
				seen[whoAnswers(t, func() (net.Conn, error) { return ctx.Dial(service) })]++
			}
			if len(seen) < 3 {
				t.Fatalf("hosts that answered: %v", seen)
			}
		})
	}
}

// TestMeshInstances: hosts on three routers are reached by their names alone.
func TestMeshInstances(t *testing.T) {
	m := sharedMesh(t)
	id, _, _ := m.service(t, "mesh-instances", true)
	m.meshHosts(t, "mesh-instances", id, func(name string, o *ziti.ListenOptions) { o.Identity = "instance " + name })
	ctx := m.client(t, "mesh-instances-dialer", "mesh-instances-dial")
	for _, name := range []string{"b", "c", "d", "b"} {
		if got := whoAnswers(t, func() (net.Conn, error) {
			return ctx.DialContextWithOptions(context.Background(), "mesh-instances", &ziti.DialOptions{ConnectTimeout: patience, Identity: "instance " + name})
		}); got != name {
			t.Errorf("host %s answered instead of %s", got, name)
		}
	}
}
