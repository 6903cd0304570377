package ramp

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
)

// Config are the options of a Set. Zero values mean the defaults.
type Config struct {
	// StartLimit is how long a server's connection waits for the dialer to begin;
	// 3 minutes by default, negative for ever.
	StartLimit time.Duration
	Flow       *flow.Options   // of all circuits, nil for none
	Budget     *forward.Budget // of what the router holds, nil for no bound
	Gather     int             // payloads taken for a stream at once, 16 by default and at most
	Idle       time.Duration   // silence that ends a datagram session, 1 minute
	Look       time.Duration   // between two looks for silent sessions, 10 s
	Log        *slog.Logger
}

// Set holds what joins circuits with sockets for one binding. Its methods may
// be called concurrently.
type Set struct {
	cfg   Config
	epoch time.Time
	stop  chan struct{} // closed by Close

	mu       sync.RWMutex
	open     map[joint]struct{}
	sessions int // datagram sessions among them
	watching bool
	closed   bool
	work     sync.WaitGroup
}

// joint is a circuit joined with a socket.
type joint interface {
	circuit() *forward.Circuit
}

// New returns an empty set.
func New(cfg Config) *Set {
	if cfg.Idle == 0 {
		cfg.Idle = time.Minute
	}
	if cfg.Look == 0 {
		cfg.Look = 10 * time.Second
	}
	if cfg.Gather <= 0 || cfg.Gather > gatherMost {
		cfg.Gather = gatherMost
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Set{cfg: cfg, epoch: time.Now(), stop: make(chan struct{}), open: make(map[joint]struct{})}
}

// Len is the number of joined circuits.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.open)
}

// Close ends all circuits and waits for their goroutines. Nothing can be joined
// afterwards.
func (s *Set) Close() {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	all := make([]joint, 0, len(s.open))
	for j := range s.open {
		all = append(all, j)
	}
	s.mu.Unlock()
	if first {
		close(s.stop)
	}
	for _, j := range all {
		j.circuit().EndBecause(forward.PeerGone, "router shutting down", "", true)
	}
	s.work.Wait()
}

// run has f executed by a goroutine that Close waits for; false if it is too
// late.
func (s *Set) run(f func()) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.closed {
		s.work.Go(f)
	}
	return !s.closed
}

func (s *Set) add(j joint) bool {
	_, session := j.(*Datagrams)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.open[j] = struct{}{}
	if session {
		s.sessions++
		if !s.watching {
			s.watching = true
			s.work.Go(s.watch)
		}
	}
	return true
}

func (s *Set) remove(j joint) {
	_, session := j.(*Datagrams)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.open[j]; !ok {
		return
	}
	delete(s.open, j)
	if session {
		s.sessions--
	}
}

// watch ends datagram sessions that are silent for too long. It ends with the
// last session.
func (s *Set) watch() {
	tick := time.NewTicker(s.cfg.Look)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		for _, d := range s.silent() {
			d.expire()
		}
		s.mu.Lock()
		if s.sessions == 0 {
			s.watching = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

func (s *Set) silent() []*Datagrams {
	before := int64(time.Since(s.epoch) - s.cfg.Idle)
	var out []*Datagrams
	s.mu.RLock()
	defer s.mu.RUnlock()
	for j := range s.open {
		if d, ok := j.(*Datagrams); ok && d.used.Load() <= before {
			out = append(out, d)
		}
	}
	return out
}

var errUnrouted = errors.New("circuit removed")

// end makes the end of flow control for one side of a circuit.
func (s *Set) end(c *forward.Circuit, side forward.Side, readable func(), closed func(error)) *flow.Conn {
	if s.cfg.Flow.Lossy() {
		c.Lossy.Store(true)
	}
	return flow.New(flow.Config{
		Circuit: c.ID, Role: flow.Role(side == forward.Terminator), Output: c.Output(side),
		ConnID: 0, HasConnID: true, // room for the id that the far end patches in
		StartLimit: s.cfg.StartLimit, Room: s.cfg.Budget.Room(), Options: s.cfg.Flow, Counters: c.FlowCounters(), Readable: readable, Closed: closed,
	})
}
