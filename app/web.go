package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/weftnet/weft/conf"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/metrics"
	"github.com/weftnet/weft/pki"
)

// maxHeader bounds the header of a request in bytes.
const maxHeader = 64 << 10

// webServers are the HTTPS servers of a process.
type webServers struct {
	servers []webServer
	overlay []*overlayPoint   // of all servers
	metrics *metrics.Exporter // nil at routers
	serving sync.WaitGroup
	log     *slog.Logger
}

type webServer struct {
	name    string
	http    *http.Server
	on      []net.Listener
	overlay []*overlayPoint
}

// add makes a server of the configuration with the bindings that are there.
func (w *webServers) add(index int, c *conf.WebServer, identity *pki.Identity, bindings map[string]chttp.Binding, p *ports) error {
	section := fmt.Sprintf("web[%d]", index)
	var hosted []chttp.Binding
	for i, a := range c.APIs {
		b, ok := bindings[a.Binding]
		if a.Binding == conf.BindingSPA || a.Binding == conf.BindingZAC {
			var err error
			if b, err = pagesBinding(fmt.Sprintf("%s.apis[%d]", section, i), a); err != nil {
				return err
			}
			ok = true
		}
		if a.Binding == conf.BindingMetrics && w.metrics != nil {
			var err error
			if b, err = metricsBinding(fmt.Sprintf("%s.apis[%d]", section, i), a, w.metrics); err != nil {
				return err
			}
			ok = true
		}
		if ok {
			hosted = append(hosted, b)
		}
	}
	if len(hosted) == 0 {
		return nil // only bindings that are not active yet; the log has named them
	}
	server := webServer{name: c.Name, http: httpServer(c.Options, chttp.Listener(hosted...), w.log)}
	moved := newAddresses{}
	watchStrangers(server.http, section, strangersWithin(), w.log)
	tlsConfig := identity.ServerTLS()
	tlsConfig.MinVersion, tlsConfig.MaxVersion = tlsVersions[c.Options.MinTLSVersion], tlsVersions[c.Options.MaxTLSVersion]
	for i, b := range c.BindPoints {
		use := fmt.Sprintf("%s.bindPoints[%d]", section, i)
		if b.Identity != nil {
			o, err := newOverlayPoint(use+".identity", b.Identity, tlsConfig, w.log)
			if err != nil {
				return err
			}
			server.overlay = append(server.overlay, o)
			w.overlay = append(w.overlay, o)
			continue
		}
		l, err := p.listener(use+".interface", b.Interface, tlsConfig, "h2", "http/1.1", "")
		if err != nil {
			return err
		}
		server.on = append(server.on, l)
		if !b.NewAddress.IsZero() {
			moved[l] = "https://" + b.NewAddress.String()
		}
	}
	moved.announce(server.http)
	w.servers = append(w.servers, server)
	return nil
}

// newAddresses are where clients of listeners should move to.
type newAddresses map[net.Listener]string

type newAddressKey struct{}

// announce has a server that does not run yet name the new address of the
// listener in every response.
func (n newAddresses) announce(s *http.Server) {
	if len(n) == 0 {
		return
	}
	s.BaseContext = func(l net.Listener) context.Context {
		return context.WithValue(context.Background(), newAddressKey{}, n[l])
	}
	next := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to, _ := r.Context().Value(newAddressKey{}).(string); to != "" {
			w.Header().Set("Ziti-Ctrl-Address", to)
		}
		next.ServeHTTP(w, r)
	})
}

// checkAdvertised refuses bind points whose advertised host is not a name of
// the server's certificate: no client could connect.
func checkAdvertised(index int, c conf.WebServer, identity *pki.Identity) error {
	for i, b := range c.BindPoints {
		if b.Identity == nil && identity.ServerCertificateValidFor(b.Address.Host) == nil {
			return wrong(fmt.Sprintf("web[%d].bindPoints[%d].address", index, i), "advertise a name of the certificate, or replace the certificate",
				"the server certificate is not valid for %s", b.Address.Host)
		}
	}
	return nil
}

var tlsVersions = map[string]uint16{
	"TLS1.0": tls.VersionTLS10, "TLS1.1": tls.VersionTLS11, "TLS1.2": tls.VersionTLS12, "TLS1.3": tls.VersionTLS13,
}

func httpServer(o conf.WebOptions, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadTimeout: o.ReadTimeout, ReadHeaderTimeout: o.ReadTimeout,
		WriteTimeout: o.WriteTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// serve answers requests until Close.
func (w *webServers) serve() {
	for _, s := range w.servers {
		for _, l := range s.on {
			w.serving.Go(func() { w.run(s, l) })
		}
		for _, o := range s.overlay {
			w.serving.Go(func() {
				l, err := o.listen(context.Background())
				if err != nil {
					w.log.Error("not serving over the network", "server", s.name, "error", err)
					return
				}
				w.run(s, l)
			})
		}
	}
}

func (w *webServers) run(s webServer, l net.Listener) {
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		w.log.Error("web server stopped", "server", s.name, "error", err)
	}
}

// shutdownTime is how long requests in progress may take when a process ends.
const shutdownTime = 300 * time.Millisecond

// Close lets requests in progress finish, for a short time, and waits.
func (w *webServers) Close() error {
	errs := []error{w.closeOverlay()} // while the APIs are there, which it logs out of
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	for _, s := range w.servers {
		if err := s.http.Shutdown(ctx); err != nil {
			errs = append(errs, s.http.Close())
		}
	}
	w.serving.Wait()
	return errors.Join(errs...)
}

// closeOverlay stops serving over the network. Further calls do nothing.
func (w *webServers) closeOverlay() error {
	var errs []error
	for _, o := range w.overlay {
		errs = append(errs, o.Close())
	}
	w.overlay = nil
	return errors.Join(errs...)
}
