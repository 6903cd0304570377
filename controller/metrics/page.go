package metrics

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// page writes the text format piece by piece.
type page struct {
	w    io.Writer
	buf  []byte
	err  error
	from []origin
	e    *Exporter
	link map[string]string // labels by link id
	le   map[float64]string
}

// origin is a source with what is the same in all of its lines.
type origin struct {
	source
	labels string // such as source_id="r1"
	stamp  string // a blank and the time of the report, empty without timestamps
}

// pageBuffer is how much gathers before it is written.
const pageBuffer = 64 << 10

func newPage(w io.Writer, sources []source, timestamps bool, e *Exporter) *page {
	p := &page{w: w, buf: make([]byte, 0, pageBuffer+4<<10), e: e, link: make(map[string]string), le: make(map[float64]string)}
	for _, s := range sources {
		o := origin{source: s, labels: label("source_id", s.id)}
		if s.name != "" {
			o.labels += "," + label("source_name", s.name)
		}
		if timestamps {
			o.stamp = " " + strconv.FormatInt(s.at.UnixMilli(), 10)
		}
		p.from = append(p.from, o)
	}
	return p
}

func (p *page) flush() error {
	if p.err == nil && len(p.buf) > 0 {
		_, p.err = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
	return p.err
}

func (p *page) add(parts ...string) {
	for _, s := range parts {
		p.buf = append(p.buf, s...)
	}
	if len(p.buf) >= pageBuffer {
		_ = p.flush() // the error stays, and nothing is written any more
	}
}

// head begins a family.
func (p *page) head(name, kind, help string) {
	p.add("# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n")
}

// family writes a family with the measurements of all sources.
func (p *page) family(name string) {
	var first *group
	for i := range p.from {
		g := p.from[i].families[name]
		if g == nil || first != nil && first.kind != g.kind || p.err != nil {
			continue
		}
		if first == nil {
			first = g
			p.head(name, g.kind, g.help)
		}
		for n := range g.samples {
			p.sample(&p.from[i], g.family, &g.samples[n])
		}
	}
}

func (p *page) sample(o *origin, f *family, s *sample) {
	about := p.about(f, s.about)
	if f.kind != histogram {
		p.add(f.name, "{", o.labels, about, "} ", number(s.value*f.scale), o.stamp, "\n")
		return
	}
	var count uint64
	for i, n := range s.buckets {
		count += n
		le := "+Inf"
		if i < len(s.bounds) {
			le = p.bound(s.bounds[i] * f.scale)
		}
		p.add(f.name, "_bucket{", o.labels, about, `,le="`, le, `"} `, strconv.FormatUint(count, 10), o.stamp, "\n")
	}
	p.add(f.name, "_sum{", o.labels, about, "} ", number(s.value*f.scale), o.stamp, "\n")
	p.add(f.name, "_count{", o.labels, about, "} ", strconv.FormatUint(count, 10), o.stamp, "\n")
}

func (p *page) bound(b float64) string {
	s, ok := p.le[b]
	if !ok {
		s = strconv.FormatFloat(b, 'g', 12, 64)
		p.le[b] = s
	}
	return s
}

// about returns the labels of what a measurement is about, after a comma.
func (p *page) about(f *family, id string) string {
	switch {
	case id == "" || f.about == "":
		return ""
	case f.about == labelRouter:
		out := "," + label(labelRouter, id)
		if name, _ := p.e.cfg.Router(id); name != "" {
			out += "," + label("router_name", name)
		}
		return out
	case f.about != labelLink:
		return "," + label(f.about, id)
	}
	out, ok := p.link[id]
	if !ok {
		out = "," + label(labelLink, id)
		if src, dst, known := p.e.cfg.Link(id); known {
			out += "," + label("source_router_id", src) + "," + label("target_router_id", dst)
		}
		p.link[id] = out
	}
	return out
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func label(name, value string) string {
	return name + `="` + escaper.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case math.IsNaN(v):
		return "NaN"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
