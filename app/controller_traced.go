package app

import (
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/events"
)

// traced returns what takes the messages of a router: the trace of the
// configuration, and whoever follows them at the moment, without the bodies.
func (c *Controller) traced(routerID string) control.Trace {
	var toFile control.Trace
	if c.trace != nil {
		toFile = c.trace.of(routerID)
	}
	hub := c.observers.hub
	return func(d control.Direction, contentType int32, body []byte) {
		if toFile != nil {
			toFile(d, contentType, body)
		}
		if hub.Wanted("trace") {
			name, _ := control.Describe(contentType, body)
			hub.Publish(&events.Trace{At: time.Now(), RouterID: routerID, Direction: string(d), Type: contentType, Name: name, Bytes: len(body)})
		}
	}
}
