package events

import (
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/network"
)

// subscription is one type of events that a subscriber wants.
type subscription struct {
	kind      string   // of the events
	namespace string   // the name it was asked for by
	include   []string // empty for all
}

func subscriptionsOf(cs []conf.EventSubscription) []subscription {
	var out []subscription
	for _, c := range cs {
		if t := conf.EventTypeOf(c.Type); t != nil {
			out = append(out, subscription{kind: t.Name, namespace: c.Type, include: c.Include})
		}
	}
	return out
}

// item is an event in a queue.
type item struct {
	event     network.Event
	namespace string
}

// subscriber is one handler with its queue.
type subscriber struct {
	name          string
	source        string
	subscriptions []subscription
	plain         bool
	out           io.WriteCloser
	queue         chan item // when it is full, events are dropped and counted
	log           *slog.Logger

	dropped atomic.Uint64
	stop    chan struct{} // closed to have run write what waits and end
	done    chan struct{}
	failed  error // of closing, when done is closed

	// What follows belongs to run.
	told    uint64    // drops that the log knows of
	toldAt  time.Time // when it was told last
	lastErr error     // of the handler, since the last event that it took
}

// offer queues an event once per subscription that wants it.
func (s *subscriber) offer(e network.Event) {
	kind, of := kindOf(e)
	for _, sub := range s.subscriptions {
		if sub.kind != kind || len(sub.include) > 0 && !slices.Contains(sub.include, of) {
			continue
		}
		select {
		case s.queue <- item{e, sub.namespace}:
		default:
			s.dropped.Add(1)
		}
	}
}

// run writes events until it is stopped, then what waits at that moment.
func (s *subscriber) run() {
	defer close(s.done)
	for {
		select {
		case it := <-s.queue:
			s.write(it)
		case <-s.stop:
			for range len(s.queue) {
				s.write(<-s.queue)
			}
			s.toldAt = time.Time{}
			s.tellDrops()
			s.failed = s.out.Close()
			return
		}
	}
}

// write writes one event.
func (s *subscriber) write(it item) {
	line, err := encode(it.event, it.namespace, s.source)
	if err == nil && s.plain {
		line, err = plain(line)
	}
	if err == nil {
		_, err = s.out.Write(append(line, '\n'))
	}
	if err != nil {
		s.dropped.Add(1)
	}
	s.lastErr = err
	s.tellDrops()
}

// tellEvery is the least time between two lines about dropped events of a
// subscriber.
const tellEvery = 10 * time.Second

// tellDrops logs what was dropped since the last line about it.
func (s *subscriber) tellDrops() {
	dropped := s.dropped.Load()
	if dropped == s.told || time.Since(s.toldAt) < tellEvery {
		return
	}
	s.log.Warn("events dropped", "subscriber", s.name, "events", dropped-s.told, "ever", dropped, "error", s.lastErr,
		"remedy", "see what keeps the handler from taking them, or raise events."+s.name+".handler.bufferSize")
	s.told, s.toldAt = dropped, time.Now()
}
