package metrics

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/weftnet/weft/limit"
)

// ContentType is the media type of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Bounds of scrapes: at once, and the time of one.
const (
	maxScrapes = 4
	scrapeTime = time.Minute
)

// Handler returns the handler of GET /metrics. Time stamps, if wanted, are those
// of the reports.
func (e *Exporter) Handler(timestamps bool) http.Handler {
	slots := limit.NewSlots(maxScrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "metrics are read with GET", http.StatusMethodNotAllowed)
			return
		}
		if !slots.Try() {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "too many scrapes at once", http.StatusServiceUnavailable)
			return
		}
		defer slots.Free()
		w.Header().Set("Content-Type", ContentType)
		w.Header().Set("Vary", "Accept-Encoding")
		if r.Method == http.MethodHead {
			return
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(scrapeTime)) // not all writers have one
		out, finish := io.Writer(w), func() error { return nil }
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is a valid one
			out, finish = z, z.Close
		}
		if e.Write(out, timestamps) == nil { // else the scraper has gone
			_ = finish()
		}
	})
}
