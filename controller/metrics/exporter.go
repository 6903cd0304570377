package metrics

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/wire/ctrl"
)

// Config describes an Exporter. All of it is required.
type Config struct {
	ID string // of the controller
	// Keep is whether reports of routers are wanted at all.
	Keep bool
	// Read returns what the controller has measured.
	Read func() []observe.Reading
	// Router returns the name of a router and whether it is connected; what one
	// that is not has reported disappears.
	Router func(id string) (name string, online bool)
	// Link returns the routers of a link.
	Link func(id string) (src, dst string, ok bool)
	// Rejected counts measurements of routers that were left out.
	Rejected func(n int)
	Version  string // of the program
	Started  time.Time
	Now      func() time.Time
}

// Exporter writes measurements. All methods are safe for concurrent use.
type Exporter struct {
	cfg   Config
	known families

	mu      sync.Mutex
	reports map[string]*report // the latest of connected routers, by id
}

// New returns an exporter that knows of no router.
func New(cfg Config) *Exporter {
	return &Exporter{cfg: cfg, known: newFamilies(), reports: make(map[string]*report)}
}

// Take keeps the report of a router in the place of the one before. It does not
// keep m.
func (e *Exporter) Take(routerID string, m *ctrl.MetricsReport) {
	if !e.cfg.Keep {
		return
	}
	r, rejected := take(m, e.known)
	if rejected > 0 {
		e.cfg.Rejected(rejected)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reports[routerID] = r
}

// Forget drops what a router has reported.
func (e *Exporter) Forget(routerID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.reports, routerID)
}

// source is a process with its report.
type source struct {
	*report
	id, name string
}

// sources returns what there is to write: the controller, then the connected
// routers by id.
func (e *Exporter) sources() []source {
	e.mu.Lock()
	reports := maps.Clone(e.reports)
	e.mu.Unlock()
	out := []source{{report: e.own(), id: e.cfg.ID}}
	for id, r := range reports {
		if name, online := e.cfg.Router(id); online {
			out = append(out, source{r, id, name})
		}
	}
	slices.SortFunc(out[1:], func(a, b source) int { return cmp.Compare(a.id, b.id) })
	return out
}

// own returns what the controller has measured.
func (e *Exporter) own() *report {
	r := &report{at: e.cfg.Now(), families: make(map[string]*group)}
	for _, m := range Used(e.cfg.Read()) {
		f, about := e.known.of(m.Name, m.Kind, false)
		if s, ok := sampleOf(m.Name, m.Kind, f, m.Values, m.Buckets, m.Sum); ok {
			s.about = about
			r.add(f, s)
		}
	}
	return r
}

// Used leaves out the routes of the APIs that nobody has called.
func Used(readings []observe.Reading) []observe.Reading {
	return slices.DeleteFunc(readings, func(m observe.Reading) bool { return m.Name[0] == '/' && m.Values["count"] == 0 })
}

// Write writes everything in the text format, one family after the other. What is
// written is what was there at its begin.
func (e *Exporter) Write(w io.Writer, timestamps bool) error {
	sources := e.sources()
	names := make(map[string]bool)
	for _, s := range sources {
		for name := range s.families {
			names[name] = true
		}
	}
	p := newPage(w, sources, timestamps, e)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p.family(name)
	}
	p.process(e.cfg.Version, e.cfg.Started)
	return p.flush()
}
