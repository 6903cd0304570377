package app

import (
	"os"

	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/network"
)

// makeEvents opens the handlers of the events section. It returns where events
// go, nil if nobody wants any.
func (c *Controller) makeEvents() (func(network.Event), error) {
	hub, err := events.New(events.Config{ControllerID: c.id, Subscribers: c.o.Config.Events, Stdout: os.Stdout, Log: c.o.Log})
	if err != nil {
		return nil, err
	}
	c.parts.add(hub.Close)
	if !hub.Wanted() {
		return nil, nil
	}
	return hub.Publish, nil
}
