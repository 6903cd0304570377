package flow

import (
	"net"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Conn is one end of a circuit. Its methods may be called concurrently.
type Conn struct {
	cfg Config
}

// New returns an end of a circuit. It sends nothing before Start.
func New(cfg Config) *Conn { return &Conn{cfg: cfg} }

// Start opens the circuit: an initiator announces it to the terminator, a
// terminator begins to wait for that. Messages may be handled before Start.
func (c *Conn) Start() {}

// HandlePayload takes a received payload (xgress.TypePayload). It never blocks
// and releases owner, which may be nil, when the data is consumed.
func (c *Conn) HandlePayload(m *message.Message, owner Releaser) {}

// HandleAck takes a received acknowledgement (xgress.TypeAcknowledgement). It
// never blocks and keeps no memory of m.
func (c *Conn) HandleAck(m *message.Message) {}

// PeerClosed tells the Conn that the network has removed the circuit. Data that
// has arrived can still be read, then Read returns io.EOF, or err if not nil.
func (c *Conn) PeerClosed(err error) {}

// Read reads stream data; boundaries of payloads are not kept.
func (c *Conn) Read(p []byte) (int, error) { return 0, nil }

// Next waits for one whole payload as the peer wrote it, until the read deadline.
// A Conn is read either with Read or with Next.
func (c *Conn) Next() (Segment, error) { return Segment{}, nil }

// TryNext is Next without waiting; ok is false if nothing has arrived.
func (c *Conn) TryNext() (s Segment, ok bool, err error) { return Segment{}, false, nil }

// Write sends p in payloads of at most Config.MaxPayload bytes.
func (c *Conn) Write(p []byte) (int, error) { return 0, nil }

// WriteMessage sends it as exactly one payload, waiting for credit until the
// write deadline.
func (c *Conn) WriteMessage(it Item) error { return nil }

// TryWrite is WriteMessage without waiting; ok is false if there is no credit,
// and Config.Writable is called when there is again.
func (c *Conn) TryWrite(it Item) (ok bool, err error) { return false, nil }

// CloseWrite ends this side's data after everything written; reading goes on.
func (c *Conn) CloseWrite() error { return nil }

// Close ends both directions. It returns at once; what was written is still
// delivered for at most Config.Linger, then Config.Closed is called.
func (c *Conn) Close() error { return nil }

// Abort ends the Conn at once without telling the peer, for instance because
// its channel is gone; pending and later calls return err.
func (c *Conn) Abort(err error) {}

// Done is closed when the circuit is finished, after which no message is sent.
func (c *Conn) Done() <-chan struct{} { return nil }

// Circuit returns the circuit id.
func (c *Conn) Circuit() string { return c.cfg.Circuit }

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.cfg.LocalAddr }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.cfg.RemoteAddr }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return nil }
