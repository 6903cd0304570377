package forward

// Service returns the id of the service. A circuit that an on-ramp has asked for
// by a name has that name until the controller's answer.
func (c *Circuit) Service() string {
	if id := c.serviceID.Load(); id != nil {
		return *id
	}
	return c.ServiceID
}

// named notes the id that a controller says.
func (c *Circuit) named(serviceID string) {
	if serviceID != "" && serviceID != c.ServiceID {
		c.serviceID.Store(&serviceID)
	}
}
