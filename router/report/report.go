// Package report tells the controllers what a router measures, who is connected
// to it, and which network interfaces it has.
package report

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// Config describes Metrics.
type Config struct {
	Interval time.Duration // between two reports, and the length of the intervals of usage
	// Age is the least age of an interval, counted from its begin, before it is
	// reported.
	Age         time.Duration
	Queue       int // reports that wait for a controller; the oldest is dropped for a new one
	Events      int // ended circuits that wait to be booked
	Instruments *observe.Instruments
	// Usages returns what has passed the circuits that there are.
	Usages func() []forward.Usage
	// Send gives a report to a controller; it waits until there is one.
	Send  func(ctx context.Context, m *ctrl.MetricsReport) error
	Clock clock.Clock
	Log   *slog.Logger
}

// Metrics reports measurements and usage. It is safe for concurrent use.
type Metrics struct {
	cfg    Config
	events chan forward.Usage
	wake   chan struct{} // a report waits

	mu      sync.Mutex
	ledger  ledger
	waiting []*ctrl.MetricsReport
	dropped int // reports, since the last line of the log
}

// New returns metrics; Run starts them.
func New(cfg Config) *Metrics {
	if cfg.Clock == nil {
		cfg.Clock = clock.Real()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{cfg: cfg, events: make(chan forward.Usage, cfg.Events), wake: make(chan struct{}, 1)}
	m.ledger = newLedger(cfg.Instruments, cfg.Clock.Now())
	return m
}

// Used books what has passed a circuit that has ended. It does not block for
// long: with the queue of events full it books at once.
func (m *Metrics) Used(u forward.Usage) {
	select {
	case m.events <- u:
	default:
		m.book(u)
	}
}

func (m *Metrics) book(u forward.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ledger.book(u)
}

// Run reports until ctx ends.
func (m *Metrics) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	sending.Go(func() { m.send(ctx) })
	timer := m.cfg.Clock.NewTimer(m.cfg.Interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case u := <-m.events:
			m.book(u)
		case <-timer.C():
			m.collect()
			timer.Reset(m.cfg.Interval)
		}
	}
}

// collect makes the report of the interval that ends.
func (m *Metrics) collect() {
	now := m.cfg.Clock.Now()
	m.drain()
	usages := m.cfg.Usages()
	m.mu.Lock()
	for _, u := range usages {
		m.ledger.book(u)
	}
	intervals := m.ledger.close(now, m.cfg.Age)
	m.mu.Unlock()
	report := &ctrl.MetricsReport{AtMillis: now.UnixMilli(), Intervals: intervals}
	for _, r := range m.cfg.Instruments.Read() {
		report.Metrics = append(report.Metrics, &ctrl.Metric{Name: r.Name, Kind: string(r.Kind), Values: r.Values, Buckets: r.Buckets, Sum: r.Sum})
	}
	m.mu.Lock()
	if m.waiting = append(m.waiting, report); len(m.waiting) > m.cfg.Queue {
		m.waiting = m.waiting[1:]
		m.dropped++
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// drain books what has ended before the look at the circuits that there are, so
// that no circuit is seen after its end.
func (m *Metrics) drain() {
	for {
		select {
		case u := <-m.events:
			m.book(u)
		default:
			return
		}
	}
}

// retry is the pause after a report that could not be sent.
const retry = time.Second

// send gives the reports that wait to a controller, the oldest first.
func (m *Metrics) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		}
		for r := m.next(); r != nil; r = m.next() {
			if err := m.cfg.Send(ctx, r); err != nil {
				m.cfg.Log.Debug("metrics not reported", "error", err)
				if !m.again(ctx, r) {
					return
				}
			}
		}
	}
}

func (m *Metrics) next() *ctrl.MetricsReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dropped > 0 {
		m.cfg.Log.Warn("metrics dropped: more reports wait than metrics.messageQueueSize", "reports", m.dropped)
		m.dropped = 0
	}
	if len(m.waiting) == 0 {
		return nil
	}
	r := m.waiting[0]
	m.waiting = m.waiting[1:]
	return r
}

// again puts a report back at the front and waits; false when ctx has ended.
func (m *Metrics) again(ctx context.Context, r *ctrl.MetricsReport) bool {
	m.mu.Lock()
	if len(m.waiting) < m.cfg.Queue {
		m.waiting = append([]*ctrl.MetricsReport{r}, m.waiting...)
	} else {
		m.dropped++
	}
	m.mu.Unlock()
	t := m.cfg.Clock.NewTimer(retry)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C():
		return true
	}
}
