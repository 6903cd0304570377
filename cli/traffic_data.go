package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
)

// exchange hosts the service, dials it and sends data, as far as that is the
// work of this side.
func (v *traffic) exchange() error {
	if v.mode != modeClient {
		var h *trafficHost
		if err := v.step("host", func(ctx context.Context) (detail string, err error) {
			h, err = v.host(ctx)
			return v.name.server + " hosts " + v.name.service, v.because(ctx, err, v.name.server, "bind")
		}); err != nil {
			return err
		}
		defer h.close()
		if v.mode == modeServer {
			v.say("waiting for a client: weft ops verify traffic --mode client --prefix %s", v.prefix)
			return v.step("serve a client", h.wait)
		}
	}
	if err := v.step("wait for the host", v.awaitHost); err != nil {
		return err
	}
	return v.dialAndCompare()
}

// trafficHost sends back what its first connection brings.
type trafficHost struct {
	client   *sdk.Client
	listener *sdk.Listener
	done     chan struct{} // closed when detail and err are set
	detail   string
	err      error
}

func (v *traffic) host(ctx context.Context) (*trafficHost, error) {
	c, err := v.enrolled(ctx, v.name.server)
	if err != nil {
		return nil, err
	}
	l, err := c.ListenWithOptions(ctx, v.name.service, sdk.ListenOptions{Timeout: v.timeout})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	h := &trafficHost{client: c, listener: l, done: make(chan struct{})}
	go h.serve()
	return h, nil
}

func (h *trafficHost) serve() {
	defer close(h.done)
	conn, err := h.listener.AcceptConn()
	if err != nil {
		h.err = err
		return
	}
	n, err := io.Copy(conn, conn) // ends when the client has got all of it back
	h.detail, h.err = fmt.Sprintf("%d bytes of %s, sent back", n, cmp.Or(conn.Peer().IdentityName, "a client")), errors.Join(err, conn.Close())
}

// wait returns when a client was served.
func (h *trafficHost) wait(ctx context.Context) (string, error) {
	select {
	case <-h.done:
		return h.detail, h.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return "", ctx.Err()
		}
		return "", &failure{code: "NO_CLIENT", cause: "no client came in time", remedy: "start it with --mode client and the same --prefix, or give more --timeout", exit: ExitFailure}
	}
}

func (h *trafficHost) close() {
	_ = h.listener.Close() // ends AcceptConn, and there is nothing to lose
	_ = h.client.Close()
	<-h.done
}

// awaitHost returns when the service has a terminator.
func (v *traffic) awaitHost(ctx context.Context) (string, error) {
	text, err := quote(v.name.service)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := v.m.ListTerminators(ctx, &client.ListParams{Filter: "service.name=" + text})
		if err == nil && len(page.Items) > 0 {
			return "at router " + refName(&page.Items[0].Router, page.Items[0].RouterID), nil
		}
		if err != nil && ctx.Err() == nil {
			return "", err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return "", ctx.Err()
			}
			return "", &failure{code: "NO_HOST", cause: "nobody hosts " + v.name.service, exit: ExitFailure,
				remedy: "start the other side: weft ops verify traffic --mode server --prefix " + v.prefix}
		}
	}
}

func (v *traffic) dialAndCompare() error {
	var conn *sdk.Conn
	if err := v.step("dial", func(ctx context.Context) (string, error) {
		c, err := v.enrolled(ctx, v.name.client)
		if err == nil {
			v.dialer = c
			conn, err = c.DialWithOptions(ctx, v.name.service, sdk.DialOptions{Timeout: v.timeout})
		}
		if err != nil {
			return "", v.because(ctx, err, v.name.client, "dial")
		}
		v.report.Circuit, v.report.Encrypted = conn.CircuitID(), conn.Encrypted()
		return "circuit " + conn.CircuitID(), nil
	}); err != nil {
		return err
	}
	defer conn.Close()
	return v.step("data", func(ctx context.Context) (string, error) {
		stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // a net.Conn of ours takes any
		defer stop()
		text, err := compareEcho(conn, v.size)
		if err == nil {
			v.report.Bytes = int64(v.size)
		}
		return text, err
	})
}

// halfCloser is a connection that can close one direction alone.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// compareEcho sends so many bytes and compares what comes back. It closes the
// sending direction when it has all of it.
func compareEcho(conn halfCloser, size int) (string, error) {
	begin := time.Now()
	sent := make(chan error, 1)
	go func() {
		_, err := io.CopyN(conn, pattern(), int64(size))
		sent <- err
	}()
	first, err := compareStream(conn, pattern(), size)
	if err != nil {
		_ = conn.SetDeadline(time.Unix(1, 0)) // ends the sending
		<-sent
		return "", err
	}
	if err := errors.Join(<-sent, conn.CloseWrite()); err != nil {
		return "", err
	}
	took := time.Since(begin)
	return fmt.Sprintf("%d bytes there and back in %s, the first after %s", size, took.Round(time.Millisecond), first.Sub(begin).Round(100*time.Microsecond)), nil
}

// pattern is the same endless stream at every call.
func pattern() io.Reader {
	return rand.NewChaCha8([32]byte([]byte("weft ops verify traffic, pattern")))
}

// compareStream reads so many bytes and compares them. It returns when the first came.
func compareStream(from, want io.Reader, size int) (first time.Time, err error) {
	got, expected := make([]byte, 32<<10), make([]byte, 32<<10)
	for at := 0; at < size; {
		n, err := from.Read(got[:min(len(got), size-at)])
		if first.IsZero() {
			first = time.Now()
		}
		if _, err := io.ReadFull(want, expected[:n]); err != nil {
			return first, err
		}
		if !bytes.Equal(got[:n], expected[:n]) {
			return first, &failure{code: "DATA_DIFFERS", cause: fmt.Sprintf("what came back differs within the %d bytes after byte %d", n, at),
				remedy: "look into the logs of the routers, and report it: this must not happen", exit: ExitFailure}
		}
		if at += n; err != nil && at < size {
			return first, &failure{code: "DATA_LOST", cause: fmt.Sprintf("%d of %d bytes came back: %s", at, size, err),
				remedy: "look at the routers: weft list routers, weft list links, and their logs", exit: ExitFailure, err: err}
		}
	}
	return first, nil
}

// because replaces an error of the network by the first rule that refuses, if
// there is one.
func (v *traffic) because(ctx context.Context, err error, identity, kind string) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	x, failed := v.m.Explain(ctx, &client.ExplainParams{Identity: identity, Service: v.name.service, Type: kind})
	if failed != nil || x.Allowed {
		return err
	}
	f := explain(err)
	return &failure{code: x.Code, cause: both(f.cause, x.Cause), remedy: x.Remedy, exit: ExitRefused, err: err}
}
