package sdk

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// plain is a stream whose flow control the router keeps: data messages without
// windows. What nobody reads piles up here, then stops the whole channel.
type plain struct {
	c *Conn

	wmu       sync.Mutex  // one writer
	announced atomic.Bool // the first message says what this side can receive

	mu       sync.Mutex
	in       []*channel.Frame // received, not read
	size     int              // bytes of in
	cur      *channel.Frame   // owner of what Next returned last
	rest     []byte           // of cur, for Read
	paused   bool
	eof      bool
	err      error // after in; nil means io.EOF
	closed   bool
	finSent  bool
	read     gate
	writeBy  time.Time
	unblock  context.CancelFunc // of a write that waits
	writeErr error
}

const (
	spillMost   = 4 << 20  // bytes not read before the channel pauses
	spillResume = 1 << 20  // bytes at which it goes on
	plainChunk  = 64 << 10 // bytes of one message
)

func newPlain(c *Conn) *plain { return &plain{c: c} }

// handleData takes ownership of f. It never blocks.
func (p *plain) handleData(f *channel.Frame) {
	d, err := edge.ParseData(&f.Message)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.closed || p.eof {
		f.Release()
		return
	}
	p.eof = d.Flags&edge.FlagFIN != 0
	if len(d.Body) == 0 {
		f.Release()
	} else {
		p.in = append(p.in, f)
		if p.size += len(d.Body); p.size > spillMost && !p.paused {
			p.paused = true
			p.c.l.ch.Pause()
		}
	}
	p.read.wake()
}

// Next returns the next message; it is valid until the next call.
func (p *plain) Next() (flow.Segment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next()
}

func (p *plain) next() (flow.Segment, error) {
	p.drop()
	for {
		switch {
		case p.closed:
			return flow.Segment{}, net.ErrClosed
		case p.read.expired():
			return flow.Segment{}, os.ErrDeadlineExceeded
		case len(p.in) > 0:
			return p.take(), nil
		case p.err != nil:
			return flow.Segment{}, p.err
		case p.eof:
			return flow.Segment{}, io.EOF
		}
		if err := p.read.wait(&p.mu); err != nil {
			return flow.Segment{}, err
		}
	}
}

func (p *plain) take() flow.Segment {
	f := p.in[0]
	p.in[0] = nil
	if p.in = p.in[1:]; len(p.in) == 0 {
		p.in = nil
	}
	p.cur = f
	p.size -= len(f.Body)
	p.resume(spillResume)
	s := flow.Segment{Data: f.Body}
	s.EdgeFlags, s.HasEdgeFlags = f.Headers.Uint32(edge.HeaderFlags)
	s.EdgeFlags &^= edge.FlagFIN // eof says so after the data
	return s
}

func (p *plain) resume(below int) {
	if p.paused && p.size <= below {
		p.paused = false
		p.c.l.ch.Resume()
	}
}

// drop gives back the message that Next returned.
func (p *plain) drop() {
	if p.cur != nil {
		p.cur.Release()
		p.cur, p.rest = nil, nil
	}
}

// Read reads from one message at a time.
func (p *plain) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	for len(p.rest) == 0 {
		s, err := p.next()
		if err != nil {
			return 0, err
		}
		p.rest = s.Data
		if s.EdgeFlags&edge.FlagMultipartMsg != 0 {
			if p.rest, err = joinParts(s.Data); err != nil {
				return 0, err
			}
		}
	}
	n := copy(b, p.rest)
	if p.rest = p.rest[n:]; len(p.rest) == 0 {
		p.drop()
	}
	return n, nil
}

// Write sends b in messages of at most 64 KiB.
func (p *plain) Write(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		part := b[n:min(n+plainChunk, len(b))]
		if err := p.WriteMessage(flow.Item{Data: part}); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

// message makes the data message of it. All but Close hold the writer's lock.
func (p *plain) message(it flow.Item) *message.Message {
	flags := it.EdgeFlags
	if !p.announced.Load() {
		flags |= edge.FlagMultipart
	}
	return (&edge.Data{ConnID: p.c.id, Flags: flags, UUID: it.UUID, Body: it.Data}).Encode()
}

// TryWrite sends without waiting for room in the channel.
func (p *plain) TryWrite(it flow.Item) (bool, error) {
	p.wmu.Lock()
	defer p.wmu.Unlock()
	if err := p.writable(); err != nil {
		return false, err
	}
	if !p.c.l.ch.TrySend(p.message(it)) {
		return false, nil
	}
	p.announced.Store(true)
	return true, nil
}

// WriteMessage sends one message, waiting for room in the channel until the write deadline.
func (p *plain) WriteMessage(it flow.Item) error {
	p.wmu.Lock()
	defer p.wmu.Unlock()
	if err := p.writable(); err != nil {
		return err
	}
	m := p.message(it)
	if !p.c.l.ch.TrySend(m) {
		if err := p.waitSend(m); err != nil {
			return err
		}
	}
	p.announced.Store(true)
	return nil
}

func (p *plain) writable() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return net.ErrClosed
	case p.writeErr != nil:
		return p.writeErr
	case !p.writeBy.IsZero() && !time.Now().Before(p.writeBy):
		return os.ErrDeadlineExceeded
	}
	return nil
}

// waitSend sends m, interrupted by Close and by a new deadline, which it then keeps.
func (p *plain) waitSend(m *message.Message) error {
	for {
		p.mu.Lock()
		ctx, cancel := context.WithCancel(context.Background())
		if !p.writeBy.IsZero() {
			cancel()
			ctx, cancel = context.WithDeadline(context.Background(), p.writeBy)
		}
		p.unblock = cancel
		p.mu.Unlock()
		err := p.c.l.ch.Send(ctx, m)
		cancel()
		if err == nil {
			return nil
		}
		if werr := p.writable(); werr != nil {
			return werr
		}
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
}

// CloseWrite announces the end of this side's data.
func (p *plain) CloseWrite() error {
	p.wmu.Lock()
	defer p.wmu.Unlock()
	p.mu.Lock()
	done := p.finSent || p.closed || p.writeErr != nil
	if !done {
		p.finSent, p.writeErr = true, flow.ErrWriteClosed
	}
	p.mu.Unlock()
	if !done {
		p.c.l.post(p.message(flow.Item{EdgeFlags: edge.FlagFIN}))
	}
	return nil
}

// Close ends both directions.
func (p *plain) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	fin := !p.finSent && p.writeErr == nil
	p.finSent = true
	p.end()
	p.closed = true
	p.mu.Unlock()
	if !p.c.gone.Load() {
		last := []*message.Message{(&edge.StateClosed{ConnID: p.c.id, Reason: "closed"}).Encode()}
		if fin {
			last = append([]*message.Message{p.message(flow.Item{EdgeFlags: edge.FlagFIN})}, last...)
		}
		p.c.l.post(last...)
	}
	p.c.leave()
	return nil
}

// Abort ends the stream at once; pending and later calls return err.
func (p *plain) Abort(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.eof || len(p.in) > 0 {
		p.err = err
	}
	p.writeErr = err
	p.end()
}

// PeerClosed ends the stream after what has arrived.
func (p *plain) PeerClosed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.eof {
		p.eof, p.err = true, err
	}
	if p.writeErr == nil {
		if p.writeErr = err; err == nil {
			p.writeErr = flow.ErrPeerClosed
		}
	}
	p.wakeAll()
}

// end drops what was not read.
func (p *plain) end() {
	for _, f := range p.in {
		f.Release()
	}
	p.in, p.size = nil, 0
	p.resume(0)
	p.wakeAll()
}

func (p *plain) wakeAll() {
	p.read.wake()
	if p.unblock != nil {
		p.unblock()
	}
}

// SetDeadline implements net.Conn.
func (p *plain) SetDeadline(t time.Time) error {
	_ = p.SetReadDeadline(t) // never fails
	return p.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (p *plain) SetReadDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read.set(t)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (p *plain) SetWriteDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writeBy = t
	if p.unblock != nil {
		p.unblock()
	}
	return nil
}
