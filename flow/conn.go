package flow

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Conn is one end of a circuit. Its methods may be called concurrently; calls
// of one kind (reads, writes) wait for each other.
type Conn struct {
	cfg   Config
	epoch time.Time
	done  chan struct{}

	readMu sync.Mutex // held by the one reader
	cur    Segment    // what Read has not finished
	curFIN bool
	read   waiter

	writeMu sync.Mutex // held by the one blocking writer
	write   waiter

	mu       sync.Mutex
	m        machine
	closed   bool // by Close
	told     bool // Config.Closed was or is being called
	wantRoom bool // TryWrite was refused
	sending  context.CancelFunc
	timer    *time.Timer
	timerAt  time.Duration // when it fires, 0 if not armed
}

// New returns an end of a circuit. It sends nothing before Start.
func New(cfg Config) *Conn {
	c := &Conn{cfg: cfg.withDefaults(), epoch: time.Now(), done: make(chan struct{})}
	c.m = newMachine(&c.cfg)
	if out, ok := cfg.Output.(pathOutput); ok {
		c.m.informed = true
		out.SetPath(c)
	}
	return c
}

func (c Config) withDefaults() Config {
	const most = 4 << 20
	if c.MaxWindow <= 0 || c.MaxWindow > most {
		c.MaxWindow = most
	}
	if c.Window <= 0 {
		c.Window = 64 << 10
	}
	c.Window = min(c.Window, c.MaxWindow)
	if c.MaxPayload <= 0 {
		c.MaxPayload = 64 << 10
	}
	if c.Linger <= 0 {
		c.Linger = 30 * time.Second
	}
	if c.StartLimit == 0 {
		c.StartLimit = startLimit
	}
	if c.Options == nil {
		c.Options = &ownWays
	}
	c.Options.fill(&c)
	return c
}

func (c *Conn) now() time.Duration { return time.Since(c.epoch) }

// step runs f on the state machine, then sends what it wants to send and tells
// those who wait. It must be called without locks.
func (c *Conn) step(f func(m *machine, now time.Duration, out *batch) events) {
	out := newBatch()
	c.mu.Lock()
	ev := f(&c.m, c.now(), out)
	c.arm()
	c.mu.Unlock()
	c.finishStep(out, ev, nil)
}

// finishStep is the part of a step without the lock. A first transmission is
// given ctx to wait for room, if not nil; everything else never waits.
func (c *Conn) finishStep(out *batch, ev events, ctx func() context.Context) {
	c.send(out, ctx)
	out.free()
	if ev != 0 {
		c.notify(ev)
	}
}

func (c *Conn) send(out *batch, ctx func() context.Context) {
	for i, o := range out.msgs {
		if o.ack {
			c.sendAck(o, i+1 < len(out.msgs))
			continue
		}
		if c.trySend(o) {
			continue
		}
		if !o.fresh {
			c.cfg.Counters.noRoom()
			continue
		}
		if ctx != nil {
			err := c.cfg.Output.Send(ctx(), &o.m)
			if c.sent(); err == nil {
				continue
			}
		}
		// The payload is in the window; a timer tries again.
		c.mu.Lock()
		c.m.noRoom(c.now(), o.seq)
		c.arm()
		c.mu.Unlock()
	}
}

// trySend sends a payload. The first time that may happen without a copy; a
// retransmission is a copy, for its first transmission may still be in use.
func (c *Conn) trySend(o *outMsg) bool {
	if out, ok := c.cfg.Output.(sharedOutput); ok && o.fresh && o.buf != nil && len(o.buf.b) >= shareFrom {
		o.buf.retain()
		if out.TrySendShared(&o.m, o.buf.room, o.buf) {
			return true
		}
		o.buf.release()
	}
	return c.cfg.Output.TrySend(&o.m)
}

// shareFrom is the size from which sending without a copy is worth it, in bytes.
const shareFrom = 4 << 10

// sendAck sends an acknowledgement and those that became due meanwhile. If
// others follow it, they share its way.
func (c *Conn) sendAck(o *outMsg, others bool) {
	send := c.cfg.Output.TrySend
	if out, ok := c.cfg.Output.(batchOutput); ok {
		if send = out.TrySendSoon; others {
			send = out.TrySendMore
		}
	}
	for more := newBatch(); ; {
		ok := send(&o.m)
		c.cfg.Counters.told(ok)
		c.mu.Lock()
		if !ok {
			c.m.unsent(c.now(), o.seqs)
		}
		more.clear()
		c.m.acked(more)
		c.arm()
		c.mu.Unlock()
		if len(more.msgs) == 0 {
			more.free()
			return
		}
		o = more.msgs[0]
	}
}

func (c *Conn) notify(ev events) {
	if ev&readable != 0 {
		c.read.wake()
		if c.cfg.Readable != nil {
			c.cfg.Readable()
		}
	}
	if ev&writable != 0 {
		c.write.wake()
		c.mu.Lock()
		call := c.wantRoom
		c.wantRoom = false
		c.mu.Unlock()
		if call && c.cfg.Writable != nil {
			c.cfg.Writable()
		}
	}
	if ev&closed != 0 {
		c.tellClosed()
	}
}

func (c *Conn) tellClosed() {
	c.mu.Lock()
	first, err := !c.told, c.m.err
	c.told = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.sending != nil {
		c.sending()
	}
	c.mu.Unlock()
	if !first {
		return
	}
	close(c.done)
	if c.cfg.Closed != nil {
		c.cfg.Closed(err)
	}
}

// arm sets the timer for the next deadline, with the lock held. A timer that
// fires too early finds nothing to do and is set anew, which is cheaper than
// moving it with every message.
func (c *Conn) arm() {
	c.m.book()
	d := c.m.deadline()
	if d == 0 || (c.timerAt != 0 && c.timerAt <= d) {
		return
	}
	wait := max(0, d-c.now())
	c.timerAt = d
	if c.timer == nil {
		c.timer = time.AfterFunc(wait, c.fire)
		return
	}
	c.timer.Reset(wait)
}

func (c *Conn) fire() {
	c.step(func(m *machine, now time.Duration, out *batch) events {
		c.timerAt = 0
		return m.tick(now, out)
	})
}

// Start opens the circuit: an initiator announces it to the terminator, a
// terminator begins to wait for that. Messages may be handled before Start.
func (c *Conn) Start() {
	c.step(func(m *machine, now time.Duration, out *batch) events {
		m.start(now, out)
		return 0
	})
}

// HandlePayload takes a received payload (xgress.TypePayload). It never blocks
// and releases owner, which may be nil, when the data is consumed.
func (c *Conn) HandlePayload(msg *message.Message, owner Releaser) {
	out := newBatch()
	c.mu.Lock()
	ev := c.m.payload(c.now(), msg, owner, out)
	c.arm()
	c.mu.Unlock()
	c.finishStep(out, ev, nil)
}

// HandleAck takes a received acknowledgement (xgress.TypeAcknowledgement). It
// never blocks and keeps no memory of msg.
func (c *Conn) HandleAck(msg *message.Message) {
	out := newBatch()
	c.mu.Lock()
	ev := c.m.ack(c.now(), msg, out)
	c.arm()
	c.mu.Unlock()
	c.finishStep(out, ev, nil)
}

// PeerClosed tells the Conn that the network has removed the circuit. Data that
// has arrived can still be read, then Read returns io.EOF, or err if not nil.
func (c *Conn) PeerClosed(err error) {
	c.step(func(m *machine, _ time.Duration, _ *batch) events { return m.finish(err) })
}

// Abort ends the Conn at once without telling the peer, for instance because
// its channel is gone; pending and later calls return err.
func (c *Conn) Abort(err error) {
	c.step(func(m *machine, _ time.Duration, _ *batch) events { return m.abort(err) })
}

// Close ends both directions. It returns at once; what was written is still
// delivered for at most Config.Linger, then Config.Closed is called.
func (c *Conn) Close() error {
	c.step(func(m *machine, now time.Duration, out *batch) events {
		c.closed = true
		ev := m.close(now, out)
		if c.sending != nil {
			c.sending()
		}
		return ev | readable | writable
	})
	return nil
}

// Ended reports that the peer has left the circuit or that the circuit is
// finished; after CloseWrite of the peer alone it is false.
func (c *Conn) Ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m.ended || c.m.finished
}

// Done is closed when the circuit is finished, after which no message is sent.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Circuit returns the circuit id.
func (c *Conn) Circuit() string { return c.cfg.Circuit }

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.cfg.LocalAddr }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.cfg.RemoteAddr }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	c.read.set(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.read.set(t)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.write.set(t)
	c.mu.Lock()
	if c.sending != nil {
		c.sending() // the waiting write looks at the new deadline
	}
	c.mu.Unlock()
	return nil
}
