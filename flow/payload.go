package flow

// MaxPayload is the most bytes that Write puts into one payload.
func (c *Conn) MaxPayload() int { return c.cfg.MaxPayload }
