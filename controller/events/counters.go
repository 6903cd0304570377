package events

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/network"
)

// countLength is the length of the intervals of service events.
const countLength = time.Minute

// maxCounted bounds the counters of one interval; what is beyond is counted in
// none.
const maxCounted = 100_000

// counted is what a counter counts.
type counted struct {
	kind, service, terminator string
	start                     int64 // Unix time of the interval in seconds
}

// Counters count what happens to services in intervals of a minute and publish
// the counts. All methods are safe for concurrent use.
type Counters struct {
	hub   *Hub
	age   time.Duration
	clock clock.Clock

	mu     sync.Mutex
	counts map[counted]uint64
}

// NewCounters returns counters whose intervals are published when they have
// been over for age. Run publishes them.
func NewCounters(hub *Hub, age time.Duration, c clock.Clock) *Counters {
	return &Counters{hub: hub, age: age, clock: c, counts: make(map[counted]uint64)}
}

// Circuit counts an event of a circuit. It does not wait.
func (c *Counters) Circuit(e *network.CircuitEvent) {
	switch e.Type {
	case network.CircuitCreated:
		c.Count("service.dial.success", e.Circuit.ServiceID, e.Circuit.TerminatorID, 1)
	case network.CircuitFailed:
		c.Count(failureKind(e.Cause), e.Circuit.ServiceID, e.Circuit.TerminatorID, 1)
	}
}

// failureKind returns the counter of a cause: see network.CircuitEvent.
func failureKind(cause string) string {
	switch cause {
	case "ROUTER_RESPONSE_TIMEOUT":
		return "service.dial.timeout"
	case "ROUTER_ERR_DIAL_TIMED_OUT":
		return "service.dial.terminator.timeout"
	case "ROUTER_ERR_CONN_REFUSED", "ROUTER_ERR_REJECTED_BY_APPLICATION":
		return "service.dial.terminator.connection_refused"
	case "ROUTER_ERR_INVALID_TERMINATOR":
		return "service.dial.terminator.invalid"
	case "ROUTER_ERR_MISCONFIGURED_TERMINATOR":
		return "service.dial.terminator.misconfigured"
	case "ROUTER_ERR_GENERIC", "ROUTER_ERR_DNS_RESOLUTION_FAILED", "ROUTER_ERR_PORT_NOT_ALLOWED", "ROUTER_ERR_RESOURCES_NOT_AVAILABLE", "ROUTER_ERR_INVALID_LINK_DESTINATION":
		return "service.dial.error_other"
	}
	return "service.dial.fail"
}

// Count adds to a counter of a service, such as service.health_check.passed. It
// does not wait. Nothing is counted that nobody wants.
func (c *Counters) Count(kind, serviceID, terminatorID string, n uint64) {
	if serviceID == "" || !c.hub.Wanted("service") {
		return
	}
	key := counted{kind, serviceID, terminatorID, c.clock.Now().Truncate(countLength).Unix()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.counts[key]; known || len(c.counts) < maxCounted {
		c.counts[key] += n
	}
}

// Run publishes the intervals that are over until ctx ends, then what there is.
func (c *Counters) Run(ctx context.Context) {
	for {
		now := c.clock.Now()
		timer := c.clock.NewTimer(now.Truncate(countLength).Add(countLength + c.age%countLength).Sub(now))
		select {
		case <-timer.C():
			c.publish(c.clock.Now().Add(-c.age - countLength))
		case <-ctx.Done():
			timer.Stop()
			c.publish(c.clock.Now())
			return
		}
	}
}

// publish tells the counts of the intervals that began no later than upTo.
func (c *Counters) publish(upTo time.Time) {
	var out []*ServiceCount
	now := c.clock.Now()
	c.mu.Lock()
	for key, n := range c.counts {
		if key.start <= upTo.Unix() {
			out = append(out, &ServiceCount{
				At: now, Type: key.kind, ServiceID: key.service, TerminatorID: key.terminator, Count: n, Start: time.Unix(key.start, 0), Length: countLength,
			})
			delete(c.counts, key)
		}
	}
	c.mu.Unlock()
	slices.SortFunc(out, func(a, b *ServiceCount) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ServiceID, b.ServiceID), cmp.Compare(a.Type, b.Type), cmp.Compare(a.TerminatorID, b.TerminatorID))
	})
	for _, e := range out {
		c.hub.Publish(e)
	}
}
