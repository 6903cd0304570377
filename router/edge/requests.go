package edge

import (
	"sync"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
)

const (
	requestsAtOnce  = 64      // of one client
	requestsWaiting = 4096    // of one client; more are refused
	requestsBytes   = 8 << 20 // of all these together; what is beyond is refused
)

// requests runs what may take time outside the reading goroutine, at most
// requestsAtOnce at a time. A full queue refuses.
type requests struct {
	mu      sync.Mutex
	held    int // bytes of the messages that run or wait
	running int
	queue   []func()
	ordered []func() // run one after the other
	serving bool     // a goroutine serves ordered

	traces traces
}

// hold counts the bytes of a message; false if there are too many already.
func (r *requests) hold(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held+bytes > requestsBytes {
		return false
	}
	r.held += bytes
	return true
}

func (r *requests) let(bytes int) {
	r.mu.Lock()
	r.held -= bytes
	r.mu.Unlock()
}

// runInOrder executes do after all that came here before it, outside the reading
// goroutine, or busy at once if too much waits.
func (c *client) runInOrder(do, busy func()) {
	r := &c.requests
	r.mu.Lock()
	if len(r.ordered) >= requestsWaiting {
		r.mu.Unlock()
		busy()
		return
	}
	r.ordered = append(r.ordered, do)
	start := !r.serving
	r.serving = true
	r.mu.Unlock()
	if start {
		c.srv.work.Go(c.serveOrdered)
	}
}

func (c *client) serveOrdered() {
	r := &c.requests
	for {
		r.mu.Lock()
		if len(r.ordered) == 0 {
			r.ordered, r.serving = nil, false
			r.mu.Unlock()
			return
		}
		do := r.ordered[0]
		r.ordered = r.ordered[1:]
		r.mu.Unlock()
		do()
	}
}

// handleRequest treats the messages that do not carry data.
func (c *client) handleRequest(f *channel.Frame) {
	var do func(*channel.Frame)
	run := c.run
	switch f.Type {
	case edge.TypeConnect:
		do = c.prepareConnect(f)
	case edge.TypeConnectV2:
		do = func(f *channel.Frame) {
			id, _ := edge.ConnID(f.Headers)
			c.refuse(f.Seq, id, "", "connect-v2 requires an OIDC API session", nil)
		}
	case edge.TypeBind:
		do = c.bind
	case edge.TypeUnbind:
		do, run = c.unbind, c.runInOrder
	case edge.TypeUpdateBind:
		do, run = c.updateBind, c.runInOrder // the last one counts
	case edge.TypeHealthEvent:
		do, run = c.healthEvent, c.runInOrder
	case edge.TypeUpdateToken:
		do = c.updateToken
	case edge.TypeTraceRoute:
		do = c.trace
	case edge.TypeTraceRouteResponse:
		do = c.traced
	default: // unknown, or an answer that comes too late
		f.Release()
		return
	}
	if do == nil {
		f.Release()
		return
	}
	size := len(f.Raw())
	if !c.requests.hold(size) {
		c.tooBusy(f)
		return
	}
	run(func() {
		defer c.requests.let(size)
		defer f.Release()
		do(f)
	}, func() {
		c.requests.let(size)
		c.tooBusy(f)
	})
}

// tooBusy refuses a request. The reading goroutine must not wait for room: a
// client that asks faster than it reads gets no answer.
func (c *client) tooBusy(f *channel.Frame) {
	defer f.Release()
	id, ok := edge.ConnID(f.Headers)
	if !ok {
		return
	}
	m := (&edge.StateClosed{ConnID: id, Reason: "too many requests at once",
		Error: &edge.StructuredError{Message: "too many requests at once", Code: edge.CodeInternal, RetryHint: edge.RetryTooBusy}}).Encode()
	c.ch.TryReply(&f.Message, m)
	if p, ok := c.sinkOf(f).(*dialing); ok {
		c.drop(id, p)
	}
}

// run executes do as soon as there is a slot, or busy at once if too many wait.
func (c *client) run(do, busy func()) {
	r := &c.requests
	r.mu.Lock()
	switch {
	case r.running < requestsAtOnce:
		r.running++
		r.mu.Unlock()
		c.srv.work.Go(func() { c.work(do) })
	case len(r.queue) < requestsWaiting:
		r.queue = append(r.queue, do)
		r.mu.Unlock()
	default:
		r.mu.Unlock()
		busy()
	}
}

func (c *client) work(do func()) {
	for do != nil {
		do()
		r := &c.requests
		r.mu.Lock()
		if len(r.queue) > 0 {
			do = r.queue[0]
			r.queue = r.queue[1:]
		} else {
			do, r.queue = nil, nil
			r.running--
		}
		r.mu.Unlock()
	}
}
