package ingress

import (
	"io"
	"net"
	"runtime"
	"testing"

	"github.com/weftnet/weft/router/egress"
)

// idleLimit is what a silent connection with its circuit may cost, in bytes: an
// end at an on-ramp and one at egress, with 16 KiB each.
const idleLimit = 32 << 10

// TestMemoryOfIdleConnections measures connections that have carried data and are
// silent now. It counts the test's own ends of both sockets too.
func TestMemoryOfIdleConnections(t *testing.T) {
	const count = 1000
	n := newNetwork(t)
	n.service("echo", egress.Binding, "tcp:"+server(t, func(c *net.TCPConn) {
		for b := make([]byte, 1); ; {
			if _, err := c.Read(b); err != nil {
				return
			}
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	}))
	_, at := n.streams(n.config("echo"))
	before := used()
	for range count {
		c := dial(t, "tcp", at)
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	each := (used() - before) / count
	t.Logf("%d bytes per connection", each)
	if each > idleLimit {
		t.Errorf("a silent connection costs %d bytes", each)
	}
}

// used is the memory in use, after buffers of pools are given back.
func used() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
