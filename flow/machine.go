package flow

import (
	"time"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// events is what a step of the state machine changed for those who wait.
type events uint8

const (
	readable events = 1 << iota
	writable
	closed
)

const (
	startLimit = 3 * time.Minute // a terminator waits so long for the start, unless configured
	capsLimit  = time.Second     // CloseWrite waits so long for the peer's capabilities
)

// machine is one end of a circuit as a pure state machine. Times are durations
// since any fixed instant; messages to send are appended to a batch.
type machine struct {
	circuit []byte
	role    Role
	connID  uint32
	hasConn bool
	linger  time.Duration

	patience time.Duration // Config.StartLimit
	counts   *Counters
	starved  waiting

	sender
	receiver

	started   bool // initiator: start sent; terminator: start received
	startBy   time.Duration
	capsKnown bool
	peerEOF   bool // the peer understands xgress.FlagEOF

	finWanted bool
	finSent   bool
	finBy     time.Duration
	closing   bool
	closeBy   time.Duration

	wantWrite bool          // somebody waits for credit
	probeAt   time.Duration // when to send without credit, 0 = not needed
	releaseAt time.Duration // when to send again what found no room, 0 = nothing
	informed  bool          // Conn is told of changes of path
	pathLost  bool          // nothing gets through at the moment
	hurryTo   time.Duration // what is sent until then has not much time to be acknowledged
	crowded   uint          // failures to find room since the last message of the peer

	finished bool  // no message is sent or expected any more
	readErr  error // after the stored data; nil means io.EOF once receiver.eof
	writeErr error
	err      error // reason for Config.Closed
}

func newMachine(c *Config) machine {
	return machine{
		circuit: []byte(c.Circuit), role: c.Role, connID: c.ConnID, hasConn: c.HasConnID, linger: c.Linger, patience: c.StartLimit, counts: c.Counters,
		sender:   sender{o: c.Options, room: c.Room, window: c.Window, least: c.Options.least(c), most: c.MaxWindow, timed: c.Options.timed()},
		receiver: receiver{limit: c.Options.limit(c), highest: -1},
	}
}

func (m *machine) start(now time.Duration, out *batch) {
	if m.started || m.finished {
		return
	}
	if m.role == Terminator {
		if m.patience > 0 {
			m.startBy = now + m.patience
		}
		return
	}
	m.started = true
	m.emit(now, sent{flags: xgress.FlagCircuitStart, caps: true}, out)
}

// emit numbers and sends one payload.
func (m *machine) emit(now time.Duration, p sent, out *batch) {
	stored, seq := m.push(now, p)
	m.encode(now, stored, seq, false, out)
}

func (m *machine) encode(now time.Duration, s *sent, seq int32, again bool, out *batch) {
	o := newOutMsg()
	p := xgress.Payload{
		Circuit: m.circuit, Seq: seq, Flags: s.flags, RTT: stamp(now),
		ConnID: m.connID, HasConnID: m.hasConn,
		EdgeFlags: s.edge, HasEdgeFlags: s.hasEdge, UUID: s.uuid,
	}
	if s.caps {
		p.Capabilities, p.HasCapabilities = xgress.CapEOF, true
	}
	if m.role == Terminator {
		p.Flags |= xgress.FlagOriginator
	}
	if again {
		p.Flags |= xgress.FlagRetransmit
	}
	if s.buf != nil {
		s.buf.retain()
		o.buf, p.Data = s.buf, s.buf.b
	}
	o.fresh, o.seq = !again, seq
	o.m = p.Message(message.Headers(o.head[:0]))
	out.msgs = append(out.msgs, o)
}

// stamp is the 16-bit clock in a payload; 0 would mean none.
func stamp(now time.Duration) uint16 { return max(1, uint16(now/time.Millisecond)) }

// write sends one item; the caller has seen ready and no writeErr.
func (m *machine) write(now time.Duration, it *Item, out *batch) {
	p := sent{edge: it.EdgeFlags, hasEdge: it.HasEdgeFlags}
	if len(it.UUID) > 0 && len(it.UUID) <= 32 {
		p.uuid = append([]byte(nil), it.UUID...)
	}
	m.flushAcks(out)
	if most := m.o.MTU; most > 0 && len(it.Data) > most {
		m.writeChunks(now, p, it.Data, most, out)
	} else {
		switch {
		case len(it.Data) == 0:
		case it.lent != nil:
			p.buf, it.lent = it.lent, nil
		default:
			p.buf = newBuffer(len(it.Data))
			copy(p.buf.b, it.Data)
		}
		m.emit(now, p, out)
	}
	if it.HasEdgeFlags && it.EdgeFlags&xgress.EdgeFIN != 0 {
		m.finWanted, m.finSent = true, true
		m.writeErr = ErrWriteClosed
	}
}

func (m *machine) closeWrite(now time.Duration, out *batch) {
	if m.finWanted || m.finished {
		return
	}
	m.finWanted = true
	if m.writeErr == nil {
		m.writeErr = ErrWriteClosed
	}
	m.finBy = now + capsLimit
	m.sendFin(now, out)
}

// sendFin ends our data in the way the peer understands, as soon as that is known.
func (m *machine) sendFin(now time.Duration, out *batch) {
	if !m.finWanted || m.finSent || (!m.capsKnown && now < m.finBy) {
		return
	}
	m.finSent = true
	m.flushAcks(out)
	if m.peerEOF {
		m.emit(now, sent{flags: xgress.FlagEOF}, out)
		return
	}
	m.emit(now, sent{edge: xgress.EdgeFIN, hasEdge: true}, out)
}

func (m *machine) close(now time.Duration, out *batch) events {
	if m.finished {
		m.receiver.drop() // nobody reads it any more
		return 0
	}
	if m.closing {
		return 0
	}
	m.closing = true
	m.closeBy = now + m.linger
	m.receiver.drop()
	m.closeWrite(now, out)
	return m.settle(now, out)
}

// settle leaves the circuit when it is closing and nothing keeps it.
func (m *machine) settle(now time.Duration, out *batch) events {
	if m.finished || !m.closing {
		return 0
	}
	gone := m.ended || now >= m.closeBy || (!m.started && m.role == Initiator)
	if !gone && (!m.finSent || m.pending() > 0) {
		return 0
	}
	m.flushAcks(out)
	m.sender.drop()
	if m.started || m.next > 0 {
		m.emit(now, sent{flags: xgress.FlagCircuitEnd}, out)
	}
	return m.finish(nil)
}

// finish ends all sending; stored data can still be read.
func (m *machine) finish(err error) events {
	if m.finished {
		return 0
	}
	m.counts.waited(&m.starved, m.starved.since)
	m.finished, m.err = true, err
	m.sender.drop()
	m.abandon()
	m.acks, m.ackNow, m.untold = nil, false, false
	if !m.eof { // else the peer has said all, read or not
		m.eof, m.readErr = true, err
	}
	if m.writeErr == nil {
		m.writeErr = err
	}
	if m.writeErr == nil {
		m.writeErr = ErrPeerClosed
	}
	return closed | readable | writable
}

// abort is finish without the stored data.
func (m *machine) abort(err error) events {
	m.receiver.drop()
	m.readErr, m.writeErr = err, err
	return m.finish(err)
}

// deadline returns when tick is due, 0 for never.
func (m *machine) deadline() time.Duration {
	if m.finished {
		return 0
	}
	var d time.Duration
	sooner := func(t time.Duration) {
		if t != 0 && (d == 0 || t < d) {
			d = max(t, 1)
		}
	}
	if len(m.acks) > 0 || m.untold {
		sooner(m.ackAt)
	}
	if at, ok := m.oldest(); ok && !m.pathLost {
		sooner(at + m.timeout(at))
	}
	if !m.started {
		sooner(m.startBy)
	}
	if m.finWanted && !m.finSent {
		sooner(m.finBy)
	}
	if m.closing {
		sooner(m.closeBy)
	}
	sooner(m.probeAt)
	sooner(m.releaseAt)
	return d
}

// tick does what is due.
func (m *machine) tick(now time.Duration, out *batch) events {
	if m.finished {
		return 0
	}
	var ev events
	if m.role == Terminator && !m.started && m.startBy != 0 && now >= m.startBy {
		return m.abort(ErrNotStarted)
	}
	if (len(m.acks) > 0 || m.untold) && now >= m.ackAt {
		m.acknowledge(out)
	}
	if m.releaseAt != 0 && now >= m.releaseAt {
		m.releaseAt = 0
		m.release(now, func(s *sent, seq int32) { m.encode(now, s, seq, false, out) })
	}
	if at, ok := m.oldest(); ok && !m.pathLost {
		if rto := m.timeout(at); now >= at+rto {
			n := m.retransmit(now, now-rto, m.tries(), out)
			m.shrink(n, m.timeouts == 0) // an outage says nothing of the room on the path
			m.timeouts++
		}
	}
	if m.probeAt != 0 && now >= m.probeAt {
		m.probeAt = 0
		if m.wantWrite && m.inFlight == 0 {
			m.probe = true
			ev |= m.wake(now)
		}
	}
	m.sendFin(now, out)
	return ev | m.settle(now, out)
}

// noRoom says that a payload sent for the first time did not get out.
func (m *machine) noRoom(now time.Duration, seq int32) {
	if !m.finished && m.hold(seq) && m.releaseAt == 0 {
		m.releaseAt = now + m.roomDelay()
	}
}

// roomDelay is the time until the next attempt to find room.
func (m *machine) roomDelay() time.Duration {
	m.crowded++
	return ackDelay << min(m.crowded-1, 6)
}

func (m *machine) retransmit(now, before time.Duration, most int, out *batch) int {
	n := m.overdue(now, before, most, func(s *sent, seq int32) { m.encode(now, s, seq, true, out) })
	m.counts.again(n)
	return n
}

// blocked notes that a writer waits for credit.
func (m *machine) blocked(now time.Duration) {
	m.counts.wait(&m.starved, now, m.inFlight < m.window)
	m.wantWrite, m.limited = true, true
	m.probeSoon(now)
}

// probeSoon has one payload go without credit if nothing is under way that
// could bring any: the word that the peer has room again may be lost, or
// overtaken by an older one.
func (m *machine) probeSoon(now time.Duration) {
	if m.inFlight == 0 && m.probeAt == 0 {
		m.probeAt = now + probeDelay
	}
}

func (m *machine) wake(now time.Duration) events {
	if !m.wantWrite {
		return 0
	}
	if !m.reopened() {
		m.probeSoon(now)
		return 0
	}
	m.counts.waited(&m.starved, now)
	m.wantWrite, m.probeAt = false, 0
	return writable
}
