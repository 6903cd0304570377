// Package events delivers what happens in the network to the subscribers of the
// configuration: files and the standard output, as JSON lines in the form of
// the ecosystem or as text.
//
// Publish never waits. Every subscriber has a bounded queue and a goroutine of
// its own; what does not fit into a queue is dropped and counted in the log.
package events

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/network"
)

// Config describes a Hub.
type Config struct {
	ControllerID string
	Subscribers  conf.EventSubscribers
	Stdout       io.Writer
	Log          *slog.Logger
}

// Hub delivers events. Publish may be called concurrently; Close ends it.
type Hub struct {
	subscribers []*subscriber
}

// New opens the handlers of the subscribers. The error names the key of the
// configuration.
func New(cfg Config) (*Hub, error) {
	h := &Hub{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Subscribers)) {
		c := cfg.Subscribers[name]
		subscriptions := subscriptionsOf(c.Subscriptions)
		if len(subscriptions) == 0 || c.Handler.Type == "webhook" {
			continue // nothing of it is active yet, as the reader of the configuration said
		}
		out, err := open(c.Handler, cfg.Stdout)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("events.%s.handler: %w", name, err), h.Close())
		}
		s := &subscriber{
			name: name, source: cfg.ControllerID, subscriptions: subscriptions, plain: c.Handler.Format == "plain", out: out,
			queue: make(chan item, c.Handler.BufferSize), log: cfg.Log, stop: make(chan struct{}), done: make(chan struct{}),
		}
		h.subscribers = append(h.subscribers, s)
		go s.run()
	}
	return h, nil
}

// open opens the handler of a configuration.
func open(c conf.EventHandler, stdout io.Writer) (io.WriteCloser, error) {
	if c.Type == "stdout" {
		return unclosed{stdout}, nil
	}
	return openFile(c.Path, int64(c.MaxSizeMB)<<20, c.MaxBackups)
}

// unclosed is a writer that belongs to somebody else.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// Wanted reports whether anybody subscribes to anything.
func (h *Hub) Wanted() bool { return len(h.subscribers) > 0 }

// Publish gives an event to those who want it. It does not wait.
func (h *Hub) Publish(e network.Event) {
	for _, s := range h.subscribers {
		s.offer(e)
	}
}

// Dropped is the number of events that did not fit into a queue or could not
// be written, of all subscribers.
func (h *Hub) Dropped() uint64 {
	var n uint64
	for _, s := range h.subscribers {
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
	for _, s := range h.subscribers {
		close(s.stop)
	}
	limit := time.NewTimer(closeTime)
	defer limit.Stop()
	var errs []error
	for _, s := range h.subscribers {
		select {
		case <-s.done:
			errs = append(errs, s.failed)
		case <-limit.C:
			return errors.Join(append(errs, fmt.Errorf("events.%s: the handler takes nothing", s.name))...)
		}
	}
	return errors.Join(errs...)
}
