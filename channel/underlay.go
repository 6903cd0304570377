package channel

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

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

	framesIn, framesOut atomic.Uint64 // messages read, and taken for writing

	eager eager // what the reading goroutine has to write for others

	writing sync.Mutex       // held by whoever writes; what follows is theirs
	batch   []*Frame         // spare list
	plain   *[maxRecord]byte // collects small messages into one record
	fill    int
	owed    int // bytes that are not reported to the queue as written
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
		s.idle = u.eager.flush
	}
	u.queue = newQueue(c.opts.QueueBytes, c.opts.QueueMessages)
	return u
}

// close ends the connection at once; both loops notice.
func (u *underlay) close() {
	u.queue.close(u.c.Err())
	u.conn.Close()
}

func (u *underlay) readLoop() {
	err := u.readFrames()
	u.eager.flush()
	u.c.leave(u, err)
	u.c.exit()
}

func (u *underlay) readFrames() error {
	for {
		if resumed := u.c.gate(); resumed != nil {
			u.eager.flush()
			<-resumed
		}
		f, err := u.readFrame()
		if err != nil {
			return err
		}
		u.framesIn.Add(1)
		if u.stream != nil {
			u.eager.begin()
			f.src = u
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
	if err := p.Fill(&f.Message, f.raw[message.PrefixSize:]); err != nil {
		f.Release()
		return nil, fmt.Errorf("channel: content type %d: %w", p.Type, err)
	}
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
		bigger := &Frame{raw: make([]byte, min(total, 2*at)), class: singleFrame}
		copy(bigger.raw, f.raw)
		f.Release()
		f = bigger
	}
}

func (u *underlay) writeLoop() {
	defer u.c.exit()
	for u.queue.wait() {
		if err := u.writeQueued(); err != nil {
			u.c.leave(u, fmt.Errorf("channel: write: %w", err))
			return
		}
	}
}

// writeQueued writes until the queue is empty and flushes then.
func (u *underlay) writeQueued() error {
	u.writing.Lock()
	defer u.writing.Unlock()
	if u.stream != nil {
		u.stream.cork()
	}
	u.plain = plainBuffers.Get().(*[maxRecord]byte)
	var err error
	for err == nil {
		if u.batch = u.queue.take(u.batch); len(u.batch) == 0 {
			break
		}
		err = u.writeBatch()
	}
	if err == nil {
		err = u.flushPlain()
	}
	u.putPlain()
	if u.stream != nil {
		if e := u.stream.uncork(); err == nil {
			err = e
		}
	}
	u.settle()
	return err
}

func (u *underlay) putPlain() {
	plainBuffers.Put(u.plain)
	u.plain, u.fill = nil, 0
}

// settle gives the room of what is written back to the queue.
func (u *underlay) settle() {
	n := u.owed
	u.owed = 0
	if n > 0 {
		u.queue.written(n)
	}
}

// writeBatch puts the frames of the batch into records and releases them.
func (u *underlay) writeBatch() (err error) {
	u.framesOut.Add(uint64(len(u.batch)))
	for i, f := range u.batch {
		if err == nil {
			err = u.writeFrame(f.raw)
		}
		if f.written != nil {
			f.written()
		}
		u.owed += len(f.raw)
		f.Release()
		u.batch[i] = nil
		if u.owed >= writeBufferSize {
			u.queue.written(u.owed - 1) // one byte stays queued until the flush
			u.owed = 1
		}
	}
	return err
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
