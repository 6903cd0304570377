package http

import (
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/observe"
)

// took notes how long a request took, from its header to the end of its answer.
func (e *endpoint) took(d time.Duration) {
	for _, t := range e.timers {
		t.Update(d)
	}
	if e.polls != nil {
		e.polls.Mark(1)
	}
}

// pollsOf returns the meter of an operation that clients ask again and again,
// nil for others.
func pollsOf(i *observe.Instruments, op api.Operation) *observe.Meter {
	if i == nil || op.Path != "/current-api-session/service-updates" {
		return nil
	}
	return i.Meter("identity.refresh")
}

// timersOf returns the timers of an operation: that of its route, and the one by
// which the ecosystem knows the operation.
func timersOf(i *observe.Instruments, op api.Operation) []*observe.Timer {
	if i == nil {
		return nil
	}
	timers := []*observe.Timer{i.Timer(RouteTimer(op))}
	switch {
	case op.API == api.Fabric:
	case op.Method == "POST" && op.Path == "/authenticate":
		timers = append(timers, i.Timer("api-session.create"))
	case op.Method == "POST" && op.Path == "/sessions":
		timers = append(timers, i.Timer("session.create"))
	case op.Method == "GET" && op.Path == "/services":
		timers = append(timers, i.Timer("services.list"))
	}
	return timers
}

// bases are the paths of the APIs.
var bases = map[api.API]string{api.Client: api.ClientBase, api.Management: api.ManagementBase, api.Fabric: api.FabricBase}

// RouteTimer returns the name of the timer of an operation, such as
// /edge/management/v1/services/:id.GET.
func RouteTimer(op api.Operation) string {
	path, param := bases[op.API]+op.Path, ":id"
	for {
		before, rest, ok := strings.Cut(path, "{")
		if !ok {
			return path + "." + op.Method
		}
		_, after, _ := strings.Cut(rest, "}")
		path, param = before+param+after, ":subid"
	}
}
