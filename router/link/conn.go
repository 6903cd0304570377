package link

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/xgress"
)

// conn is one connection of a link. What circuits send by a connection that has
// died goes by its heir.
type conn struct {
	link   *Link
	kind   string
	joins  bool            // not the first of its link
	outlet *forward.Outlet // for payloads that stay on this connection

	ch   atomic.Pointer[channel.Channel]
	heir atomic.Pointer[conn]
	gone atomic.Bool

	inherited []*forward.Outlet // of connections whose heir this one is; the link's lock guards it

	mu     sync.Mutex
	vitals vitals
}

func newConn(l *Link, kind string) *conn {
	c := &conn{link: l, kind: kind}
	c.outlet = forward.NewOutlet(l.ctx, c, l.m.cfg.Budget)
	return c
}

// live returns the connection that carries what was meant for c.
func (c *conn) live() *conn {
	for {
		heir := c.heir.Load()
		if heir == nil {
			return c
		}
		if next := heir.heir.Load(); next != nil {
			c.heir.Store(next)
		}
		c = heir
	}
}

// TrySendFrame implements forward.Sender.
func (c *conn) TrySendFrame(f *channel.Frame) bool {
	ch := c.live().ch.Load()
	return ch != nil && ch.TrySendFrame(f)
}

// SendFrame implements forward.Sender.
func (c *conn) SendFrame(ctx context.Context, f *channel.Frame) error {
	ch := c.live().ch.Load()
	if ch == nil {
		f.Release()
		return channel.ErrClosed
	}
	return ch.SendFrame(ctx, f)
}

// Queued is the number of bytes that wait to be written.
func (c *conn) Queued() int {
	if ch := c.live().ch.Load(); ch != nil {
		return ch.Queued()
	}
	return 0
}

// HandleOpen is called by the channel before the first message.
func (c *conn) HandleOpen(ch *channel.Channel) {
	c.ch.Store(ch)
	if !c.link.dialed {
		c.link.m.opened(c)
	}
}

// HandleFrame is called by the channel.
func (c *conn) HandleFrame(_ *channel.Channel, f *channel.Frame) {
	switch f.Type {
	case xgress.TypePayload, xgress.TypeAcknowledgement, xgress.TypeControl, xgress.TypeClose:
		c.link.m.cfg.Receive(c.link.id, f)
	default:
		f.Release()
	}
}

// HandleClose is called by the channel when it has ended.
func (c *conn) HandleClose(_ *channel.Channel, err error) { c.link.drop(c, err) }

// ackSlot sends acknowledgements and control messages by one of the connections
// for them, or by one for payloads while there is none. They need no order.
type ackSlot struct {
	link *Link
	at   int
}

func (s ackSlot) pick() *channel.Channel {
	all := s.link.conns.Load()
	list := all.ack
	if len(list) == 0 {
		list = all.payload
	}
	if len(list) == 0 {
		return nil
	}
	return list[s.at%len(list)].ch.Load()
}

// TrySendFrame implements forward.Sender.
func (s ackSlot) TrySendFrame(f *channel.Frame) bool {
	ch := s.pick()
	return ch != nil && ch.TrySendFrame(f)
}

// SendFrame implements forward.Sender.
func (s ackSlot) SendFrame(ctx context.Context, f *channel.Frame) error {
	ch := s.pick()
	if ch == nil {
		f.Release()
		return channel.ErrClosed
	}
	return ch.SendFrame(ctx, f)
}

// since is the time since t, which may be zero: then it is none.
func since(now, t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return now.Sub(t)
}
