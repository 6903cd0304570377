package app

import (
	"math"
	"time"

	"github.com/weftnet/weft/observe"
)

// inspectedMetrics is the value of metrics.
type inspectedMetrics struct {
	Source    string                   `json:"sourceAppId"`
	Timestamp time.Time                `json:"timestamp"`
	Metrics   map[string]metricReading `json:"metrics"` // by name
}

// metricReading is an instrument with its values by the names of the ecosystem:
// count, m1_rate, p99, value.
type metricReading struct {
	Type   observe.Kind       `json:"type"`
	Values map[string]float64 `json:"values"`
}

func (r *Router) inspectMetrics() inspectedMetrics {
	return inspectReadings(r.id, r.instruments.Read())
}

func inspectReadings(source string, readings []observe.Reading) inspectedMetrics {
	out := inspectedMetrics{Source: source, Timestamp: time.Now().UTC(), Metrics: make(map[string]metricReading)}
	for _, m := range readings {
		for name, v := range m.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) { // JSON has no such numbers
				delete(m.Values, name)
			}
		}
		out.Metrics[m.Name] = metricReading{m.Kind, m.Values}
	}
	return out
}
