package events

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/conf"
)

// subscription is one type of events that a subscriber wants.
type subscription struct {
	kind      string   // of the events
	namespace string   // the name it was asked for by
	include   []string // empty for all
	always    bool     // propagateAlways
	parents   bool     // includeParentEvents
	version   int      // of usage
	every     time.Duration
	due       time.Time // of the next entityCount
	source    *regexp.Regexp
	metric    *regexp.Regexp
	hub       *Hub
}

// subscriptionsOf leaves out the types that there are not.
func subscriptionsOf(cs []conf.EventSubscription) ([]*subscription, error) {
	return makeSubscriptions(cs, func(string) error { return nil })
}

// strictSubscriptions refuses the types and kinds that there are not.
func strictSubscriptions(cs []conf.EventSubscription) ([]*subscription, error) {
	if len(cs) == 0 {
		return nil, errors.New("no subscriptions: name at least one type of events")
	}
	for _, c := range cs {
		t := conf.EventTypeOf(c.Type)
		for _, name := range c.Include {
			if t != nil && !slices.Contains(t.Kinds, name) {
				return nil, fmt.Errorf("include: %s has no kind of events %q", c.Type, name)
			}
		}
	}
	return makeSubscriptions(cs, func(kind string) error { return fmt.Errorf("type: there is no event type %q", kind) })
}

func makeSubscriptions(cs []conf.EventSubscription, unknown func(kind string) error) ([]*subscription, error) {
	var out []*subscription
	for _, c := range cs {
		t := conf.EventTypeOf(c.Type)
		if t == nil {
			if err := unknown(c.Type); err != nil {
				return nil, err
			}
			continue
		}
		s := &subscription{
			kind: t.Name, namespace: c.Type, include: c.Include, always: c.PropagateAlways, parents: c.ParentEvents,
			version: cmp.Or(c.Version, 2), every: cmp.Or(c.Interval, 5*time.Minute),
		}
		if c.Type == "services" { // so it was named when that was its name
			s.namespace = "service.events"
		}
		var err, err2 error
		s.source, err = regexp.Compile(c.SourceFilter)
		s.metric, err2 = regexp.Compile(c.MetricFilter)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// rendered is an event as a handler gets it.
type rendered struct {
	kind string // as it was subscribed by
	text []byte // JSON object or line of text, without a line feed
}

// handler is where the events of a subscriber go. It belongs to one goroutine.
type handler interface {
	// take delivers events in order; it may wait, but not long once stop is
	// closed. The error says why some were not delivered, n how many were.
	take(stop <-chan struct{}, events []rendered) (n int, err error)
	// most is how many events take wants at once.
	most() int
	Close() error
}

// subscriber is one handler with its queue.
type subscriber struct {
	hub           *Hub
	name          string
	subscriptions []*subscription
	kinds         map[string]bool
	plain         bool
	leaves        bool // when its queue is full or its handler fails, and whoever subscribed is told
	out           handler
	queue         chan Event // when it is full, events are dropped and counted, or the subscription ends
	log           *slog.Logger

	dropped   atomic.Uint64
	delivered atomic.Uint64
	once      sync.Once
	stop      chan struct{} // closed to have run write what waits and end
	reason    error         // of stop, when it is closed
	done      chan struct{}
	failed    error // why it has ended, when done is closed

	// What follows belongs to run.
	told    uint64    // drops that the log knows of
	toldAt  time.Time // when it was told last
	lastErr error     // of the handler, since the last event that it took
}

// defaultQueue is how many events wait for a subscriber that does not say.
const defaultQueue = 10_000

func newSubscriber(h *Hub, name string, subscriptions []*subscription, out handler, plain bool, queue int, leaves bool) *subscriber {
	s := &subscriber{
		hub: h, name: name, subscriptions: subscriptions, kinds: make(map[string]bool), plain: plain, leaves: leaves, out: out,
		queue: make(chan Event, cmp.Or(queue, defaultQueue)), log: h.cfg.Log, stop: make(chan struct{}), done: make(chan struct{}),
	}
	for _, sub := range subscriptions {
		sub.hub = h
		s.kinds[sub.kind] = true
	}
	return s
}

// end has run end, for a reason.
func (s *subscriber) end(reason error) {
	s.once.Do(func() { s.reason = reason; close(s.stop) })
}

// offer queues an event if a subscription wants it.
func (s *subscriber) offer(e Event, kind, of string) {
	if !s.kinds[kind] || !slices.ContainsFunc(s.subscriptions, func(sub *subscription) bool { return sub.wants(kind, of) }) {
		return
	}
	select {
	case s.queue <- e:
	default:
		s.dropped.Add(1)
		if s.leaves {
			s.end(ErrSlow)
		}
	}
}

// wants reports whether events of a kind are of the subscription. Usage and
// changes of entities choose by include later.
func (s *subscription) wants(kind, of string) bool {
	return s.kind == kind && (of == "" || len(s.include) == 0 || slices.Contains(s.include, of))
}

// run writes events until it is stopped, then what waits at that moment.
func (s *subscriber) run() {
	defer close(s.done)
	counts := s.countTimer()
	defer counts.Stop()
	for {
		select {
		case e := <-s.queue:
			s.write(s.gather(e))
		case now := <-counts.C:
			s.write(s.count(now, counts))
		case <-s.stop:
			s.finish()
			return
		}
	}
}

// finish writes what waits, unless nobody is there any more, and closes the
// handler.
func (s *subscriber) finish() {
	for n := len(s.queue); n > 0 && !s.leaves; n = len(s.queue) {
		s.write(s.gather(<-s.queue))
	}
	s.toldAt = time.Time{}
	s.tellDrops()
	s.failed = s.out.Close()
	if s.leaves {
		s.failed = s.reason
	}
}

// gather takes what waits already, as far as the handler wants several at once.
func (s *subscriber) gather(first Event) []rendered {
	out := s.render(first)
	for len(out) < s.out.most() {
		select {
		case e := <-s.queue:
			out = append(out, s.render(e)...)
		default:
			return out
		}
	}
	return out
}

// render returns an event as the subscriptions want it.
func (s *subscriber) render(e Event) []rendered {
	var out []rendered
	kind, of := e.about()
	for _, sub := range s.subscriptions {
		if sub.wants(kind, of) {
			out = append(out, s.renderFor(e, sub)...)
		}
	}
	return out
}

// renderFor returns an event as one subscription wants it.
func (s *subscriber) renderFor(e Event, sub *subscription) []rendered {
	var out []rendered
	for _, form := range e.forms(head{sub.namespace, s.hub.cfg.ControllerID, ""}, sub) {
		text, err := encode(form)
		if err == nil && s.plain {
			text, err = plain(text)
		}
		if err != nil {
			s.dropped.Add(1)
			s.lastErr = err
			continue
		}
		out = append(out, rendered{sub.namespace, text})
	}
	return out
}

// encode returns a form as JSON, without what is for browsers only.
func encode(form any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(form)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// write delivers events.
func (s *subscriber) write(events []rendered) {
	for len(events) > 0 {
		batch := events[:min(len(events), s.out.most())]
		events = events[len(batch):]
		n, err := s.out.take(s.stop, batch)
		s.delivered.Add(uint64(n))
		s.dropped.Add(uint64(len(batch) - n))
		s.lastErr = err
		if err != nil && s.leaves {
			s.end(err)
			return
		}
	}
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
	remedy := "see what keeps the handler from taking them, or raise events." + s.name + ".handler.bufferSize"
	if s.leaves {
		remedy = "read faster, or subscribe to less"
	}
	s.log.Warn("events dropped", "subscriber", s.name, "events", dropped-s.told, "ever", dropped, "error", s.lastErr, "remedy", remedy)
	s.told, s.toldAt = dropped, time.Now()
}

// deliverer is the handler of a subscription at run time.
type deliverer func(kind string, object []byte) error

func (d deliverer) most() int    { return 1 }
func (d deliverer) Close() error { return nil }

func (d deliverer) take(_ <-chan struct{}, events []rendered) (int, error) {
	for i, e := range events {
		if err := d(e.kind, e.text); err != nil {
			return i, err
		}
	}
	return len(events), nil
}

// stopping returns a context that ends some time after stop is closed.
func stopping(stop <-chan struct{}, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-stop:
		}
		limit, done := context.WithTimeout(ctx, grace)
		defer done()
		<-limit.Done()
		cancel()
	}()
	return ctx, cancel
}
