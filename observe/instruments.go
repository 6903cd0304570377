package observe

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Meter counts events and shows how many there are in a second. Mark costs one
// atomic addition. It is safe for concurrent use.
type Meter struct {
	count atomic.Uint64
	other func() uint64 // counts in place of count; nil without

	mu    sync.Mutex
	start time.Time
	last  time.Time // of the rates
	seen  uint64    // count then
	rates [3]float64
}

// windows are those of the rates of a meter, and their names.
var windows = [3]struct {
	name string
	over time.Duration
}{{"m1_rate", time.Minute}, {"m5_rate", 5 * time.Minute}, {"m15_rate", 15 * time.Minute}}

func newMeter(_ string, now time.Time) *Meter { return &Meter{start: now, last: now} }

// Mark counts n events.
func (m *Meter) Mark(n int) { m.count.Add(uint64(n)) }

// Count returns how many events there were.
func (m *Meter) Count() uint64 {
	if m.other != nil {
		return m.other()
	}
	return m.count.Load()
}

func (m *Meter) kind() Kind { return KindMeter }

// read shows the count and the rates: averages whose weights fade over 1, 5 and
// 15 minutes, with the rate since the last reading taken as constant.
func (m *Meter) read(now time.Time, out *Reading) {
	values := out.Values
	m.mu.Lock()
	defer m.mu.Unlock()
	count := m.Count()
	if passed := now.Sub(m.last).Seconds(); passed > 0 {
		rate := float64(count-m.seen) / passed
		for i, w := range windows {
			if m.last.Equal(m.start) {
				m.rates[i] = rate
				continue
			}
			m.rates[i] += (1 - math.Exp(-passed/w.over.Seconds())) * (rate - m.rates[i])
		}
		m.last, m.seen = now, count
	}
	values["count"] = float64(count)
	for i, w := range windows {
		values[w.name] = m.rates[i]
	}
	values["mean_rate"] = 0
	if passed := now.Sub(m.start).Seconds(); passed > 0 {
		values["mean_rate"] = float64(count) / passed
	}
}

// reservoir is how many values a histogram keeps: the newest.
const reservoir = 1024

// Histogram shows how the newest 1024 values are distributed, and how many of all
// values were within which bounds. It is safe for concurrent use.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex
	count  uint64
	sum    float64
	values []float64 // a ring when full
	within [maxBuckets]uint64
}

func newHistogram(name string, _ time.Time) *Histogram { return &Histogram{bounds: Bounds(name)} }

// Update takes a value.
func (h *Histogram) Update(v float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.values) < reservoir {
		h.values = append(h.values, v)
	} else {
		h.values[h.count%reservoir] = v
	}
	h.count++
	h.sum += v
	h.within[bucket(h.bounds, v)]++
}

func (h *Histogram) kind() Kind { return KindHistogram }

// quantiles are those that a histogram shows, and their names.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 0.5}, {"p75", 0.75}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}}

func (h *Histogram) read(_ time.Time, to *Reading) {
	out := to.Values
	h.mu.Lock()
	count, values := h.count, slices.Clone(h.values)
	to.Sum, to.Buckets = h.sum, slices.Clone(h.within[:len(h.bounds)+1])
	h.mu.Unlock()
	out["count"] = float64(count)
	for _, name := range []string{"min", "max", "mean", "std_dev", "variance"} {
		out[name] = 0
	}
	for _, q := range quantiles {
		out[q.name] = 0
	}
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	variance := squares / float64(len(values))
	out["min"], out["max"], out["mean"] = values[0], values[len(values)-1], mean
	out["variance"], out["std_dev"] = variance, math.Sqrt(variance)
	for _, q := range quantiles {
		out[q.name] = values[min(int(q.at*float64(len(values))), len(values)-1)]
	}
}

// Timer counts events and shows how long they take. It is safe for concurrent
// use.
type Timer struct {
	meter *Meter
	took  *Histogram
}

func newTimer(name string, now time.Time) *Timer {
	return &Timer{meter: newMeter(name, now), took: newHistogram(name, now)}
}

// Update counts an event that took so long.
func (t *Timer) Update(took time.Duration) {
	t.meter.Mark(1)
	t.took.Update(float64(took))
}

func (t *Timer) kind() Kind { return KindTimer }

func (t *Timer) read(now time.Time, out *Reading) {
	t.took.read(now, out)
	t.meter.read(now, out)
}
