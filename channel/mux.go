package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/weftnet/weft/limit"
)

// keepAlive is set on every TCP connection, in both directions.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4}

// MuxConfig are the limits of a Mux. The zero value means the defaults.
type MuxConfig struct {
	// HandshakeTimeout bounds the time from accept to the end of the TLS
	// handshake; 5 s by default.
	HandshakeTimeout time.Duration
	// MaxSilent bounds the connections that have sent nothing yet; 2048 by
	// default. When it is reached, the oldest is closed.
	MaxSilent int
	// MaxHandshakes bounds the handshakes under way; 256 by default. When it is
	// reached, the oldest is closed once it has had a second.
	MaxHandshakes int
	// Handshakes, if not nil, is the bound instead: it adapts to how long they
	// take, and a connection beyond it is closed.
	Handshakes *limit.Window
	// Log may be nil.
	Log *slog.Logger
}

// Mux shares one TCP listener between protocols that are told apart by ALPN.
// If a client offers several known protocols, the listener of the last one in
// its list gets the connection; a list without a known one is refused.
type Mux struct {
	inner  net.Listener
	cfg    MuxConfig
	silent *gate
	shakes *gate
	warn   *rate.Limiter

	mu      sync.RWMutex
	byProto map[string]*protoListener
	closed  bool

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// NewMux takes over l. Listeners are added with Listener; Serve accepts.
func NewMux(l net.Listener, cfg MuxConfig) *Mux {
	if cfg.HandshakeTimeout == 0 {
		cfg.HandshakeTimeout = 5 * time.Second
	}
	if cfg.MaxSilent == 0 {
		cfg.MaxSilent = 2048
	}
	if cfg.MaxHandshakes == 0 {
		cfg.MaxHandshakes = 256
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	m := &Mux{
		inner: l, cfg: cfg,
		silent:  newGate(cfg.MaxSilent, 100*time.Millisecond),
		shakes:  newGate(cfg.MaxHandshakes, time.Second),
		warn:    rate.NewLimiter(2, 10),
		byProto: make(map[string]*protoListener),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// Addr is the address of the TCP listener.
func (m *Mux) Addr() net.Addr { return m.inner.Addr() }

// Listener returns a listener for the connections of the given protocols, in
// order of preference; the empty one stands for clients that offer none. Its
// Accept returns *tls.Conn after the handshake. cfg is what the handshake
// uses, its NextProtos are ignored. A protocol that is taken is an error.
func (m *Mux) Listener(cfg *tls.Config, protos ...string) (net.Listener, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range protos {
		if m.byProto[p] != nil {
			return nil, fmt.Errorf("channel: protocol %q already has a listener on %s", p, m.inner.Addr())
		}
	}
	l := newProtoListener(m, cfg, protos)
	for _, p := range protos {
		m.byProto[p] = l
	}
	return l, nil
}

// Serve accepts connections until Close; it returns nil then.
func (m *Mux) Serve() error {
	for {
		conn, err := m.inner.Accept()
		if err != nil {
			if m.ctx.Err() != nil {
				return nil
			}
			if !m.pauseAfter(err) {
				return fmt.Errorf("channel: accept on %s: %w", m.inner.Addr(), err)
			}
			continue
		}
		m.mu.RLock()
		closed := m.closed
		if !closed {
			m.wg.Add(1)
		}
		m.mu.RUnlock()
		if closed {
			conn.Close()
			return nil
		}
		m.admit(conn)
	}
}

// pauseAfter waits a little after a failure that passes, such as a lack of
// file descriptors; false if the failure is final.
func (m *Mux) pauseAfter(err error) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	m.logRefused("connection not accepted", nil, err)
	select {
	case <-m.ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
	return true
}

// admit runs the set-up of one connection, which bounds itself in time.
func (m *Mux) admit(raw net.Conn) {
	if tc, ok := raw.(*net.TCPConn); ok {
		tc.SetKeepAliveConfig(keepAlive)
	}
	deadline := time.Now().Add(m.cfg.HandshakeTimeout)
	raw.SetDeadline(deadline)
	leave, err := m.silent.enter(m.ctx, func() { raw.Close() })
	if err != nil {
		raw.Close()
		m.wg.Done()
		return
	}
	stop := context.AfterFunc(m.ctx, func() { raw.Close() })
	s := newStream(raw)
	go func() {
		defer m.wg.Done()
		defer stop()
		err := s.waitReadable()
		leave()
		if err == nil {
			err = m.handshake(s, deadline)
		}
		if err != nil {
			raw.Close()
			m.logRefused("connection refused", raw.RemoteAddr(), err)
		}
	}()
}

func (m *Mux) handshake(s *stream, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(m.ctx, deadline)
	defer cancel()
	leave, err := m.enter(ctx, s)
	if err != nil {
		return err
	}
	defer func() { leave(err) }()
	var target *protoListener
	conn := tls.Server(s, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			l, proto, err := m.choose(h.SupportedProtos)
			if err != nil {
				return nil, err
			}
			target = l
			return l.configFor(h, proto)
		},
	})
	if err = conn.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	s.Conn.SetDeadline(time.Time{})
	return target.hand(ctx, conn)
}

var errHandshakes = errors.New("too many handshakes are under way")

// enter waits for room for a handshake and returns what is to be told its
// outcome.
func (m *Mux) enter(ctx context.Context, s *stream) (leave func(error), err error) {
	if m.cfg.Handshakes == nil {
		free, err := m.shakes.enter(ctx, func() { s.Conn.Close() })
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errHandshakes, err)
		}
		return func(error) { free() }, nil
	}
	done, ok := m.cfg.Handshakes.Acquire()
	if !ok {
		return nil, errHandshakes
	}
	return func(err error) {
		switch {
		case err == nil:
			done(limit.Success)
		case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
			done(limit.Backoff)
		default:
			done(limit.Failed)
		}
	}, nil
}

// choose finds the listener for the protocols that a client offers and the
// protocol that this listener likes best.
func (m *Mux) choose(offered []string) (*protoListener, string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(offered) == 0 {
		if l := m.byProto[""]; l != nil {
			return l, "", nil
		}
		return nil, "", errors.New("the client offers no protocol (ALPN)")
	}
	for _, p := range slices.Backward(offered) {
		l := m.byProto[p]
		if l == nil || p == "" {
			continue
		}
		for _, own := range l.protos {
			if own != "" && slices.Contains(offered, own) {
				return l, own, nil
			}
		}
	}
	return nil, "", fmt.Errorf("no listener for the offered protocols (ALPN) %q", offered)
}

// logRefused logs at a bounded rate: what strangers send must not fill a disk.
func (m *Mux) logRefused(what string, from net.Addr, err error) {
	if m.ctx.Err() != nil || !m.warn.Allow() {
		return
	}
	m.cfg.Log.Warn(what, "listener", m.inner.Addr(), "remote", from, "error", err)
}

// Close stops accepting, ends connections that are still being set up, closes
// all listeners and waits for its goroutines. Connections that were handed out
// are not touched.
func (m *Mux) Close() error {
	m.mu.Lock()
	m.closed = true
	listeners := maps.Clone(m.byProto)
	m.mu.Unlock()
	m.cancel()
	err := m.inner.Close()
	for _, l := range listeners {
		l.Close()
	}
	m.wg.Wait()
	return err
}
