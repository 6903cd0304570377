package ramp

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/secretstream"
	"github.com/weftnet/weft/wire/xgress"
)

// Stream joins a circuit and a connection, half close included. While nothing
// happens it has one parked goroutine and, over TCP, no buffers. It is the
// destination of its side of the circuit.
type Stream struct {
	set  *Set
	c    *forward.Circuit
	conn net.Conn
	flow *flow.Conn
	seal *sealing // nil without encryption
	pump pump

	mu      sync.Mutex
	started bool
	gone    bool // the circuit has ended
	wrote   bool // all of the circuit's data is written
	read    bool // all of the connection's data is read
}

// Stream makes one side of a circuit for a connection. The error is ErrClosed or
// one of the random source. With keys, end-to-end encryption with the other end of the circuit
// ends here. The connection is the caller's until Start, whose call has to
// follow once the circuit is there.
func (s *Set) Stream(c *forward.Circuit, side forward.Side, conn net.Conn, keys *secretstream.SessionKeys) (*Stream, error) {
	t := &Stream{set: s, c: c, conn: conn}
	t.pump.set, t.pump.to = s, t
	if keys != nil {
		var err error
		if t.seal, err = newSealing(keys); err != nil {
			return nil, err
		}
	}
	t.flow = s.end(c, side, t.pump.kick, t.closed)
	if !s.add(t) {
		return nil, ErrClosed
	}
	return t, nil
}

// Start takes over the connection and moves bytes; early are what was read of
// the connection before. It returns false if the circuit has ended already: the
// connection stays the caller's then.
func (t *Stream) Start(early []byte) bool {
	t.mu.Lock()
	started := !t.gone && t.set.run(func() { t.readConn(early) })
	t.started = started
	t.mu.Unlock()
	if started {
		t.pump.kick()
	}
	return started
}

// Drop forgets a stream that cannot be started, when no circuit has come about.
func (t *Stream) Drop() { t.flow.Abort(errUnrouted) }

func (t *Stream) circuit() *forward.Circuit { return t.c }

// Forward implements forward.Destination.
func (t *Stream) Forward(f *channel.Frame) { forward.Deliver(t.flow, f) }

// Unrouted implements forward.Destination.
func (t *Stream) Unrouted(_ string, drop bool) {
	if drop {
		t.flow.Abort(errUnrouted)
		t.hangUp()
		return
	}
	_ = t.conn.SetWriteDeadline(time.Now().Add(t.set.cfg.Flow.LingerOr(lastWrite)))
	t.flow.PeerClosed(nil)
}

// lastWrite bounds the writing of what has arrived when the peer is gone.
const lastWrite = 30 * time.Second

// hangUp closes the connection if it is ours.
func (t *Stream) hangUp() {
	t.mu.Lock()
	started := t.started
	t.mu.Unlock()
	if started {
		hangUp(t.conn)
	}
}

// closed follows the end of the circuit. What has arrived is still written.
func (t *Stream) closed(err error) {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	if t.pump.done() || err != nil {
		t.hangUp()
	} else {
		t.pump.kick()
	}
	t.set.remove(t)
	t.c.End("close called", false)
}

// readConn moves the connection's data into the circuit.
func (t *Stream) readConn(early []byte) {
	t.flow.Start()
	var err error
	if len(early) > 0 {
		_, err = t.flow.Write(early)
	}
	if err == nil && t.seal != nil {
		err = t.flow.WriteMessage(flow.Item{Data: t.seal.header})
	}
	if err == nil {
		err = t.receive()
	}
	if err == io.EOF {
		_ = t.flow.CloseWrite()
		t.half(&t.read)
		return
	}
	_ = t.flow.Close()
}

func (t *Stream) receive() error {
	if t.seal != nil {
		return receive(t.conn, sealedSize, false, t.put)
	}
	if raw := socketOf(t.conn); raw != nil {
		return receivePlain(raw, t.flow, false, func() {})
	}
	return receive(t.conn, readSize, false, t.put)
}

// put passes b[front:front+n] on.
func (t *Stream) put(b []byte, n int) error {
	if t.seal == nil {
		_, err := t.flow.Write(b[front : front+n])
		return err
	}
	box, err := t.seal.seal(b, n)
	if err != nil {
		return err
	}
	return t.flow.WriteMessage(flow.Item{Data: box})
}

// half notes the end of one direction; after both the circuit is left.
func (t *Stream) half(done *bool) {
	t.mu.Lock()
	*done = true
	both := t.read && t.wrote
	t.mu.Unlock()
	if both {
		_ = t.flow.Close()
	}
}

// finish implements outlet.
func (t *Stream) finish(err error) {
	switch {
	case err == io.EOF && !t.flow.Ended():
		closeWrite(t.conn)
		t.half(&t.wrote)
	case err == io.EOF:
		// The peer has left for good.
		hangUp(t.conn)
		_ = t.flow.Close()
	default:
		_ = t.flow.Close()
		hangUp(t.conn)
	}
}

const gatherMost = 16 // segments per system call, unless fewer are configured

// drain implements outlet: it writes what has arrived, several segments at a
// time.
func (t *Stream) drain() error {
	t.mu.Lock()
	started := t.started
	t.mu.Unlock()
	if !started {
		return nil // Start comes back to it
	}
	var g gathered
	most := t.set.cfg.Gather
	for {
		n := 0
		fin := false
		var err error
		for n < most && !fin {
			var ok bool
			if g.segs[n], ok, err = t.flow.TryNext(); !ok {
				break
			}
			fin = g.segs[n].HasEdgeFlags && g.segs[n].EdgeFlags&xgress.EdgeFIN != 0
			g.vec[n] = g.segs[n].Data
			if n++; t.seal != nil {
				if g.vec[n-1], g.open[n-1], err = t.seal.open(g.vec[n-1]); err != nil {
					g.release(n)
					return err
				}
			}
		}
		if n > 0 {
			werr := write(t.conn, g.vec[:n])
			g.release(n)
			if werr != nil {
				return werr
			}
		}
		switch {
		case fin:
			return io.EOF
		case err != nil:
			return err
		case n < most:
			return nil
		}
	}
}

// gathered are segments on their way to a socket, with the memory of their text.
type gathered struct {
	segs [gatherMost]flow.Segment
	vec  [gatherMost][]byte
	open [gatherMost]opened
}

func (g *gathered) release(n int) {
	for i := range n {
		g.segs[i].Release()
		g.vec[i] = nil
		if g.open[i] != nil {
			openBuffers.Put(g.open[i])
			g.open[i] = nil
		}
	}
}
