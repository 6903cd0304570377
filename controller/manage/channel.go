package manage

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/mgmt"
)

// Config describes a Channel.
type Config struct {
	Hub   *events.Hub
	Facts Facts
	// Inspect asks the processes that match a regular expression.
	Inspect func(ctx context.Context, appRegex string, keys []string) (values []Value, errors []string)
	Log     *slog.Logger
}

// Value is one value of an inspection.
type Value struct{ AppID, Name, Value string }

// Bounds of a connection.
const (
	maxMessage  = 64 << 10         // bytes of a request
	maxClients  = 200              // connections at once
	maxWork     = 4                // checks of a connection at once
	maxStreams  = 8                // subscriptions of a connection
	streamQueue = 4096             // events that wait for a slow client; then it is closed
	writeTime   = 10 * time.Second // for one message
	pingTime    = 30 * time.Second // between two probes, and between two looks at the session
	silence     = 75 * time.Second // without a sign of life, after which a client is given up
	checkTime   = 2 * time.Minute  // for one check
)

// Channel serves the management channel. It is safe for concurrent use.
type Channel struct {
	cfg      Config
	upgrader websocket.Upgrader
	ctx      context.Context
	stop     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	clients int
	work    sync.WaitGroup
}

// New returns a Channel. Close ends its connections.
func New(cfg Config) *Channel {
	c := &Channel{cfg: cfg, upgrader: websocket.Upgrader{
		HandshakeTimeout: writeTime,
		CheckOrigin:      func(*http.Request) bool { return true }, // no cookie tells who calls: a page of somebody else has no token
	}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// enter counts a connection; false if there are too many or after Close.
func (c *Channel) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.clients >= maxClients {
		return false
	}
	c.clients++
	c.work.Add(1)
	return true
}

func (c *Channel) leave() {
	c.mu.Lock()
	c.clients--
	c.mu.Unlock()
	c.work.Done()
}

// Serve upgrades a request, which the caller has found to be of somebody who
// may, and serves the connection until it ends. allowed is asked now and then
// whether it still is, and sees which types of events may be followed. It reports
// false, with nothing written, if there are too many connections.
func (c *Channel) Serve(w http.ResponseWriter, r *http.Request, allowed func() error, sees func(eventType string) bool) bool {
	if !c.enter() {
		return false
	}
	defer c.leave()
	socket, err := c.upgrader.Upgrade(w, r, nil)
	if err != nil {
		c.cfg.Log.Debug("no websocket", "remote", r.RemoteAddr, "error", err)
		return true
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	s := &session{c: c, sees: sees, socket: socket, ctx: ctx, cancel: cancel, slots: make(chan struct{}, maxWork), streams: make(chan struct{}, maxStreams)}
	s.work.Go(func() { s.keep(allowed) })
	err = s.read()
	cancel(err)
	s.work.Wait()
	s.goodbye()
	c.cfg.Log.Debug("management channel closed", "remote", r.RemoteAddr, "reason", context.Cause(ctx))
	return true
}

// Close ends all connections and waits for them.
func (c *Channel) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.stop()
	c.work.Wait()
	return nil
}

// session is one connection.
type session struct {
	c       *Channel
	sees    func(eventType string) bool
	socket  *websocket.Conn
	ctx     context.Context
	cancel  context.CancelCauseFunc
	slots   chan struct{}
	streams chan struct{}
	work    sync.WaitGroup

	reading sync.Mutex // of the deadline of reading

	mu  sync.Mutex // of writing
	seq int32
}

var errNotBinary = errors.New("messages of the management channel are binary")

// read handles requests until the connection ends.
func (s *session) read() error {
	s.socket.SetReadLimit(maxMessage)
	alive := func(string) error { return s.readUntil(time.Now().Add(silence)) }
	s.socket.SetPongHandler(alive)
	for {
		if err := alive(""); err != nil {
			return err
		}
		kind, b, err := s.socket.ReadMessage()
		if err != nil {
			return err
		}
		if kind != websocket.BinaryMessage {
			return errNotBinary
		}
		m, n, err := message.Parse(b, message.Limits{Headers: maxMessage, Body: maxMessage})
		if err != nil {
			return err
		}
		if n != len(b) {
			return mgmt.ErrBody
		}
		if err := s.handle(m); err != nil {
			return err
		}
	}
}

// readUntil bounds the wait for a message, unless the connection is over.
func (s *session) readUntil(limit time.Time) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.socket.SetReadDeadline(limit)
}

// keep probes the client and looks whether its login goes on.
func (s *session) keep(allowed func() error) {
	tick := time.NewTicker(pingTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			err := allowed()
			if err == nil {
				err = s.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime))
			}
			if err == nil {
				continue
			}
			s.cancel(err)
		case <-s.ctx.Done():
		}
		s.reading.Lock()
		_ = s.socket.SetReadDeadline(time.Now()) // it fails if the client is gone
		s.reading.Unlock()
		return
	}
}

// goodbye tells the client why, if it is still there, and closes.
func (s *session) goodbye() {
	reason := context.Cause(s.ctx)
	code := websocket.CloseNormalClosure
	switch {
	case errors.Is(reason, events.ErrSlow), errors.Is(reason, errNotBinary):
		code = websocket.ClosePolicyViolation
	case s.c.ctx.Err() != nil:
		code = websocket.CloseGoingAway
	}
	text := reason.Error()
	// Both may fail: the client may be gone.
	_ = s.socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text[:min(len(text), 120)]), time.Now().Add(time.Second))
	_ = s.socket.Close()
}

// send writes a message.
func (s *session) send(m *message.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	m.Seq = s.seq
	if err := s.socket.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	return s.socket.WriteMessage(websocket.BinaryMessage, m.Append(nil))
}

// reply sends the answer to a request.
func (s *session) reply(to *message.Message, kind int32, body []byte) error {
	m := message.New(kind, body)
	m.Headers.PutUint32(mgmt.HeaderReplyFor, uint32(to.Seq))
	return s.send(m)
}

// result sends the outcome of a request.
func (s *session) result(to *message.Message, err error) error {
	text := "success"
	if err != nil {
		text = err.Error()
	}
	m := message.New(mgmt.Result, []byte(text))
	m.Headers.PutUint32(mgmt.HeaderReplyFor, uint32(to.Seq))
	m.Headers.PutBool(mgmt.HeaderSuccess, err == nil)
	return s.send(m)
}
