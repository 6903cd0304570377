package interop

import (
	"context"
	"net"
	"testing"

	"github.com/openziti/sdk-golang/ziti"
)

// TestGroupedConnections lets both ends use several TLS connections per router:
// one for control messages, and with flow control in the client also two for data.
func TestGroupedConnections(t *testing.T) {
	n := sharedNetwork(t)
	for name, data := range map[string]uint32{"control": 1, "control-and-data": 2} {
		t.Run(name, func(t *testing.T) {
			service := "grouped-" + name
			id, _, _ := n.service(t, service, true)
			grouped := func(role string) ziti.Context {
				_, jwt := n.identity(t, service+"-"+role, service+"-"+role)
				cfg := enrol(t, jwt)
				cfg.MaxControlConnections, cfg.MaxDefaultConnections = 1, data
				return contextOf(t, cfg)
			}
			l, err := grouped("host").Listen(service)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			serve(t, l)
			n.waitTerminators(t, id, 1)
			ctx := grouped("dial")
			dial := func(c context.Context) (net.Conn, error) { return ctx.DialContext(c, service) }
			for range 10 {
				echoOnce(t, dial)
			}
			bulk(t, dial, 16<<20)
			halfClose(t, dial)
		})
	}
}
