package metrics

import (
	"strings"

	"github.com/weftnet/weft/observe"
)

// The types of families of the text format.
const (
	gauge     = "gauge"
	counter   = "counter"
	histogram = "histogram"
)

// family is what Prometheus calls the measurements of one name.
type family struct {
	name  string
	kind  string
	help  string
	about string // label of what they are about, empty for none
	// scale turns values into base units; the ecosystem's measurements keep its
	// nanoseconds.
	scale float64
}

// families are those of the catalogue by the names of instruments.
type families map[string]*family

func newFamilies() families {
	out := make(families)
	for _, d := range Catalogue() {
		f := newFamily(d.Name, d.Kind)
		f.help, f.about = d.Doc, d.About
		if f.kind == counter {
			f.help = strings.Replace(f.help, " per second", "", 1)
		}
		out[d.Name] = f
	}
	return out
}

// FamilyOf returns the name and type by which Prometheus knows the measurements
// of a name of the catalogue.
func FamilyOf(d Definition) (name, kind string) {
	f := newFamily(d.Name, d.Kind)
	return f.name, f.kind
}

func newFamily(name string, kind observe.Kind) *family {
	own, isOwn := strings.CutPrefix(name, Own)
	f := &family{name: "ziti_" + sanitized(name), kind: gauge, scale: 1}
	if isOwn {
		f.name = "weft_" + sanitized(own)
	}
	switch {
	case kind == observe.KindTimer && isOwn:
		f.name, f.kind, f.scale = f.name+"_seconds", histogram, 1e-9
	case kind == observe.KindTimer || kind == observe.KindHistogram:
		f.kind = histogram
	case kind == observe.KindMeter && isOwn:
		f.name, f.kind = f.name+"_total", counter
	case isOwn && strings.HasPrefix(own, "router.") && strings.HasSuffix(own, "_seconds"):
		f.scale = 1e-9
	}
	if rest, ok := strings.CutSuffix(f.name, "_count"); ok { // such names belong to histograms
		f.name = rest + "_c"
	}
	return f
}

// sanitized turns a name into one that Prometheus takes: colons go, everything
// else that is no letter or digit becomes a low line.
func sanitized(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ':':
			return -1
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
}

// of returns the family of a measurement, and what that is about. Those of routers
// that nobody knows here are none of the ecosystem.
func (k families) of(name string, kind observe.Kind, router bool) (f *family, about string) {
	base, about := split(name, k, router)
	if f := k[base]; f != nil {
		return f, about
	}
	switch {
	case router:
		f = newFamily(Own+"router."+base, kind)
		f.help = "A measurement of routers that this controller does not know."
	case strings.HasPrefix(base, "/"):
		f = newFamily(base, kind)
		path, method := base[:strings.LastIndexByte(base, '.')], base[strings.LastIndexByte(base, '.')+1:]
		f.help = "Time of " + method + " " + path + ", in nanoseconds."
	default:
		f = newFamily(base, kind)
		f.help = "A measurement of the controller."
	}
	if about != "" {
		f.about = "about"
	}
	return f, about
}
