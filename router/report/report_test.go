package report

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a router whose circuits the test sets.
type bench struct {
	*Metrics
	clock *clock.Fake
	sent  chan *ctrl.MetricsReport

	mu     sync.Mutex
	now    []forward.Usage
	broken bool
}

func newBench(age time.Duration, queue int) *bench {
	b := &bench{clock: clock.NewFake(time.Unix(1000, 0)), sent: make(chan *ctrl.MetricsReport, 100)}
	b.Metrics = New(Config{
		Interval: time.Minute, Age: age, Queue: queue, Events: 1, Clock: b.clock, Instruments: observe.NewInstruments(b.clock.Now),
		Usages: func() []forward.Usage { b.mu.Lock(); defer b.mu.Unlock(); return b.now },
		Send: func(_ context.Context, m *ctrl.MetricsReport) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.broken {
				return errors.New("no controller")
			}
			b.sent <- m
			return nil
		},
	})
	return b
}

// usage is a circuit of a client here to a host beyond a link.
func usage(id string, up, down uint64) forward.Usage {
	return forward.Usage{Circuit: id, At: [2]forward.Place{forward.Here, forward.Beyond},
		To: [2]forward.Traffic{forward.Initiator: {Bytes: down, Messages: down / 100}, forward.Terminator: {Bytes: up, Messages: up / 100}}}
}

func (b *bench) set(u ...forward.Usage) { b.mu.Lock(); defer b.mu.Unlock(); b.now = u }

func (b *bench) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// tick ends an interval.
func (b *bench) tick(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); b.clock.Timers() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody waits for the time")
		}
	}
	b.clock.Advance(time.Minute)
}

func (b *bench) report(t *testing.T) *ctrl.MetricsReport {
	t.Helper()
	select {
	case r := <-b.sent:
		return r
	case <-time.After(10 * time.Second):
		t.Fatal("no report")
		return nil
	}
}

func metric(t *testing.T, r *ctrl.MetricsReport, name string) *ctrl.Metric {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s", name)
	return nil
}

func bytesOf(r *ctrl.MetricsReport, name, circuit string) map[string]uint64 {
	for _, i := range r.Intervals {
		if i.Name == name && i.CircuitId == circuit {
			return i.Bytes
		}
	}
	return nil
}

func TestUsageAndRates(t *testing.T) {
	b := newBench(0, 10)
	b.run(t)
	b.set(usage("c1", 6000, 600))
	b.tick(t)
	r := b.report(t)
	if u := bytesOf(r, "usage", "c1"); u["ingress.rx"] != 6000 || u["ingress.tx"] != 600 || len(u) != 2 {
		t.Errorf("usage %v", u)
	}
	if u := bytesOf(r, "fabricUsage", "c1"); u["fabric.tx"] != 6000 || u["fabric.rx"] != 600 || len(u) != 2 {
		t.Errorf("fabric usage %v", u)
	}
	if m := metric(t, r, "ingress.rx.bytesrate"); m.Kind != "meter" || m.Values["count"] != 6000 || m.Values["m1_rate"] != 100 {
		t.Errorf("%v", m)
	}
	if m := metric(t, r, "fabric.rx.msgsize"); m.Kind != "histogram" || m.Values["mean"] != 100 {
		t.Errorf("%v", m)
	}
	b.set(usage("c1", 7000, 600))
	b.tick(t)
	if u := bytesOf(b.report(t), "usage", "c1"); u["ingress.rx"] != 1000 || u["ingress.tx"] != 0 {
		t.Errorf("the second interval has %v", u)
	}
	b.tick(t)
	if r := b.report(t); len(r.Intervals) != 0 {
		t.Errorf("a silent interval has %v", r.Intervals)
	}
}

// TestEndedCircuits: what passed after the last look counts, once.
func TestEndedCircuits(t *testing.T) {
	b := newBench(0, 10)
	b.set(usage("c1", 1000, 0))
	b.collect()
	b.set()
	for range 3 { // more than the queue of events takes
		b.Used(usage("c1", 5000, 0))
	}
	b.collect()
	b.collect()
	b.collect()
	var total uint64
	for _, r := range b.waiting {
		total += bytesOf(r, "usage", "c1")["ingress.rx"]
	}
	if total != 5000 {
		t.Errorf("%d bytes are reported of 5000", total)
	}
	if len(b.ledger.known) != 0 {
		t.Errorf("circuits that are gone are kept: %v", b.ledger.known)
	}
}

func TestYoungIntervalsWait(t *testing.T) {
	b := newBench(80*time.Second, 10)
	b.run(t)
	b.set(usage("c1", 1000, 0))
	b.tick(t)
	if r := b.report(t); len(r.Intervals) != 0 {
		t.Error("an interval of one minute is younger than 80 s")
	}
	b.tick(t)
	if r := b.report(t); bytesOf(r, "usage", "c1")["ingress.rx"] != 1000 || r.Intervals[0].StartMillis != 1000_000 || r.Intervals[0].LengthMillis != 60_000 {
		t.Errorf("%v", r.Intervals)
	}
}

func TestReportsWaitForAController(t *testing.T) {
	b := newBench(0, 2)
	for i := range 4 {
		b.set(usage("c1", uint64(1000*(i+1)), 0))
		b.clock.Advance(time.Minute)
		b.collect()
	}
	if len(b.waiting) != 2 || b.dropped != 2 {
		t.Errorf("%d wait, %d were dropped", len(b.waiting), b.dropped)
	}
	b.run(t)
	if first, second := b.report(t), b.report(t); first.AtMillis >= second.AtMillis {
		t.Error("not in order")
	}
}

func TestFailedReportIsRepeated(t *testing.T) {
	b := newBench(0, 2)
	b.broken = true
	b.run(t)
	b.tick(t)
	for end := time.Now().Add(10 * time.Second); b.clock.Timers() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the report is not repeated")
		}
	}
	b.mu.Lock()
	b.broken = false
	b.mu.Unlock()
	b.clock.Advance(retry)
	b.report(t)
}

func TestDirections(t *testing.T) {
	local := forward.Usage{Circuit: "c", At: [2]forward.Place{forward.Here, forward.Here},
		To: [2]forward.Traffic{forward.Initiator: {Bytes: 1, Messages: 1}, forward.Terminator: {Bytes: 2, Messages: 1}}}
	l := newLedger(observe.NewInstruments(nil), time.Now())
	l.book(local)
	for d, want := range map[string]uint64{"ingress.rx": 2, "ingress.tx": 1, "egress.rx": 1, "egress.tx": 2} {
		if l.usage["c"][d] != want {
			t.Errorf("%s %d, want %d", d, l.usage["c"][d], want)
		}
	}
}

// TestTagsOfUsage: usage says whose it is, traffic over links does not.
func TestTagsOfUsage(t *testing.T) {
	l := newLedger(observe.NewInstruments(nil), time.Unix(0, 0))
	u := usage("c1", 1000, 200)
	u.Client, u.Service = "i1", "s1"
	l.book(u)
	seen := 0
	for _, i := range l.close(time.Unix(60, 0), 0) {
		seen++
		if own := i.Name == "usage"; own != (len(i.Tags) == 2 && i.Tags["clientId"] == "i1" && i.Tags["serviceId"] == "s1") || !own && i.Tags != nil {
			t.Errorf("%s: %v", i.Name, i.Tags)
		}
	}
	if seen != 2 || len(l.tags) != 0 {
		t.Errorf("%d intervals, %d tags are left", seen, len(l.tags))
	}
}
