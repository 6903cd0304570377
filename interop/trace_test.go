package interop

import (
	"net"
	"testing"
	"time"

	"github.com/openziti/sdk-golang/ziti/edge"
)

// TestTraceRoute asks the hops of a circuit to name themselves.
func TestTraceRoute(t *testing.T) {
	n := sharedNetwork(t)
	router := n.routerID(t)
	for _, host := range []end{theirs("sdk", false), theirs("sdk-flow", true), ours()} {
		for _, dialer := range []end{theirs("sdk", false), theirs("sdk-flow", true)} {
			t.Run(dialer.name+"-to-"+host.name, func(t *testing.T) {
				service := "trace-" + dialer.name + "-" + host.name
				id, _, _ := n.service(t, service, true)
				serve(t, host.listen(t, n, service))
				n.waitTerminators(t, id, 1)
				conn, err := dialer.dial(t, n, service)(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				echo(t, conn)
				sdk := "sdk/golang"
				if host.name == ours().name {
					sdk = "sdk/weft"
				}
				for _, want := range []struct {
					ask       uint32
					left      uint64
					kind, hop string
				}{{1, 0, "xgress/edge", ""}, {2, 0, "forwarder", router}, {10, 6, sdk, ""}} {
					got, err := traceConn(conn).TraceRoute(want.ask, patience/4)
					if err != nil {
						t.Errorf("hop %d: %v", want.ask, err)
						continue
					}
					if uint64(got.Hops) != want.left || got.HopType != want.kind || got.HopId != want.hop || got.Error != "" {
						t.Errorf("hop %d: %+v", want.ask, got)
					}
				}
				echo(t, conn)
			})
		}
	}
}

func traceConn(c net.Conn) interface {
	TraceRoute(hops uint32, timeout time.Duration) (*edge.TraceRouteResult, error)
} {
	return c.(edge.Conn)
}
