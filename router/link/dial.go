package link

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/weftnet/weft/channel"
)

// dial makes one attempt at t.
func (m *Manager) dial(t *target) {
	l, ctx := m.attempt(t)
	if l == nil {
		return
	}
	err := m.cfg.Trust.Enabled(l.peer)
	var c *conn
	if err == nil {
		c, err = m.connect(ctx, l, l.hello)
	}
	if err == nil {
		if err = m.register(l, c); err != nil {
			m.end(l, err.Error())
			c.ch.Load().Close()
		}
	}
	m.conclude(t, err)
}

// attempt prepares the next attempt at t; nil if there is no need for one.
func (m *Manager) attempt(t *target) (*Link, context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || t.removed || m.byKey[t.key] != nil {
		t.dialing = false
		return nil, nil
	}
	address := t.addresses[t.attempts%len(t.addresses)]
	t.attempts++
	t.name.iteration++
	t.state, t.superseded = stateDialing, false
	ctx, cancel := context.WithCancel(m.ctx)
	t.cancel, t.done = cancel, make(chan struct{})
	h := &hello{
		linkID: t.name.id, iteration: t.name.iteration, started: m.started,
		routerID: m.cfg.RouterID, target: t.peer.id, dialer: t.dialer.Name, listener: t.listener,
		kind: KindPayload, split: t.dialer.Split && t.dialer.MaxAck > 0, address: address, version: m.cfg.Version,
	}
	return m.newLink(h, t.key, t.peer.id, t.dialer), ctx
}

// conclude ends an attempt; err is nil if it has led to a link.
func (m *Manager) conclude(t *target, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.cancel()
	close(t.done)
	t.cancel, t.done, t.dialing = nil, nil, false
	switch {
	case t.removed || m.closed:
	case m.byKey[t.key] != nil:
		t.state = stateEstablished
	case err == nil: // it is lost again already
		m.fail(t, stateLinkFailed, refuse(CodeLost, "the link was lost at once"))
	default:
		why := refusalOf(err)
		m.fail(t, stateDialFailed, why)
		level := slog.LevelWarn
		if why.Expected() {
			level = slog.LevelDebug
		}
		m.log.Log(m.ctx, level, "link not established", "router", t.peer.id, "key", t.key, "code", why.Code, "error", why.Message, "retry", t.next)
	}
}

// connect opens a connection of l, which starts to run, and says h.
func (m *Manager) connect(ctx context.Context, l *Link, h *hello) (*conn, error) {
	c := newConn(l, h.kind)
	cfg := m.cfg.TLS.Clone()
	cfg.InsecureSkipVerify = true // VerifyConnection does it
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		return m.cfg.Trust.Server(s.PeerCertificates, l.peer)
	}
	m.work.Add(1)
	ch, answer, err := channel.Dial(ctx, channel.DialConfig{
		Address: h.address, Net: l.dialer.Net, TLS: cfg, ALPN: ALPN, Hello: h.message(), Timeout: l.dialer.Options.Hello,
		Options: m.channelOptions(l.dialer.Options, h.kind), Handler: dialedConn{c},
	})
	if err != nil {
		m.work.Done()
		return nil, err
	}
	c.ch.Store(ch)
	if !h.joins {
		l.version = answer.Headers.String(channel.HeaderHelloVersion)
	}
	return c, nil
}

// dialedConn is a conn whose end the Manager waits for.
type dialedConn struct{ *conn }

// HandleClose is called by the channel when it has ended.
func (d dialedConn) HandleClose(ch *channel.Channel, err error) {
	d.conn.HandleClose(ch, err)
	d.link.m.work.Done()
}

func (m *Manager) channelOptions(o Options, kind string) channel.Options {
	n := m.cfg.PayloadQueue
	if kind == KindAck {
		n = m.cfg.AckQueue
	}
	if o.Queue > 0 {
		n = o.Queue
	}
	return channel.Options{QueueBytes: o.QueueBytes, QueueMessages: n, WriteTimeout: o.WriteTimeout, Log: m.log}
}

// supersede ends an attempt under way because the other router's is preferred;
// false if it is over already.
func (m *Manager) supersede(t *target) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.done == nil || m.byKey[t.key] != nil {
		return false
	}
	t.superseded = true
	t.cancel()
	return true
}

var errEnded = errors.New("the link has ended")
