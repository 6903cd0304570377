// Package events delivers what happens in the network to subscribers: files,
// the standard output and web servers that the configuration names, as JSON in
// the form of the ecosystem or as text, and whoever subscribes while the
// controller runs.
//
// Publish never waits. Every subscriber has a bounded queue and a goroutine of
// its own; what does not fit into a queue is dropped and counted.
package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/conf"
)

// Config describes a Hub.
type Config struct {
	ControllerID string
	Subscribers  conf.EventSubscribers
	Stdout       io.Writer
	Log          *slog.Logger
	// Counts returns how many entities there are, by the names of their stores;
	// nil if nobody knows. It is asked in the interval of each subscription.
	Counts func() map[string]int64
	// Leads reports whether this controller leads or nobody does; nil means yes.
	Leads func() bool
	// Link returns the routers of a link; nil if nobody knows.
	Link func(id string) (src, dst string, ok bool)
}

// Hub delivers events. All methods are safe for concurrent use.
type Hub struct {
	cfg  Config
	list atomic.Pointer[[]*subscriber] // replaced, never changed

	mu     sync.Mutex // of replacing the list
	closed bool
	gone   uint64 // drops of subscribers that have left
}

// New opens the handlers of the subscribers. The error names the key of the
// configuration.
func New(cfg Config) (*Hub, error) {
	if cfg.Leads == nil {
		cfg.Leads = func() bool { return true }
	}
	h := &Hub{cfg: cfg}
	h.list.Store(&[]*subscriber{})
	for _, name := range slices.Sorted(maps.Keys(cfg.Subscribers)) {
		c := cfg.Subscribers[name]
		subscriptions, err := subscriptionsOf(c.Subscriptions)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("events.%s.subscriptions: %w", name, err), h.Close())
		}
		if len(subscriptions) == 0 {
			continue // only types that there are not, as the reader of the configuration said
		}
		out, err := open(c.Handler, cfg.Stdout, cfg.Log.With("subscriber", name))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("events.%s.handler: %w", name, err), h.Close())
		}
		h.add(newSubscriber(h, name, subscriptions, out, c.Handler.Format == "plain", c.Handler.BufferSize, false))
	}
	return h, nil
}

// Publish gives an event to those who want it. It does not wait.
func (h *Hub) Publish(e Event) {
	kind, of := e.about()
	for _, s := range *h.list.Load() {
		s.offer(e, kind, of)
	}
}

// Wanted reports whether anybody subscribes to a type of events, for producers
// to whom making one costs something.
func (h *Hub) Wanted(kind string) bool {
	for _, s := range *h.list.Load() {
		if s.kinds[kind] {
			return true
		}
	}
	return false
}

// Sub is what one subscriber wants: see Hub.Subscribe.
type Sub struct {
	Name          string // in the log
	Subscriptions []conf.EventSubscription
	Queue         int // events that may wait; when there are more the subscription ends
	// Deliver takes one event: its type as it was subscribed by, and the JSON
	// object. It may wait. An error ends the subscription.
	Deliver func(kind string, object []byte) error
	// Plain has Deliver get lines of text.
	Plain bool
}

// ErrSlow is why the subscription of somebody ends who takes events too slowly.
var ErrSlow = errors.New("the subscriber takes events too slowly: its queue was full")

// ErrClosed is why subscriptions end when the controller does.
var ErrClosed = errors.New("the controller ends")

// Subscribe delivers events until ctx ends, Deliver fails, the subscriber
// becomes too slow (ErrSlow) or the Hub is closed (ErrClosed), and returns the
// reason. Errors before that name what is wrong with a subscription. ready, if
// not nil, is called when the subscription is in force.
func (h *Hub) Subscribe(ctx context.Context, sub Sub, ready func()) error {
	subscriptions, err := strictSubscriptions(sub.Subscriptions)
	if err != nil {
		return err
	}
	s := newSubscriber(h, sub.Name, subscriptions, deliverer(sub.Deliver), sub.Plain, sub.Queue, true)
	if !h.add(s) {
		return ErrClosed
	}
	if ready != nil {
		ready()
	}
	defer h.remove(s)
	select {
	case <-ctx.Done():
		s.end(context.Cause(ctx))
	case <-s.done:
	}
	<-s.done
	return s.failed
}

// add puts a subscriber into the list and starts it; false after Close.
func (h *Hub) add(s *subscriber) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	list := append(slices.Clip(*h.list.Load()), s)
	h.list.Store(&list)
	go s.run()
	return true
}

func (h *Hub) remove(s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(*h.list.Load()), func(x *subscriber) bool { return x == s })
	h.gone += s.dropped.Load()
	h.list.Store(&list)
}

// Stat is what is known of a subscriber.
type Stat struct {
	Name      string
	Queued    int    // events that wait
	Delivered uint64 // JSON objects or lines that the handler has taken
	Dropped   uint64 // events that did not fit into the queue or that the handler refused
	Retries   uint64 // requests of a webhook that were repeats
}

// Stats returns what is known of the subscribers, in the order of the
// configuration's names, those of the moment last.
func (h *Hub) Stats() []Stat {
	var out []Stat
	for _, s := range *h.list.Load() {
		stat := Stat{Name: s.name, Queued: len(s.queue), Delivered: s.delivered.Load(), Dropped: s.dropped.Load()}
		if w, ok := s.out.(*webhook); ok {
			stat.Retries = w.retries.Load()
		}
		out = append(out, stat)
	}
	return out
}

// Dropped is the number of events that did not fit into a queue or could not
// be written, of all subscribers that there ever were.
func (h *Hub) Dropped() uint64 {
	h.mu.Lock()
	n := h.gone
	h.mu.Unlock()
	for _, s := range *h.list.Load() {
		n += s.dropped.Load()
	}
	return n
}

// closeTime bounds how long Close waits for handlers that take nothing.
const closeTime = 2 * time.Second

// Close writes what waits and closes the handlers; what is published from then
// on is lost. A handler that takes nothing is given up after two seconds. It is
// called once.
func (h *Hub) Close() error {
	h.mu.Lock()
	h.closed = true
	list := *h.list.Load()
	h.mu.Unlock()
	for _, s := range list {
		s.end(ErrClosed)
	}
	limit := time.NewTimer(closeTime)
	defer limit.Stop()
	var errs []error
	for _, s := range list {
		select {
		case <-s.done:
			if !s.leaves {
				errs = append(errs, s.failed)
			}
		case <-limit.C:
			return errors.Join(append(errs, fmt.Errorf("events.%s: the handler takes nothing", s.name))...)
		}
	}
	return errors.Join(errs...)
}
