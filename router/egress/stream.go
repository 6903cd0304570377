package egress

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/xgress"
)

var errUnrouted = errors.New("circuit removed")

// stream joins a circuit and a TCP connection. While nothing happens it has
// one parked goroutine and no buffers.
type stream struct {
	t    *Transport
	c    *forward.Circuit
	tcp  *net.TCPConn
	conn *flow.Conn

	mu      sync.Mutex
	writing bool // a goroutine writes to the server
	again   bool // there is news for it
	over    bool // nothing more will be written
	wrote   bool // all of the circuit's data is written
	read    bool // all of the server's data is read
}

func newStream(t *Transport, c *forward.Circuit, tcp *net.TCPConn) *stream {
	s := &stream{t: t, c: c, tcp: tcp}
	s.conn = flow.New(flow.Config{
		Circuit: c.ID, Role: flow.Terminator, Output: c.Output(forward.Terminator),
		ConnID: 0, HasConnID: true, // room for the id that the far end patches in
		Readable: s.kick,
		Closed:   s.closed,
	})
	return s
}

func (s *stream) start() {
	s.conn.Start()
	s.t.work.Go(s.readServer)
}

// Forward implements forward.Destination.
func (s *stream) Forward(f *channel.Frame) { forward.Deliver(s.conn, f) }

// Unrouted implements forward.Destination.
func (s *stream) Unrouted(_ string, drop bool) {
	if drop {
		s.conn.Abort(errUnrouted)
		s.tcp.Close()
		return
	}
	_ = s.tcp.SetWriteDeadline(time.Now().Add(lastWrite))
	s.conn.PeerClosed(nil)
}

// closed follows the end of the circuit. What has arrived is still written.
func (s *stream) closed(err error) {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over || err != nil {
		s.tcp.Close()
	} else {
		s.kick()
	}
	s.t.remove(s)
	s.c.End("close called", false)
}

// lastWrite bounds the writing of what has arrived when the dialer is gone.
const lastWrite = 30 * time.Second

const readSize = 64 << 10

var buffers = sync.Pool{New: func() any { b := make([]byte, readSize); return &b }}

// readServer moves the server's data into the circuit. It holds a buffer only
// while there is something to read.
func (s *stream) readServer() {
	raw, err := s.tcp.SyscallConn()
	for err == nil {
		var b *[]byte
		var n int
		var failed error
		err = raw.Read(func(fd uintptr) bool {
			b = buffers.Get().(*[]byte)
			for {
				n, failed = syscall.Read(int(fd), *b)
				if failed != syscall.EINTR {
					break
				}
			}
			if failed == syscall.EAGAIN {
				buffers.Put(b)
				b = nil
				return false
			}
			return true
		})
		if err == nil {
			err = failed
		}
		if err == nil && n > 0 {
			_, err = s.conn.Write((*b)[:n])
		} else if err == nil {
			err = io.EOF
		}
		if b != nil {
			buffers.Put(b)
		}
	}
	if err == io.EOF {
		_ = s.conn.CloseWrite()
		s.half(&s.read)
		return
	}
	_ = s.conn.Close()
}

// half notes the end of one direction; after both the circuit is left.
func (s *stream) half(done *bool) {
	s.mu.Lock()
	*done = true
	both := s.read && s.wrote
	s.mu.Unlock()
	if both {
		_ = s.conn.Close()
	}
}

// kick has the circuit's data written by a goroutine that ends when there is
// nothing left.
func (s *stream) kick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing {
		s.again = true
		return
	}
	s.writing = true
	s.t.work.Go(s.writeServer)
}

func (s *stream) writeServer() {
	for {
		err := s.drain()
		s.mu.Lock()
		if err == nil && s.again {
			s.again = false
			s.mu.Unlock()
			continue
		}
		over := err != nil
		s.over, s.writing = over, over // nobody comes after the end
		s.mu.Unlock()
		if over {
			s.finish(err)
		}
		return
	}
}

func (s *stream) finish(err error) {
	switch {
	case err == io.EOF && !s.conn.Ended():
		_ = s.tcp.CloseWrite()
		s.half(&s.wrote)
	case err == io.EOF:
		// The dialer has left for good.
		s.tcp.Close()
		_ = s.conn.Close()
	default:
		_ = s.conn.Close()
		s.tcp.Close()
	}
}

const gatherMost = 16 // segments per system call

// drain writes what has arrived, several segments at a time. It returns nil
// when there is nothing more at the moment.
func (s *stream) drain() error {
	var segs [gatherMost]flow.Segment
	var vec [gatherMost][]byte
	for {
		n := 0
		fin := false
		var err error
		for n < gatherMost && !fin {
			var ok bool
			if segs[n], ok, err = s.conn.TryNext(); !ok {
				break
			}
			fin = segs[n].HasEdgeFlags && segs[n].EdgeFlags&xgress.EdgeFIN != 0
			vec[n] = segs[n].Data
			n++
		}
		if n > 0 {
			bufs := net.Buffers(vec[:n])
			_, werr := bufs.WriteTo(s.tcp)
			for i := range n {
				segs[i].Release()
			}
			if werr != nil {
				return werr
			}
		}
		switch {
		case fin:
			return io.EOF
		case err != nil:
			return err
		case n < gatherMost:
			return nil
		}
	}
}
