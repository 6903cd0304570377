package channel

import (
	"log/slog"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// Handler receives the messages of a channel.
type Handler interface {
	// HandleFrame takes ownership of f. It is called in order of arrival, never
	// concurrently for one channel, and must not wait for the same channel:
	// neither for queue room nor for a reply. Frames that it passes on may leave
	// only after it has returned.
	HandleFrame(c *Channel, f *Frame)
}

// Opener is implemented by a Handler that wants to know its channel before the
// first frame. HandleOpen is called once, before any HandleFrame.
type Opener interface{ HandleOpen(c *Channel) }

// Closer is implemented by a Handler that wants to know the end of its
// channel. HandleClose is called once, after the last HandleFrame; err is what
// Channel.Err returns.
type Closer interface {
	HandleClose(c *Channel, err error)
}

// Options are the limits of a channel. The zero value means the defaults.
type Options struct {
	// Limits bounds every message after the hello, in bytes; 64 KiB of headers
	// and 16 MiB of body by default.
	Limits message.Limits
	// QueueBytes bounds the messages waiting to be written, per connection;
	// 1 MiB by default. Send waits and TrySend refuses while it is full. One
	// message is always accepted by an empty queue, whatever its size.
	QueueBytes int
	// QueueMessages bounds them in number, besides those that are being written;
	// zero means no limit.
	QueueMessages int
	// WriteTimeout bounds one system call of the writer; a channel whose peer
	// takes nothing for so long ends. Zero means no limit.
	WriteTimeout time.Duration
	// IsControl tells which messages go over a control connection where a group
	// has one; nil means none.
	IsControl func(contentType int32) bool
	// Log may be nil.
	Log *slog.Logger
}

const (
	defaultQueueBytes   = 1 << 20
	defaultHelloTimeout = 5 * time.Second
	closeLinger         = time.Second // time for queued messages on Close
)

func (o Options) withDefaults() Options {
	if o.Limits.Headers == 0 {
		o.Limits.Headers = 64 << 10
	}
	if o.Limits.Body == 0 {
		o.Limits.Body = 16 << 20
	}
	if o.QueueBytes == 0 {
		o.QueueBytes = defaultQueueBytes
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
