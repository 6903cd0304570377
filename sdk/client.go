package sdk

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/weftnet/weft/flow"
)

// Options of a Client. The zero value is good for an enrolled identity.
type Options struct {
	// Username and Password log in instead of the identity's certificate.
	Username, Password string
	// ConfigTypes replaces that of the identity file.
	ConfigTypes []string
	// AppID names the application to the controller.
	AppID string
	// RefreshInterval is how often the client asks the controller for changes of
	// its services; this also keeps its session alive. One minute by default,
	// jittered; it must be well below the session timeout of the controller.
	RefreshInterval time.Duration
	// ServicesChanged is called after the controller has reported a change of
	// services. It must not block.
	ServicesChanged func()
	// DialContext makes the TCP connections to routers; nil means a net.Dialer.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// Log may be nil.
	Log *slog.Logger
}

// Client is an identity at work. The owner calls Close.
type Client struct {
	identity *Identity
	material *material
	opts     Options
	rest     *rest
	log      *slog.Logger

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	logins flight[*login]

	mu          sync.Mutex
	wg          sync.WaitGroup // all goroutines; no Add after closed
	closed      bool
	session     *login              // nil before the first login and after its end
	services    map[string]*Service // by name; what is known of them
	allServices []Service           // nil: not known
	changes     int                 // counts what made services stale
	sessions    map[sessionKey]*serviceSession
	flights     map[sessionKey]*flight[*serviceSession]
	sticky      map[string][]byte // stickiness tokens by service id
	routers     map[string]*router
	listeners   map[*Listener]struct{}
	refreshing  bool
}

// New makes a client for an identity. It reads keys and certificates but does
// not contact anybody.
func New(id *Identity, o Options) (*Client, error) {
	m, err := id.load()
	if err != nil {
		return nil, err
	}
	urls := id.urls()
	if len(urls) == 0 {
		return nil, errors.New("sdk: the identity names no controller")
	}
	if o.RefreshInterval <= 0 {
		o.RefreshInterval = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{
		identity: id, material: m, opts: o, log: o.Log,
		rest:      newREST(m.tls(m.cert), urls),
		services:  make(map[string]*Service),
		sessions:  make(map[sessionKey]*serviceSession),
		flights:   make(map[sessionKey]*flight[*serviceSession]),
		sticky:    make(map[string][]byte),
		routers:   make(map[string]*router),
		listeners: make(map[*Listener]struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// spawn runs f on a goroutine that Close waits for; false after Close.
func (c *Client) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		f()
	}()
	return true
}

const (
	logoutTimeout = 2 * time.Second
	closeLinger   = time.Second // for connections to end in order
)

// Close closes all listeners and connections, logs out and waits for all
// goroutines. What was written before gets a second to be delivered.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	var listeners []*Listener
	for l := range c.listeners {
		listeners = append(listeners, l)
	}
	var routers []*router
	for _, r := range c.routers {
		routers = append(routers, r)
	}
	c.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}
	c.closeConns()
	c.cancel()
	for _, r := range routers {
		r.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), logoutTimeout)
	defer cancel()
	c.logout(ctx)
	c.wg.Wait()
	c.rest.close()
	return nil
}

// closeConns closes all connections and gives them a moment to end in order.
func (c *Client) closeConns() {
	var conns []*Conn
	for _, l := range c.liveLinks() {
		l.mu.RLock()
		for _, s := range l.sinks {
			if conn, ok := s.(*Conn); ok && conn.ready.Load() {
				conns = append(conns, conn)
			}
		}
		l.mu.RUnlock()
	}
	for _, conn := range conns {
		conn.Close()
	}
	limit := time.NewTimer(closeLinger)
	defer limit.Stop()
	for _, conn := range conns {
		f, ok := conn.body.(*flow.Conn)
		if !ok {
			continue
		}
		select {
		case <-f.Done():
		case <-limit.C:
			return
		}
	}
}

// Identity returns id and name of the identity, after a login; empty before.
func (c *Client) Identity() (id, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return "", ""
	}
	return c.session.identityID, c.session.identityName
}
