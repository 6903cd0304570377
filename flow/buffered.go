package flow

// Buffered is the number of received bytes that the Conn holds for its reader,
// with a fixed charge for each payload.
func (c *Conn) Buffered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m.buffered
}
