package metrics

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/wire/ctrl"
)

// fixture is an exporter with instruments and routers that are connected.
type fixture struct {
	*Exporter
	instruments *observe.Instruments
	online      map[string]bool
	rejected    int
}

func newFixture() *fixture {
	f := &fixture{instruments: observe.NewInstruments(nil), online: map[string]bool{"r1": true, "r2": true}}
	f.Exporter = New(Config{
		ID: "ctrl1", Keep: true, Read: f.instruments.Read,
		Router:   func(id string) (string, bool) { return `edge "` + id + `"` + "\n", f.online[id] },
		Link:     func(id string) (string, string, bool) { return "r1", "r2", id == "l1" },
		Rejected: func(n int) { f.rejected += n },
		Version:  "1.2.3", Started: time.Unix(1000, 0), Now: func() time.Time { return time.Unix(2000, 0) },
	})
	return f
}

// reportOf is what a router with instruments reports.
func reportOf(i *observe.Instruments) *ctrl.MetricsReport {
	m := &ctrl.MetricsReport{AtMillis: 1_500_000}
	for _, r := range i.Read() {
		m.Metrics = append(m.Metrics, &ctrl.Metric{Name: r.Name, Kind: string(r.Kind), Values: r.Values, Buckets: r.Buckets, Sum: r.Sum})
	}
	return m
}

// page returns the page as Prometheus reads it.
func (f *fixture) page(t *testing.T, timestamps bool) map[string]*dto.MetricFamily {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, timestamps); err != nil {
		t.Fatal(err)
	}
	return parse(t, b.Bytes())
}

func parse(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	var p expfmt.TextParser
	out, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("Prometheus does not read the page: %v\n%s", err, text)
	}
	for name, family := range out {
		lint(t, name, family)
	}
	return out
}

var (
	names  = regexp.MustCompile(`^(ziti|weft|go|process)_[a-zA-Z0-9_]+$`)
	labels = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// lint checks what Prometheus expects of names, and that no series is there
// twice.
func lint(t *testing.T, name string, f *dto.MetricFamily) {
	t.Helper()
	total := strings.HasSuffix(name, "_total")
	switch {
	case !names.MatchString(name), f.GetHelp() == "":
		t.Errorf("%s (%q): not a good name or help", name, f.GetHelp())
	case total != (f.GetType() == dto.MetricType_COUNTER):
		t.Errorf("%s is of type %s", name, f.GetType())
	case f.GetType() != dto.MetricType_HISTOGRAM && regexp.MustCompile(`_(bucket|count|sum)$`).MatchString(name):
		t.Errorf("%s has the name of a part of a histogram", name)
	case f.GetType() == dto.MetricType_UNTYPED:
		t.Errorf("%s has no type", name)
	}
	seen := make(map[string]bool)
	for _, m := range f.Metric {
		key := fmt.Sprint(m.Label)
		if seen[key] {
			t.Errorf("%s%s is there twice", name, key)
		}
		seen[key] = true
		for _, l := range m.Label {
			if !labels.MatchString(l.GetName()) {
				t.Errorf("%s: label %q", name, l.GetName())
			}
		}
		if h := m.Histogram; h != nil {
			last := h.Bucket[len(h.Bucket)-1]
			if !math.IsInf(last.GetUpperBound(), 1) || last.GetCumulativeCount() != h.GetSampleCount() {
				t.Errorf("%s: the last bucket is %v of %d", name, last, h.GetSampleCount())
			}
		}
	}
}

func labelsOf(m *dto.Metric) map[string]string {
	out := make(map[string]string)
	for _, l := range m.Label {
		out[l.GetName()] = l.GetValue()
	}
	return out
}

// TestPage: names, types, labels and histograms of a controller and two routers.
func TestPage(t *testing.T) {
	f := newFixture()
	f.instruments.Timer("/edge/management/v1/services/:id.GET").Update(2 * time.Millisecond)
	f.instruments.Timer("/edge/management/v1/services.POST") // nobody has called it
	f.instruments.Timer("weft.state.apply").Update(2 * time.Millisecond)
	f.instruments.Meter("weft.events.dropped").Mark(7)
	f.instruments.Gauge("command.limiter.queued_count", func() float64 { return 3 })
	f.instruments.Histogram("ctrl.latency:r1").Update(1e6)
	f.instruments.Histogram("ctrl.latency:r2").Update(1e6)
	r := observe.NewInstruments(nil)
	for _, v := range []float64{10, 64, 65, 5000, 1 << 30} {
		r.Histogram("link.l1.rx.msgsize").Update(v)
	}
	r.Histogram("link.l1.latency").Update(3e6)
	r.Meter("link.dropped_msgs:l1").Mark(1)
	r.Gauge("circuits", func() float64 { return 12 })
	r.Gauge("edge.connections", func() float64 { return 4 })
	r.Gauge("new.thing", func() float64 { return math.NaN() })
	f.Take("r1", reportOf(r))
	f.Take("r2", reportOf(r))
	page := f.page(t, false)
	for _, name := range []string{"ziti__edge_management_v1_services__id_GET", "ziti__edge_management_v1_services_id_GET"} {
		if page[name] != nil && name != "ziti__edge_management_v1_services_id_GET" {
			t.Errorf("%s is there", name)
		}
	}
	if page["ziti__edge_management_v1_services_id_GET"] == nil || page["ziti__edge_management_v1_services_POST"] != nil {
		t.Error("routes: those that were called, and no others")
	}
	if h := page["weft_state_apply_seconds"].Metric[0].Histogram; h.GetSampleCount() != 1 || math.Abs(h.GetSampleSum()-0.002) > 1e-9 {
		t.Errorf("weft_state_apply_seconds: %v", h)
	}
	if v := page["weft_events_dropped_total"].Metric[0].Counter.GetValue(); v != 7 {
		t.Errorf("weft_events_dropped_total is %v", v)
	}
	if page["ziti_command_limiter_queued_c"] == nil {
		t.Error("names that end in _count get _c, as in the ecosystem")
	}
	if got := page["ziti_ctrl_latency"].Metric; len(got) != 2 || labelsOf(got[0])["router_id"] != "r1" || labelsOf(got[1])["router_name"] != "edge \"r2\"\n" {
		t.Errorf("ziti_ctrl_latency: %v", got)
	}
	size := page["ziti_link_rx_msgsize"].Metric
	if len(size) != 2 {
		t.Fatalf("ziti_link_rx_msgsize: %v", size)
	}
	for _, m := range size {
		l, h := labelsOf(m), m.Histogram
		if l["link_id"] != "l1" || l["source_router_id"] != "r1" || l["target_router_id"] != "r2" || l["source_name"] == "" {
			t.Errorf("labels of a link: %v", l)
		}
		if h.GetSampleCount() != 5 || h.GetSampleSum() != 10+64+65+5000+1<<30 || h.Bucket[0].GetCumulativeCount() != 2 || h.Bucket[1].GetCumulativeCount() != 3 {
			t.Errorf("histogram of sizes: %v", h)
		}
	}
	if page["weft_router_circuits"] == nil || page["weft_router_new_thing"] == nil || page["ziti_edge_connections"].Metric[0].Gauge.GetValue() != 4 {
		t.Error("gauges of routers are missing")
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total", "process_resident_memory_bytes", "weft_build_info"} {
		if page[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestRoutersThatDied: what a router reported is there while it is connected.
func TestRoutersThatDied(t *testing.T) {
	f := newFixture()
	i := observe.NewInstruments(nil)
	i.Gauge("edge.connections", func() float64 { return 4 })
	f.Take("r1", reportOf(i))
	f.Take("r2", reportOf(i))
	if got := len(f.page(t, false)["ziti_edge_connections"].Metric); got != 2 {
		t.Fatalf("%d routers", got)
	}
	f.online["r1"] = false
	f.Forget("r1")
	got := f.page(t, false)["ziti_edge_connections"].Metric
	if len(got) != 1 || labelsOf(got[0])["source_id"] != "r2" {
		t.Errorf("after the end of r1: %v", got)
	}
	f.online["r2"] = false // not forgotten yet
	if f.page(t, false)["ziti_edge_connections"] != nil {
		t.Error("a router that is offline is shown")
	}
}

// TestTimestamps are those of the reports.
func TestTimestamps(t *testing.T) {
	f := newFixture()
	f.instruments.Gauge("weft.links", func() float64 { return 1 })
	i := observe.NewInstruments(nil)
	i.Gauge("edge.connections", func() float64 { return 4 })
	f.Take("r1", reportOf(i))
	page := f.page(t, true)
	if at := page["weft_links"].Metric[0].GetTimestampMs(); at != 2_000_000 {
		t.Errorf("of the controller: %d", at)
	}
	if at := page["ziti_edge_connections"].Metric[0].GetTimestampMs(); at != 1_500_000 {
		t.Errorf("of a router: %d", at)
	}
}

// TestReportsAgainstThePage: reports that are not what they should be do not
// break the page.
func TestReportsAgainstThePage(t *testing.T) {
	f := newFixture()
	f.instruments.Gauge("weft.links", func() float64 { return 1 })
	f.instruments.Timer("weft.state.apply").Update(1)
	f.Take("r1", &ctrl.MetricsReport{Metrics: []*ctrl.Metric{
		{Name: "edge.connections", Kind: "gauge", Values: map[string]float64{"value": math.Inf(-1)}},
		{Name: "edge.connections", Kind: "gauge", Values: map[string]float64{"value": 2}},
		{Name: "edge-connections", Kind: "timer", Values: map[string]float64{"count": 2}},
		{Name: "", Kind: "gauge", Values: map[string]float64{"value": 2}},
		{Name: strings.Repeat("x", 1000), Kind: "gauge", Values: map[string]float64{"value": 2}},
		{Name: "weft.links", Kind: "timer", Buckets: []uint64{1, 2}, Values: map[string]float64{"count": 2, "mean": 5}},
		{Name: "odd\n# TYPE\xff{}:a\"b\\\n\xff", Kind: "gauge", Values: map[string]float64{"value": 1}},
		{Name: "link.l9.latency", Kind: "histogram", Values: map[string]float64{"count": 3, "mean": 2}},
		{Name: "link.l8.latency", Kind: "histogram", Values: map[string]float64{"count": math.NaN()}},
		{Name: "nothing", Kind: "gauge"},
		{Name: "what", Kind: "summary"},
		{Name: "/edge/x", Kind: "timer", Values: map[string]float64{"count": 3}},
		{Name: ":", Kind: "gauge", Values: map[string]float64{"value": 1}},
		{Name: "link.", Kind: "gauge", Values: map[string]float64{"value": 1}},
	}})
	page := f.page(t, false)
	if h := page["ziti_link_latency"].Metric[0].Histogram; h.GetSampleCount() != 3 || h.GetSampleSum() != 6 {
		t.Errorf("a histogram without buckets: %v", h)
	}
	if len(page["weft_links"].Metric) != 1 || f.rejected < 6 {
		t.Errorf("weft_links: %v; %d rejected", page["weft_links"], f.rejected)
	}
}

// TestHandler: media type, compression, methods.
func TestHandler(t *testing.T) {
	f := newFixture()
	f.instruments.Gauge("weft.links", func() float64 { return 1 })
	h := f.Handler(false)
	ask := func(method string, header http.Header) *http.Response {
		r := httptest.NewRequest(method, "/metrics", nil)
		r.Header = header
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	plain := ask("GET", http.Header{})
	text, err := io.ReadAll(plain.Body)
	if err != nil || plain.Header.Get("Content-Type") != ContentType {
		t.Fatal(err, plain.Header)
	}
	parse(t, text)
	z, err := gzip.NewReader(ask("GET", http.Header{"Accept-Encoding": {"gzip"}}).Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	parse(t, text)
	if got := ask("POST", http.Header{}).StatusCode; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got)
	}
	if got := ask("HEAD", http.Header{}).StatusCode; got != http.StatusOK {
		t.Errorf("HEAD: %d", got)
	}
}

// TestCatalogue: every definition has a family of its own.
func TestCatalogue(t *testing.T) {
	seen := make(map[string]string)
	for _, d := range Catalogue() {
		name, _ := FamilyOf(d)
		if other, ok := seen[name]; ok {
			t.Errorf("%s and %s are both %s", d.Name, other, name)
		}
		seen[name] = d.Name
		if !strings.HasSuffix(d.Doc, ".") || strings.Contains(d.Doc, "|") {
			t.Errorf("%s: %q is no sentence for a page", d.Name, d.Doc)
		}
	}
}
