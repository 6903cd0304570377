package network

// TerminatorCost is what the dynamic cost of a terminator consists of.
type TerminatorCost struct {
	TerminatorID string `json:"terminatorId"`
	CircuitCount int    `json:"circuitCount"`
	FailureCost  uint32 `json:"failureCost"`
	CurrentCost  uint32 `json:"currentCost"` // both together, at most 65535
}

// TerminatorCosts returns the dynamic costs of all terminators that have any,
// in no order.
func (n *Network) TerminatorCosts() []TerminatorCost {
	c := n.costs
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	out := make([]TerminatorCost, 0, len(c.m))
	for id, d := range c.m {
		d.credit(now)
		out = append(out, TerminatorCost{TerminatorID: id, CircuitCount: d.circuits, FailureCost: d.failures, CurrentCost: d.cost()})
	}
	return out
}
