package flow

import (
	"time"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// payload takes a received payload with the memory it lives in.
func (m *machine) payload(now time.Duration, msg *message.Message, owner Releaser, out *batch) events {
	seg := Segment{owner: owner}
	p, err := xgress.ParsePayload(msg)
	if err != nil || m.o.drops() {
		seg.Release()
		return 0 // like any damage on the way: the sender repeats what matters
	}
	mine := m.role == Terminator
	if m.finished || (p.Flags&xgress.FlagOriginator != 0) == mine {
		seg.Release()
		return 0
	}
	seg.Data, seg.UUID = p.Data, p.UUID
	seg.EdgeFlags, seg.HasEdgeFlags = p.EdgeFlags, p.HasEdgeFlags
	seg.layer = p.HasCapabilities
	m.crowded = 0
	stored, wasEOF := len(m.stock), m.eof
	fresh := m.take(now, &p, seg)
	var ev events
	if fresh {
		m.control(now, &p, out)
	} else {
		m.counts.refused(p.Seq <= m.highest)
	}
	if m.broken {
		return m.abort(ErrProtocol)
	}
	if len(m.stock) > stored || m.eof != wasEOF {
		ev |= readable
	}
	if m.ended {
		m.sender.drop()
		if m.writeErr == nil {
			m.writeErr = ErrPeerClosed
		}
		ev |= readable | writable
	}
	if p.Flags&xgress.FlagWriteFailed != 0 && fresh {
		m.sender.drop()
		m.writeErr = ErrPeerClosed
		m.finWanted, m.finSent = true, true
		ev |= writable
	}
	if m.ackNow {
		m.flushAcks(out)
	}
	return ev | m.settle(now, out)
}

// control acts on what a payload says besides data.
func (m *machine) control(now time.Duration, p *xgress.Payload, out *batch) {
	if p.HasCapabilities {
		m.capsKnown, m.peerEOF = true, p.Capabilities&xgress.CapEOF != 0
	}
	if p.Flags&xgress.FlagCircuitStart != 0 {
		m.capsKnown = true // a start without capabilities announces none
		if m.role == Terminator && !m.started {
			m.started = true
			if p.HasCapabilities {
				m.flushAcks(out)
				m.emit(now, sent{caps: true}, out)
			}
		}
	}
	m.sendFin(now, out)
}

// ack takes a received acknowledgement.
func (m *machine) ack(now time.Duration, msg *message.Message, out *batch) events {
	a, err := xgress.ParseAck(msg)
	if err != nil || m.finished || (a.Flags&xgress.FlagOriginator != 0) == (m.role == Terminator) {
		return 0
	}
	m.crowded = 0
	if a.RecvBuffer != xgress.UnknownRecvBuffer {
		m.peerBuffer = int(a.RecvBuffer)
	}
	var latest time.Duration
	progress, known := false, 0
	for i := range a.Len() {
		at, fresh := m.sender.ack(now, a.Seq(i))
		latest = max(latest, at)
		progress = progress || fresh
		if !fresh {
			known++
		}
	}
	m.counts.acked(known)
	if m.timed && a.Len() > 0 {
		m.sampleEcho(now, a.RTT)
	}
	if progress {
		m.timeouts = 0
		m.judge(now)
		m.lost(now, latest, out)
	}
	return m.wake(now) | m.settle(now, out)
}

// lost retransmits what was sent well before a payload that has arrived, or by
// a path that is gone.
func (m *machine) lost(now, latest time.Duration, out *batch) {
	before := latest - m.rtt.reorder()
	if at, ok := m.oldest(); ok && at < before || m.suspects > 0 {
		m.shrink(m.retransmit(now, before, retransmitMost, out), false)
	}
}

// flushAcks sends all pending acknowledgements in one message.
func (m *machine) flushAcks(out *batch) {
	if len(m.acks) > 0 {
		m.acknowledge(out)
	}
}

// acknowledge sends the pending sequences, if any, and the size of the buffer.
// While an earlier acknowledgement is on its way out, it waits for that: a late
// one with an old size would stop the peer for want of a newer one.
func (m *machine) acknowledge(out *batch) {
	if m.acking {
		m.ackAgain = true
		return
	}
	m.acking = true
	m.announced = m.buffered
	a := xgress.Ack{
		Circuit: m.circuit, RecvBuffer: uint32(m.tells(m.room)), RTT: m.ackRTT,
		ConnID: m.connID, HasConnID: m.hasConn,
	}
	if m.role == Terminator {
		a.Flags = xgress.FlagOriginator
	}
	if len(m.acks) == 0 {
		a.RTT = 0
	}
	o := newOutMsg()
	o.ack, o.seqs = true, append(o.seqs[:0], m.acks...)
	a.Seqs = o.seqs
	o.m = a.Message(message.Headers(o.head[:0]))
	out.msgs = append(out.msgs, o)
	m.acks, m.ackSize, m.ackNow, m.untold = m.acks[:0], 0, false, false
}

// acked says that the acknowledgement of the last step is out.
func (m *machine) acked(out *batch) {
	m.acking = false
	if m.ackAgain && !m.finished {
		m.ackAgain = false
		m.acknowledge(out)
	}
}

// unsent takes back acknowledgements for which there was no room.
func (m *machine) unsent(now time.Duration, seqs []byte) {
	if m.finished {
		return
	}
	m.untold = true
	m.ackAt = now + m.roomDelay()
	if len(m.acks) < 64<<10 {
		m.acks = append(m.acks, seqs...)
	}
}

// next returns the next segment for the application; ok is false if there is none.
func (m *machine) pull(out *batch) (seg Segment, ok bool) {
	seg, ok = m.pop()
	if !m.finished && m.drained() {
		m.acknowledge(out)
	}
	return seg, ok
}
