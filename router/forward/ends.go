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

// SetLinkDrops says who is told of every message that a link had no room for. In
// transit is what neither begins nor ends at this router. It must not block, and
// must be set before the first circuit.
func (t *Table) SetLinkDrops(f func(linkID string, transit bool)) { t.linkDrops = f }

func (e *linkEnd) tellDrop() {
	if f := e.c.table.linkDrops; f != nil {
		_, transit := e.c.Destination(e.side.Other()).(*linkEnd)
		f(e.id, transit)
	}
}
