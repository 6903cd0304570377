package uplink

import (
	"context"
	"errors"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
)

// begun is a session that has its connection and is not registered yet.
type begun struct {
	end     *control.RouterEnd
	handler *sessionHandler
	address string // of the controller
}

// errNoController refuses callers that do not prove to be a controller.
var errNoController = errors.New("only controllers may call a router: the certificate carries no SPIFFE id of one")

// ListenerConfig returns how connections that controllers begin are treated.
// The handshake has to verify that their certificate is of the network.
func (u *Uplink) ListenerConfig() channel.ListenerConfig {
	return channel.ListenerConfig{Accept: u.accept, Options: control.AcceptOptions(u.dialConfig(""))}
}

// accept judges the hello of a controller: while there is a session, another one
// is not wanted.
func (u *Uplink) accept(_ context.Context, p *channel.Peer) (*channel.Accepted, error) {
	if err := checkCaller(p, u.cfg.Now()); err != nil {
		return nil, err
	}
	if u.Status().Connected {
		return nil, control.ErrHasController
	}
	b := &begun{handler: &sessionHandler{u: u}, address: p.Remote.String()}
	cfg := u.dialConfig("")
	cfg.Handler = b.handler
	out := &channel.Accepted{Handler: control.Accept(cfg, func(s *control.RouterEnd) {
		b.end = s
		select {
		case u.calls <- b:
		case <-s.Done():
		case <-time.After(callPatience): // the loop is in a session or about to have one
			s.Hangup()
		}
	})}
	out.Headers.PutString(channel.HeaderHelloVersion, u.cfg.Version)
	return out, nil
}

// callPatience is how long a call of a controller waits to be taken.
const callPatience = time.Second

// checkCaller tells whether a verified certificate is a controller's.
func checkCaller(p *channel.Peer, now time.Time) error {
	leaf := p.Leaf()
	if leaf == nil || now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return errNoController
	}
	u, err := pki.SPIFFE(leaf)
	if err != nil {
		return errNoController
	}
	if _, ok := pki.PathID(u, "controller"); !ok {
		return errNoController
	}
	return nil
}

// connect calls a controller, or takes the call of one that comes first; with
// an empty address it only waits for one.
func (u *Uplink) connect(ctx context.Context, address string) (*begun, error) {
	if address == "" {
		return u.await(ctx, nil)
	}
	dialing, stop := context.WithCancel(ctx)
	defer stop()
	type result struct {
		b   *begun
		err error
	}
	dialed := make(chan result, 1)
	go func() {
		b := &begun{handler: &sessionHandler{u: u}, address: address}
		cfg := u.dialConfig(address)
		cfg.Handler = b.handler
		var err error
		if b.end, err = control.Dial(dialing, cfg); err != nil {
			b = nil
		}
		dialed <- result{b, err}
	}()
	select {
	case r := <-dialed:
		return r.b, r.err
	case call := <-u.calls:
		stop()
		if r := <-dialed; r.err == nil {
			r.b.end.Close()
		}
		return call, nil
	}
}

// await waits for the call of a controller until ctx or the pause ends.
func (u *Uplink) await(ctx context.Context, pause <-chan time.Time) (*begun, error) {
	select {
	case b := <-u.calls:
		return b, nil
	case <-pause:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
