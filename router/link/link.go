package link

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// Link is a link to another router. It implements forward.Link; its methods are
// safe for concurrent use.
type Link struct {
	m         *Manager
	id        string
	iteration uint32
	key       string
	peer      string // router id
	version   string // of the other router
	address   string // host:port that was dialed
	started   uint64 // of the dialer's process
	dialed    bool   // by this router
	split     bool
	dialer    *Dialer // nil on the accepting side
	hello     *hello  // of the first connection

	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	conns  atomic.Pointer[conns]
	slots  [ackSlots]*forward.Outlet

	mu      sync.Mutex // held to change conns, ended and what is below
	ended   bool
	since   time.Time
	reason  string
	stopped chan struct{} // closed when the end has been told
	changes uint32        // of the connections
	health  health
	extras  extras
	torn    []*conn // lost, and not told yet
}

// conns are the connections of a link. They do not change.
type conns struct{ payload, ack []*conn }

func (c *conns) all() []*conn { return append(slices.Clip(c.payload), c.ack...) }

// ackSlots is how many outlets share the connections for acknowledgements.
const ackSlots = 4

// maxLinks bounds the links with one other router.
const maxLinks = 64

// maxConns bounds the connections of a link that another router may open.
const maxConns = 256

func (m *Manager) newLink(h *hello, key, peer string, dialer *Dialer) *Link {
	l := &Link{
		m: m, id: h.linkID, iteration: h.iteration, key: key, peer: peer, address: h.address, started: h.started,
		dialed: dialer != nil, split: h.split, dialer: dialer, hello: h, version: h.version,
		stopped: make(chan struct{}),
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.conns.Store(&conns{})
	for i := range l.slots {
		l.slots[i] = forward.NewOutlet(l.ctx, ackSlot{l, i}, m.cfg.Budget)
	}
	return l
}

// ID returns the id of the link.
func (l *Link) ID() string { return l.id }

var seed = maphash.MakeSeed()

// Outlets returns the ways by which payloads, and acknowledgements and control
// messages, of a circuit leave. The circuit has to keep the first one, which
// stands for one connection and after that for its heirs, so that its payloads
// keep their order.
func (l *Link) Outlets(circuitID string) (payload, other *forward.Outlet) {
	h := maphash.String(seed, circuitID)
	all := l.conns.Load()
	if len(all.payload) == 0 { // it has ended
		return l.slots[0], l.slots[0]
	}
	payload = all.payload[h%uint64(len(all.payload))].outlet
	if !l.split {
		return payload, payload
	}
	return payload, l.slots[h%ackSlots]
}

// add takes a connection into the link; false if the link or the connection has
// ended.
func (l *Link) add(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || c.gone.Load() {
		return false
	}
	old := l.conns.Load()
	next := &conns{payload: old.payload, ack: old.ack}
	if c.kind == KindAck {
		next.ack = append(slices.Clip(old.ack), c)
	} else {
		next.payload = append(slices.Clip(old.payload), c)
	}
	l.conns.Store(next)
	l.changes++
	return true
}

// drop takes a connection that has ended out of the link. What is sent by it
// goes by another one from then on; with the last one for payloads the link
// ends.
func (l *Link) drop(c *conn, err error) {
	l.mu.Lock()
	c.gone.Store(true)
	old := l.conns.Load()
	other := func(o *conn) bool { return o == c }
	if !slices.ContainsFunc(old.all(), other) {
		l.mu.Unlock()
		return
	}
	next := &conns{
		payload: slices.DeleteFunc(slices.Clone(old.payload), other),
		ack:     slices.DeleteFunc(slices.Clone(old.ack), other),
	}
	if len(next.payload) > 0 {
		if c.kind == KindPayload {
			heir := next.payload[int(l.changes)%len(next.payload)]
			c.heir.Store(heir)
			heir.inherited = append(append(heir.inherited, c.outlet), c.inherited...)
		}
		l.conns.Store(next)
		l.changes++
	}
	ended := l.ended
	l.mu.Unlock()
	switch {
	case ended:
	case len(next.payload) == 0:
		l.m.end(l, lossText(err))
	default:
		l.m.log.Warn("connection of a link lost", "link", l.id, "router", l.peer, "kind", c.kind, "error", err)
		l.disturb(c)
		l.m.reports.touch(l)
	}
}

// settling is how long the loss of a connection waits to be told: mostly the
// others follow, and the link is gone as a whole.
const settling = 100 * time.Millisecond

// disturb tells of the loss of c if the link outlives it.
func (l *Link) disturb(c *conn) {
	if l.m.cfg.Disturbed == nil {
		return
	}
	l.mu.Lock()
	first := l.torn == nil
	l.torn = append(l.torn, c)
	l.mu.Unlock()
	if first {
		l.m.clock.AfterFunc(settling, l.tellDisturbed)
	}
}

func (l *Link) tellDisturbed() {
	l.mu.Lock()
	torn, ended := l.torn, l.ended
	l.torn = nil
	var outlets []*forward.Outlet
	for _, c := range torn {
		if c.kind != KindPayload {
			outlets = nil // acknowledgements of any circuit
			break
		}
		outlets = append(append(outlets, c.outlet), c.inherited...)
	}
	l.mu.Unlock()
	if !ended {
		l.m.cfg.Disturbed(l.id, outlets)
	}
}

func lossText(err error) string {
	if err == nil {
		return "the connection has ended"
	}
	return err.Error()
}

// close ends all connections and waits for none.
func (l *Link) close() {
	l.cancel()
	for _, c := range l.conns.Load().all() {
		if ch := c.ch.Load(); ch != nil {
			ch.Close()
		}
	}
}

// report describes the link to a controller.
func (l *Link) report() *ctrl.Link {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &ctrl.Link{
		Id: l.id, Iteration: l.iteration, DialerId: l.m.cfg.RouterID, AcceptorId: l.peer,
		Key: l.key, Protocol: "tls", Address: "tls:" + l.address,
		LatencyNanos: int64(l.health.latency), QueueNanos: int64(l.health.queue), Unresponsive: l.health.mute,
	}
	if !l.dialed {
		r.DialerId, r.AcceptorId = l.peer, l.m.cfg.RouterID
	}
	for _, c := range l.conns.Load().all() {
		if len(r.Connections) == maxReported {
			break
		}
		if ch := c.ch.Load(); ch != nil {
			r.Connections = append(r.Connections, &ctrl.LinkConnection{Kind: c.kind, Local: addressText(ch.Peer().Local), Remote: addressText(ch.Peer().Remote)})
		}
	}
	return r
}

// maxReported bounds the connections of a link that controllers are told.
const maxReported = 60

// channels returns the running channels of the link.
func (l *Link) channels() []*channel.Channel {
	var out []*channel.Channel
	for _, c := range l.conns.Load().all() {
		if ch := c.ch.Load(); ch != nil {
			out = append(out, ch)
		}
	}
	return out
}
