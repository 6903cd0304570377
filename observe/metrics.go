package observe

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Kind is the kind of an instrument.
type Kind string

// Kinds of instruments, by the names of reports.
const (
	KindMeter     Kind = "meter"     // count, m1_rate, m5_rate, m15_rate, mean_rate
	KindHistogram Kind = "histogram" // count, min, max, mean, std_dev, variance, p50 to p9999
	KindTimer     Kind = "timer"     // both, the histogram in nanoseconds
	KindGauge     Kind = "gauge"     // value
)

// Reading is what an instrument shows at a moment.
type Reading struct {
	Name   string
	Kind   Kind
	Values map[string]float64
	// Buckets are, of histograms and timers, how many of all values there were up to
	// each of the Bounds and above the last one, and Sum is the sum of all values.
	Buckets []uint64
	Sum     float64
}

// Instruments are the instruments of a process or of a part of it, by name.
// Asking for a name again gives the same instrument. A nil *Instruments gives
// instruments that nobody reads, so that a part may do without. All methods
// are safe for concurrent use.
type Instruments struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]instrument
}

type instrument interface {
	kind() Kind
	read(now time.Time, out *Reading)
}

// NewInstruments returns an empty set. A nil now is time.Now.
func NewInstruments(now func() time.Time) *Instruments {
	if now == nil {
		now = time.Now
	}
	return &Instruments{now: now, all: make(map[string]instrument)}
}

// Meter returns the meter of a name.
func (i *Instruments) Meter(name string) *Meter { return named(i, name, newMeter) }

// Histogram returns the histogram of a name.
func (i *Instruments) Histogram(name string) *Histogram { return named(i, name, newHistogram) }

// Timer returns the timer of a name.
func (i *Instruments) Timer(name string) *Timer { return named(i, name, newTimer) }

// Gauge has a name show what read returns; read is called with every reading
// and must return soon. A gauge of the same name is replaced.
func (i *Instruments) Gauge(name string, read func() float64) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all[name] = gauge(read)
}

// Counted has a name show, as a meter, what somebody else counts. A meter of the
// same name is replaced.
func (i *Instruments) Counted(name string, count func() uint64) {
	if i == nil {
		return
	}
	m := newMeter(name, i.now())
	m.other = count
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all[name] = m
}

// RemoveIf forgets the instruments with the names that gone says.
func (i *Instruments) RemoveIf(gone func(name string) bool) {
	if i == nil {
		return
	}
	names := slices.DeleteFunc(i.names(), func(name string) bool { return !gone(name) })
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, name := range names {
		delete(i.all, name)
	}
}

func (i *Instruments) names() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Collect(maps.Keys(i.all))
}

// Read returns what all instruments show, by name. It moves the rates of
// meters on.
func (i *Instruments) Read() []Reading {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	names := make([]string, 0, len(i.all))
	for name := range i.all {
		names = append(names, name)
	}
	slices.Sort(names)
	list := make([]instrument, len(names))
	for n, name := range names {
		list[n] = i.all[name]
	}
	i.mu.Unlock()
	now := i.now()
	out := make([]Reading, len(names))
	for n, it := range list {
		out[n] = Reading{Name: names[n], Kind: it.kind(), Values: make(map[string]float64)}
		it.read(now, &out[n])
	}
	return out
}

// named returns the instrument of a name, made by make if there is none of its
// kind.
func named[T instrument](i *Instruments, name string, make func(string, time.Time) T) T {
	if i == nil {
		return make(name, time.Time{})
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if t, ok := i.all[name].(T); ok {
		return t
	}
	t := make(name, i.now())
	i.all[name] = t
	return t
}

type gauge func() float64

func (gauge) kind() Kind { return KindGauge }

func (g gauge) read(_ time.Time, out *Reading) { out.Values["value"] = g() }
