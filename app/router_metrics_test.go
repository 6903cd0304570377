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

// TestDataDelayIsMeasured: the timer of long waits exists where it is asked for,
// and nowhere else.
func TestDataDelayIsMeasured(t *testing.T) {
	r := &Router{o: RouterOptions{Config: &conf.Router{}}, operations: operations{gauges: newGauges()}}
	if r.dataDelay() != nil {
		t.Error("measured without being asked")
	}
	r.o.Config.Metrics.DataDelay = true
	r.dataDelay()(7 * time.Millisecond)
	if m := r.inspectMetrics().Metrics["xgress_edge.long_data_queue_time"]; m.Values["count"] != 1 || m.Values["max"] != 7e6 {
		t.Errorf("%+v", m)
	}
}
