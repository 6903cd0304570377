package edge

import (
	"testing"
	"time"

	"github.com/weftnet/weft/flow"
)

// TestTunedEnds: the ends of clients without a window of their own, on both
// sides, use the options, and what they drop is repaired.
func TestTunedEnds(t *testing.T) {
	for name, window := range map[string]bool{"both without": false, "host with window": true} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, func(c *Config) {
				c.Hosts = Tuning{Flow: &flow.Options{MTU: 500, DropOne: 20, RetransmitStart: 50 * time.Millisecond, RetransmitScale: 1.5}}
			})
			l := b.connect("h").host("svc", window)
			d, _, err := b.connect("d").dial("svc", false)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range b.table.All() {
				if !c.Lossy.Load() {
					t.Error("retransmissions may be held back")
				}
			}
			exchange(t, d, <-l.accepted, 200_000)
			_ = d.Close()
			eventually(t, "the circuit ends", func() bool { return b.table.Len() == 0 })
		})
	}
}
