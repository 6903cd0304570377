package network

import (
	"sync"
	"time"
)

const (
	costPerCircuit = 2
	costPerFailure = 20
	costPerSuccess = 2 // taken off again
	maxDynamicCost = 65535
	creditPerMin   = 10 // least credit of a minute without failures
	maxCosts       = 1 << 20
)

// costs are the dynamic costs of terminators. Credit for the time without
// failures is reckoned when somebody asks, so that nothing runs meanwhile.
type costs struct {
	now func() time.Time

	mu sync.Mutex
	m  map[string]*dynamicCost
}

type dynamicCost struct {
	circuits    int
	failures    uint32    // cost
	lastFailure time.Time //
	credited    time.Time // up to here
}

func newCosts(now func() time.Time) *costs {
	return &costs{now: now, m: make(map[string]*dynamicCost)}
}

func (c *costs) of(terminatorID string) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.m[terminatorID]
	if d == nil {
		return 0
	}
	d.credit(c.now())
	c.tidy(terminatorID, d)
	return d.cost()
}

func (d *dynamicCost) cost() uint32 {
	return uint32(min(uint64(d.circuits)*costPerCircuit+uint64(d.failures), maxDynamicCost))
}

// credit takes off what each whole minute since the last credit is worth:
// the more, the longer there was no failure.
func (d *dynamicCost) credit(now time.Time) {
	for d.failures > 0 && now.Sub(d.credited) >= time.Minute {
		d.credited = d.credited.Add(time.Minute)
		fives := int(d.credited.Sub(d.lastFailure) / (5 * time.Minute))
		worth := uint32(1) << min(fives, 20)
		d.failures -= min(d.failures, max(creditPerMin, worth))
	}
}

func (c *costs) tidy(id string, d *dynamicCost) {
	if d.circuits <= 0 && d.failures == 0 {
		delete(c.m, id)
	}
}

func (c *costs) change(id string, f func(*dynamicCost)) {
	if id == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.m[id]
	if d == nil {
		if len(c.m) >= maxCosts {
			return
		}
		d = &dynamicCost{}
		c.m[id] = d
	}
	d.credit(c.now())
	f(d)
	c.tidy(id, d)
}

func (c *costs) began(id string) { c.change(id, func(d *dynamicCost) { d.circuits++ }) }

func (c *costs) ended(id string) {
	c.change(id, func(d *dynamicCost) { d.circuits = max(d.circuits-1, 0) })
}

func (c *costs) succeeded(id string) {
	c.change(id, func(d *dynamicCost) { d.failures -= min(d.failures, costPerSuccess) })
}

func (c *costs) failed(id string) {
	c.change(id, func(d *dynamicCost) {
		now := c.now()
		if d.failures == 0 {
			d.credited = now
		}
		d.lastFailure = now
		d.failures = min(d.failures+costPerFailure, maxDynamicCost)
	})
}

// forget drops what is known of a terminator that was removed.
func (c *costs) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, id)
}
