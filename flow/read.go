package flow

import (
	"io"
	"net"
	"os"

	"github.com/weftnet/weft/wire/xgress"
)

// Read reads stream data; boundaries of payloads are not kept.
func (c *Conn) Read(p []byte) (int, error) {
	c.readMu.Lock()
	defer c.readMu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for n < len(p) {
		if len(c.cur.Data) == 0 {
			if c.cur.Release(); c.curFIN {
				break
			}
			seg, ok, err := c.pull(n == 0)
			if err != nil && n == 0 {
				return 0, err
			}
			if !ok {
				break
			}
			c.cur = seg
			c.curFIN = seg.HasEdgeFlags && seg.EdgeFlags&xgress.EdgeFIN != 0
		}
		k := copy(p[n:], c.cur.Data)
		c.cur.Data = c.cur.Data[k:]
		n += k
	}
	if len(c.cur.Data) == 0 {
		c.cur.Release()
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Next waits for one whole payload as the peer wrote it, until the read deadline.
// A Conn is read either with Read or with Next.
func (c *Conn) Next() (Segment, error) {
	c.readMu.Lock()
	defer c.readMu.Unlock()
	seg, _, err := c.pull(true)
	return seg, err
}

// TryNext is Next without waiting; ok is false if nothing has arrived.
func (c *Conn) TryNext() (s Segment, ok bool, err error) {
	c.readMu.Lock()
	defer c.readMu.Unlock()
	return c.pull(false)
}

// pull returns the next segment, waiting for it if wanted.
func (c *Conn) pull(wait bool) (Segment, bool, error) {
	for prepared := false; ; {
		if wait && c.read.expired() {
			return Segment{}, false, os.ErrDeadlineExceeded
		}
		out := newBatch()
		c.mu.Lock()
		seg, ok := c.m.pull(out)
		end, err, mine := c.m.eof, c.m.readErr, c.closed
		c.arm()
		c.mu.Unlock()
		c.finishStep(out, 0, nil)
		switch {
		case mine:
			seg.Release()
			return Segment{}, false, net.ErrClosed
		case ok:
			return seg, true, nil
		case end && err == nil:
			return Segment{}, false, io.EOF
		case end:
			return Segment{}, false, err
		case !wait:
			return Segment{}, false, nil
		case !prepared:
			c.read.prepare()
			prepared = true
			continue
		}
		if err := c.read.wait(); err != nil {
			return Segment{}, false, err
		}
	}
}
