package flow

import (
	"context"
	"net"
	"os"
	"time"
)

// Write sends p in payloads of at most Config.MaxPayload bytes.
func (c *Conn) Write(p []byte) (int, error) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	n := 0
	for first := true; first || n < len(p); first = false {
		part := p[n:min(n+c.cfg.MaxPayload, len(p))]
		if len(part) == 0 {
			return 0, c.writable()
		}
		if err := c.put(&Item{Data: part}); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

// WriteMessage sends it as exactly one payload, waiting for credit until the
// write deadline.
func (c *Conn) WriteMessage(it Item) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	return c.put(&it)
}

// TryWrite is WriteMessage without waiting; ok is false if there is no credit,
// and Config.Writable is called when there is again.
func (c *Conn) TryWrite(it Item) (ok bool, err error) {
	out := newBatch()
	c.mu.Lock()
	ok, err = c.offer(&it, out)
	if !ok && err == nil {
		c.wantRoom = true
	}
	c.arm()
	c.mu.Unlock()
	c.finishStep(out, 0, nil)
	return ok, err
}

// offer writes it if there is credit, with the lock held.
func (c *Conn) offer(it *Item, out *batch) (bool, error) {
	now := c.now()
	switch {
	case c.closed:
		return false, net.ErrClosed
	case c.m.writeErr != nil:
		return false, c.m.writeErr
	case !c.m.ready():
		c.m.blocked(now)
		return false, nil
	}
	c.m.write(now, it, out)
	return true, nil
}

func (c *Conn) writable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	return c.m.writeErr
}

// put writes one payload, waiting for credit and for room in the channel.
func (c *Conn) put(it *Item) error {
	for prepared := false; ; {
		if c.write.expired() {
			return os.ErrDeadlineExceeded
		}
		out := newBatch()
		c.mu.Lock()
		ok, err := c.offer(it, out)
		c.arm()
		c.mu.Unlock()
		if ok {
			c.finishStep(out, 0, c.sendContext)
			return nil
		}
		out.free()
		if err != nil {
			return err
		}
		if !prepared {
			c.write.prepare()
			prepared = true
			continue
		}
		if err := c.write.wait(); err != nil {
			return err
		}
	}
}

// sendContext bounds the wait for room in the channel: by the write deadline,
// by Close and by the end of the circuit. It exists only while a write waits.
func (c *Conn) sendContext() context.Context {
	limit := c.write.limit()
	ctx, cancel := context.Background(), context.CancelFunc(nil)
	if limit.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, limit)
	}
	c.mu.Lock()
	c.sending = cancel
	over := c.m.finished
	c.mu.Unlock()
	if over {
		cancel()
	}
	return ctx
}

// sent ends the context of sendContext.
func (c *Conn) sent() {
	c.mu.Lock()
	cancel := c.sending
	c.sending = nil
	c.mu.Unlock()
	cancel()
}

// CloseWrite ends this side's data after everything written; reading goes on.
func (c *Conn) CloseWrite() error {
	c.step(func(m *machine, now time.Duration, out *batch) events {
		m.closeWrite(now, out)
		return 0
	})
	return nil
}
