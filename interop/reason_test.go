package interop

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/weftnet/weft/sdk"
)

// TestReasonOfAnEnd: the reader of a connection that the network ends learns
// why, with a code and a remedy, whatever SDK hosts.
func TestReasonOfAnEnd(t *testing.T) {
	n := ownNetwork(t)
	for _, host := range []end{theirs("sdk", false), theirs("sdk-flow", true), ours()} {
		t.Run("access lost, host "+host.name, func(t *testing.T) {
			service := "reason-" + host.name
			id, policy, _ := n.service(t, service, true)
			serve(t, host.listen(t, n, service))
			n.waitTerminators(t, id, 1)
			c, err := ours().dial(t, n, service)(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			echo(t, c)
			n.deletePolicy(t, policy)
			failed := readFailure(t, c)
			if !errors.Is(failed, sdk.ErrAccessDenied) || sdk.Help(failed) == "" {
				t.Errorf("%v, remedy %q", failed, sdk.Help(failed))
			}
		})
	}
	t.Run("router lost", func(t *testing.T) {
		id, _, _ := n.service(t, "reason-router", true)
		serve(t, ours().listen(t, n, "reason-router"))
		n.waitTerminators(t, id, 1)
		c, err := ours().dial(t, n, "reason-router")(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		echo(t, c)
		n.Router.Kill()
		failed := readFailure(t, c)
		var e *sdk.Error
		if !errors.As(failed, &e) || e.Code != "ROUTER_LOST" || e.Remedy == "" {
			t.Errorf("%v", failed)
		}
	})
}

func readFailure(t *testing.T, c net.Conn) error {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience / 4))
	_, err := c.Read(make([]byte, 1))
	if err == nil || isTimeout(err) {
		t.Fatalf("the connection lives on: %v", err)
	}
	return err
}
