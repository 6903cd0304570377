package control

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
)

// RouterHandler is what a router does for its controller. Its methods are
// called in order on the reading goroutine of the session and must not wait
// for the session, except Route and Inspect, which have goroutines of their
// own and a context that ends with the session; that of Route ends also when an
// Unroute takes the circuit back. Then the route must leave nothing behind.
type RouterHandler interface {
	HandleSlice(*ctrl.SliceUpdate)
	HandlePeers(*ctrl.Peers)
	HandleEndpoints(*ctrl.Endpoints)
	HandleUnroute(*ctrl.Unroute)
	HandleCloseLink(*ctrl.CloseLink)
	HandleRoute(context.Context, *ctrl.Route) *ctrl.RouteResult
	HandleInspect(context.Context, *ctrl.Inspect) *ctrl.InspectResult
}

// DialConfig says how a router reaches a controller.
type DialConfig struct {
	Address string // host:port
	TLS     *tls.Config
	Version string // version|revision|build date|os|arch
	Handler RouterHandler
	// Net makes the TCP connection; nil means a net.Dialer.
	Net func(ctx context.Context, network, address string) (net.Conn, error)
	// Timeout is the time for connection, handshake and hello, 15 s by default.
	Timeout time.Duration
	// WriteTimeout is the time for a write, after which the session ends; 20 s by
	// default.
	WriteTimeout time.Duration
	// Queue bounds the messages that wait for the connection, besides their 8 MiB;
	// 0 for no such bound.
	Queue      int
	Heartbeats Heartbeats
	Trace      Trace // may be nil
	Log        *slog.Logger
}

const (
	defaultWriteTimeout = 20 * time.Second
	queueBytes          = 8 << 20
	maxUnderWay         = 1024 // routes and questions that a router works at; more are refused as busy
)

// limits suits reports of hundreds of thousands of circuits.
var limits = message.Limits{Headers: 16 << 10, Body: 128 << 20}

// RouterEnd is the router's end of a session. Safe for concurrent use.
type RouterEnd struct {
	ch      *channel.Channel
	handler RouterHandler
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	slots   chan struct{} // bounds Route and Inspect under way
	routes  *routes
	pulse   *pulse
	trace   Trace
}

// Dial connects to a controller, which knows the router by the certificate of
// cfg.TLS. The error is a *channel.RejectedError if the controller refuses the
// router. The caller closes the session.
func Dial(ctx context.Context, cfg DialConfig) (*RouterEnd, error) {
	r := newRouterEnd(cfg)
	var hello message.Message
	hello.Headers.PutString(channel.HeaderHelloVersion, cfg.Version)
	ch, _, err := channel.Dial(ctx, channel.DialConfig{
		Address: cfg.Address, Net: cfg.Net, TLS: cfg.TLS, ALPN: ctrl.ALPN, Hello: hello,
		Timeout: cfg.Timeout, Handler: r, Options: cfg.options(),
	})
	if err != nil {
		r.cancel()
		return nil, err
	}
	r.run(ch)
	return r, nil
}

func newRouterEnd(cfg DialConfig) *RouterEnd {
	r := &RouterEnd{handler: cfg.Handler, slots: make(chan struct{}, maxUnderWay), routes: newRoutes(), pulse: &pulse{cfg: cfg.Heartbeats.withDefaults()}, trace: cfg.Trace}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

func (cfg *DialConfig) options() channel.Options {
	if cfg.WriteTimeout <= 0 {
		cfg.WriteTimeout = defaultWriteTimeout
	}
	return channel.Options{Limits: limits, QueueBytes: queueBytes, QueueMessages: cfg.Queue, Log: cfg.Log, WriteTimeout: cfg.WriteTimeout}
}

// run begins the work of a session on its channel.
func (r *RouterEnd) run(ch *channel.Channel) {
	r.ch = ch
	r.work.Go(func() { r.pulse.run(ch) })
}

// Done is closed when the session has ended; Err then tells why.
func (r *RouterEnd) Done() <-chan struct{} { return r.ch.Done() }

// Err returns why the session ended, nil while it lives.
func (r *RouterEnd) Err() error { return r.ch.Err() }

// Peer returns what is known of the controller's connection.
func (r *RouterEnd) Peer() *channel.Peer { return r.ch.Peer() }

// Close ends the session and waits for its goroutines. It must not be called
// by a RouterHandler.
func (r *RouterEnd) Close() {
	r.ch.Close()
	r.ch.Wait()
	r.cancel()
	r.work.Wait()
}

// Hangup ends the session without waiting for it.
func (r *RouterEnd) Hangup() { r.ch.Close() }

// Register reports what the router has. It comes before everything else.
func (r *RouterEnd) Register(ctx context.Context, m *ctrl.Register) (*ctrl.Registered, error) {
	return request[ctrl.Registered](ctx, r.line(), ctrl.TypeRegister, m, ctrl.TypeRegistered)
}

// CreateCircuit asks for a circuit or for the next attempt at one.
func (r *RouterEnd) CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	return request[ctrl.CircuitCreated](ctx, r.line(), ctrl.TypeCreateCircuit, m, ctrl.TypeCircuitCreated)
}

// ChangeTerminators has terminators written; the answer names what was refused.
func (r *RouterEnd) ChangeTerminators(ctx context.Context, m *ctrl.TerminatorChanges) (*ctrl.TerminatorResults, error) {
	return request[ctrl.TerminatorResults](ctx, r.line(), ctrl.TypeTerminatorChanges, m, ctrl.TypeTerminatorResults)
}

// CircuitsEnded reports circuits that are no longer carried.
func (r *RouterEnd) CircuitsEnded(ctx context.Context, ids []string) error {
	return send(ctx, r.line(), ctrl.TypeCircuitsEnded, &ctrl.CircuitsEnded{CircuitIds: ids})
}

// HandleFrame is called by the channel.
func (r *RouterEnd) HandleFrame(c *channel.Channel, f *channel.Frame) {
	defer f.Release()
	if err := r.handle(c, f); err != nil {
		c.Close()
	}
}

// handle passes a message on to the handler.
func (r *RouterEnd) handle(c *channel.Channel, f *channel.Frame) error {
	h := r.handler
	line{c, r.trace}.sees(Received, f.Type, f.Body)
	switch f.Type {
	case ctrl.TypeSliceUpdate:
		return on(f, h.HandleSlice)
	case ctrl.TypePeers:
		return on(f, h.HandlePeers)
	case ctrl.TypeEndpoints:
		return on(f, h.HandleEndpoints)
	case ctrl.TypeUnroute:
		return on(f, func(m *ctrl.Unroute) {
			r.routes.takeBack(m.CircuitIds)
			h.HandleUnroute(m)
		})
	case ctrl.TypeCloseLink:
		return on(f, h.HandleCloseLink)
	case ctrl.TypeRoute:
		return on(f, func(m *ctrl.Route) {
			reply := replies[*ctrl.RouteResult](line{c, r.trace}, f, ctrl.TypeRouteResult)
			k := r.routes.begin(r.ctx, m.CircuitId)
			if !r.async(c, f, func() {
				defer r.routes.end(m.CircuitId, k)
				k.wait()
				reply(h.HandleRoute(k.ctx, m))
			}) {
				r.routes.end(m.CircuitId, k)
			}
		})
	case ctrl.TypeInspect:
		return on(f, func(m *ctrl.Inspect) {
			reply := replies[*ctrl.InspectResult](line{c, r.trace}, f, ctrl.TypeInspectResult)
			r.async(c, f, func() { reply(h.HandleInspect(r.ctx, m)) })
		})
	}
	return nil
}

// HandleClose is called by the channel.
func (r *RouterEnd) HandleClose(*channel.Channel, error) { r.cancel() }

// async runs fn in a goroutine; it answers at once that the router is busy if
// too many are under way.
func (r *RouterEnd) async(c *channel.Channel, f *channel.Frame, fn func()) bool {
	select {
	case r.slots <- struct{}{}:
	default:
		c.TryReply(&f.Message, channel.Result(false, "the router is busy"))
		return false
	}
	r.work.Go(func() {
		defer func() { <-r.slots }()
		fn()
	})
	return true
}
