package ingress

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// Codes of refusals that begin here.
const (
	codeNoController = "NO_CONTROLLER"
	codeTooMany      = "TOO_MANY_CIRCUITS"
	codeTimedOut     = "CIRCUIT_TIMED_OUT"
	codeFailed       = "CIRCUIT_FAILED"
)

// explain returns the code and the remedy of a failure to get a circuit. Hosts
// that the router itself dials are named with it.
func explain(err error, router string) (code, remedy string) {
	var refused *forward.Refused
	var exhausted *forward.Exhausted
	switch {
	case errors.As(err, &refused):
		return refused.GetCode(), refused.GetRemedy()
	case errors.As(err, &exhausted):
		address := exhausted.Egress.GetAddress()
		return ctrl.Explain(exhausted.Failure.GetCause(), address, router, strings.HasPrefix(address, "hosted:"))
	case errors.Is(err, forward.ErrTooMany):
		return codeTooMany, "close connections that are not needed, or spread them over several routers"
	case errors.Is(err, context.DeadlineExceeded):
		return codeTimedOut, "see the controller's log; options.getCircuitTimeout of the listener bounds the wait"
	case errors.Is(err, forward.ErrNoAnswer):
		return codeNoController, "wait: the router calls its controllers again by itself; if it lasts, start a controller and see the router's log"
	}
	return codeFailed, "see the log of the router and of the controller"
}

// nowhere is the destination of a circuit whose on-ramp is gone.
type nowhere struct{}

func (nowhere) Forward(f *channel.Frame) { f.Release() }
func (nowhere) Unrouted(string, bool)    {}

// quiet lets a line of the log through at most every quietFor.
type quiet struct {
	mu    sync.Mutex
	next  time.Time
	count int
}

const quietFor = 10 * time.Second

// say returns how many events there were since the last line, 0 for no line now.
func (q *quiet) say() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count++
	now := time.Now()
	if now.Before(q.next) {
		return 0
	}
	n := q.count
	q.next, q.count = now.Add(quietFor), 0
	return n
}
