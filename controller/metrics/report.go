package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/wire/ctrl"
)

// sample is one measurement: a number, or a histogram.
type sample struct {
	about   string
	value   float64 // the sum of a histogram
	buckets []uint64
	bounds  []float64 // nil for a number
}

// report is what a process has measured, by family.
type report struct {
	at       time.Time
	families map[string]*group
}

type group struct {
	*family
	samples []sample
}

// Bounds of the report of a router. Its network says how many links it has, so
// they are generous.
const (
	maxMetrics = 100_000
	maxName    = 256
)

func (r *report) add(f *family, s sample) bool {
	g := r.families[f.name]
	if g == nil {
		g = &group{family: f}
		r.families[f.name] = g
	}
	if g.kind != f.kind {
		return false
	}
	g.samples = append(g.samples, s)
	return true
}

// unique removes what was said twice, so that no series has two values.
func (r *report) unique() (removed int) {
	for _, g := range r.families {
		seen := make(map[string]bool, len(g.samples))
		g.samples = slices.DeleteFunc(g.samples, func(s sample) bool {
			was := seen[s.about]
			seen[s.about] = true
			if was {
				removed++
			}
			return was
		})
	}
	return removed
}

// take turns the report of a router into what is kept of it, and tells how many
// measurements were left out.
func take(m *ctrl.MetricsReport, known families) (r *report, rejected int) {
	r = &report{at: time.UnixMilli(m.AtMillis), families: make(map[string]*group)}
	interned, unknown := make(map[string]string), make(families)
	list := m.Metrics
	if len(list) > maxMetrics {
		rejected += len(list) - maxMetrics
		list = list[:maxMetrics]
	}
	for _, metric := range list {
		kind := observe.Kind(metric.Kind)
		if metric.Name == "" || len(metric.Name) > maxName {
			rejected++
			continue
		}
		f, about := known.of(metric.Name, kind, true)
		if old := unknown[f.name]; old != nil {
			f = old
		} else {
			unknown[f.name] = f
		}
		if s, ok := interned[about]; ok {
			about = s
		} else {
			interned[about] = about
		}
		s, ok := sampleOf(metric.Name, kind, f, metric.Values, metric.Buckets, metric.Sum)
		s.about = about
		if !ok || !r.add(f, s) {
			rejected++
		}
	}
	return r, rejected + r.unique()
}

// sampleOf returns a measurement as its family shows it.
func sampleOf(name string, kind observe.Kind, f *family, values map[string]float64, buckets []uint64, sum float64) (s sample, ok bool) {
	switch {
	case kind == observe.KindGauge && f.kind == gauge:
		s.value, ok = values["value"]
		return s, ok
	case kind == observe.KindMeter && f.kind == gauge:
		s.value, ok = values["m1_rate"]
		return s, ok
	case kind == observe.KindMeter && f.kind == counter:
		s.value, ok = values["count"]
		return s, ok
	case (kind == observe.KindTimer || kind == observe.KindHistogram) && f.kind == histogram:
	default:
		return s, false
	}
	s.value, s.bounds, s.buckets = sum, observe.Bounds(name), buckets
	if len(buckets) != len(s.bounds)+1 { // of another version
		count := values["count"]
		if math.IsNaN(count) || count < 0 {
			return s, false
		}
		s.value, s.bounds, s.buckets = values["mean"]*count, []float64{}, []uint64{uint64(count)}
	}
	return s, true
}
