package ramp

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/secretstream"
	"github.com/weftnet/weft/wire/xgress"
)

// MaxDatagram is the largest datagram, in bytes of payload.
const MaxDatagram = 65507

// Datagrams joins a circuit and a source or server of datagrams: each payload is
// one datagram. There is no half close; silence in both directions ends it. It
// is the destination of its side of the circuit.
type Datagrams struct {
	set    *Set
	c      *forward.Circuit
	send   func([]byte) error
	hangUp func()
	flow   *flow.Conn
	seal   *sealing // nil without encryption
	pump   pump
	used   atomic.Int64 // when something passed, nanoseconds since the set's epoch
	gone   atomic.Bool  // the circuit has ended
	began  atomic.Bool
	once   sync.Once
}

// Datagrams makes one side of a circuit. send writes a datagram to the source or
// server; hangUp is called once at the end. Neither is called before Start.
// Otherwise it is like Stream.
func (s *Set) Datagrams(c *forward.Circuit, side forward.Side, keys *secretstream.SessionKeys, send func([]byte) error, hangUp func()) (*Datagrams, error) {
	d := &Datagrams{set: s, c: c, send: send, hangUp: hangUp}
	d.pump.set, d.pump.to = s, d
	if keys != nil {
		var err error
		if d.seal, err = newSealing(keys); err != nil {
			return nil, err
		}
	}
	d.touch()
	d.flow = s.end(c, side, d.pump.kick, d.closed)
	if !s.add(d) {
		return nil, ErrClosed
	}
	return d, nil
}

// Start begins to move datagrams. conn, if not nil, is where they come from;
// else Put is called for each. It returns false if the circuit has ended; it has
// hung up then.
func (d *Datagrams) Start(conn net.Conn) bool {
	d.began.Store(true)
	if !d.gone.Load() {
		d.flow.Start()
		if conn == nil || d.set.run(func() { d.readConn(conn) }) {
			d.pump.kick()
			return true
		}
	}
	d.leave()
	return false
}

// Drop forgets a session that cannot be started.
func (d *Datagrams) Drop() { d.flow.Abort(errUnrouted) }

func (d *Datagrams) circuit() *forward.Circuit { return d.c }

func (d *Datagrams) touch() { d.used.Store(int64(time.Since(d.set.epoch))) }

// Put passes a datagram of the source on. It never blocks: false means that the
// datagram was dropped, since the network takes no more at the moment.
func (d *Datagrams) Put(b []byte) bool {
	d.touch()
	ok, err := d.flow.TryWrite(flow.Item{Data: b})
	return ok && err == nil
}

// Forward implements forward.Destination.
func (d *Datagrams) Forward(f *channel.Frame) { forward.Deliver(d.flow, f) }

// Unrouted implements forward.Destination.
func (d *Datagrams) Unrouted(_ string, drop bool) {
	if drop {
		d.flow.Abort(errUnrouted)
		return
	}
	d.flow.PeerClosed(nil)
}

func (d *Datagrams) closed(err error) {
	d.gone.Store(true)
	if d.pump.done() || err != nil {
		d.leave()
	} else {
		d.pump.kick()
	}
	d.set.remove(d)
	d.c.End("close called", false)
}

// leave hangs up, once, if the session was started.
func (d *Datagrams) leave() {
	if d.began.Load() {
		d.once.Do(d.hangUp)
	}
}

// expire ends a session that has been silent.
func (d *Datagrams) expire() {
	_ = d.flow.Close()
	d.leave()
}

// readConn moves a server's datagrams into the circuit. What finds no room
// waits in the socket.
func (d *Datagrams) readConn(conn net.Conn) {
	if d.seal == nil || d.flow.WriteMessage(flow.Item{Data: d.seal.header}) == nil {
		d.receive(conn)
	}
	_ = d.flow.Close()
}

func (d *Datagrams) receive(conn net.Conn) {
	if raw := socketOf(conn); raw != nil && d.seal == nil {
		_ = receivePlain(raw, d.flow, true, d.touch)
		return
	}
	_ = receive(conn, MaxDatagram, true, d.put)
}

// put encrypts a datagram and passes it on.
func (d *Datagrams) put(b []byte, n int) error {
	d.touch()
	box, err := d.seal.seal(b, n)
	if err != nil {
		return err
	}
	return d.flow.WriteMessage(flow.Item{Data: box})
}

// drain implements outlet.
func (d *Datagrams) drain() error {
	if !d.began.Load() {
		return nil // Start comes back to it
	}
	for {
		s, ok, err := d.flow.TryNext()
		if !ok {
			return err
		}
		d.touch()
		fin := s.HasEdgeFlags && s.EdgeFlags&xgress.EdgeFIN != 0
		err = d.write(s.Data, fin)
		s.Release()
		if err != nil {
			return err
		}
		if fin {
			return io.EOF
		}
	}
}

// write sends one payload as a datagram. What cannot be one, or finds nobody, is
// lost as datagrams are.
func (d *Datagrams) write(text []byte, fin bool) error {
	if d.seal != nil {
		head := d.seal.in == nil
		var memory opened
		var err error
		if text, memory, err = d.seal.open(text); err != nil || head {
			return err
		}
		if memory != nil {
			defer openBuffers.Put(memory)
		}
	}
	if len(text) > MaxDatagram || len(text) == 0 && fin {
		return nil
	}
	err := d.send(text)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EMSGSIZE) || errors.Is(err, syscall.ENOBUFS) {
		return nil
	}
	return err
}

// finish implements outlet.
func (d *Datagrams) finish(error) {
	_ = d.flow.Close()
	d.leave()
}
