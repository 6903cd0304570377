package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weftnet/weft/wire/message"
)

// DialConfig says whom to call and what to say first.
type DialConfig struct {
	Address string // host:port
	// Net makes the TCP connection; nil means a net.Dialer.
	Net func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is copied. ServerName defaults to the host of Address.
	TLS *tls.Config
	// ALPN is offered if it is not empty.
	ALPN string
	// Hello holds headers and body of the first message.
	Hello message.Message
	// Timeout bounds connecting, handshake and hello together; 15 s by default.
	Timeout time.Duration
	Options Options
	// Handler may be nil: then all messages but replies are dropped.
	Handler Handler
}

const defaultDialTimeout = 15 * time.Second

// ErrVersion is returned by Dial if the listener speaks another framing.
var ErrVersion = errors.New("channel: the listener does not speak this version of the framing")

// RejectedError is returned by Dial if the listener refused the hello.
type RejectedError struct {
	Reason string           // text of the listener, may be empty
	Result *message.Message // its answer
}

// Error gives the listener's reason.
func (e *RejectedError) Error() string {
	if e.Reason == "" {
		return "channel: hello rejected"
	}
	return "channel: hello rejected: " + e.Reason
}

// Dial connects and says hello. It returns the running channel and the
// listener's answer. The caller closes the channel.
func Dial(ctx context.Context, d DialConfig) (*Channel, *message.Message, error) {
	if d.Timeout == 0 {
		d.Timeout = defaultDialTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	conn, err := d.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.NetConn().Close() })
	result, err := sayHello(conn, &d.Hello)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = fmt.Errorf("channel: hello to %s: %w", d.Address, ctx.Err())
		}
		return nil, nil, err
	}
	c := newChannel(peerOf(conn, result), d.Handler, d.Options.withDefaults())
	c.start(newUnderlay(c, conn, false))
	return c, result, nil
}

func (d *DialConfig) connect(ctx context.Context) (*tls.Conn, error) {
	dial := d.Net
	if dial == nil {
		dial = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	}
	cfg := d.TLS.Clone()
	if cfg == nil {
		return nil, errors.New("channel: no TLS configuration")
	}
	cfg.DynamicRecordSizingDisabled = true
	if cfg.ServerName == "" {
		host, _, err := net.SplitHostPort(d.Address)
		if err != nil {
			return nil, fmt.Errorf("channel: address %q: %w", d.Address, err)
		}
		cfg.ServerName = host
	}
	cfg.NextProtos = nil
	if d.ALPN != "" {
		cfg.NextProtos = []string{d.ALPN}
	}
	raw, err := dial(ctx, "tcp", d.Address)
	if err != nil {
		return nil, fmt.Errorf("channel: %w", err)
	}
	conn := tls.Client(newStream(raw), cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("channel: TLS handshake with %s: %w", d.Address, err)
	}
	return conn, nil
}

func sayHello(conn *tls.Conn, hello *message.Message) (*message.Message, error) {
	m := *hello
	m.Type, m.Seq = TypeHello, helloSequence
	if _, err := conn.Write(m.Append(nil)); err != nil {
		return nil, fmt.Errorf("channel: hello: %w", err)
	}
	result, err := readHello(conn)
	if err != nil {
		return nil, fmt.Errorf("channel: answer to the hello: %w", err)
	}
	if seq, ok := result.Headers.Int32(HeaderReplyFor); result.Type != TypeResult || !ok || seq != helloSequence {
		return nil, errors.New("channel: the first message of the listener does not answer the hello")
	}
	if !result.Headers.Bool(HeaderResultSuccess) {
		return nil, &RejectedError{Reason: string(result.Body), Result: result}
	}
	return result, nil
}
