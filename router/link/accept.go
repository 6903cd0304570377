package link

import (
	"context"
	"errors"
	"time"

	"github.com/weftnet/weft/channel"
)

const (
	// lifeSign is how long an established link may take for a sign of life when
	// another one comes for the same key.
	lifeSign = 1500 * time.Millisecond
	// patience is how long the own attempt of the router that has precedence may
	// take when the other one's arrives.
	patience = 2 * time.Second
)

func (m *Manager) listenerConfig(l *Listener) channel.ListenerConfig {
	return channel.ListenerConfig{
		Accept:       func(ctx context.Context, p *channel.Peer) (*channel.Accepted, error) { return m.accept(ctx, p, l) },
		HelloTimeout: l.Options.Hello, MaxHellos: l.Options.MaxHellos,
		Options: m.channelOptions(l.Options, KindPayload),
	}
}

// accept judges the hello of a connection. An error is told to the other side,
// which has proven by its certificate that it is of this network.
func (m *Manager) accept(ctx context.Context, p *channel.Peer, at *Listener) (*channel.Accepted, error) {
	h, err := parseHello(p.Headers)
	if err != nil {
		return nil, refuse(CodeRefused, err.Error())
	}
	routerID, err := m.cfg.Trust.Client(p.Certs)
	var known *Refusal
	switch {
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, refuse(CodeNotEnrolled, err.Error())
	case routerID != h.routerID:
		return nil, refuse(CodeWrongRouter, "the certificate is not that of the router in the hello")
	case routerID == m.cfg.RouterID:
		return nil, refuse(CodeWrongRouter, "a router has no link with itself")
	case h.target != m.cfg.RouterID:
		return nil, refuse(CodeWrongRouter, "this is router "+m.cfg.RouterID)
	}
	var c *conn
	if h.joins {
		c, err = m.join(h, routerID)
	} else {
		c, err = m.welcome(ctx, h, routerID, at)
	}
	if err != nil {
		return nil, err
	}
	return &channel.Accepted{Headers: m.versionHeader(), Handler: c}, nil
}

// join returns a further connection of a link that exists.
func (m *Manager) join(h *hello, routerID string) (*conn, error) {
	l := m.link(h.linkID)
	switch {
	case l == nil || l.dialed || l.peer != routerID || l.iteration != h.iteration || l.started != h.started:
		return nil, refuse(CodeUnknownLink, "there is no such link")
	case len(l.conns.Load().all()) >= maxConns:
		return nil, refuse(CodeTooMany, "the link has all the connections that it may have")
	}
	c := newConn(l, h.kind)
	c.joins = true
	return c, nil
}

// welcome returns the first connection of a link, which is not established
// before the answer is on its way.
func (m *Manager) welcome(ctx context.Context, h *hello, routerID string, at *Listener) (*conn, error) {
	if h.listener != at.Name {
		return nil, refuse(CodeListener, "the listener's interface is "+at.Name+" now")
	}
	key := keyOf(m.cfg.RouterID, at.Name, routerID, h.dialer)
	for {
		old, t, err := m.rivals(h.linkID, key, routerID)
		switch {
		case err != nil:
			return nil, err
		case old != nil:
			if err := m.challenge(ctx, old, h); err != nil {
				return nil, err
			}
		case t != nil:
			if err := m.await(ctx, t); err != nil {
				return nil, err
			}
		default:
			return newConn(m.newLink(h, key, routerID, nil), KindPayload), nil
		}
	}
}

// rivals returns what stands against a new link from a router: an established
// one, or the own attempt if it has precedence.
func (m *Manager) rivals(linkID, key, routerID string) (old *Link, t *attemptAt, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, refuse(CodeClosing, "the router shuts down")
	}
	if old = m.byKey[key]; old != nil {
		return old, nil, nil
	}
	if err := m.free(linkID, key, routerID); err != nil {
		return nil, nil, err
	}
	if own := m.targets[key]; own != nil && own.done != nil && !own.superseded && m.cfg.RouterID < routerID {
		return nil, &attemptAt{own, own.done}, nil
	}
	return nil, nil, nil
}

// free returns why a router may not make another link of that id, which is a
// claim, as the name of the interface in the key is. The lock is held.
func (m *Manager) free(linkID, key, routerID string) error {
	if l := m.links[linkID]; l != nil && l.key != key {
		return refuse(CodeRefused, "another link has that id")
	}
	n := 0
	for _, l := range m.links {
		if l.peer == routerID {
			n++
		}
	}
	if n >= maxLinks {
		return refuse(CodeTooMany, "the two routers have as many links as they may have")
	}
	return nil
}

// attemptAt is an attempt under way.
type attemptAt struct {
	*target
	done <-chan struct{}
}

// challenge decides between an established link and a hello for the same key.
// An error refuses the hello, otherwise the old link is gone.
func (m *Manager) challenge(ctx context.Context, old *Link, h *hello) error {
	if !old.dialed {
		switch newer, known := h.newer(old); {
		case known && newer:
			m.finish(old, "its router has made it anew", true)
			<-old.stopped
			return nil
		case known:
			return refuse(CodeDuplicate, "there is a later link already")
		}
	}
	if old.alive(ctx) {
		return refuse(CodeDuplicate, "there is a link already")
	}
	m.finish(old, "its router has made another one, and it gave no sign of life", true)
	<-old.stopped
	return nil
}

// await gives the own attempt, which has precedence, a while.
func (m *Manager) await(ctx context.Context, t *attemptAt) error {
	timer := m.clock.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C():
		m.supersede(t.target)
	case <-ctx.Done():
		return refuse(CodeDuplicate, "this router is making the link")
	}
	return nil
}

// alive asks for a sign of life on all connections of the link.
func (l *Link) alive(ctx context.Context) bool {
	signs := func() (n uint64) {
		for _, ch := range l.channels() {
			n += ch.Traffic().In
		}
		return n
	}
	before := signs()
	for _, ch := range l.channels() {
		ch.Probe(func(channel.Round) {})
	}
	limit := time.NewTimer(lifeSign)
	defer limit.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return false
		case <-ctx.Done():
			return true // nobody knows; the next attempt asks again
		case <-limit.C:
			return false
		case <-look.C:
			if signs() > before {
				return true
			}
		}
	}
}

// opened is called when the answer to the hello of c is on its way.
func (m *Manager) opened(c *conn) {
	var err error
	if c.joins {
		if !c.link.add(c) {
			err = errEnded
		} else {
			m.reports.touch(c.link)
		}
	} else if err = m.register(c.link, c); err != nil {
		m.end(c.link, err.Error())
	}
	if err != nil {
		c.ch.Load().Close()
	}
}
