package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
)

// alpn is the protocol of edge connections.
const alpn = "ziti-edge"

// shortLife is how long a connection must have lived to prove that the router
// accepts the session: routers of the field answer the hello before they judge it.
const shortLife = 8 * time.Second

// verifyTimeout bounds the question whether the session is still good.
const verifyTimeout = 3 * time.Second

// router is an edge router that the client may use, connected or not.
type router struct {
	c             *Client
	name, address string
	dials         flight[*link]

	mu     sync.Mutex
	links  map[*link]struct{} // all that live; those of ended sessions carry old connections only
	cur    *link              // for new connections, nil if there is none
	doubt  bool               // the last connection died young
	closed bool
}

// router returns the router of an address.
func (c *Client) router(a routerAddr) *router {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.routers[a.address]
	if r == nil {
		r = &router{c: c, name: a.name, address: a.address, links: make(map[*link]struct{}), closed: c.closed}
		c.routers[a.address] = r
	}
	return r
}

// current returns the live connection of a session, nil if there is none.
func (r *router) current(s *login) *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cur != nil && r.cur.login.id == s.id {
		return r.cur
	}
	return nil
}

// connect returns the live connection of a session or makes one.
func (r *router) connect(ctx context.Context, s *login) (*link, error) {
	if l := r.current(s); l != nil {
		return l, nil
	}
	return r.dials.do(ctx, r.c.spawn, func() (*link, error) {
		if l := r.current(s); l != nil {
			return l, nil
		}
		return r.dial(r.c.ctx)
	})
}

func (r *router) dial(ctx context.Context) (*link, error) {
	r.mu.Lock()
	doubt := r.doubt
	r.doubt = false
	r.mu.Unlock()
	if doubt {
		vctx, cancel := context.WithTimeout(ctx, verifyTimeout)
		err := r.c.verifyLogin(vctx)
		cancel()
		var refused *Error
		if errors.As(err, &refused) {
			return nil, err
		}
		if err != nil { // without a controller the session may still be good
			r.c.log.Debug("session not verified", "error", err)
		}
	}
	s, err := r.c.login(ctx)
	if err != nil {
		return nil, err
	}
	l := newLink(r, s)
	hello := edge.Hello{Token: s.token, SupportsInspect: true, Body: []byte(s.identityID)}
	_, result, err := channel.Dial(ctx, channel.DialConfig{
		Address: r.address,
		Net:     r.c.opts.DialContext,
		TLS:     r.c.material.tls(s.cert),
		ALPN:    alpn,
		Hello:   *hello.Encode(),
		Options: channel.Options{IsControl: edge.IsControl, Log: r.c.log},
		Handler: l,
	})
	if err != nil {
		return nil, r.dialFailed(err)
	}
	<-l.running
	return l, r.adopt(l, result.Headers.Bool(edge.HeaderSupportsBindSuccess))
}

// adopt makes l the connection for new work.
func (r *router) adopt(l *link, bindSuccess bool) error {
	r.mu.Lock()
	l.bindSuccess = bindSuccess
	old := r.cur
	gone := r.closed || l.dead()
	if !gone {
		r.cur = l
		r.links[l] = struct{}{}
	}
	r.mu.Unlock()
	if gone {
		l.ch.Close()
		return l.lost(l.ch.Err())
	}
	if old != nil {
		old.retire()
	}
	r.c.log.Debug("connected to router", "router", r.name, "address", r.address)
	r.c.spawn(func() { l.probe(r.c.ctx) })
	return nil
}

func (r *router) dialFailed(err error) error {
	var rejected *channel.RejectedError
	if errors.As(err, &rejected) {
		r.mu.Lock()
		r.doubt = true
		r.mu.Unlock()
		e := fromClosed(&edge.StateClosed{Reason: rejected.Reason, Error: edge.ParseStructuredError(rejected.Result)})
		e.Op = "connect to router " + r.name
		return e
	}
	kind := ErrNoRouter
	if hungUp(err) {
		kind = errHungUp
	}
	return &Error{Op: "connect to router " + r.name, Code: "ROUTER_UNREACHABLE", Message: err.Error(), kind: kind,
		Remedy: "check that the router runs and that " + r.address + " leads to it from here"}
}

// errHungUp is ErrNoRouter of a router that was there and closed the connection
// before it had answered: one that is busy beyond its limits, or restarts.
var errHungUp = fmt.Errorf("%w: it hung up", ErrNoRouter)

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// drop forgets a connection that has ended.
func (r *router) drop(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.links, l)
	if r.cur == l {
		r.cur = nil
	}
	if time.Since(l.opened) < shortLife {
		r.doubt = true
	}
}

// close ends all connections and waits for their goroutines.
func (r *router) close() {
	r.mu.Lock()
	r.closed = true
	var links []*link
	for l := range r.links {
		links = append(links, l)
	}
	r.mu.Unlock()
	for _, l := range links {
		l.ch.Close()
	}
	for _, l := range links {
		l.ch.Wait()
	}
}
