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
	const payloads, size, each = 30, 1000, 1256 // as a receive buffer counts them
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
		for range payloads { // each is read by itself
			if _, err := client.Write(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
		held := func() int { return to.flow.Buffered() / each }
		eventually(t, "all arrives", func() bool { return held() == payloads })
		to.Start(nil)
		eventually(t, "as many as configured are taken", func() bool { return held() <= payloads-want })
		if taken := payloads - held(); taken != want {
			t.Errorf("gather %d: %d payloads are taken at once", gather, taken)
		}
		client.Close()
		server.Close()
		set.Close()
	}
}
