package flow

import "time"

// PathLost tells the Conn that nothing gets through until Rerouted: it stops
// trying. What is written meanwhile is kept as far as there is credit.
func (c *Conn) PathLost() {
	c.step(func(m *machine, _ time.Duration, _ *batch) events {
		m.pathLost = true
		return 0
	})
}

// Rerouted tells the Conn that the circuit has another path. What is not
// acknowledged is sent again, for it may be lost with the old one.
func (c *Conn) Rerouted() {
	c.step(func(m *machine, now time.Duration, out *batch) events {
		m.rerouted(now, out)
		return 0
	})
}

const (
	hurryTime = 3 * time.Second
	hurryRTO  = 50 * time.Millisecond
)

// timeout is the age at which a payload sent at the given time counts as lost.
// Soon after a change of path that is little, for the routers of the new path
// hear of it one after the other. Who is told of changes of path need not try
// often: after every timeout in a row it doubles.
func (m *machine) timeout(at time.Duration) time.Duration {
	switch {
	case at < m.hurryTo:
	case m.informed:
		return max(min(m.age()<<min(m.timeouts, 4), maxRTO), m.age())
	default:
		return m.age()
	}
	return min(max(hurryRTO, 3*m.rtt.smooth)<<min(m.timeouts, 8), m.age())
}

// rerouted sends a part of what is not acknowledged again; the acknowledgements
// of that bring on the rest. The other end is told what is stored here, since
// the news of it may be lost, too.
func (m *machine) rerouted(now time.Duration, out *batch) {
	m.pathLost = false
	if m.finished {
		return
	}
	m.timeouts, m.rtt = 0, roundTrip{}
	m.hurryTo = now + hurryTime
	m.suspectAll()
	if m.started {
		m.acknowledge(out)
	}
	m.retransmit(now, -1, reroutedMost, out)
}
