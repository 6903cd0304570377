package ingress

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/ramp"
)

// Packets serves the sources of a datagram socket.
type Packets struct {
	*ramps
	socket packetSocket

	mu      sync.Mutex
	sources map[source]*session
}

// NewPackets takes over a socket of *net.UDPConn or *net.UnixConn; Serve reads.
func NewPackets(conn net.PacketConn, cfg Config) *Packets {
	return &Packets{ramps: newRamps(cfg), socket: newPacketSocket(conn), sources: make(map[source]*session)}
}

// Serve reads datagrams until Close; it returns nil then.
func (p *Packets) Serve() error {
	buf := make([]byte, ramp.MaxDatagram+1)
	for {
		n, from, err := p.socket.read(buf)
		switch {
		case p.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			if n := p.quiet.say(); n > 0 {
				p.log.Warn("datagrams are not read", "error", err, "times", n)
			}
			select {
			case <-p.ctx.Done():
			case <-time.After(acceptPause):
			}
		default:
			p.take(from, buf[:n])
		}
	}
}

// Open is the number of sources.
func (p *Packets) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sources)
}

// Close stops reading, ends all sessions and waits.
func (p *Packets) Close() error {
	p.stop()
	err := p.socket.close()
	p.close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// take passes a datagram to the session of its source, and makes one if there
// is none.
func (p *Packets) take(from source, b []byte) {
	p.mu.Lock()
	s := p.sources[from]
	if s == nil {
		if s = p.begin(from); s == nil {
			p.mu.Unlock()
			return
		}
		p.sources[from] = s
		if p.cfg.Service == "" {
			p.mu.Unlock()
			service, err := parseRequest(b)
			p.work.Go(func() { defer p.pending.Free(); s.join(service, err) })
			return
		}
		p.work.Go(func() { defer p.pending.Free(); s.join(p.cfg.Service, nil) })
	}
	p.mu.Unlock()
	if !s.put(b) {
		if n := p.quiet.say(); n > 0 {
			p.log.Warn("datagrams are dropped: the network or the server takes no more", "remote", from.String(), "times", n)
		}
	}
}

// begin makes a session for a new source, nil if there are too many.
func (p *Packets) begin(from source) *session {
	if len(p.sources) < p.cfg.MaxSources && p.pending.Try() {
		return &session{p: p, from: from}
	}
	if n := p.quiet.say(); n > 0 {
		p.log.Warn("datagrams of new sources are dropped: there are too many sources", "most", p.cfg.MaxSources,
			"most without a circuit", p.cfg.MaxPending, "times", n, "remedy", "use several routers")
	}
	return nil
}

func (p *Packets) forget(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sources[s.from] == s {
		delete(p.sources, s.from)
	}
}

// session is a source of datagrams with its circuit, or waiting for it.
type session struct {
	p    *Packets
	from source

	end atomic.Pointer[ramp.Datagrams] // nil before there is a circuit

	mu    sync.Mutex
	early [][]byte // before there is a circuit
	size  int
	over  bool
}

const (
	earlyCount = 64        // datagrams that wait for a circuit
	earlySize  = 128 << 10 // and their bytes
)

// put passes a datagram on, or keeps it until there is a circuit. It never
// blocks; false if it was dropped.
func (s *session) put(b []byte) bool {
	if end := s.end.Load(); end != nil {
		return end.Put(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
		return true // its end is no news
	case len(s.early) >= earlyCount || s.size+len(b) > earlySize:
		return false
	}
	s.early = append(s.early, append([]byte{}, b...))
	s.size += len(b)
	return true
}

// join gives the source its circuit. If there is none, the session is forgotten:
// the next datagram asks again.
func (s *session) join(service string, err error) {
	var end *ramp.Datagrams
	var c *forward.Circuit
	if err == nil {
		c, err = s.p.open(service, func(c *forward.Circuit) (_ forward.Destination, err error) {
			end, err = s.p.set.Datagrams(c, forward.Initiator, nil, s.send, s.hangUp)
			return end, err
		})
		if err != nil {
			s.p.refused(s.from.String(), service, err)
		}
	}
	if s.p.cfg.Service == "" {
		_ = s.send(s.p.answer(idOf(c), err))
	}
	if err != nil {
		s.hangUp()
		return
	}
	if !end.Start(nil) {
		return
	}
	for b := s.waiting(end); b != nil; b = s.waiting(end) {
		end.Put(b)
	}
}

// waiting returns what waits for the circuit, one after the other. When nothing
// does, the circuit gets the datagrams directly from then on.
func (s *session) waiting(end *ramp.Datagrams) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.early) == 0 {
		s.early = nil
		s.end.Store(end)
		return nil
	}
	b := s.early[0]
	s.early = s.early[1:]
	return b
}

func (s *session) send(b []byte) error { return s.p.socket.write(b, s.from) }

// hangUp is the end of the session.
func (s *session) hangUp() {
	s.mu.Lock()
	s.over, s.early = true, nil
	s.mu.Unlock()
	s.p.forget(s)
}
