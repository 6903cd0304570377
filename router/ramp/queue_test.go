package ramp

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestGather: no more payloads than configured are taken for a connection that
// does not read.
func TestGather(t *testing.T) {
	const payloads, size = 30, 1000
	for gather, want := range map[int]int{0: gatherMost, 1: 1, 5: 5, 100: gatherMost} {
		table := forward.NewTable(func(string) {})
		c, err := table.Add(forward.Info{ID: "circuit"})
		if err != nil {
			t.Fatal(err)
		}
		set := New(Config{Gather: gather, Flow: &flow.Options{MTU: size}})
		client, in := net.Pipe()
		out, server := net.Pipe()
		from, err := set.Stream(c, forward.Initiator, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		to, err := set.Stream(c, forward.Terminator, out, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Attach(forward.Initiator, from) || !c.Attach(forward.Terminator, to) || !from.Start(nil) {
			t.Fatal("not attached")
		}
		if _, err := client.Write(make([]byte, payloads*size)); err != nil {
			t.Fatal(err)
		}
		var all int
		eventually(t, "all arrives", func() bool { all = to.flow.Buffered(); return all >= payloads*size })
		to.Start(nil)
		each := all / (all / (size + 256))
		eventually(t, "the connection is given some", func() bool { return to.flow.Buffered() < all })
		eventually(t, "as many as configured", func() bool { return all-to.flow.Buffered() >= want*size })
		if taken := all - to.flow.Buffered(); taken > want*each+256 {
			t.Errorf("gather %d: %d bytes are taken at once", gather, taken)
		}
		client.Close()
		server.Close()
		set.Close()
	}
}
