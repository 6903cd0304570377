package edge

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/xgress"
)

var errUnrouted = errors.New("circuit removed")

// patienceLeft is how long data of a client that has left may wait for credit,
// unless configured.
const patienceLeft = 30 * time.Second

// relayed is the end of a client without a window of its own: the router runs
// flow control for it. Data of the client that finds no credit is stored; when
// too much is, the whole channel is not read until there is room.
type relayed struct {
	client *client
	c      *forward.Circuit
	side   forward.Side
	connID uint32
	lane   *forward.Lane
	conn   *flow.Conn
	wait   time.Duration // how long data of a client that has left may wait for credit

	mu     sync.Mutex
	spill  []*channel.Frame // from the client, oldest first
	since  []time.Time      // when each of spill came, with Config.DataDelay only
	size   int              // bytes of spill
	moving bool             // somebody moves spill into the circuit
	again  bool             // there is news for whoever does
	paused bool             // the channel is paused on behalf of this circuit
	left   bool             // the client has left: close after the spill
	closed bool             // the circuit has ended: nothing is stored any more
	stored int              // bytes for the client, as booked

	// What follows belongs to whoever pulls: calls of pull do not overlap.
	sentFIN bool
	over    bool
	reason  string // of the StateClosed, under mu
}

func newRelayed(cl *client, circuit *forward.Circuit, side forward.Side, connID uint32, held bool) *relayed {
	e := &relayed{client: cl, c: circuit, side: side, connID: connID, reason: "close called"}
	e.lane = cl.outlet.Lane(e.pull, held)
	tuning := cl.tuning(side)
	e.wait = tuning.Flow.LingerOr(patienceLeft)
	if tuning.Flow.Lossy() {
		circuit.Lossy.Store(true)
	}
	e.conn = flow.New(flow.Config{
		Circuit: circuit.ID, Role: flow.Role(side == forward.Terminator), Output: circuit.Output(side),
		ConnID: connID, HasConnID: true,
		StartLimit: tuning.StartTimeout, Room: cl.srv.cfg.Budget.Room(), Options: tuning.Flow, Counters: circuit.FlowCounters(),
		Readable: e.lane.Kick,
		Writable: e.move,
		Closed: func(error) {
			e.account()
			if circuit.Destination(side) == forward.Destination(e) {
				circuit.End("close called", false)
			}
		},
	})
	return e
}

func (e *relayed) start() { e.conn.Start() }

func (e *relayed) discard() {
	e.lane.Close()
	e.conn.Abort(errUnrouted)
}

func (e *relayed) open(first *channel.Frame) {
	e.conn.Start()
	e.lane.Open(first)
}

// Forward implements forward.Destination. What is stored for the client counts:
// when the router has no room left, nothing more is stored for a circuit that
// has its share, and the sender repeats it later.
func (e *relayed) Forward(f *channel.Frame) {
	if f.Type == xgress.TypePayload && e.client.srv.spill.Full() && e.conn.Buffered() > fairShare {
		e.c.Lossy.Store(true)
		f.Release()
		return
	}
	forward.Deliver(e.conn, f)
	e.account()
}

// fairShare is what a circuit may store in a router without room.
const fairShare = 64 << 10

// account books what is stored for the client.
func (e *relayed) account() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.conn.Buffered()
	e.client.srv.spill.Force(now - e.stored)
	e.stored = now
}

// circuit drops messages of flow control from a client that does not use it.
func (e *relayed) circuit(f *channel.Frame, _ xgress.Address) { f.Release() }

// data takes a Data message of the client.
func (e *relayed) data(f *channel.Frame) {
	n := len(f.Raw())
	e.mu.Lock()
	if e.left || e.closed {
		e.mu.Unlock()
		f.Release()
		return
	}
	e.spill = append(e.spill, f)
	if e.client.srv.cfg.DataDelay != nil {
		e.since = append(e.since, time.Now())
	}
	e.size += n
	room := e.client.srv.spill.Take(n)
	if !room {
		e.client.srv.spill.Force(n)
	}
	e.mu.Unlock()
	e.move()
	e.mu.Lock()
	pause := !e.paused && len(e.spill) > 0 && (e.size > e.client.srv.cfg.SpillPerCircuit || !room)
	if pause {
		e.paused = true
		e.client.ch.Pause()
	}
	e.mu.Unlock()
	if pause {
		if e.client.tell(time.Now()) {
			e.client.srv.log.Warn("a client without flow control of its own is paused: the far end of a circuit reads more slowly than it sends",
				"identity", e.client.session.IdentityID, "circuit", e.c.ID, "connection", e.connID)
		}
		e.move() // credit may have come before the pause
	}
}

// move puts stored data into the circuit while there is credit. While it is at
// it, nobody else removes anything from the spill.
func (e *relayed) move() {
	e.mu.Lock()
	if e.moving {
		e.again = true
		e.mu.Unlock()
		return
	}
	e.moving = true
	for len(e.spill) > 0 {
		f := e.spill[0]
		e.again = false
		e.mu.Unlock()
		ok, err := e.conn.TryWrite(itemOf(f))
		e.mu.Lock()
		switch {
		case err != nil || e.closed:
			e.clear()
		case ok:
			e.spill[0] = nil
			if e.spill = e.spill[1:]; len(e.spill) == 0 {
				e.spill = nil
			}
			e.waited()
			e.forget(f)
		case !e.again:
			e.moving = false
			e.resume()
			e.mu.Unlock()
			return
		}
	}
	e.moving = false
	e.resume()
	left := e.left
	e.mu.Unlock()
	if left {
		_ = e.conn.Close()
	}
}

// longWait is what Config.DataDelay is told of at least.
const longWait = 5 * time.Millisecond

// waited tells how long the first of the stored messages has waited, with the
// lock held.
func (e *relayed) waited() {
	if len(e.since) == 0 {
		return
	}
	took := time.Since(e.since[0])
	if e.since = e.since[1:]; len(e.since) == 0 {
		e.since = nil
	}
	if took >= longWait {
		e.client.srv.cfg.DataDelay(took)
	}
}

func (e *relayed) forget(f *channel.Frame) {
	e.size -= len(f.Raw())
	e.client.srv.spill.Give(len(f.Raw()))
	f.Release()
}

// clear empties the spill, by whoever moves.
func (e *relayed) clear() {
	for _, f := range e.spill {
		e.forget(f)
	}
	e.spill, e.since = nil, nil
}

// resume lets the channel be read again when half of the store is free and the
// router has room, or nothing is stored.
func (e *relayed) resume() {
	if e.paused && (len(e.spill) == 0 || e.size <= e.client.srv.cfg.SpillPerCircuit/2 && !e.client.srv.spill.Full()) {
		e.paused = false
		e.client.ch.Resume()
	}
}

// itemOf takes from a Data message what travels through a circuit.
func itemOf(f *channel.Frame) flow.Item {
	d, _ := edge.ParseData(&f.Message)
	return flow.Item{Data: d.Body, UUID: d.UUID, EdgeFlags: d.Flags, HasEdgeFlags: d.Flags != 0}
}

// pull makes the next message for the client, nil if there is none.
func (e *relayed) pull() *channel.Frame {
	if e.over {
		return nil
	}
	s, ok, err := e.conn.TryNext()
	switch {
	case ok:
		d := edge.Data{ConnID: e.connID, Flags: s.EdgeFlags, UUID: s.UUID, Body: s.Data}
		e.sentFIN = e.sentFIN || s.EdgeFlags&edge.FlagFIN != 0
		f := frame(d.Encode())
		s.Release()
		e.account()
		return f
	case err == nil:
		return nil
	case err == io.EOF && !e.sentFIN:
		e.sentFIN = true
		return frame((&edge.Data{ConnID: e.connID, Flags: edge.FlagFIN}).Encode())
	case err == io.EOF && !e.conn.Ended():
		return nil
	}
	e.over = true
	_ = e.conn.Close()
	if !e.client.drop(e.connID, e) {
		return nil
	}
	e.mu.Lock()
	reason := e.reason
	if e.closed = true; !e.moving {
		e.clear()
		e.resume()
	}
	e.mu.Unlock()
	return e.client.closing(e.c, e.side, e.connID, reason)
}

// Unrouted implements forward.Destination.
func (e *relayed) Unrouted(reason string, drop bool) {
	e.mu.Lock()
	e.reason = reason
	e.mu.Unlock()
	if drop {
		e.lane.Clear()
		e.conn.Abort(errUnrouted)
	} else {
		e.conn.PeerClosed(nil)
	}
	e.account()
}

// leave implements sink: what the client has sent before is still delivered.
func (e *relayed) leave(string) {
	e.mu.Lock()
	e.left = true
	if e.paused {
		e.paused = false
		e.client.ch.Resume()
	}
	waits := len(e.spill) > 0
	e.mu.Unlock()
	e.move()
	e.account()
	if waits {
		time.AfterFunc(e.wait, func() { _ = e.conn.Close() })
	}
}
