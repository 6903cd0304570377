package events

import (
	"strings"
	"time"

	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/wire/ctrl"
)

// Report publishes the measurements and counters that a router has reported.
// Counters of intervals that ended less than age ago are told as they are: the
// router waits for its own threshold. It does not wait.
func (h *Hub) Report(routerID string, m *ctrl.MetricsReport) {
	at := time.UnixMilli(m.AtMillis)
	if len(m.Metrics) > 0 && h.Wanted("metrics") {
		e := &Metrics{At: at, SourceID: routerID, ReportID: id.UUID()}
		for _, metric := range m.Metrics {
			e.Metrics = append(e.Metrics, Metric{Name: metric.Name, Kind: metric.Kind, Values: metric.Values})
		}
		h.Publish(e)
	}
	if !h.Wanted("usage") {
		return
	}
	now := time.Now()
	for _, i := range m.Intervals {
		e := &Usage{
			At: now, SourceID: routerID, CircuitID: i.CircuitId, Bytes: make(map[string]uint64, len(i.Bytes)),
			Start: time.UnixMilli(i.StartMillis), Length: time.Duration(i.LengthMillis) * time.Millisecond, Tags: i.Tags,
		}
		for name, n := range i.Bytes {
			e.Bytes[strings.TrimPrefix(name, "usage.")] = n
		}
		h.Publish(e)
	}
}
