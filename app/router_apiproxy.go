package app

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"time"

	"github.com/weftnet/weft/conf"
)

// Headers that the API proxy adds to requests. Controllers must not take them as
// a proof: a client's own are removed.
const (
	headerProxied    = "X-Edge-Router-Proxy-Request" // when
	headerClientCert = "X-Client-CertPem"            // base64 of a certificate that the client presented
)

// Times of the API proxy. An upstream that takes longer is not answered for.
const (
	apiProxyRead  = 10 * time.Second
	apiProxyWrite = 60 * time.Second
	apiProxyIdle  = 30 * time.Second
)

// openAPIProxy opens the server that passes the edge APIs on to a controller.
// It shows the controller no certificate: with the router's, whoever comes by
// here would be the router to the controller, which would renew the router's
// certificates for a stranger's key.
func (r *Router) openAPIProxy() error {
	if r.o.Config.Edge == nil || r.o.Config.Edge.APIProxy == nil {
		return nil
	}
	cfg := r.o.Config.Edge.APIProxy
	const use = "edge.apiProxy.listener"
	inner, err := r.ports.listener(use, cfg.Listener, r.identity.ServerTLS(), "h2", "http/1.1", "")
	if err != nil {
		return err
	}
	upstream := r.identity.ClientTLS()
	upstream.Certificates, upstream.GetClientCertificate = nil, nil
	transport := &http.Transport{
		TLSClientConfig: upstream, DialContext: r.net, TLSHandshakeTimeout: apiProxyRead,
		ResponseHeaderTimeout: apiProxyWrite, IdleConnTimeout: apiProxyIdle, MaxIdleConnsPerHost: 32,
		DisableCompression: true, ForceAttemptHTTP2: true,
	}
	r.parts.add(func() error { transport.CloseIdleConnections(); return nil })
	r.serveHTTPS(use, &http.Server{
		Handler: apiProxy(cfg.Upstream, transport, r.o.Log), ReadHeaderTimeout: apiProxyRead, ReadTimeout: apiProxyWrite,
		WriteTimeout: apiProxyWrite, IdleTimeout: apiProxyIdle, MaxHeaderBytes: maxHeader,
	}, inner)
	return nil
}

// apiProxy passes requests on to https://upstream.
func apiProxy(upstream conf.HostPort, transport http.RoundTripper, log *slog.Logger) http.Handler {
	return &httputil.ReverseProxy{
		Transport: transport,
		ErrorLog:  slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "https", upstream.String()
			p.Out.Host = upstream.String()
			p.SetXForwarded()
			p.Out.Header.Set(headerProxied, time.Now().UTC().Format(time.RFC3339))
			p.Out.Header.Del(headerClientCert)
			if p.In.TLS == nil {
				return
			}
			for _, c := range p.In.TLS.PeerCertificates {
				p.Out.Header.Add(headerClientCert, base64.StdEncoding.EncodeToString(c.Raw))
			}
		},
		ErrorHandler: func(w http.ResponseWriter, in *http.Request, err error) {
			if in.Context().Err() == nil || in.Context().Err() == context.DeadlineExceeded {
				log.Warn("API proxy: no answer", "upstream", upstream.String(), "error", err,
					"remedy", "start the controller, or correct edge.apiProxy.upstream")
			}
			http.Error(w, "the controller at "+upstream.String()+" does not answer", http.StatusBadGateway)
		},
	}
}
