package interop

import (
	"fmt"
	"testing"

	"github.com/openziti/sdk-golang/ziti"
)

// TestListenIsEstablished opens listeners that wait for their confirmation, again
// and again: a confirmation that comes too early for the client is missed by it.
func TestListenIsEstablished(t *testing.T) {
	n := sharedNetwork(t)
	n.service(t, "established", true)
	for i := range 40 {
		ctx := n.client(t, fmt.Sprintf("established-%d", i), "established-host")
		opts := ziti.DefaultListenOptions()
		opts.WaitForNEstablishedListeners = 1
		opts.ConnectTimeout = patience / 4
		l, err := ctx.ListenWithOptions("established", opts)
		if err != nil {
			t.Fatalf("listener %d: %v", i, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
