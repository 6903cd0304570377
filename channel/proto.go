package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
)

// protoListener is the part of a Mux that serves some protocols.
type protoListener struct {
	m      *Mux
	protos []string
	cfg    *tls.Config
	byName map[string]*tls.Config // cfg with one protocol

	ready chan net.Conn // full: the handshake goroutine waits within its time
	done  chan struct{}
	once  sync.Once
}

const acceptBacklog = 64 // connections after the handshake that nobody took yet

func newProtoListener(m *Mux, cfg *tls.Config, protos []string) *protoListener {
	l := &protoListener{
		m: m, protos: protos, cfg: cfg,
		byName: make(map[string]*tls.Config),
		ready:  make(chan net.Conn, acceptBacklog),
		done:   make(chan struct{}),
	}
	for _, p := range protos {
		l.byName[p] = withProto(cfg, p)
	}
	return l
}

func withProto(cfg *tls.Config, proto string) *tls.Config {
	c := cfg.Clone()
	c.DynamicRecordSizingDisabled = true
	c.NextProtos = nil
	if proto != "" {
		c.NextProtos = []string{proto}
	}
	return c
}

// configFor returns the configuration of a handshake. A configuration that
// chooses per client is asked, so that certificates can change while running.
func (l *protoListener) configFor(h *tls.ClientHelloInfo, proto string) (*tls.Config, error) {
	if l.cfg.GetConfigForClient == nil {
		return l.byName[proto], nil
	}
	own, err := l.cfg.GetConfigForClient(h)
	if err != nil || own == nil {
		return l.byName[proto], err
	}
	return withProto(own, proto), nil
}

// hand gives conn to whoever accepts, which closes it from then on.
func (l *protoListener) hand(ctx context.Context, conn net.Conn) error {
	select {
	case <-l.done:
		return net.ErrClosed
	default:
	}
	select {
	case l.ready <- conn:
		l.sweep()
		return nil
	case <-l.done:
		return net.ErrClosed
	case <-ctx.Done():
		return errors.New("nobody accepted the connection in time")
	}
}

// Accept returns the next connection, a *tls.Conn after its handshake.
func (l *protoListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// Close refuses further connections of these protocols and drops those that
// nobody accepted.
func (l *protoListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.m.mu.Lock()
		if !l.m.closed {
			for _, p := range l.protos {
				delete(l.m.byProto, p)
			}
		}
		l.m.mu.Unlock()
		l.sweep()
	})
	return nil
}

// sweep drops the connections that nobody will accept any more.
func (l *protoListener) sweep() {
	for {
		select {
		case <-l.done:
		default:
			return
		}
		select {
		case c := <-l.ready:
			c.Close()
		default:
			return
		}
	}
}

// Addr is the address of the shared TCP listener.
func (l *protoListener) Addr() net.Addr { return l.m.Addr() }
