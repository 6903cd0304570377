package channel

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weftnet/weft/wire/message"
)

// Errors of a channel; match them with errors.Is.
var (
	// ErrClosed is the error of a channel that this side closed.
	ErrClosed = errors.New("channel: closed")
	// ErrPeerClosed is the error of a channel whose peer closed it.
	ErrPeerClosed = errors.New("channel: closed by the peer")
)

// Channel is one logical connection: a single TLS connection or a group of
// them. All methods are safe for concurrent use.
type Channel struct {
	opts    Options
	peer    Peer
	handler Handler

	seq     atomic.Int32
	waiting atomic.Int32 // number of waiters, read without the lock

	mu        sync.Mutex
	underlays []*underlay          // copy-on-write
	waiters   map[int32]chan reply // requests without an answer, by sequence
	probes    map[int32]*probe     // probes without an answer, by sequence
	paused    int
	resumed   chan struct{} // closed when paused drops to zero; nil if not paused
	err       error
	closing   bool

	handleMu sync.Mutex // one frame at a time, whatever connection it came on
	done     chan struct{}
	running  atomic.Int32    // reading and writing goroutines
	stopped  chan struct{}   // closed after all of them and HandleClose
	secret   []byte          // of a group, nil for a single connection
	answer   message.Headers // of the hello, repeated to connections that join
	onClose  func()          // leaves the listener's tables
}

type reply struct {
	m   *message.Message
	err error
}

func newChannel(peer Peer, h Handler, o Options) *Channel {
	return &Channel{
		opts: o, peer: peer, handler: h,
		waiters: make(map[int32]chan reply),
		done:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

// Peer returns what is known of the other side, from the hello of the first
// connection.
func (c *Channel) Peer() *Peer { return &c.peer }

// Done is closed when the channel has ended; Err then tells why.
func (c *Channel) Done() <-chan struct{} { return c.done }

// Err returns why the channel ended, nil while it lives.
func (c *Channel) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the channel. Messages that are queued already get up to a second
// to leave. It does not wait; see Wait.
func (c *Channel) Close() error {
	c.mu.Lock()
	if c.closing || c.err != nil {
		c.mu.Unlock()
		return nil
	}
	c.closing = true
	us := c.underlays
	c.mu.Unlock()
	left := new(atomic.Int32)
	left.Store(int32(len(us)))
	for _, u := range us {
		u.queue.drain(closeLinger, func() {
			if left.Add(-1) == 0 {
				c.fail(ErrClosed)
			}
		})
	}
	return nil
}

// Wait returns when the channel has ended, its goroutines are gone and
// HandleClose has returned. It must not be called by the channel's Handler.
func (c *Channel) Wait() { <-c.stopped }

// fail ends the channel at once; the first error stays.
func (c *Channel) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	us := c.underlays
	waiters := c.waiters
	c.waiters = nil
	if c.resumed != nil {
		close(c.resumed)
		c.resumed, c.paused = nil, 0
	}
	c.mu.Unlock()
	close(c.done)
	for _, w := range waiters {
		w <- reply{err: err}
	}
	for _, u := range us {
		u.close()
	}
}

// start runs the first connection of the channel.
func (c *Channel) start(u *underlay) {
	c.mu.Lock()
	c.underlays = []*underlay{u}
	c.mu.Unlock()
	c.running.Add(2)
	go func() {
		if o, ok := c.handler.(Opener); ok {
			o.HandleOpen(c)
		}
		u.readLoop()
	}()
	go u.writeLoop()
}

// join adds a connection to a running group; false if the group has ended.
func (c *Channel) join(u *underlay) bool {
	c.mu.Lock()
	if c.err != nil || c.closing || len(c.underlays) >= maxUnderlaysPerGroup {
		c.mu.Unlock()
		return false
	}
	c.underlays = append(slices.Clone(c.underlays), u)
	c.running.Add(2)
	c.mu.Unlock()
	go u.readLoop()
	go u.writeLoop()
	return true
}

// leave takes a connection that failed out of the channel. The channel ends
// with its last default connection.
func (c *Channel) leave(u *underlay, err error) {
	c.mu.Lock()
	rest := slices.DeleteFunc(slices.Clone(c.underlays), func(o *underlay) bool { return o == u })
	alive := slices.ContainsFunc(rest, func(o *underlay) bool { return !o.control })
	if alive {
		c.underlays = rest
	}
	c.mu.Unlock()
	if !alive {
		c.fail(err)
		return
	}
	u.queue.close(err)
	u.conn.Close()
}

// exit is the end of one goroutine; the last one ends the channel.
func (c *Channel) exit() {
	if c.running.Add(-1) > 0 {
		return
	}
	if h, ok := c.handler.(Closer); ok {
		h.HandleClose(c, c.Err())
	}
	if c.onClose != nil {
		c.onClose()
	}
	close(c.stopped)
}

// Pause stops reading: back pressure towards the peer. Calls nest; reading
// goes on when Resume was called as often. While paused, probes of the peer
// are not answered.
func (c *Channel) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if c.paused++; c.paused == 1 {
		c.resumed = make(chan struct{})
	}
}

// Resume undoes one Pause.
func (c *Channel) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused == 0 {
		return
	}
	if c.paused--; c.paused == 0 {
		close(c.resumed)
		c.resumed = nil
	}
}

func (c *Channel) gate() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resumed
}

// Queued returns the number of bytes that wait to be written.
func (c *Channel) Queued() int {
	n := 0
	for _, u := range c.list() {
		n += u.queue.bytes()
	}
	return n
}

func (c *Channel) list() []*underlay {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.underlays
}

// pick returns the connection for a content type: the first control connection
// for control messages, the first default connection for all others, so that
// the order of what belongs together is kept.
func (c *Channel) pick(contentType int32) (*underlay, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return nil, c.err
	case c.closing:
		return nil, ErrClosed
	}
	if len(c.underlays) > 1 && c.opts.IsControl != nil && c.opts.IsControl(contentType) {
		for _, u := range c.underlays {
			if u.control {
				return u, nil
			}
		}
	}
	for _, u := range c.underlays {
		if !u.control {
			return u, nil
		}
	}
	return nil, net.ErrClosed
}

// Send queues a copy of m and waits for room in the queue if there is none.
// The caller may reuse m at once. The error is that of ctx or of the channel.
func (c *Channel) Send(ctx context.Context, m *message.Message) error {
	return c.SendFrame(ctx, encode(m))
}

// TrySend queues a copy of m; false if the queue is full or the channel has
// ended.
func (c *Channel) TrySend(m *message.Message) bool {
	u, n, ok := c.trySend(m, false)
	if ok {
		u.announce(n, nil)
	}
	return ok
}

// TrySendMore is TrySend for a message that the caller follows up with another
// one at once, so that both leave together.
func (c *Channel) TrySendMore(m *message.Message) bool {
	u, n, ok := c.trySend(m, true)
	if ok {
		u.announce(n, nil)
	}
	return ok
}

// TrySendSoon is TrySend for a message that may wait for company: it leaves
// when the writing goroutine gets to run.
func (c *Channel) TrySendSoon(m *message.Message) bool {
	u, n, ok := c.trySend(m, false)
	if ok && n != nothingNew {
		u.queue.signal()
	}
	return ok
}

// TrySendShared is TrySend without a copy: m.Body stays in use until owner is
// released. room is the memory right before it, in the same array; prefix and
// headers are written to its end. On false nothing is kept.
func (c *Channel) TrySendShared(m *message.Message, room []byte, owner interface{ Release() }) bool {
	u, err := c.pick(m.Type)
	if err != nil || !u.queue.hasRoom(m.Size()) {
		return false
	}
	f, ok := share(m, room, owner)
	if !ok {
		return false
	}
	f.setSeq(c.seq.Add(1))
	n, ok := u.queue.tryPut(f, false)
	if !ok {
		f.owner = noOwner{}
		f.Release()
		return false
	}
	u.announce(n, nil)
	return true
}

// noOwner releases nothing.
type noOwner struct{}

func (noOwner) Release() {}

func (c *Channel) trySend(m *message.Message, more bool) (*underlay, news, bool) {
	u, err := c.pick(m.Type)
	if err != nil || !u.queue.hasRoom(m.Size()) {
		return nil, nothingNew, false
	}
	f := encode(m)
	f.setSeq(c.seq.Add(1))
	n, ok := u.queue.tryPut(f, more)
	if !ok {
		f.Release()
	}
	return u, n, ok
}

// SendFrame queues f without a copy and waits for room. It takes ownership of
// f in any case and gives it a sequence of its own in place.
func (c *Channel) SendFrame(ctx context.Context, f *Frame) error {
	f.setSeq(c.seq.Add(1))
	return c.put(ctx, f)
}

func (c *Channel) put(ctx context.Context, f *Frame) error {
	u, err := c.pick(f.Type)
	if err != nil {
		f.Release()
		return err
	}
	src := f.src
	n, err := u.queue.put(ctx, f)
	if err != nil {
		f.Release()
		return err
	}
	u.announce(n, src)
	return nil
}

// TrySendFrame queues f without a copy. It takes ownership of f if it returns
// true; on false, for a full queue or an ended channel, the caller keeps f.
func (c *Channel) TrySendFrame(f *Frame) bool {
	u, err := c.pick(f.Type)
	if err != nil {
		return false
	}
	f.setSeq(c.seq.Add(1))
	src := f.src
	n, ok := u.queue.tryPut(f, false)
	switch {
	case !ok:
		return false
	case n == fewBytes && (src == nil || !src.eager.defers(u)), n == manyBytes:
		u.queue.signal() // not written here: the caller may hold a lock
	}
	return true
}
