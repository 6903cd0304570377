package interop

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// ends are the clients in both roles, without and with windows of their own.
func ends() []end { return []end{theirs("sdk", false), theirs("sdk-flow", true), ours()} }

func nameOf(encrypted bool) string {
	if encrypted {
		return "encrypted"
	}
	return "clear"
}

// TestMeshTraffic moves data between every kind of dialer on one router and
// every kind of host on another one.
func TestMeshTraffic(t *testing.T) {
	t.Parallel()
	m := sharedMesh(t)
	for _, encrypted := range []bool{true, false} {
		for _, host := range ends() {
			for _, dialer := range ends() {
				t.Run(fmt.Sprintf("%s/%s-to-%s", nameOf(encrypted), dialer.name, host.name), func(t *testing.T) {
					service := fmt.Sprintf("mesh-%v-%s-%s", encrypted, dialer.name, host.name)
					id, _, _ := m.service(t, service, encrypted)
					serve(t, host.listen(t, m.network, service))
					m.waitTerminators(t, id, 1)
					dial := dialer.dial(t, m.network, service)
					echoOnce(t, dial)
					bulk(t, dial, 32<<20)
					halfClose(t, dial)
					roundTrips(t, dial, 300)
					atOnce(t, dial, 60)
				})
			}
		}
	}
}

// roundTrips sends single bytes to and fro.
func roundTrips(t *testing.T, dial func(context.Context) (net.Conn, error), count int) {
	t.Helper()
	c, err := dial(t.Context())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	for i := range count {
		one := []byte{byte(i)}
		if _, err := c.Write(one); err != nil {
			t.Fatalf("trip %d: %v", i, err)
		}
		if _, err := io.ReadFull(c, one); err != nil || one[0] != byte(i) {
			t.Fatalf("trip %d: got %d, %v", i, one[0], err)
		}
	}
}

// atOnce uses many connections at the same time.
func atOnce(t *testing.T, dial func(context.Context) (net.Conn, error), count int) {
	t.Helper()
	var wg sync.WaitGroup
	for range count {
		wg.Go(func() {
			c, err := dial(t.Context())
			if err != nil {
				t.Errorf("dial: %v", err)
				return
			}
			if err := startStream("one of many", c, 128<<10).wait(patience); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestMeshEgress reaches a plain server behind another router, and a host
// behind another router from a plain client.
func TestMeshEgress(t *testing.T) {
	t.Parallel()
	m := sharedMesh(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	serve(t, l)
	id, _, _ := m.service(t, "mesh-egress", false)
	if _, err := m.Mesh.Terminator(id, m.Mesh.Router("b"), "tcp:"+l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	for _, e := range ends() {
		t.Run(e.name, func(t *testing.T) {
			dial := e.dial(t, m.network, "mesh-egress")
			echoOnce(t, dial)
			bulk(t, dial, 32<<20)
			halfClose(t, dial)
			atOnce(t, dial, 40)
		})
	}
}

// TestMeshProxy lets plain clients of router a reach hosts on router b.
func TestMeshProxy(t *testing.T) {
	t.Parallel()
	m := sharedMesh(t)
	id, _, _ := m.service(t, proxiedService, false)
	dial := func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", m.proxy) }
	for _, e := range ends() {
		t.Run(e.name, func(t *testing.T) {
			host := e.listen(t, m.network, proxiedService)
			serve(t, host)
			m.waitTerminators(t, id, 1)
			echoOnce(t, dial)
			bulk(t, dial, 32<<20)
			halfClose(t, dial)
			atOnce(t, dial, 40)
			_ = host.Close()
			m.waitTerminators(t, id, 0)
		})
	}
}
