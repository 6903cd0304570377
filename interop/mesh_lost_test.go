package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openziti/sdk-golang/ziti"

	"github.com/weftnet/weft/internal/mesh"
)

// TestMeshNoPath: what clients see of the loss of the only path. Their circuits
// wait for another one: if there is one in time they go on, else both ends read
// an error after half a minute. Dials meanwhile are refused with the reason.
func TestMeshNoPath(t *testing.T) {
	t.Parallel()
	m := sharedMesh(t)
	if err := m.whole(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.toD.cut()
		if err := errors.Join(m.toD.heal(), m.whole()); err != nil {
			t.Error(err)
		}
	})
	var streams []*stream
	ended := make(chan string, 16)
	dials := make(map[string]func(context.Context) (net.Conn, error))
	for _, e := range ends() {
		service := "mesh-lost-" + e.name
		id, _, _ := m.service(t, service, false)
		go accept(listenAt(e, "at-d")(t, m.network, service), func(c net.Conn) {
			_, err := io.Copy(c, c)
			ended <- fmt.Sprintf("host %s reads: %v", e.name, err)
		})
		m.waitTerminators(t, id, 1)
		dial := e.dial(t, m.network, service)
		// The network pauses a client without windows whose data goes nowhere:
		// another one is to dial meanwhile.
		another := *m.network
		another.mark = "-another"
		dials[e.name] = e.dial(t, &another, service)
		for range 2 {
			c, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			streams = append(streams, startStream(e.name, c, 0))
		}
	}
	goesOn(t, streams, enough)
	m.toD.cut()
	if !eventually(func() bool { return m.link("a", "d") == nil }) {
		t.Fatal("the link stays")
	}
	for name, dial := range dials {
		c, err := dial(t.Context())
		if err == nil {
			_ = c.Close()
			t.Errorf("%s: a dial without a path", name)
			continue
		}
		t.Logf("%s: refused: %v", name, err)
		if !strings.Contains(err.Error(), "no terminators that this router can reach") {
			t.Errorf("%s: the reason is not said: %v", name, err)
		}
	}
	if err := errors.Join(m.toD.heal(), m.whole()); err != nil {
		t.Fatal(err)
	}
	goesOn(t, streams, enough)
	m.toD.cut()
	began := time.Now()
	for _, s := range streams {
		err := <-s.result
		t.Logf("%s ends after %v: %v", s.name, time.Since(began).Round(time.Millisecond), err)
		if err == nil {
			t.Errorf("%s ended well", s.name)
		}
	}
	for range streams {
		t.Logf("%s, after %v", <-ended, time.Since(began).Round(time.Millisecond))
	}
}

// listenAt is listening with an identity that may use other routers.
func listenAt(e end, routers ...string) func(t *testing.T, n *network, service string) net.Listener {
	return func(t *testing.T, n *network, service string) net.Listener {
		t.Helper()
		elsewhere := *n
		elsewhere.extra = routers
		return e.listen(t, &elsewhere, service)
	}
}

// TestMeshHostOnTwoRouters: an identity hosts on two routers, and one of them
// dies: its terminator goes and dials reach the other one.
func TestMeshHostOnTwoRouters(t *testing.T) {
	m := sharedMesh(t)
	for _, e := range []end{theirsTwice("sdk", false), theirsTwice("sdk-flow", true), ours()} {
		t.Run(e.name, func(t *testing.T) {
			if err := m.whole(); err != nil {
				t.Fatal(err)
			}
			service := "mesh-twice-" + e.name
			id, _, _ := m.service(t, service, true)
			serve(t, listenAt(e, "at-b", "at-c")(t, m.network, service))
			m.waitTerminators(t, id, 2)
			dial := theirs("sdk", false).dial(t, m.network, service)
			c, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			echo(t, c)
			victim := m.hostRouter(t, c.(interface{ GetCircuitId() string }).GetCircuitId())
			m.Mesh.Router(victim).Process.Kill()
			began := time.Now()
			if !eventually(func() bool { return tryEcho(dial) == nil }) {
				t.Fatalf("no new connection: %v", tryEcho(dial))
			}
			t.Logf("connected again after %v", time.Since(began).Round(time.Millisecond))
			for range 5 {
				if err := tryEcho(dial); err != nil {
					t.Error(err)
				}
			}
			if err := m.Mesh.StartRouters(); err != nil {
				t.Fatal(err)
			}
			_ = c.SetReadDeadline(time.Now().Add(patience))
			if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
				t.Errorf("the connection over the dead router lives on: %v", err)
			}
			t.Logf("the lost connection ended after %v", time.Since(began).Round(time.Millisecond))
			m.waitTerminators(t, id, 2)
			echoOnce(t, dial)
		})
	}
}

// hostRouter is the name of the router at which a circuit ends.
func (m *meshNetwork) hostRouter(t *testing.T, circuit string) string {
	t.Helper()
	all, err := m.Circuits()
	i := slices.IndexFunc(all, func(c mesh.Circuit) bool { return c.ID == circuit })
	if err != nil || i < 0 {
		t.Fatalf("circuit %s is not listed: %v", circuit, err)
	}
	names := all[i].Routers()
	return names[len(names)-1]
}

// theirsTwice hosts on two routers.
func theirsTwice(name string, flow bool) end {
	e := theirs(name, flow)
	e.listen = func(t *testing.T, n *network, service string) net.Listener {
		t.Helper()
		opts := ziti.DefaultListenOptions()
		opts.SdkFlowControl, opts.ConnectTimeout = &flow, patience
		opts.WaitForNEstablishedListeners, opts.MaxTerminators = 2, 2
		l, err := n.client(t, t.Name()+"-host", service+"-host").ListenWithOptions(service, opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	return e
}
