package app

import (
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
)

// TestRouterTellsWhatItSees: interfaces, connected identities and measurements
// arrive at the controller.
func TestRouterTellsWhatItSees(t *testing.T) {
	n := newTestNetwork(t)
	n.restartWith(func(c *conf.Router) {
		c.Metrics.ReportInterval, c.Metrics.IntervalAgeThreshold = 50*time.Millisecond, 0
		c.ConnectEvents.BatchInterval = 20 * time.Millisecond
	})
	n.service("echo", false)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	if err := talk(n.dial(guest, "echo"), strings.Repeat("x", 5000)); err != nil {
		t.Fatal(err)
	}
	until(t, "the bytes of the circuit are on the meters", func() bool {
		for _, r := range n.router.instruments.Read() {
			if r.Name == "ingress.rx.bytesrate" && r.Values["count"] >= 5000 {
				return true
			}
		}
		return false
	})
	until(t, "the controller knows who is connected and which interfaces there are", func() bool {
		return len(n.controller.registry.Identities(n.router.id)) == 2 && len(n.controller.registry.Interfaces(n.router.id)) > 0
	})
}
