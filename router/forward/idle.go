package forward

import "time"

// EndIdle ends the circuits that nothing has passed for as long as their
// service allows; limit gives that time for a service id, 0 for no limit. What
// has passed is noted only here, so that the silence of a circuit counts from
// the first look after its last message. It returns the circuits that it ended
// and how long nothing is due at least; that is 0 if no circuit has a limit.
// Only one goroutine may call it.
func (t *Table) EndIdle(now time.Time, limit func(serviceID string) time.Duration) (ended []*Circuit, due time.Duration) {
	for _, c := range t.All() {
		most := limit(c.ServiceID)
		if most <= 0 {
			c.quietSince = time.Time{}
			continue
		}
		if c.used.Swap(false) || c.quietSince.IsZero() {
			c.quietSince = now
		}
		left := most - now.Sub(c.quietSince)
		if left <= 0 {
			c.EndBecause(Removed, "the circuit was idle for longer than its service allows", "", true)
			ended = append(ended, c)
			continue
		}
		if due == 0 || left < due {
			due = left
		}
	}
	return ended, due
}

// arrive notes that something has come by a link.
func (c *Circuit) arrive() {
	c.touch()
	if !c.arrived.Load() {
		c.arrived.Store(true)
	}
}

// touch notes that something passes the circuit.
func (c *Circuit) touch() {
	if !c.used.Load() { // a load is cheap while many messages pass
		c.used.Store(true)
	}
}
