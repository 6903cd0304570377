// Package egress ends circuits at plain servers: the dialer of the binding
// `transport`, for addresses of the form tcp:host:port.
package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// Binding is the binding of terminators that this package dials.
const Binding = "transport"

// Config are the options of the binding.
type Config struct {
	ConnectTimeout time.Duration // 5 s by default: the reason has to arrive before dialing clients give up
	Log            *slog.Logger
}

// defaultConnectTimeout leaves time for two attempts within the 15 s that
// clients wait.
const defaultConnectTimeout = 5 * time.Second

// Transport dials servers for circuits. Its methods may be called concurrently.
type Transport struct {
	cfg Config

	mu      sync.Mutex
	streams map[*stream]struct{}
	closed  bool
	work    sync.WaitGroup
}

// New returns the dialer of the binding; register it with forward.Table.
func New(cfg Config) *Transport {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = defaultConnectTimeout
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Transport{cfg: cfg, streams: make(map[*stream]struct{})}
}

// Dial implements forward.Dialer.
func (t *Transport) Dial(ctx context.Context, c *forward.Circuit, e *ctrl.Egress) (map[uint32][]byte, error) {
	address, err := parseAddress(e.GetAddress())
	if err != nil {
		return nil, &forward.DialError{Cause: ctrl.Cause_MISCONFIGURED_TERMINATOR, Message: err.Error()}
	}
	d := net.Dialer{Timeout: t.cfg.ConnectTimeout}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, &forward.DialError{Cause: causeOf(err), Message: err.Error()}
	}
	s := newStream(t, c, conn.(*net.TCPConn))
	if !t.add(s) {
		conn.Close()
		return nil, &forward.DialError{Cause: ctrl.Cause_GENERIC, Message: "the router is shutting down"}
	}
	if !c.Attach(forward.Terminator, s) {
		t.remove(s)
		conn.Close()
		return nil, forward.ErrEnded
	}
	c.SetHost(e.GetTerminatorId(), "")
	s.start()
	return nil, nil
}

// Close ends all streams and waits for their goroutines.
func (t *Transport) Close() {
	t.mu.Lock()
	t.closed = true
	all := make([]*stream, 0, len(t.streams))
	for s := range t.streams {
		all = append(all, s)
	}
	t.mu.Unlock()
	for _, s := range all {
		s.c.EndBecause(forward.PeerGone, "router shutting down", "", true)
	}
	t.work.Wait()
}

func (t *Transport) add(s *stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.streams[s] = struct{}{}
	}
	return !t.closed
}

func (t *Transport) remove(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.streams, s)
}

func parseAddress(s string) (string, error) {
	proto, rest, ok := strings.Cut(s, ":")
	if !ok || proto != "tcp" {
		return "", fmt.Errorf("address %q is not of the form tcp:host:port", s)
	}
	if _, port, err := net.SplitHostPort(rest); err != nil || port == "" {
		return "", fmt.Errorf("address %q is not of the form tcp:host:port", s)
	}
	return rest, nil
}

// causeOf classifies why a server was not reached.
func causeOf(err error) ctrl.Cause {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return ctrl.Cause_DNS_RESOLUTION_FAILED
	case errors.Is(err, syscall.ECONNREFUSED):
		return ctrl.Cause_CONNECTION_REFUSED
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOBUFS):
		return ctrl.Cause_RESOURCES_NOT_AVAILABLE
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return ctrl.Cause_DIAL_TIMED_OUT
	}
	return ctrl.Cause_GENERIC
}
