package forward

import "github.com/weftnet/weft/flow"

// FlowCounters are those that the ends of flow control at this router share.
func (t *Table) FlowCounters() *flow.Counters { return &t.flow }

// FlowCounters are those of the table.
func (c *Circuit) FlowCounters() *flow.Counters { return &c.table.flow }

// Outstanding is what is under way at the ends of flow control of this router.
type Outstanding struct {
	Payloads, Bytes int // sent and not acknowledged
	Acks            int // payloads received and not acknowledged
}

// Outstanding looks at all ends.
func (t *Table) Outstanding() (sum Outstanding) {
	for _, c := range t.All() {
		c.mu.Lock()
		paths := c.paths
		c.mu.Unlock()
		for _, p := range paths {
			if end, ok := p.(*flow.Conn); ok {
				payloads, bytes := end.Unacked()
				sum.Payloads += payloads
				sum.Bytes += bytes
				sum.Acks += end.WaitingAcks()
			}
		}
	}
	return sum
}
