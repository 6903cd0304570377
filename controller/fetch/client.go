package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Config describes a Client.
type Config struct {
	Gates Gates
	// Timeout bounds a fetch with its redirects; 5 s by default.
	Timeout time.Duration
	// MaxRedirects is how many redirects are followed; 0 is none.
	MaxRedirects int
	// MaxBytes bounds a document; 1 MiB by default.
	MaxBytes int64
	// TLS is for connections by https; nil trusts the roots of the system.
	TLS *tls.Config
}

// Client fetches documents. It keeps no connection, so that every fetch passes
// the gates, and uses no proxy. It is safe for concurrent use.
type Client struct {
	http http.Client
	max  int64
}

// New returns a client.
func New(cfg Config) *Client {
	if cfg.Timeout == 0 {
		cfg.Timeout = 5 * time.Second
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 1 << 20
	}
	return &Client{max: cfg.MaxBytes, http: http.Client{
		Timeout:       cfg.Timeout,
		CheckRedirect: redirects(cfg.MaxRedirects),
		Transport: &http.Transport{
			DialContext: gated(cfg.Gates), DisableKeepAlives: true, TLSClientConfig: cfg.TLS, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}
}

// gated returns how connections are made: the host gate sees the name, in
// ASCII, the address gate every address that the name has.
func gated(g Gates) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
		return g.Address(at.Addr())
	}}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		if err := g.Host(host); err != nil {
			return nil, err
		}
		return dialer.DialContext(ctx, network, address)
	}
}

func redirects(most int) func(*http.Request, []*http.Request) error {
	return func(to *http.Request, via []*http.Request) error {
		if len(via) > most {
			return fmt.Errorf("fetch: more than %d redirects", most)
		}
		if via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
			return errors.New("fetch: redirected from https to " + to.URL.Scheme)
		}
		return nil
	}
}

// Get returns the document at url with the header of its response. Errors:
// *BlockedError inside, a status other than 200, a document that is too large,
// those of the connection and of ctx.
func (c *Client) Get(ctx context.Context, url string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("fetch: %s answers %s", req.URL.Redacted(), resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.max+1))
	if err != nil {
		return nil, nil, fmt.Errorf("fetch: %w", err)
	}
	if int64(len(body)) > c.max {
		return nil, nil, fmt.Errorf("fetch: %s is larger than %d bytes", req.URL.Redacted(), c.max)
	}
	return body, resp.Header, nil
}
