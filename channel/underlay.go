package channel

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/weftnet/weft/wire/message"
)

// underlay is one TLS connection of a channel.
type underlay struct {
	c       *Channel
	conn    *tls.Conn
	stream  *stream
	queue   *queue
	control bool

	head [message.PrefixSize]byte // of the message being read

	// writing goroutine only
	plain *[maxRecord]byte // collects small messages into one record
	fill  int
}

// plainBuffers is shared by all writers of the process; one is held per batch.
var plainBuffers = sync.Pool{New: func() any { return new([maxRecord]byte) }}

const (
	maxRecord  = 16 << 10  // plaintext of one TLS record, bytes
	growInStep = 260 << 10 // larger messages get their memory as they arrive
)

func newUnderlay(c *Channel, conn *tls.Conn, control bool) *underlay {
	u := &underlay{c: c, conn: conn, control: control}
	if s, ok := conn.NetConn().(*stream); ok {
		u.stream = s
		s.wmu.Lock()
		s.timeout = c.opts.WriteTimeout
		s.wmu.Unlock()
	}
	u.queue = newQueue(c.opts.QueueBytes)
	return u
}

// close ends the connection at once; both loops notice.
func (u *underlay) close() {
	u.queue.close(u.c.Err())
	u.conn.Close()
}

func (u *underlay) readLoop() {
	u.c.leave(u, u.readFrames())
	u.c.exit()
}

func (u *underlay) readFrames() error {
	for {
		if resumed := u.c.gate(); resumed != nil {
			<-resumed
		}
		f, err := u.readFrame()
		if err != nil {
			return err
		}
		u.c.receive(f)
	}
}

func (u *underlay) readFrame() (*Frame, error) {
	if n, err := io.ReadFull(u.conn, u.head[:]); err != nil {
		if n == 0 && errors.Is(err, io.EOF) {
			return nil, ErrPeerClosed
		}
		return nil, fmt.Errorf("channel: %w", err)
	}
	p, err := message.ParsePrefix(u.head[:])
	if err != nil {
		return nil, fmt.Errorf("channel: %w", err)
	}
	if err := u.c.opts.Limits.Check(p); err != nil {
		return nil, fmt.Errorf("channel: content type %d: %w", p.Type, err)
	}
	f, err := u.readRest(int(p.HeadersLen) + int(p.BodyLen))
	if err != nil {
		return nil, fmt.Errorf("channel: message cut short: %w", err)
	}
	m, err := p.Message(f.raw[message.PrefixSize:])
	if err != nil {
		f.Release()
		return nil, fmt.Errorf("channel: content type %d: %w", p.Type, err)
	}
	f.Message = *m
	return f, nil
}

// readRest reads n bytes after the prefix into a frame. Memory beyond
// growInStep is taken only as the bytes arrive: a length is just a claim.
func (u *underlay) readRest(n int) (*Frame, error) {
	total := message.PrefixSize + n
	f := newFrame(min(total, growInStep))
	copy(f.raw, u.head[:])
	at := message.PrefixSize
	for {
		if _, err := io.ReadFull(u.conn, f.raw[at:]); err != nil {
			f.Release()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		at = len(f.raw)
		if at == total {
			return f, nil
		}
		bigger := &Frame{raw: make([]byte, min(total, 2*at)), class: -1}
		copy(bigger.raw, f.raw)
		f.Release()
		f = bigger
	}
}

func (u *underlay) writeLoop() {
	defer u.c.exit()
	var batch []*Frame
	for u.queue.wait() {
		var err error
		if batch, err = u.writeQueued(batch); err != nil {
			u.c.leave(u, fmt.Errorf("channel: write: %w", err))
			return
		}
	}
}

// writeQueued writes until the queue is empty and flushes then. It returns
// batch, emptied, for the next call.
func (u *underlay) writeQueued(batch []*Frame) ([]*Frame, error) {
	if u.stream != nil {
		u.stream.cork()
	}
	u.plain = plainBuffers.Get().(*[maxRecord]byte)
	n, err := 0, error(nil)
	for err == nil {
		if batch = u.queue.take(batch); len(batch) == 0 {
			break
		}
		for i, f := range batch {
			if err == nil {
				err = u.writeFrame(f.raw)
			}
			n += len(f.raw)
			f.Release()
			batch[i] = nil
			if n >= writeBufferSize {
				u.queue.written(n - 1) // one byte stays queued until the flush
				n = 1
			}
		}
	}
	if err == nil {
		err = u.flushPlain()
	}
	plainBuffers.Put(u.plain)
	u.plain, u.fill = nil, 0
	if u.stream != nil {
		if e := u.stream.uncork(); err == nil {
			err = e
		}
	}
	u.queue.written(n)
	return batch, err
}

// writeFrame puts b into records: small messages share one, whole records of a
// large message are written without a copy.
func (u *underlay) writeFrame(b []byte) error {
	for len(b) > 0 {
		if u.fill == 0 && len(b) >= maxRecord {
			n := len(b) - len(b)%maxRecord
			if _, err := u.conn.Write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
			continue
		}
		n := copy(u.plain[u.fill:], b)
		u.fill += n
		b = b[n:]
		if u.fill == maxRecord {
			if err := u.flushPlain(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *underlay) flushPlain() error {
	if u.fill == 0 {
		return nil
	}
	n := u.fill
	u.fill = 0
	_, err := u.conn.Write(u.plain[:n])
	return err
}
