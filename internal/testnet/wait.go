package testnet

import "time"

// Within reports whether cond becomes true before the time is over. cond is
// called at least once.
func Within(d time.Duration, cond func() bool) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if cond() {
			return true
		}
		select {
		case <-limit.C:
			return false
		case <-tick.C:
		}
	}
}
