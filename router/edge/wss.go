package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/weftnet/weft/limit"
)

// WebSocketPath is where browsers connect.
const WebSocketPath = "/ws"

// WebSocketConfig are the options of WebSockets.
type WebSocketConfig struct {
	// TLS is for the handshake inside the WebSocket. It demands the client's
	// certificate, as that of other clients: the server's own certificate for
	// HTTPS is the business of the HTTP server.
	TLS              *tls.Config
	HandshakeTimeout time.Duration // of each of the two handshakes
	WriteTimeout     time.Duration // of a write, 0 for none
	PongTimeout      time.Duration // of silence, 0 for none
	PingInterval     time.Duration
	ReadBuffer       int  // bytes
	WriteBuffer      int  // bytes
	Compression      bool // whether compressed messages are accepted
	Log              *slog.Logger
}

// WebSockets is an HTTP handler that turns requests for WebSocketPath into
// connections with TLS inside, which its Accept returns as a listener's does:
// *tls.Conn after the handshake. Its methods may be called concurrently.
type WebSockets struct {
	cfg      WebSocketConfig
	addr     net.Addr
	upgrader websocket.Upgrader
	slots    *limit.Slots
	accepted chan net.Conn
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup
	mu       sync.Mutex
	closed   bool
}

// mostHandshakes bounds the WebSockets whose client has not authenticated.
const mostHandshakes = 256

// NewWebSockets returns a handler for an HTTP server at addr.
func NewWebSockets(addr net.Addr, cfg WebSocketConfig) *WebSockets {
	w := &WebSockets{cfg: cfg, addr: addr, slots: limit.NewSlots(mostHandshakes), accepted: make(chan net.Conn)}
	if w.cfg.Log == nil {
		w.cfg.Log = slog.New(slog.DiscardHandler)
	}
	w.upgrader = websocket.Upgrader{
		HandshakeTimeout: cfg.HandshakeTimeout, ReadBufferSize: cfg.ReadBuffer, WriteBufferSize: cfg.WriteBuffer,
		WriteBufferPool: new(sync.Pool), EnableCompression: cfg.Compression,
		// Pages of any origin may connect: what counts is the certificate inside.
		CheckOrigin: func(*http.Request) bool { return true },
	}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

// Addr implements net.Listener.
func (w *WebSockets) Addr() net.Addr { return w.addr }

// Accept implements net.Listener.
func (w *WebSockets) Accept() (net.Conn, error) {
	select {
	case c := <-w.accepted:
		return c, nil
	case <-w.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends handshakes and waits for them. Connections that were accepted are
// not touched.
func (w *WebSockets) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	w.work.Wait()
	return nil
}

// enter counts a request; false if the listener is closed.
func (w *WebSockets) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.work.Add(1)
	}
	return !w.closed
}

// ServeHTTP implements http.Handler.
func (w *WebSockets) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != WebSocketPath:
		http.NotFound(rw, r)
		return
	case !w.enter():
		http.Error(rw, "closing", http.StatusServiceUnavailable)
		return
	}
	defer w.work.Done()
	if !w.slots.Try() {
		http.Error(rw, "too many handshakes", http.StatusServiceUnavailable)
		return
	}
	defer w.slots.Free()
	ws, err := w.upgrader.Upgrade(rw, r, nil) // a refusal is answered by it
	if err != nil {
		w.cfg.Log.Debug("no WebSocket", "remote", r.RemoteAddr, "error", err)
		return
	}
	if err := w.admit(newSocket(ws, w.cfg)); err != nil {
		w.cfg.Log.Debug("handshake inside a WebSocket failed", "remote", r.RemoteAddr, "error", err)
	}
}

// admit makes the handshake inside and hands the connection out.
func (w *WebSockets) admit(s *socket) error {
	ctx, cancel := context.WithTimeout(w.ctx, w.cfg.HandshakeTimeout)
	defer cancel()
	conn := tls.Server(s, w.cfg.TLS)
	if err := conn.HandshakeContext(ctx); err != nil {
		s.Close()
		return err
	}
	select {
	case w.accepted <- conn:
		return nil
	case <-w.ctx.Done():
		s.Close()
		return net.ErrClosed
	}
}

// socket is a WebSocket as the connection beneath TLS: the bytes of its binary
// messages, whose bounds mean nothing. It is pinged until Close.
type socket struct {
	net.Conn // the connection of HTTP, for its addresses
	ws       *websocket.Conn
	cfg      WebSocketConfig
	ping     *time.Timer
	message  io.Reader // what is left of a message; nil for none

	mu      sync.Mutex
	closed  bool
	readBy  time.Time // what the layer above has set
	writeBy time.Time

	writing sync.Mutex
}

func newSocket(ws *websocket.Conn, cfg WebSocketConfig) *socket {
	s := &socket{Conn: ws.NetConn(), ws: ws, cfg: cfg}
	ws.EnableWriteCompression(false)
	ws.SetPongHandler(func(string) error { return s.listen() })
	s.mu.Lock()
	s.ping = time.AfterFunc(cfg.PingInterval, s.sendPing)
	s.mu.Unlock()
	return s
}

// pingPatience is how long a ping may wait for a message that is being written.
const pingPatience = time.Second

func (s *socket) sendPing() {
	_ = s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(pingPatience))
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.ping.Reset(s.cfg.PingInterval)
	}
}

// timeLimit returns the earlier of a time limit from now and a deadline; zero means
// none.
func timeLimit(limit time.Duration, by time.Time) time.Time {
	if limit <= 0 {
		return by
	}
	if end := time.Now().Add(limit); by.IsZero() || end.Before(by) {
		return end
	}
	return by
}

// listen gives the client time until its next sign of life. While nobody reads,
// silence is not the client's.
func (s *socket) listen() error {
	s.mu.Lock()
	by := s.readBy
	s.mu.Unlock()
	return s.ws.SetReadDeadline(timeLimit(s.cfg.PongTimeout, by))
}

// Read implements net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	if err := s.listen(); err != nil {
		return 0, err
	}
	for {
		if s.message == nil {
			kind, message, err := s.ws.NextReader()
			switch {
			case websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived):
				return 0, io.EOF
			case err != nil:
				return 0, err
			case kind != websocket.BinaryMessage:
				return 0, errText
			}
			s.message = message
		}
		n, err := s.message.Read(p)
		if errors.Is(err, io.EOF) {
			s.message, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

var errText = errors.New("edge: a WebSocket message that is not binary")

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	by := s.writeBy
	s.mu.Unlock()
	if err := s.ws.SetWriteDeadline(timeLimit(s.cfg.WriteTimeout, by)); err != nil {
		return 0, err
	}
	if err := s.ws.WriteMessage(websocket.BinaryMessage, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// farewell bounds the wait for a message that is being written.
const farewell = 100 * time.Millisecond

// Close implements net.Conn.
func (s *socket) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if !first {
		return nil
	}
	s.ping.Stop()
	end := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = s.ws.WriteControl(websocket.CloseMessage, end, time.Now().Add(farewell))
	return s.ws.Close()
}

// SetDeadline implements net.Conn.
func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	s.readBy = t
	s.mu.Unlock()
	return s.listen()
}

// SetWriteDeadline implements net.Conn.
func (s *socket) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeBy = t
	return nil
}
