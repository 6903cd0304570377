package control

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
)

// Heartbeats set how an end of a session notices that the other is slow or dead.
// Zero fields get the defaults.
type Heartbeats struct {
	Interval     time.Duration // between two probes, 10 s by default
	Check        time.Duration // between two judgements of the answers, 1 s by default
	Unresponsive time.Duration // round trip above which the other end counts as slow, 5 s by default
	Close        time.Duration // silence after which the session ends, 30 s by default
}

func (h Heartbeats) withDefaults() Heartbeats {
	for _, d := range []struct {
		field *time.Duration
		def   time.Duration
	}{{&h.Interval, 10 * time.Second}, {&h.Check, time.Second}, {&h.Unresponsive, 5 * time.Second}, {&h.Close, 30 * time.Second}} {
		if *d.field <= 0 {
			*d.field = d.def
		}
	}
	return h
}

// Measurement is what a controller's end of a session measures with every
// heartbeat.
type Measurement struct {
	channel.Round
	channel.Traffic // since the begin of the session
}

// pulse knows how a peer answers probes. It is safe for concurrent use.
type pulse struct {
	cfg      Heartbeats
	measured func(Measurement) // nil if nobody wants to know
	slow     atomic.Bool

	mu    sync.Mutex
	trip  time.Duration // of the last answer
	asked time.Time     // of the probe that waits for its answer, zero if none does
}

// run probes the peer until the channel ends, and ends the channel if there is
// no answer.
func (p *pulse) run(c *channel.Channel) {
	var checking sync.WaitGroup
	defer checking.Wait()
	checking.Go(func() { p.check(c) })
	for {
		start := time.Now()
		p.note(start, 0)
		ctx, cancel := context.WithTimeout(context.Background(), p.cfg.Close)
		_, err := c.Request(ctx, message.New(channel.TypePing, nil))
		cancel()
		if err != nil {
			c.Close()
			return
		}
		p.note(time.Time{}, time.Since(start))
		if p.measured != nil {
			c.Probe(func(r channel.Round) { p.measured(Measurement{r, c.Traffic()}) })
		}
		t := time.NewTimer(p.cfg.Interval)
		select {
		case <-c.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// note says which probe waits and, if one was answered, how long that took.
func (p *pulse) note(asked time.Time, trip time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = asked
	if trip > 0 {
		p.trip = trip
	}
}

// check judges the answers again and again.
func (p *pulse) check(c *channel.Channel) {
	t := time.NewTicker(p.cfg.Check)
	defer t.Stop()
	for {
		select {
		case <-c.Done():
			return
		case now := <-t.C:
			p.mu.Lock()
			slow := p.trip > p.cfg.Unresponsive || !p.asked.IsZero() && now.Sub(p.asked) > p.cfg.Unresponsive
			p.mu.Unlock()
			p.slow.Store(slow)
		}
	}
}

// Pulse returns the round trip of the last probe, 0 before the first answer,
// and whether the controller answers in time.
func (r *RouterEnd) Pulse() (roundTrip time.Duration, responsive bool) {
	r.pulse.mu.Lock()
	defer r.pulse.mu.Unlock()
	return r.pulse.trip, !r.pulse.slow.Load() && r.ch.Err() == nil
}

// Ping asks the controller for a sign of life.
func (r *RouterEnd) Ping(ctx context.Context) error {
	_, err := r.ch.Request(ctx, message.New(channel.TypePing, nil))
	return err
}
