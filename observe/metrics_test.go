package observe

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeTime is a time that tests move.
type fakeTime struct{ at time.Time }

func (f *fakeTime) now() time.Time { return f.at }

func read(t *testing.T, i *Instruments, name string) Reading {
	t.Helper()
	for _, r := range i.Read() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no instrument %s", name)
	return Reading{}
}

func TestMeterRates(t *testing.T) {
	clock := &fakeTime{at: time.Unix(1000, 0)}
	i := NewInstruments(clock.now)
	m := i.Meter("m")
	step := func(n int) Reading {
		m.Mark(n)
		clock.at = clock.at.Add(time.Minute)
		return read(t, i, "m")
	}
	r := step(600)
	if r.Kind != KindMeter || r.Values["count"] != 600 || r.Values["m1_rate"] != 10 || r.Values["m15_rate"] != 10 || r.Values["mean_rate"] != 10 {
		t.Errorf("first minute: %+v", r)
	}
	r = step(0)
	if want := 10 / math.E; math.Abs(r.Values["m1_rate"]-want) > 1e-9 {
		t.Errorf("m1_rate %v after a silent minute, want %v", r.Values["m1_rate"], want)
	}
	if v := r.Values; v["m15_rate"] <= v["m5_rate"] || v["m5_rate"] <= v["m1_rate"] || v["mean_rate"] != 5 {
		t.Errorf("silent minute: %+v", v)
	}
	if i.Meter("m") != m {
		t.Error("another meter for the same name")
	}
}

func TestHistogramAndTimer(t *testing.T) {
	i := NewInstruments(nil)
	h := i.Histogram("h")
	if v := read(t, i, "h").Values; v["count"] != 0 || v["p99"] != 0 || v["max"] != 0 {
		t.Errorf("empty: %v", v)
	}
	for n := range 5000 {
		h.Update(float64(n))
	}
	v := read(t, i, "h").Values
	if v["count"] != 5000 || v["min"] != 5000-reservoir || v["max"] != 4999 || v["p50"] != 5000-reservoir/2 {
		t.Errorf("the newest %d values: %v", reservoir, v)
	}
	if len(h.values) != reservoir {
		t.Errorf("%d values are kept", len(h.values))
	}
	i.Timer("t").Update(2 * time.Millisecond)
	if r := read(t, i, "t"); r.Kind != KindTimer || r.Values["count"] != 1 || r.Values["mean"] != 2e6 {
		t.Errorf("timer: %+v", r)
	}
}

func TestGaugesAndRemoval(t *testing.T) {
	i := NewInstruments(nil)
	i.Gauge("link.a.x", func() float64 { return 7 })
	i.Meter("link.a.y")
	i.Counted("counted", func() uint64 { return 42 })
	if r := read(t, i, "counted"); r.Kind != KindMeter || r.Values["count"] != 42 {
		t.Errorf("counted: %+v", r)
	}
	i.RemoveIf(func(name string) bool { return name == "counted" })
	i.Meter("other")
	if r := read(t, i, "link.a.x"); r.Kind != KindGauge || r.Values["value"] != 7 {
		t.Errorf("gauge: %+v", r)
	}
	i.RemoveIf(func(name string) bool { return strings.HasPrefix(name, "link.a.") })
	if all := i.Read(); len(all) != 1 || all[0].Name != "other" {
		t.Errorf("left: %+v", all)
	}
}

func TestNoInstruments(t *testing.T) {
	var i *Instruments
	i.Meter("m").Mark(1)
	i.Histogram("h").Update(1)
	i.Timer("t").Update(1)
	i.Gauge("g", func() float64 { return 1 })
	i.Counted("c", func() uint64 { return 1 })
	i.RemoveIf(nil)
	if i.Read() != nil {
		t.Error("readings of nothing")
	}
}

func TestInstrumentsAtOnce(t *testing.T) {
	i := NewInstruments(nil)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 1000 {
				i.Meter("m").Mark(1)
				i.Timer("t").Update(1)
			}
			i.Read()
		})
	}
	work.Wait()
	if i.Meter("m").Count() != 8000 {
		t.Error("marks are lost")
	}
}

func BenchmarkMark(b *testing.B) {
	m := NewInstruments(nil).Meter("m")
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Mark(1)
		}
	})
}
