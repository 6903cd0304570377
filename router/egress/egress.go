// Package egress ends circuits at plain servers: the dialers of the bindings
// transport, transport_udp and udp, which pass data on as it is, and
// edge_transport, which ends the end-to-end encryption of the dialing client.
package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/ramp"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/secretstream"
)

// Bindings of terminators that this package dials.
const (
	Binding     = "transport"
	BindingUDP  = "transport_udp"
	BindingUDP2 = "udp" // another name of transport_udp
	BindingEdge = "edge_transport"
)

// Bindings are all of them.
var Bindings = []string{Binding, BindingUDP, BindingUDP2, BindingEdge}

// Config are the options of a binding.
type Config struct {
	Binding        string        // transport by default
	ConnectTimeout time.Duration // 5 s by default: the reason has to arrive before dialing clients give up
	// StartTimeout is how long a connection waits for the dialer to begin; 3
	// minutes by default, negative for ever.
	StartTimeout time.Duration
	Flow         *flow.Options   // of the circuits, nil for none
	Budget       *forward.Budget // of what the router holds, nil for no bound
	Gather       int             // payloads taken for a connection at once, 16 by default
	// TLS is for addresses of the form tls:host:port; nil refuses them. The name
	// of the server is set to the host.
	TLS *tls.Config
	// Net makes TCP connections; nil means a net.Dialer.
	Net func(ctx context.Context, network, address string) (net.Conn, error)
	Log *slog.Logger
}

// defaultConnectTimeout leaves time for two attempts within the 15 s that
// clients wait.
const defaultConnectTimeout = 5 * time.Second

// Transport dials servers for circuits. Its methods may be called concurrently.
type Transport struct {
	cfg Config
	set *ramp.Set
}

// New returns the dialer of a binding; register it with forward.Table.
func New(cfg Config) *Transport {
	if cfg.Binding == "" {
		cfg.Binding = Binding
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = defaultConnectTimeout
	}
	if cfg.Net == nil {
		cfg.Net = new(net.Dialer).DialContext
	}
	return &Transport{cfg: cfg, set: ramp.New(ramp.Config{StartLimit: cfg.StartTimeout, Flow: cfg.Flow, Budget: cfg.Budget, Gather: cfg.Gather, Log: cfg.Log})}
}

// Close ends all connections and waits for their goroutines.
func (t *Transport) Close() { t.set.Close() }

// Dial implements forward.Dialer. It returns the addresses of its socket.
func (t *Transport) Dial(ctx context.Context, c *forward.Circuit, e *ctrl.Egress) (map[uint32][]byte, error) {
	to, err := parseAddress(t.cfg.Binding, e.GetAddress())
	if err != nil {
		return nil, misconfigured(err)
	}
	if to.kind == "tls" && t.cfg.TLS == nil {
		return nil, misconfigured(errors.New("this router has no identity for TLS"))
	}
	peer := make(map[uint32][]byte, 3)
	keys, err := t.encryption(e, peer)
	if err != nil {
		return nil, err
	}
	conn, err := t.connect(ctx, to)
	if err != nil {
		return nil, &forward.DialError{Cause: causeOf(err), Message: err.Error()}
	}
	peer[HeaderLocalAddress] = []byte(conn.LocalAddr().String())
	peer[HeaderRemoteAddress] = []byte(conn.RemoteAddr().String())
	if err := t.join(c, e, conn, to, keys); err != nil {
		conn.Close()
		return nil, err
	}
	return peer, nil
}

// Headers of the peer data that Dial returns: the addresses of its socket.
const (
	HeaderLocalAddress  = 1110
	HeaderRemoteAddress = 1111
)

// join makes the terminator side of a circuit from a connection.
func (t *Transport) join(c *forward.Circuit, e *ctrl.Egress, conn net.Conn, to address, keys *secretstream.SessionKeys) error {
	var end interface {
		forward.Destination
		Drop()
	}
	var start func() bool
	if to.datagrams() {
		d, err := t.set.Datagrams(c, forward.Terminator, keys, func(b []byte) error { _, err := conn.Write(b); return err }, func() { conn.Close() })
		if err != nil {
			return &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: err.Error()}
		}
		end, start = d, func() bool { return d.Start(conn) }
	} else {
		s, err := t.set.Stream(c, forward.Terminator, conn, keys)
		if err != nil {
			return &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: err.Error()}
		}
		end, start = s, func() bool { return s.Start(nil) }
	}
	if !c.Attach(forward.Terminator, end) {
		end.Drop()
		return forward.ErrEnded
	}
	c.SetHost(e.GetTerminatorId(), "")
	if !start() {
		return forward.ErrEnded
	}
	return nil
}

// encryption makes this end of the encryption that the dialer has asked for with
// its key, nil if it has not; the own key goes into the peer data.
func (t *Transport) encryption(e *ctrl.Egress, peer map[uint32][]byte) (*secretstream.SessionKeys, error) {
	key := e.GetPeerData()[uint32(edge.HeaderPublicKey)]
	if t.cfg.Binding != BindingEdge || len(key) == 0 {
		return nil, nil
	}
	own, err := secretstream.NewKeyPair()
	if err != nil {
		return nil, &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: err.Error()}
	}
	keys, err := secretstream.ServerKeys(own, key)
	if err != nil {
		return nil, &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: "the key of the dialing client: " + err.Error()}
	}
	peer[uint32(edge.HeaderPublicKey)] = own.Public()
	return &keys, nil
}

func misconfigured(err error) error {
	return &forward.DialError{Cause: ctrl.Cause_MISCONFIGURED_TERMINATOR, Message: err.Error()}
}
