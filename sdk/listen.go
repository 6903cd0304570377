package sdk

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/id"
)

// Precedence orders the hosts of a service.
type Precedence byte

// Precedences: hosts with PrecedenceRequired are used first, those with
// PrecedenceFailed last.
const (
	PrecedenceDefault  Precedence = 0
	PrecedenceRequired Precedence = 1
	PrecedenceFailed   Precedence = 2
)

// ListenOptions say how to host a service.
type ListenOptions struct {
	// Cost of dialing this host, lower is better.
	Cost       uint16
	Precedence Precedence
	// Instance is the name under which dialers can ask for this host.
	Instance string
	// InstanceIsIdentity listens under the name of the identity instead, which
	// keeps other identities from using that name.
	InstanceIsIdentity bool
	// MaxTerminators is the number of routers to be reachable through; 3 by default.
	MaxTerminators int
	// ListenerID names this listener. A later listener with the same id, of the
	// same identity, takes over from it. A new random one by default.
	ListenerID string
	// Backlog bounds the connections that wait for Accept; 256 by default. More are rejected.
	Backlog int
	// Background returns at once and goes on trying in the background, whatever
	// stands in the way.
	Background bool
	// Timeout bounds the wait for the first terminator if ctx has no deadline; 30 s by default.
	Timeout time.Duration
}

const defaultListenTimeout = 30 * time.Second

// Listener hosts a service. It implements net.Listener. When routers or
// controllers go away it comes back by itself.
type Listener struct {
	c       *Client
	service string
	opts    ListenOptions

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	workers sync.WaitGroup
	claims  chan struct{} // one token: who holds it chooses a router
	backlog chan *Conn
	first   chan struct{} // closed when the first terminator is there

	mu       sync.Mutex
	inUse    map[string]bool      // routers by address
	failedAt map[string]time.Time // when binding there failed last
	bound    int                  // established terminators
	bindings map[*binding]struct{}
	lastErr  error
	secret   []byte        // of the instance, made once
	changed  chan struct{} // closed and replaced when a waiting worker should look again
}

// Listen hosts a service by name. It returns when the service can be dialed.
func (c *Client) Listen(service string) (*Listener, error) {
	return c.ListenWithOptions(context.Background(), service, ListenOptions{})
}

// ListenWithOptions is Listen with options. ctx bounds the wait for the first
// terminator and nothing after that. Errors: ErrServiceNotFound,
// ErrAccessDenied, ErrLogin, os.ErrDeadlineExceeded with the last reason, or
// that of ctx. The caller closes the listener.
func (c *Client) ListenWithOptions(ctx context.Context, service string, o ListenOptions) (*Listener, error) {
	o.MaxTerminators = cmp.Or(o.MaxTerminators, 3)
	o.ListenerID = cmp.Or(o.ListenerID, id.UUID())
	o.Backlog = cmp.Or(o.Backlog, 256)
	if o.MaxTerminators < 0 || o.Backlog < 0 || o.Precedence > PrecedenceFailed {
		return nil, errors.New("sdk: listen " + service + ": option out of range")
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cmp.Or(o.Timeout, defaultListenTimeout))
		defer cancel()
	}
	if !o.Background {
		if _, err := c.usable(ctx, service, PermissionBind); err != nil {
			return nil, withOp("listen "+service, err)
		}
	}
	l := &Listener{
		c: c, service: service, opts: o,
		claims: make(chan struct{}, 1), backlog: make(chan *Conn, o.Backlog), first: make(chan struct{}),
		inUse: make(map[string]bool), failedAt: make(map[string]time.Time), bindings: make(map[*binding]struct{}),
		changed: make(chan struct{}),
	}
	l.ctx, l.cancel = context.WithCancel(c.ctx)
	l.claims <- struct{}{}
	if err := l.start(); err != nil {
		return nil, err
	}
	if o.Background {
		return l, nil
	}
	if err := l.waitFirst(ctx); err != nil {
		l.Close()
		return nil, withOp("listen "+service, err)
	}
	return l, nil
}

func (l *Listener) start() error {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.c.closed {
		l.cancel()
		return ErrClosed
	}
	l.c.listeners[l] = struct{}{}
	for range l.opts.MaxTerminators {
		l.workers.Add(1)
		l.c.wg.Add(1)
		go func() {
			defer l.c.wg.Done()
			defer l.workers.Done()
			l.work()
		}()
	}
	return nil
}

// waitFirst waits for the first terminator, or for a reason that waiting will not cure.
func (l *Listener) waitFirst(ctx context.Context) error {
	for {
		l.mu.Lock()
		changed, err := l.changed, l.lastErr
		l.mu.Unlock()
		select {
		case <-l.first:
			return nil
		default:
		}
		if errors.Is(err, ErrAccessDenied) || errors.Is(err, ErrServiceNotFound) || errors.Is(err, ErrLogin) {
			return err
		}
		select {
		case <-l.first:
			return nil
		case <-changed:
		case <-l.ctx.Done():
			return ErrClosed
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// Accept returns the next connection. It is a *Conn. After Close the error is
// net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.AcceptConn()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn is Accept with the type of the connection.
func (l *Listener) AcceptConn() (*Conn, error) {
	select {
	case <-l.ctx.Done():
		return nil, &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: ErrClosed}
	default:
	}
	select {
	case c := <-l.backlog:
		return c, nil
	case <-l.ctx.Done():
		return nil, &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: ErrClosed}
	}
}

// Addr is the service.
func (l *Listener) Addr() net.Addr { return Addr{l.service} }

// Terminators returns the number of routers through which the service can be
// reached here.
func (l *Listener) Terminators() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bound
}

// Err returns why the listener is not reachable through more routers, nil if it is.
func (l *Listener) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastErr
}

// Update changes cost and precedence, also of terminators that exist already.
func (l *Listener) Update(cost uint16, p Precedence) error {
	if p > PrecedenceFailed {
		return errors.New("sdk: precedence out of range")
	}
	l.mu.Lock()
	l.opts.Cost, l.opts.Precedence = cost, p
	bindings := make([]*binding, 0, len(l.bindings))
	for b := range l.bindings {
		bindings = append(bindings, b)
	}
	l.mu.Unlock()
	for _, b := range bindings {
		b.update(cost, p)
	}
	return nil
}

// Close ends the listener, rejects connections that nobody accepted and waits
// for its goroutines. Accepted connections go on.
func (l *Listener) Close() error {
	l.cancel()
	l.workers.Wait()
	l.c.mu.Lock()
	delete(l.c.listeners, l)
	l.c.mu.Unlock()
	for {
		select {
		case c := <-l.backlog:
			c.Close()
		default:
			return nil
		}
	}
}

// wake lets waiting workers look again, with the lock held.
func (l *Listener) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// look is wake from outside: services or routers may have changed.
func (l *Listener) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake()
}

// work keeps one terminator alive until the listener closes.
func (l *Listener) work() {
	var wait backoff
	for {
		b := l.claim()
		if b == nil {
			return
		}
		err := b.run(wait.reset)
		l.release(b, err)
		if l.ctx.Err() != nil {
			return
		}
		l.note(err)
		if !pause(l.ctx, wait.next()) {
			return
		}
	}
}

func (l *Listener) note(err error) {
	l.c.log.Debug("listener", "service", l.service, "error", err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastErr = err
	l.wake()
}

// claim waits for a router without a terminator of this listener; nil after
// Close. One worker at a time looks for one, so that a refusal is met with one
// series of attempts.
func (l *Listener) claim() *binding {
	select {
	case <-l.claims:
	case <-l.ctx.Done():
		return nil
	}
	defer func() { l.claims <- struct{}{} }()
	var wait backoff
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		s, ss, err := l.rights()
		if err != nil {
			if l.ctx.Err() != nil {
				return nil
			}
			l.note(err)
			if !pause(l.ctx, wait.next()) {
				return nil
			}
			continue
		}
		if b := l.choose(s, ss); b != nil {
			return b
		}
		select {
		case <-changed:
		case <-l.ctx.Done():
			return nil
		}
	}
}

// rights returns what is needed to host: the permission, and routers.
func (l *Listener) rights() (*Service, *serviceSession, error) {
	s, err := l.c.usable(l.ctx, l.service, PermissionBind)
	if err != nil {
		return nil, nil, err
	}
	ss, err := l.c.serviceSession(l.ctx, s, PermissionBind, false)
	return s, ss, err
}

// choose takes the free router that failed longest ago.
func (l *Listener) choose(s *Service, ss *serviceSession) *binding {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := slices.DeleteFunc(slices.Clone(ss.routers), func(a routerAddr) bool { return l.inUse[a.address] })
	if len(free) == 0 {
		return nil
	}
	best := slices.MinFunc(free, func(a, b routerAddr) int { return l.failedAt[a.address].Compare(l.failedAt[b.address]) })
	l.inUse[best.address] = true
	return newBinding(l, s, ss, best)
}

func (l *Listener) release(b *binding, err error) {
	var e *Error
	if errors.As(err, &e) && strings.Contains(e.Message+e.Cause, takenOver) {
		l.taken(e)
	}
	if errors.As(err, &e) && (e.startOver() || e.sessionEnded) {
		l.c.forgetSession(b.svc.ID, PermissionBind, b.ss)
		if errors.Is(err, ErrAccessDenied) {
			l.c.forgetService(l.service)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.inUse, b.addr.address)
	delete(l.bindings, b)
	l.failedAt[b.addr.address] = time.Now()
	l.wake()
}

// takenOver is in the text with which routers end a listener whose id another
// client has used since.
const takenOver = "newer terminator"

// taken ends the listener: another one has taken over, and to bind again would
// take it back.
func (l *Listener) taken(e *Error) {
	l.c.log.Info("listener taken over", "service", l.service, "listener", l.opts.ListenerID)
	c := *e
	c.Op, c.Code, c.Remedy = "listen "+l.service, "TAKEN_OVER", "give every listener its own ListenerID unless take-over is wanted"
	l.mu.Lock()
	l.lastErr = &c
	l.mu.Unlock()
	l.cancel()
}

// established counts a terminator that came up or went down.
func (l *Listener) established(b *binding, up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !up {
		l.bound--
		return
	}
	l.bindings[b] = struct{}{}
	l.bound++
	l.lastErr = nil
	if l.bound == 1 {
		select {
		case <-l.first:
		default:
			close(l.first)
		}
	}
}
