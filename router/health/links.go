package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// linkTimeout is the time for a look at the links.
const linkTimeout = 5 * time.Second

// link is a link as the check shows it. Of several connections of a kind it
// shows one.
type link struct {
	LinkID       string             `json:"linkId"`
	DestRouterID string             `json:"destRouterId"`
	Latency      float64            `json:"latency"` // mean round trip in nanoseconds
	Addresses    map[string]address `json:"addresses"`
}

type address struct {
	LocalAddr  string `json:"localAddr"`
	RemoteAddr string `json:"remoteAddr"`
}

// Links checks that there are links: it fails with fewer than least. report
// lists them as the router reports them.
func Links(routerID string, report func() []*ctrl.Link, least int, interval, initialDelay time.Duration) Check {
	c := Check{ID: "link.health", Interval: interval, Timeout: linkTimeout, InitialDelay: initialDelay}
	if least > 0 {
		c.Pending = errNotRun
	}
	c.Run = func(context.Context) (any, error) {
		var seen []link
		for _, l := range report() {
			seen = append(seen, show(routerID, l))
		}
		if len(seen) < least {
			return details(seen), fmt.Errorf("link count %d less than configured minimum of %d", len(seen), least)
		}
		return details(seen), nil
	}
	return c
}

// details returns nil for no link, as the ecosystem shows it.
func details(seen []link) any {
	if len(seen) == 0 {
		return nil
	}
	return seen
}

func show(routerID string, l *ctrl.Link) link {
	out := link{LinkID: l.Id, DestRouterID: l.AcceptorId, Latency: float64(l.LatencyNanos), Addresses: make(map[string]address)}
	if l.AcceptorId == routerID {
		out.DestRouterID = l.DialerId
	}
	for _, c := range l.Connections {
		out.Addresses[c.Kind] = address{LocalAddr: c.Local, RemoteAddr: c.Remote}
	}
	return out
}

// errNotRun is why a check fails before its first run.
var errNotRun = errors.New("didn't run yet")

// Errors of the check of controllers.
var (
	errNoChannel = errors.New("no control channels established yet")
	errSlow      = errors.New("control channels are slow")
)

// Controller is how a controller is asked.
type Controller struct {
	// Status tells whether a controller is or has been connected, and whether it
	// answers in time now.
	Status func() (ever, responsive bool)
	// Ping asks the connected controller for a sign of life.
	Ping func(ctx context.Context) error
}

// ControllerPing checks that a controller answers a ping within the time-out
// and is not slow.
func ControllerPing(c Controller, interval, timeout, initialDelay time.Duration) Check {
	return Check{
		ID: "controllerPing", Interval: interval, Timeout: timeout, InitialDelay: initialDelay, Pending: errNotRun,
		Run: func(ctx context.Context) (any, error) {
			ever, responsive := c.Status()
			switch {
			case !ever:
				return nil, errNoChannel
			case !responsive || c.Ping(ctx) != nil:
				return nil, errSlow
			}
			return nil, nil
		},
	}
}
