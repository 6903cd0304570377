package sdk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/secretstream"
)

// DialOptions say how to dial.
type DialOptions struct {
	// Instance dials only hosts that listen under this instance name.
	Instance string
	// AppData is handed to the host with the connection.
	AppData []byte
	// CallerID replaces the identity's name as what the host is told; it proves nothing.
	CallerID string
	// StickinessToken, of an earlier Conn, leads to the same host if the
	// service's strategy supports that.
	StickinessToken []byte
	// Sticky remembers and presents the token of the last connection to the service.
	Sticky bool
	// Timeout bounds the dial if ctx has no deadline; 15 s by default.
	Timeout time.Duration
}

const (
	defaultDialTimeout = 15 * time.Second
	dialAttempts       = 3
)

// Dial connects to a service by name. Errors: ErrServiceNotFound,
// ErrAccessDenied, ErrNoRouter, ErrNoTerminator, ErrNoPath, ErrUnreachable, ErrRejected, ErrLogin,
// os.ErrDeadlineExceeded, or that of ctx. The caller closes the connection.
func (c *Client) Dial(ctx context.Context, service string) (*Conn, error) {
	return c.DialWithOptions(ctx, service, DialOptions{})
}

// DialContext dials the service whose name is the host part of address, so
// that it fits http.Transport and the like: http://service/path. The port and
// the network are ignored.
func (c *Client) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	service, _, err := net.SplitHostPort(address)
	if err != nil {
		service = address
	}
	conn, err := c.Dial(ctx, service)
	if err != nil {
		return nil, err // not conn: a nil *Conn in an interface is not nil
	}
	return conn, nil
}

// DialWithOptions is Dial with options.
func (c *Client) DialWithOptions(ctx context.Context, service string, o DialOptions) (*Conn, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cmp.Or(o.Timeout, defaultDialTimeout))
		defer cancel()
	}
	var wait backoff
	for attempt := 1; ; attempt++ {
		conn, err := c.dialOnce(ctx, service, o)
		if err == nil {
			return conn, nil
		}
		if attempt == dialAttempts || ctx.Err() != nil || c.ctx.Err() != nil || !worthRetrying(err) {
			return nil, withOp("dial "+service, err)
		}
		if errors.Is(err, errHungUp) && !pause(ctx, wait.next()) {
			return nil, withOp("dial "+service, err)
		}
		c.log.Debug("dial again", "service", service, "error", err)
	}
}

// worthRetrying: after a stale session, and after a router that went away or
// hung up before it was asked for anything.
func worthRetrying(err error) bool {
	var e *Error
	return errors.Is(err, errHungUp) || errors.As(err, &e) && (e.startOver() || e.sessionEnded || e.Code == codeRouterLost)
}

func (c *Client) dialOnce(ctx context.Context, service string, o DialOptions) (*Conn, error) {
	s, err := c.usable(ctx, service, PermissionDial)
	if err != nil {
		return nil, err
	}
	ss, err := c.serviceSession(ctx, s, PermissionDial, false)
	if err != nil {
		return nil, err
	}
	l, err := c.pickLink(ctx, ss)
	if errors.Is(err, ErrNoRouter) {
		// The list of routers may be old.
		if fresh, ferr := c.serviceSession(ctx, s, PermissionDial, true); ferr == nil && !sameRouters(ss, fresh) {
			ss = fresh
			l, err = c.pickLink(ctx, ss)
		}
	}
	if err != nil {
		return nil, err
	}
	if l.login.id != ss.login.id {
		c.forgetSession(s.ID, PermissionDial, ss)
		return nil, &Error{Code: "SESSION_ENDED", Message: "the session ended meanwhile", sessionEnded: true}
	}
	conn, err := c.connect(ctx, l, s, ss, o)
	var e *Error
	if errors.As(err, &e) && (e.startOver() || (e.Code == "REFUSED" && !c.sessionExists(ctx, ss))) {
		c.forgetSession(s.ID, PermissionDial, ss)
		e.hint = edge.RetryStartOver
	}
	return conn, err
}

// pickLink returns the nearest connected router of a session, or the first one
// that can be connected.
func (c *Client) pickLink(ctx context.Context, ss *serviceSession) (*link, error) {
	var best *link
	for _, a := range ss.routers {
		l := c.router(a).current(ss.login)
		if l != nil && (best == nil || nearer(l, best)) {
			best = l
		}
	}
	if best != nil {
		return best, nil
	}
	type result struct {
		l   *link
		err error
	}
	results := make(chan result, len(ss.routers))
	for _, a := range ss.routers {
		r := c.router(a)
		if !c.spawn(func() {
			l, err := r.connect(c.ctx, ss.login)
			results <- result{l, err}
		}) {
			return nil, ErrClosed
		}
	}
	var failed error
	for range ss.routers {
		select {
		case r := <-results:
			if r.err == nil {
				return r.l, nil
			}
			failed = errors.Join(failed, r.err)
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), failed)
		}
	}
	return nil, failed
}

func nearer(a, b *link) bool {
	x, y := a.rtt.Load(), b.rtt.Load()
	return x != 0 && (y == 0 || x < y)
}

func (c *Client) connect(ctx context.Context, l *link, s *Service, ss *serviceSession, o DialOptions) (*Conn, error) {
	conn := &Conn{l: l, dialer: true, local: Addr{ss.login.identityName}, remote: Addr{s.Name}}
	req := edge.Connect{
		Token: []byte(ss.token), Instance: o.Instance, AppData: o.AppData, StickinessToken: o.StickinessToken,
		CallerID: cmp.Or(o.CallerID, ss.login.identityName), Marker: newMarker(), UseXgress: true,
	}
	if o.Sticky && req.StickinessToken == nil {
		req.StickinessToken = c.stickyToken(s.ID)
	}
	var key *secretstream.KeyPair
	if s.EncryptionRequired {
		var err error
		if key, err = secretstream.NewKeyPair(); err != nil {
			return nil, err
		}
		req.PublicKey, req.CryptoMethod = key.Public(), cryptoLibsodium
	}
	if !l.add(conn) {
		return nil, l.lost(nil)
	}
	req.ConnID = conn.id
	reply, err := l.ch.Request(ctx, req.Encode())
	if err == nil {
		err = conn.connected(reply, key)
	} else if ctx.Err() == nil {
		err = l.lost(err)
	}
	if err != nil {
		conn.giveUp(reply)
		return nil, err
	}
	if o.Sticky && conn.sticky != nil {
		c.setStickyToken(s.ID, conn.sticky)
	}
	return conn, nil
}

// cryptoLibsodium is the crypto method as Go clients send it.
var cryptoLibsodium = []byte{0}

// connected makes the connection of the answer to Connect.
func (c *Conn) connected(reply *message.Message, key *secretstream.KeyPair) error {
	if reply.Type == edge.TypeStateClosed {
		m, err := edge.ParseStateClosed(reply)
		if err != nil {
			return err
		}
		c.gone.Store(true)
		return fromClosed(m)
	}
	m, err := edge.ParseStateConnected(reply)
	if err != nil {
		return err
	}
	c.circuit = m.CircuitID
	c.sticky = slices.Clone(m.StickinessToken)
	if key != nil {
		if len(m.PublicKey) == 0 {
			return &Error{Code: edgeCode(edge.CodeEncryptionDataMissing), Message: "the service requires encryption, but its host sent no key",
				Remedy: "restart the host of the service", kind: ErrEncryption}
		}
		keys, err := secretstream.ClientKeys(key, m.PublicKey)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrEncryption, err)
		}
		if c.sec, err = newSecure(keys); err != nil {
			return err
		}
	}
	if m.UseXgress && m.CircuitID != "" {
		c.openFlow()
	} else {
		c.openPlain()
	}
	return nil
}

// giveUp frees the id of a dial without success and tells the router, unless
// it was the router that refused.
func (c *Conn) giveUp(reply *message.Message) {
	if !c.gone.Load() && !c.l.dead() {
		c.l.post((&edge.StateClosed{ConnID: c.id, Reason: "dial given up"}).Encode())
	}
	c.gone.Store(true)
	c.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.pending {
		f.Release()
	}
	c.pending = nil
}

func newMarker() string {
	var b [6]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func (c *Client) stickyToken(serviceID string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sticky[serviceID]
}

func (c *Client) setStickyToken(serviceID string, token []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sticky[serviceID] = token
}
