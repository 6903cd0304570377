package forward

import (
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// EndIdle ends the circuits that nothing has passed for as long as their
// service allows; limit gives that time for a service id, 0 for no limit. It is
// the router where a circuit begins that ends it. What has passed is noted only
// here, so that the silence of a circuit counts from the first look after its
// last message. It returns the circuits that it ended and how long nothing is
// due at least; that is 0 if no circuit has a limit. Only one goroutine may call
// EndIdle and Idle.
func (t *Table) EndIdle(now time.Time, limit func(serviceID string) time.Duration) (ended []*Circuit, due time.Duration) {
	for _, c := range t.All() {
		if c.used.Swap(false) || c.quietSince.IsZero() {
			c.quietSince, c.limitSince = now, now
		}
		most := limit(c.Service())
		if _, beyond := c.Destination(Initiator).(*linkEnd); beyond || most <= 0 {
			c.limitSince = now
			continue
		}
		left := most - now.Sub(c.limitSince)
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

// Idle returns the circuits that nothing has passed for so long, as EndIdle has
// seen it.
func (t *Table) Idle(now time.Time, atLeast time.Duration) []*ctrl.IdleCircuit {
	var out []*ctrl.IdleCircuit
	for _, c := range t.All() {
		if c.quietSince.IsZero() || c.used.Load() {
			continue
		}
		if d := now.Sub(c.quietSince); d >= atLeast {
			out = append(out, &ctrl.IdleCircuit{CircuitId: c.ID, IdleMillis: d.Milliseconds()})
		}
	}
	return out
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
