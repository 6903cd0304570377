package control

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

// A session may also be begun by the controller, at a router that listens. Only
// the connection is the other way round: everything else is as if the router
// had dialed, and it registers.

// RouterDial says how a controller reaches a router.
type RouterDial struct {
	Address      string // host:port
	RouterID     string
	ControllerID string
	Version      string // version|revision|build date|os|arch
	// TLS has to verify that the peer is that router: sessions rely on it.
	TLS     *tls.Config
	Handler ControllerHandler
	Timeout time.Duration // for connection, handshake and hello, 15 s by default
	Tuning  Tuning
	Log     *slog.Logger
}

// DialRouter begins a session at a router. The error is a
// *channel.RejectedError if the router refuses, for example because it has a
// controller. The caller closes the channel and waits for it.
func DialRouter(ctx context.Context, d RouterDial) (*ControllerEnd, *channel.Channel, error) {
	end := NewControllerEnd(d.RouterID, d.Handler, d.Tuning)
	var hello message.Message
	hello.Headers.PutString(channel.HeaderID, d.ControllerID)
	hello.Headers.PutString(channel.HeaderHelloVersion, d.Version)
	options := d.Tuning.ChannelOptions()
	options.Log = d.Log
	ch, _, err := channel.Dial(ctx, channel.DialConfig{
		Address: d.Address, TLS: d.TLS, ALPN: ctrl.ALPN, Hello: hello, Timeout: d.Timeout, Handler: end, Options: options,
	})
	if err != nil {
		return nil, nil, err
	}
	return end, ch, nil
}

// ErrHasController refuses a controller that calls a router which has one.
var ErrHasController error = hasController{}

type hasController struct{}

// Error says what is so.
func (hasController) Error() string { return "the router has a controller" }

// Expected says that this is no news for the operator.
func (hasController) Expected() bool { return true }

// Accept returns the router's end of a session that a controller begins, as
// the handler of its channel; Net, Address, TLS and Timeout of cfg do not count.
// opened is called with the running session, on its reading goroutine: it must
// not wait for it. The end is then the caller's to close.
func Accept(cfg DialConfig, opened func(*RouterEnd)) channel.Handler {
	return &acceptedEnd{RouterEnd: newRouterEnd(cfg), opened: opened}
}

// AcceptOptions are the limits of the channels of such sessions.
func AcceptOptions(cfg DialConfig) channel.Options { return cfg.options() }

// acceptedEnd is a RouterEnd that does not know its channel before it is open.
type acceptedEnd struct {
	*RouterEnd
	opened func(*RouterEnd)
}

// HandleOpen is called by the channel.
func (a *acceptedEnd) HandleOpen(c *channel.Channel) {
	a.run(c)
	a.opened(a.RouterEnd)
}
