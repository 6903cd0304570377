package flow

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Output takes the messages of a Conn, usually a channel. Neither method may
// keep m, its headers or its body after it returns.
type Output interface {
	// Send waits for queue room until ctx ends.
	Send(ctx context.Context, m *message.Message) error
	// TrySend reports false at once if there is no room.
	TrySend(m *message.Message) bool
}

// batchOutput is an Output that can put messages together.
type batchOutput interface {
	// TrySendMore is TrySend for a message that another one follows at once.
	TrySendMore(m *message.Message) bool
	// TrySendSoon is TrySend for a message that may wait a little for others.
	TrySendSoon(m *message.Message) bool
}

// sharedOutput is an Output that can send without a copy.
type sharedOutput interface {
	// TrySendShared is TrySend, but keeps m.Body until it releases owner. It may
	// write prefix and headers to the end of room, the memory before m.Body. On
	// false nothing is kept.
	TrySendShared(m *message.Message, room []byte, owner interface{ Release() }) bool
}

// Path is told of the path of a circuit. A Conn is one.
type Path interface {
	// PathLost says that nothing gets through until Rerouted.
	PathLost()
	// Rerouted says that there is another path; what was under way on the old one
	// may be lost.
	Rerouted()
}

// pathOutput is an Output that tells of its path.
type pathOutput interface{ SetPath(Path) }

// Releaser gives pooled memory back, once.
type Releaser interface{ Release() }

// Role is the side of a circuit.
type Role bool

// The two roles. The dialer is the initiator, the host the terminator.
const (
	Initiator  Role = false
	Terminator Role = true
)

// Errors of a Conn. Timeouts are os.ErrDeadlineExceeded, use after Close is
// net.ErrClosed, the end of the peer's data is io.EOF.
var (
	ErrPeerClosed  = errors.New("flow: the peer has closed the circuit")
	ErrNotStarted  = errors.New("flow: the peer did not start the circuit in time")
	ErrProtocol    = errors.New("flow: malformed payload or acknowledgement")
	ErrWriteClosed = errors.New("flow: write after CloseWrite")
	ErrTooLarge    = errors.New("flow: message exceeds the limit")
)

// Config describes one end of a circuit. Circuit, Role and Output are required;
// zero values of the rest mean the defaults named here.
type Config struct {
	Circuit string
	Role    Role
	Output  Output

	ConnID    uint32 // put into every message if HasConnID
	HasConnID bool

	Window     int // bytes at start, default 64 KiB: a thousand circuits have to fit a router; it doubles every round trip that has room
	MaxWindow  int // bytes, default and maximum 4 MiB: what receivers store
	MaxPayload int // bytes, default 64 KiB; Write splits at it, WriteMessage does not

	Room Room // bounds what this end and others hold, nil for no bound

	Counters *Counters // nil for none

	Options *Options // nil for none; those that are set win over Window, MaxWindow, MaxPayload and Linger

	// Readable, Writable and Closed drive a relay. They are called without locks,
	// from any goroutine that feeds the Conn and from timers; they must not block.
	// Readable follows new data or the end of data, Writable new credit after a
	// refused TryWrite. Closed is called once, when the circuit is finished: nil
	// after an orderly end, else the reason. The owner then leaves the circuit.
	Readable func()
	Writable func()
	Closed   func(error)

	LocalAddr, RemoteAddr net.Addr // may be nil

	Linger     time.Duration // how long Close waits for acknowledgements, default 30 s
	StartLimit time.Duration // how long a terminator waits for the start, default 3 min, negative for ever
}

// Segment is one received payload. Its memory is valid until Release.
type Segment struct {
	Data         []byte
	UUID         []byte // opaque trace id of the sender, nil if absent
	EdgeFlags    uint32 // flags of a Data message that the sender passed along
	HasEdgeFlags bool
	layer        bool // carries only news for flow control
	owner        Releaser
}

// Release gives the memory back. The zero Segment may be released.
func (s *Segment) Release() {
	if s.owner != nil {
		s.owner.Release()
	}
	*s = Segment{}
}

// Item is one payload to send: a body with what accompanies it end to end.
type Item struct {
	Data         []byte // copied
	UUID         []byte // copied, nil = none
	EdgeFlags    uint32
	HasEdgeFlags bool
	lent         *buffer // memory of Data that needs no copy; nil once it is taken
}
