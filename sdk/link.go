package sdk

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// link is one live channel to a router. It hands every message to the sink
// that its connection id names.
type link struct {
	r           *router
	login       *login
	ch          *channel.Channel
	opened      time.Time
	bindSuccess bool          // the router reports established terminators
	rtt         atomic.Int64  // nanoseconds, 0 if not measured yet
	running     chan struct{} // closed when ch is set

	mu      sync.RWMutex
	sinks   map[uint32]sink
	last    uint32 // connection id chosen last
	ended   bool
	retired bool // closes when nothing is left on it
}

// sink is what a connection id stands for: a connection or a listener. Both
// methods are called on the reading goroutine and must not block.
type sink interface {
	handle(l *link, f *channel.Frame) // takes ownership of f
	setID(id uint32)                  // before anything else
	linkClosed(err error)
	inspect() connInspect
}

func newLink(r *router, s *login) *link {
	return &link{r: r, login: s, opened: time.Now(), sinks: make(map[uint32]sink), running: make(chan struct{})}
}

// HandleOpen implements channel.Opener.
func (l *link) HandleOpen(c *channel.Channel) {
	l.ch = c
	close(l.running)
}

// HandleClose implements channel.Closer.
func (l *link) HandleClose(_ *channel.Channel, err error) {
	l.mu.Lock()
	l.ended = true
	sinks := l.sinks
	l.sinks = nil
	l.mu.Unlock()
	l.r.drop(l)
	l.r.c.log.Debug("router connection ended", "router", l.r.name, "error", err)
	for _, s := range sinks {
		s.linkClosed(l.lost(err))
	}
}

// lost is the error of everything that ran on a link that has ended; err may be nil.
func (l *link) lost(err error) *Error {
	e := &Error{Code: codeRouterLost, Message: "the connection to router " + l.r.name + " ended", Remedy: "dial again", kind: ErrNoRouter}
	if err != nil {
		e.Cause = err.Error()
	}
	return e
}

func (l *link) dead() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.ended
}

// add gives s a connection id of this side; false if the link has ended.
func (l *link) add(s sink) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.retired {
		return false
	}
	for {
		if l.last++; l.last > edge.LastClientConnID {
			l.last = edge.FirstClientConnID
		}
		if _, used := l.sinks[l.last]; !used {
			s.setID(l.last)
			l.sinks[l.last] = s
			return true
		}
	}
}

// put registers s under an id that the router chose; false if it is in use.
func (l *link) put(id uint32, s sink) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, used := l.sinks[id]; used || l.ended {
		return false
	}
	s.setID(id)
	l.sinks[id] = s
	return true
}

// remove frees a connection id.
func (l *link) remove(id uint32, s sink) {
	l.mu.Lock()
	if l.sinks[id] == s {
		delete(l.sinks, id)
	}
	idle := l.retired && len(l.sinks) == 0
	l.mu.Unlock()
	if idle {
		l.ch.Close()
	}
}

// retire keeps the link for what runs on it and closes it after that.
func (l *link) retire() {
	l.mu.Lock()
	l.retired = true
	idle := len(l.sinks) == 0
	l.mu.Unlock()
	if idle {
		l.ch.Close()
	}
}

// HandleFrame implements channel.Handler.
func (l *link) HandleFrame(_ *channel.Channel, f *channel.Frame) {
	id, ok := edge.ConnID(f.Headers)
	if !ok {
		if f.Type == edge.TypeInspectRequest {
			l.answerInspect(f, nil)
		}
		f.Release()
		return
	}
	l.mu.RLock()
	s := l.sinks[id]
	l.mu.RUnlock()
	switch {
	case f.Type == edge.TypeConnInspectRequest:
		l.answerConnInspect(f, id, s)
		f.Release()
	case f.Type == edge.TypeInspectRequest:
		l.answerInspect(f, s)
		f.Release()
	case f.Type == edge.TypeTraceRoute:
		l.answerTrace(f)
		f.Release()
	case s != nil:
		s.handle(l, f)
	default:
		l.unknown(f, id)
		f.Release()
	}
}

// unknown handles a message for an id that is not in use (any more).
func (l *link) unknown(f *channel.Frame, id uint32) {
	switch f.Type {
	case edge.TypeDial:
		l.reply(&f.Message, (&edge.DialFailed{ConnID: id, Reason: "no listener for this connection id"}).Encode())
	case edge.TypeXgPayload:
		l.ackLate(f)
	}
}

// ackLate acknowledges the end of a circuit that this side has left already,
// so that the peer need not repeat it.
func (l *link) ackLate(f *channel.Frame) {
	p, err := xgress.ParsePayload(&f.Message)
	if err != nil || p.Flags&(xgress.FlagEOF|xgress.FlagCircuitEnd) == 0 {
		return
	}
	a := xgress.Ack{Circuit: p.Circuit, RTT: p.RTT, Flags: ^p.Flags & xgress.FlagOriginator, Seqs: xgress.AppendSeq(nil, p.Seq)}
	m := a.Message(nil)
	l.ch.TrySend(&m)
}

// reply answers from the reading goroutine.
func (l *link) reply(req, m *message.Message) {
	channel.Answer(req, m)
	l.post(m)
}

// post sends messages, in order, that must not get lost from a goroutine that must not wait.
func (l *link) post(list ...*message.Message) {
	for i, m := range list {
		if l.ch.TrySend(m) {
			continue
		}
		if !l.dead() {
			l.r.c.spawn(func() {
				for _, m := range list[i:] {
					if l.ch.Send(l.r.c.ctx, m) != nil {
						return // the channel or the client has ended
					}
				}
			})
		}
		return
	}
}

const probeTimeout = 10 * time.Second

// probe measures the round trip; a link that does not answer is closed.
func (l *link) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	start := time.Now()
	m := message.New(edge.TypeLatency, nil)
	m.Headers.PutBytes(channel.HeaderLatencyTime, binary.LittleEndian.AppendUint64(nil, uint64(start.UnixNano())))
	_, err := l.ch.Request(ctx, m)
	switch {
	case err == nil:
		l.rtt.Store(int64(max(time.Since(start), 1)))
	case ctx.Err() == context.DeadlineExceeded:
		l.r.c.log.Warn("router does not answer", "router", l.r.name)
		l.ch.Close()
	}
}
