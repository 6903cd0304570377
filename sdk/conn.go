package sdk

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/xgress"
)

// Conn is a connection through the network. It implements net.Conn and can
// close one direction alone. A Read gives what the peer's writes delivered; one
// Read and one Write may run at the same time, further ones wait.
type Conn struct {
	l       *link
	id      uint32
	dialer  bool
	local   Addr
	remote  Addr
	peer    Peer
	circuit string
	sticky  []byte

	body stream  // set once by open
	sec  *secure // nil without encryption

	ended bool        // reading goroutine: the peer has ended its data
	ready atomic.Bool // body may be used by the reading goroutine
	gone  atomic.Bool // the network has removed the circuit
	left  atomic.Bool

	mu      sync.Mutex
	pending []*channel.Frame // what came before open
}

// Peer is what is known of the side that dialed.
type Peer struct {
	// IdentityID and IdentityName are verified by the network; empty if it does not tell.
	IdentityID, IdentityName string
	// CallerID is what the dialer says of itself; it proves nothing.
	CallerID string
	// AppData is what the dialer sent along.
	AppData []byte
}

// Addr is an end of a connection: a service, or an identity by name.
type Addr struct{ Name string }

// Network is "weft".
func (Addr) Network() string { return "weft" }

// String is the name of the service or identity.
func (a Addr) String() string { return a.Name }

// stream is one end of a circuit: flow.Conn, or plain where the router keeps
// the flow control.
type stream interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Next() (flow.Segment, error)
	TryWrite(flow.Item) (bool, error)
	WriteMessage(flow.Item) error
	CloseWrite() error
	Close() error
	Abort(err error)
	PeerClosed(err error)
	SetDeadline(t time.Time) error
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

const maxPending = 256 // messages before the answer to a dial; more are dropped

// openFlow starts a circuit with flow control of its own.
func (c *Conn) openFlow() {
	role := flow.Terminator
	if c.dialer {
		role = flow.Initiator
	}
	f := flow.New(flow.Config{Circuit: c.circuit, Role: role, Output: c.l.ch, ConnID: c.id, HasConnID: true, Closed: c.finished})
	c.body = f
	f.Start()
	if c.dialer {
		c.greet()
	}
	c.replay()
}

// openPlain starts a connection whose flow control is the router's.
func (c *Conn) openPlain() {
	c.body = newPlain(c)
	c.greet()
	c.replay()
}

// greet sends the header of the encrypted stream unless it is sent already. A
// host does so when the dialer has started the circuit: what comes before its
// dial is answered may get lost. If there is no room now, the first write does it.
func (c *Conn) greet() {
	if c.sec != nil {
		c.sec.tryGreet(func(h []byte) bool {
			ok, err := c.body.TryWrite(flow.Item{Data: h})
			return ok || err != nil // an error is that of all later writes
		})
	}
}

// replay hands over what came early, in order, before anything later.
func (c *Conn) replay() {
	c.mu.Lock()
	for _, f := range c.pending {
		c.deliver(f)
	}
	c.pending = nil
	c.ready.Store(true)
	c.mu.Unlock()
	if c.l.dead() { // and linkClosed may have come too early
		c.body.Abort(c.l.lost(c.l.ch.Err()))
	}
}

// handle implements sink.
func (c *Conn) handle(_ *link, f *channel.Frame) {
	if !c.ready.Load() {
		c.mu.Lock()
		if !c.ready.Load() {
			if len(c.pending) < maxPending {
				c.pending = append(c.pending, f)
			} else {
				f.Release()
			}
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
	c.deliver(f)
}

func (c *Conn) deliver(f *channel.Frame) {
	switch b := c.body.(type) {
	case *flow.Conn:
		switch f.Type {
		case xgress.TypePayload:
			c.watchEnd(f)
			b.HandlePayload(&f.Message, f)
			if !c.dialer {
				c.greet()
			}
			return
		case xgress.TypeAcknowledgement:
			b.HandleAck(&f.Message)
			f.Release()
			return
		}
	case *plain:
		if f.Type == edge.TypeData {
			b.handleData(f)
			return
		}
	}
	if f.Type == edge.TypeStateClosed {
		c.stateClosed(f)
	}
	f.Release()
}

// watchEnd notes that the peer has ended its data in order.
func (c *Conn) watchEnd(f *channel.Frame) {
	const end = uint32(xgress.FlagEOF | xgress.FlagCircuitEnd)
	if flags, ok := f.Headers.Uint32(xgress.HeaderFlags); ok && flags&end != 0 {
		c.ended = true
	}
	if flags, ok := f.Headers.Uint32(xgress.HeaderEdgeFlags); ok && flags&edge.FlagFIN != 0 {
		c.ended = true
	}
}

// stateClosed ends the connection because the network says so. If the router
// keeps the flow control, that is how all connections end; else the peer must
// have ended its data before.
func (c *Conn) stateClosed(f *channel.Frame) {
	c.gone.Store(true)
	m, err := edge.ParseStateClosed(&f.Message)
	if err != nil {
		return
	}
	var why *Error
	_, flows := c.body.(*flow.Conn)
	switch {
	case m.Error != nil:
		why = endedBy(m)
	case flows && !c.ended:
		why = interrupted(m.Reason)
	}
	if why == nil {
		c.body.PeerClosed(nil)
	} else {
		why.Op = "connection to " + c.remote.Name
		c.body.PeerClosed(why)
	}
	c.leave()
}

// finished is called when the circuit is over for this side.
func (c *Conn) finished(error) {
	if !c.gone.Load() && !c.l.dead() {
		c.l.post(xgress.Close(c.circuit))
	}
	c.leave()
}

// leave frees the connection id.
func (c *Conn) leave() {
	if !c.left.Swap(true) {
		c.l.remove(c.id, c)
	}
}

// linkClosed implements sink.
func (c *Conn) linkClosed(err error) {
	c.gone.Store(true)
	c.mu.Lock()
	pending := c.pending
	c.pending = nil
	ready := c.ready.Load()
	c.mu.Unlock()
	for _, f := range pending {
		f.Release()
	}
	if ready {
		c.body.Abort(err)
	}
}

func (c *Conn) setID(id uint32) { c.id = id }

func (c *Conn) inspect() connInspect {
	i := connInspect{kind: edge.ConnDial, ID: c.id, Service: c.service(), Closed: c.left.Load()}
	if c.ready.Load() {
		i.Circuit, i.Encrypt = c.circuit, c.sec != nil
	}
	return i
}

func (c *Conn) service() string {
	if c.dialer {
		return c.remote.Name
	}
	return c.local.Name
}

// Read implements net.Conn. It returns io.EOF after the peer has closed its
// direction, and *Error if the network ended the connection for a reason.
func (c *Conn) Read(p []byte) (int, error) {
	if c.sec == nil {
		return c.body.Read(p)
	}
	return c.sec.read(c.body, p)
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	if c.sec == nil {
		return c.body.Write(p)
	}
	return c.sec.write(c.body, p)
}

// CloseWrite ends this side's data; the peer reads io.EOF after what was
// written. Reading goes on.
func (c *Conn) CloseWrite() error { return c.body.CloseWrite() }

// Close ends both directions. What was written is still delivered; Close does not wait for that.
func (c *Conn) Close() error {
	err := c.body.Close()
	if c.sec != nil {
		c.sec.close()
	}
	return err
}

// LocalAddr is the dialing identity, or the service that is hosted.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the service, or the identity that dialed.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return c.body.SetDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.body.SetReadDeadline(t) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.body.SetWriteDeadline(t) }

// Peer is the side that dialed; the zero Peer on the side that did.
func (c *Conn) Peer() Peer { return c.peer }

// CircuitID names the connection in the network's logs and listings.
func (c *Conn) CircuitID() string { return c.circuit }

// Encrypted reports whether the data is encrypted from end to end.
func (c *Conn) Encrypted() bool { return c.sec != nil }

// StickinessToken leads a later dial to the same host, if the service's
// strategy supports that; else it is nil. See DialOptions.
func (c *Conn) StickinessToken() []byte { return c.sticky }
