package interop

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/openziti/edge-api/rest_management_api_client/terminator"
	"github.com/openziti/edge-api/rest_model"
)

// TestControllerKilledUnderTraffic kills the controller while a transfer runs
// and starts it again: the transfer does not notice, and new dials work.
func TestControllerKilledUnderTraffic(t *testing.T) {
	n := ownNetwork(t)
	id, _, _ := n.service(t, "steady", true)
	serve(t, theirs("sdk", false).listen(t, n, "steady"))
	n.waitTerminators(t, id, 1)
	dial := theirs("sdk", false).dial(t, n, "steady")
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	echo(t, c)
	n.Controller.Kill()
	for range 50 {
		echo(t, c)
	}
	if err := n.Controller.Start(); err != nil {
		t.Fatal(err)
	}
	echo(t, c)
	if !eventually(func() bool { return tryEcho(dial) == nil }) {
		t.Fatalf("no new connection after the controller came back: %v", tryEcho(dial))
	}
	echo(t, c)
}

// TestRouterRestarted kills the router and starts it again: hosts and dialers
// come back by themselves.
func TestRouterRestarted(t *testing.T) {
	n := ownNetwork(t)
	id, _, _ := n.service(t, "back", true)
	serve(t, theirs("sdk", false).listen(t, n, "back"))
	n.waitTerminators(t, id, 1)
	dial := theirs("sdk", false).dial(t, n, "back")
	echoOnce(t, dial)
	n.Router.Kill()
	if err := n.Router.Start(); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return tryEcho(dial) == nil }) {
		t.Fatalf("no connection after the router came back: %v", tryEcho(dial))
	}
}

// TestPolicyTakenAway ends a running circuit and refuses new dials.
func TestPolicyTakenAway(t *testing.T) {
	n := sharedNetwork(t)
	id, dialPolicy, _ := n.service(t, "revoked", true)
	serve(t, theirs("sdk", false).listen(t, n, "revoked"))
	n.waitTerminators(t, id, 1)
	dial := theirs("sdk", false).dial(t, n, "revoked")
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	echo(t, c)
	n.deletePolicy(t, dialPolicy)
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		t.Fatalf("the circuit lives on: %v", err)
	}
	if err := tryEcho(dial); err == nil {
		t.Fatal("a dial without policy succeeded")
	}
}

// TestNoAccess refuses an identity that no policy names.
func TestNoAccess(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "closed", true)
	serve(t, theirs("sdk", false).listen(t, n, "closed"))
	n.waitTerminators(t, id, 1)
	stranger := n.client(t, "stranger", "unrelated")
	if services, err := stranger.GetServices(); err != nil || len(services) != 0 {
		t.Fatalf("a stranger sees %d services, error %v", len(services), err)
	}
	c, err := stranger.Dial("closed")
	if err == nil {
		_ = c.Close()
		t.Fatal("a stranger connected")
	}
	if !strings.Contains(err.Error(), "closed") {
		t.Fatalf("the refusal does not name the service: %v", err)
	}
}

// TestEgress reaches a plain TCP server through the router.
func TestEgress(t *testing.T) {
	n := sharedNetwork(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go accept(l, func(c net.Conn) {
		_, _ = io.Copy(c, c)
		_ = c.(*net.TCPConn).CloseWrite()
	})
	id, _, _ := n.service(t, "egress", false)
	if _, err := n.admin.API.Terminator.CreateTerminator(terminator.NewCreateTerminatorParams().WithTerminator(&rest_model.TerminatorCreate{
		Service: &id, Router: ptr(n.routerID(t)), Binding: ptr("transport"), Address: ptr("tcp:" + l.Addr().String()),
	}), nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range []end{theirs("sdk", false), theirs("sdk-flow", true), ours()} {
		t.Run(e.name, func(t *testing.T) {
			dial := e.dial(t, n, "egress")
			echoOnce(t, dial)
			bulk(t, dial, 16<<20)
			halfClose(t, dial)
		})
	}
}

func tryEcho(dial func(context.Context) (net.Conn, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = io.ReadFull(c, make([]byte, 1))
	return err
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}
