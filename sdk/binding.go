package sdk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/secretstream"
)

// binding is one terminator of a listener at one router.
type binding struct {
	ln   *Listener
	svc  *Service
	ss   *serviceSession
	addr routerAddr
	key  *secretstream.KeyPair // nil without encryption
	l    *link
	id   uint32

	up   chan struct{} // closed when the router reports the terminator
	lost chan struct{} // closed when it is gone, err says why

	mu     sync.Mutex
	isUp   bool
	isLost bool
	err    error
}

// bindTimeout bounds the wait for the answer to Bind and then for the terminator.
const bindTimeout = 30 * time.Second

func newBinding(ln *Listener, s *Service, ss *serviceSession, addr routerAddr) *binding {
	return &binding{ln: ln, svc: s, ss: ss, addr: addr, up: make(chan struct{}), lost: make(chan struct{})}
}

// run binds and returns when the terminator is gone; good is called when it is
// established. It returns nil if the listener has closed.
func (b *binding) run(good func()) error {
	l, err := b.ln.c.router(b.addr).connect(b.ln.ctx, b.ss.login)
	if err != nil {
		return err
	}
	if l.login.id != b.ss.login.id {
		return &Error{Code: "SESSION_ENDED", Message: "the session ended meanwhile", sessionEnded: true}
	}
	b.l = l
	if b.svc.EncryptionRequired {
		if b.key, err = secretstream.NewKeyPair(); err != nil {
			return err
		}
	}
	if !l.add(b) {
		return l.lost(nil)
	}
	defer l.remove(b.id, b)
	if err := b.bind(); err != nil {
		b.unbind()
		return err
	}
	good()
	b.ln.established(b, true)
	defer b.ln.established(b, false)
	select {
	case <-b.lost:
		return b.err
	case <-b.ln.ctx.Done():
		b.unbind()
		return nil
	}
}

// bind asks for the terminator and waits until it exists.
func (b *binding) bind() error {
	ctx, cancel := context.WithTimeout(b.ln.ctx, bindTimeout)
	defer cancel()
	req, err := b.request()
	if err != nil {
		return err
	}
	reply, err := b.l.ch.Request(ctx, req.Encode())
	if err != nil {
		return err
	}
	switch reply.Type {
	case edge.TypeStateConnected:
	case edge.TypeStateClosed:
		m, err := edge.ParseStateClosed(reply)
		if err != nil {
			return err
		}
		return fromClosed(m)
	default:
		return fmt.Errorf("answer to Bind is %s", edge.TypeName(reply.Type))
	}
	if !b.l.bindSuccess {
		return nil
	}
	select {
	case <-b.up:
		return nil
	case <-b.lost:
		return b.err
	case <-ctx.Done():
		return fmt.Errorf("the router did not report the terminator: %w", ctx.Err())
	}
}

func (b *binding) request() (*edge.Bind, error) {
	b.ln.mu.Lock()
	o := b.ln.opts
	b.ln.mu.Unlock()
	req := &edge.Bind{
		ConnID: b.id, Token: []byte(b.ss.token), ListenerID: []byte(o.ListenerID), Cost: o.Cost, Precedence: byte(o.Precedence),
		Instance: o.Instance, RouterConnID: true, SupportsInspect: true, SupportsBindSuccess: true, UseXgress: true,
	}
	if b.key != nil {
		req.PublicKey, req.CryptoMethod = b.key.Public(), cryptoLibsodium
	}
	if o.InstanceIsIdentity {
		var err error
		if req.InstanceSecret, err = b.ln.instanceSecret(b.ss.login); err != nil {
			return nil, err
		}
		req.Instance = b.ss.login.identityName
	}
	return req, nil
}

// instanceSecret is the same for all terminators of a listener.
func (l *Listener) instanceSecret(s *login) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.secret != nil {
		return l.secret, nil
	}
	var err error
	l.secret, err = instanceSecret(s.identityName, s.cert.PrivateKey)
	return l.secret, err
}

// unbind tells the router, if the terminator is not gone already.
func (b *binding) unbind() {
	b.mu.Lock()
	gone := b.isLost
	b.mu.Unlock()
	if gone || b.l.dead() {
		return
	}
	b.l.post((&edge.Unbind{ConnID: b.id, Token: []byte(b.ss.token), ListenerID: []byte(b.ln.opts.ListenerID)}).Encode(),
		(&edge.StateClosed{ConnID: b.id, Reason: "listener closed"}).Encode())
}

func (b *binding) update(cost uint16, p Precedence) {
	prec := byte(p)
	b.l.post((&edge.UpdateBind{ConnID: b.id, Token: []byte(b.ss.token), Cost: &cost, Precedence: &prec}).Encode())
}

// fail ends the binding; the first reason counts.
func (b *binding) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isLost {
		b.isLost, b.err = true, err
		close(b.lost)
	}
}

func (b *binding) setID(id uint32) { b.id = id }

// linkClosed implements sink.
func (b *binding) linkClosed(err error) { b.fail(err) }

func (b *binding) inspect() connInspect {
	b.mu.Lock()
	defer b.mu.Unlock()
	return connInspect{kind: edge.ConnBind, ID: b.id, Service: b.svc.Name, Closed: b.isLost, Encrypt: b.key != nil}
}

// handle implements sink.
func (b *binding) handle(l *link, f *channel.Frame) {
	switch f.Type {
	case edge.TypeBindSuccess:
		b.mu.Lock()
		if !b.isUp {
			b.isUp = true
			close(b.up)
		}
		b.mu.Unlock()
	case edge.TypeStateClosed:
		if m, err := edge.ParseStateClosed(&f.Message); err == nil {
			b.fail(fromClosed(m))
		}
	case edge.TypeDial:
		b.dialed(l, f)
	}
	f.Release()
}

// dialed accepts or rejects a connection.
func (b *binding) dialed(l *link, f *channel.Frame) {
	d, err := edge.ParseDial(&f.Message)
	if err != nil {
		return
	}
	conn, reason := b.accept(l, d)
	if conn == nil {
		l.reply(&f.Message, (&edge.DialFailed{ConnID: d.ConnID, Reason: reason}).Encode())
		return
	}
	l.reply(&f.Message, (&edge.DialSuccess{ConnID: d.ConnID, NewConnID: conn.id}).Encode())
	if d.UseXgress && d.CircuitID != "" {
		conn.openFlow()
	} else {
		conn.openPlain()
	}
	select {
	case b.ln.backlog <- conn:
	default:
		conn.Close()
	}
}

// accept makes the connection of a Dial, or says why not.
func (b *binding) accept(l *link, d *edge.Dial) (*Conn, string) {
	switch {
	case b.ln.ctx.Err() != nil:
		return nil, "listener closed"
	case len(b.ln.backlog) == cap(b.ln.backlog):
		return nil, "too many connections wait to be accepted"
	}
	c := &Conn{l: l, local: Addr{b.svc.Name}, remote: Addr{d.DialerName}, circuit: d.CircuitID,
		peer: Peer{IdentityID: d.DialerID, IdentityName: d.DialerName, CallerID: d.CallerID, AppData: append([]byte(nil), d.AppData...)}}
	if c.remote.Name == "" {
		c.remote.Name = d.CallerID
	}
	if b.key != nil {
		if len(d.PublicKey) == 0 {
			return nil, "the service requires encryption, but the dialer sent no key"
		}
		keys, err := secretstream.ServerKeys(b.key, d.PublicKey)
		if err != nil {
			return nil, err.Error()
		}
		if c.sec, err = newSecure(keys); err != nil {
			return nil, err.Error()
		}
	}
	if !d.RouterConnID {
		if !l.add(c) {
			return nil, "connection is closing"
		}
		return c, ""
	}
	if !l.put(d.NewConnID, c) {
		return nil, fmt.Sprintf("connection id %d is in use", d.NewConnID)
	}
	return c, ""
}
