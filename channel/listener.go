package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/wire/message"
)

// Accepted is a positive verdict on a hello.
type Accepted struct {
	// Headers of the answer, besides those of the channel layer (ReplyFor,
	// ResultSuccess, ConnectionID and those of groups).
	Headers message.Headers
	// Handler gets the messages; it may be nil.
	Handler Handler
}

// ListenerConfig says how to treat connections. Accept is required.
type ListenerConfig struct {
	// Accept judges a hello. It may take its time within HelloTimeout, which ctx
	// ends. An error rejects: its text is sent to the peer, so it must not tell
	// secrets. One with a method Expected that returns true is no news for the
	// operator.
	Accept func(ctx context.Context, p *Peer) (*Accepted, error)
	// Groups allows several connections to form one channel.
	Groups bool
	// HelloTimeout bounds the time from the end of the handshake to the answer;
	// 5 s by default.
	HelloTimeout time.Duration
	// MaxHellos bounds the connections that have not said hello yet; 256 by
	// default. When it is reached, the oldest is closed once it has had a second.
	MaxHellos int
	// Quiet drops the text of a rejection: the peer sees a close.
	Quiet   bool
	Options Options
}

// Listener turns TLS connections into channels.
type Listener struct {
	inner  net.Listener
	cfg    ListenerConfig
	log    *slog.Logger
	hellos *gate
	warn   *rate.Limiter

	mu       sync.Mutex
	channels map[*Channel]struct{}
	groups   map[string]*Channel // by connection id
	closed   bool

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup // one per connection being set up and per channel
}

// NewListener takes over l, whose connections must be *tls.Conn, and starts
// nothing; Serve accepts.
func NewListener(l net.Listener, cfg ListenerConfig) *Listener {
	if cfg.HelloTimeout == 0 {
		cfg.HelloTimeout = defaultHelloTimeout
	}
	if cfg.MaxHellos == 0 {
		cfg.MaxHellos = 256
	}
	cfg.Options = cfg.Options.withDefaults()
	s := &Listener{
		inner: l, cfg: cfg, log: cfg.Options.Log,
		hellos:   newGate(cfg.MaxHellos, time.Second),
		warn:     rate.NewLimiter(2, 10),
		channels: make(map[*Channel]struct{}),
		groups:   make(map[string]*Channel),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Serve accepts connections until Close; it returns nil then.
func (l *Listener) Serve() error {
	for {
		conn, err := l.inner.Accept()
		if err != nil {
			if l.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("channel: %w", err)
		}
		tc, ok := conn.(*tls.Conn)
		if !ok || !l.enter() {
			conn.Close()
			continue
		}
		go func() {
			defer l.wg.Done()
			if err := l.welcome(tc); err != nil {
				tc.Close()
				l.logRefused(conn.RemoteAddr(), err)
			}
		}()
	}
}

func (l *Listener) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.wg.Add(1)
	}
	return !l.closed
}

// welcome reads and judges the hello of one connection.
func (l *Listener) welcome(conn *tls.Conn) error {
	ctx, cancel := context.WithTimeout(l.ctx, l.cfg.HelloTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.NetConn().Close() })
	defer stop()
	leave, err := l.hellos.enter(ctx, func() { conn.NetConn().Close() })
	if err != nil {
		return err
	}
	hello, err := readHello(conn)
	leave()
	if err != nil {
		if errors.Is(err, message.ErrMarker) {
			conn.Write(message.VersionNotice)
		}
		return fmt.Errorf("no valid hello: %w", err)
	}
	if hello.Type != TypeHello {
		return fmt.Errorf("the first message has content type %d, not a hello", hello.Type)
	}
	peer := peerOf(conn, hello)
	if l.cfg.Groups && hello.Headers.Bool(HeaderIsGrouped) {
		return l.welcomeGrouped(ctx, stop, conn, hello, peer)
	}
	peer.ConnectionID = id.New()
	return l.open(ctx, stop, conn, hello, peer, nil)
}

// open has the hello judged and starts a new channel.
func (l *Listener) open(ctx context.Context, stop func() bool, conn *tls.Conn, hello *message.Message, peer Peer, group *group) error {
	verdict, err := l.cfg.Accept(ctx, &peer)
	if err != nil {
		l.reject(conn, hello, err)
		return fmt.Errorf("hello rejected: %w", err)
	}
	c := newChannel(peer, verdict.Handler, l.cfg.Options)
	u := newUnderlay(c, conn, group.isControl())
	if group != nil {
		c.secret, c.answer = group.secret, verdict.Headers
	}
	if !l.keep(c) {
		return net.ErrClosed
	}
	if err := answerHello(conn, hello, verdict.Headers, peer.ConnectionID, group); err != nil || !stop() {
		l.drop(c)
		return errors.Join(errors.New("hello not answered"), err)
	}
	c.start(u)
	l.register(c)
	return nil
}

func answerHello(conn *tls.Conn, hello *message.Message, headers message.Headers, connectionID string, g *group) error {
	m := Result(true, "")
	m.Seq = helloSequence
	Answer(hello, m)
	m.Headers.PutString(HeaderConnectionID, connectionID)
	g.put(&m.Headers)
	m.Headers = append(m.Headers, headers...)
	_, err := conn.Write(m.Append(nil))
	return err
}

func (l *Listener) reject(conn *tls.Conn, hello *message.Message, reason error) {
	if l.cfg.Quiet {
		return
	}
	m := Result(false, reason.Error())
	m.Seq = helloSequence
	Answer(hello, m)
	conn.Write(m.Append(nil))
}

// keep notes a channel that is about to start; false if the listener is closed.
func (l *Listener) keep(c *Channel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.wg.Add(1)
	l.channels[c] = struct{}{}
	c.onClose = func() { l.drop(c) }
	return true
}

// register lets connections join c, unless it has ended meanwhile.
func (l *Listener) register(c *Channel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, running := l.channels[c]; running && c.secret != nil {
		l.groups[c.peer.ConnectionID] = c
	}
}

func (l *Listener) drop(c *Channel) {
	l.mu.Lock()
	delete(l.channels, c)
	if l.groups[c.peer.ConnectionID] == c {
		delete(l.groups, c.peer.ConnectionID)
	}
	l.mu.Unlock()
	l.wg.Done()
}

func (l *Listener) logRefused(from net.Addr, err error) {
	level := slog.LevelWarn
	if e := (interface{ Expected() bool })(nil); errors.As(err, &e) && e.Expected() {
		level = slog.LevelDebug
	}
	if l.ctx.Err() == nil && l.warn.Allow() {
		l.log.Log(l.ctx, level, "connection refused", "listener", l.inner.Addr(), "remote", from, "error", err)
	}
}

// Channels returns the running channels, in no order.
func (l *Listener) Channels() []*Channel {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*Channel, 0, len(l.channels))
	for c := range l.channels {
		out = append(out, c)
	}
	return out
}

// Close stops accepting, closes all channels and waits for their goroutines.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	err := l.inner.Close()
	for _, c := range l.Channels() {
		c.Close()
	}
	l.wg.Wait()
	return err
}
