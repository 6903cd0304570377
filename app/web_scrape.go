package app

import (
	"crypto/x509"
	"net/http"
	"os"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// scrapeGate lets only the holder of one certificate read metrics.
type scrapeGate struct {
	only *x509.Certificate // nil lets everybody
	next http.Handler
	now  func() time.Time
}

// newScrapeGate puts the gate of a metrics entry in front of its handler; use
// names the entry in errors.
func newScrapeGate(use string, o conf.APIOptions, next http.Handler) (http.Handler, error) {
	g := &scrapeGate{next: next, now: time.Now}
	if o.ScrapeCert == "" {
		return g, nil
	}
	text, err := os.ReadFile(o.ScrapeCert)
	if err == nil {
		var certs []*x509.Certificate
		if certs, err = pki.ParseCertificates(text); err == nil {
			g.only = certs[0]
		}
	}
	if err != nil {
		return nil, problem("name the PEM file of the certificate that the scraper presents", "%s.options.scrapeCert: %w", use, err)
	}
	return g, nil
}

// ServeHTTP passes requests on that come over a connection whose client holds the
// certificate, while that is valid.
func (g *scrapeGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.only != nil && !g.admits(r) {
		http.Error(w, "metrics are for the holder of another certificate", http.StatusUnauthorized)
		return
	}
	g.next.ServeHTTP(w, r)
}

func (g *scrapeGate) admits(r *http.Request) bool {
	now := g.now()
	return r.TLS != nil && len(r.TLS.PeerCertificates) > 0 && r.TLS.PeerCertificates[0].Equal(g.only) &&
		!now.Before(g.only.NotBefore) && !now.After(g.only.NotAfter)
}
