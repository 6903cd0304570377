// Package client is the client of the edge and fabric APIs of a controller. Types and
// methods of the operations are generated from the operation table of the
// controller (see internal/gen); this file and call.go are the hand-written
// ground beneath them. Only the standard library is used.
//
// A Client is safe for concurrent use. Methods return an *Error for every
// refusal of the controller and the plain error of net/http for everything
// else, such as a controller that cannot be reached.
package client

//go:generate go test ./internal/gen -update

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Options are the settings of a Client; the zero value is usable.
type Options struct {
	// TLS holds trust anchors and client certificates; nil for the system's.
	// It is used only if HTTP is nil.
	TLS *tls.Config
	// HTTP sends the requests; nil for a client of our own that keeps
	// connections open and gives up after 30 s.
	HTTP *http.Client
	// Token is the session token to begin with, see Client.SetToken.
	Token string
	// Wrap puts a layer around what sends the requests, if it is set and HTTP
	// is nil.
	Wrap func(http.RoundTripper) http.RoundTripper
	// UserAgent is the name sent to the controller; empty for weft-client.
	UserAgent string
}

// Client sends requests to one controller.
type Client struct {
	http      *http.Client
	base      string // scheme, host and port
	userAgent string
	token     atomic.Pointer[string]
}

// New returns a client for the controller at address: a URL or host:port, its
// path does not matter. Nothing is sent yet.
func New(address string, o Options) (*Client, error) {
	base, err := baseOf(address)
	if err != nil {
		return nil, err
	}
	c := &Client{http: o.HTTP, base: base, userAgent: o.UserAgent}
	if c.http == nil {
		c.http = newHTTP(o.TLS)
		if o.Wrap != nil {
			c.http.Transport = o.Wrap(c.http.Transport)
		}
	}
	if c.userAgent == "" {
		c.userAgent = "weft-client"
	}
	c.SetToken(o.Token)
	return c, nil
}

func newHTTP(cfg *tls.Config) *http.Client {
	dial := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			TLSClientConfig:       cfg,
			DialContext:           dial.DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: 25 * time.Second,
			IdleConnTimeout:       90 * time.Second,
			MaxIdleConnsPerHost:   16,
			ForceAttemptHTTP2:     true,
		},
	}
}

// baseOf returns the scheme, host and port of an address.
func baseOf(address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("controller address: %w", err)
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", fmt.Errorf("controller address %q: want https://host:port", address)
	}
	return u.Scheme + "://" + u.Host, nil
}

// Address returns scheme, host and port of the controller.
func (c *Client) Address() string { return c.base }

// SetToken makes all later requests carry the session token; empty for none. A
// token that begins with ey is a JWT and goes into the header Authorization,
// every other into zt-session.
func (c *Client) SetToken(token string) { c.token.Store(&token) }

// Token returns the current session token.
func (c *Client) Token() string { return *c.token.Load() }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Management returns the operations of the management API.
func (c *Client) Management() *Management { return &Management{c} }

// Edge returns the operations of the client API.
func (c *Client) Edge() *Edge { return &Edge{c} }

// Fabric returns the operations of the fabric API.
func (c *Client) Fabric() *Fabric { return &Fabric{c} }

// Management has one method per operation of the management API.
type Management struct{ c *Client }

// Edge has one method per operation of the client API.
type Edge struct{ c *Client }

// Fabric has one method per operation of the fabric API.
type Fabric struct{ c *Client }

// Fabric returns the operations of the fabric API of the same controller.
func (a *Management) Fabric() *Fabric { return &Fabric{a.c} }

// Ptr returns a pointer to v, for the members of inputs.
func Ptr[T any](v T) *T { return &v }
