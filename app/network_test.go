package app

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/sdk"
)

// testNetwork is a network whose controller and router stop and start apart.
type testNetwork struct {
	t          *testing.T
	up         *Up
	controller *Controller
	router     *Router
	admin      *client.Client
}

func newTestNetwork(t *testing.T) *testNetwork {
	t.Helper()
	o := testUp(t)
	o.Password = "secret"
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
	n := &testNetwork{t: t, up: up}
	n.startController()
	n.startRouter()
	t.Cleanup(func() { n.stopRouter(); n.stopController() })
	if n.admin, err = logIn(testContext(t), up, "admin", "secret"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.admin.Close)
	return n
}

func (n *testNetwork) startController() {
	n.t.Helper()
	cfg, _, err := conf.LoadController(n.up.ControllerFile, nil)
	if err == nil {
		n.controller, err = StartController(testContext(n.t), ControllerOptions{Config: cfg, Build: Build{Version: Version}, Log: testUp(n.t).Log})
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *testNetwork) stopController() {
	n.t.Helper()
	if err := n.controller.Close(); err != nil {
		n.t.Error(err)
	}
}

func (n *testNetwork) startRouter() {
	n.t.Helper()
	cfg, _, err := conf.LoadRouter(n.up.RouterFile, nil)
	if err == nil {
		n.router, err = StartRouter(testContext(n.t), RouterOptions{Config: cfg, Build: Build{Version: Version}, Log: testUp(n.t).Log})
	}
	if err == nil {
		err = n.router.Ready(testContext(n.t))
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *testNetwork) stopRouter() {
	n.t.Helper()
	if err := n.router.Close(); err != nil {
		n.t.Error(err)
	}
}

// identity makes, enrols and starts an identity.
func (n *testNetwork) identity(name string) *sdk.Client {
	n.t.Helper()
	ctx := testContext(n.t)
	made, err := n.admin.Management().CreateIdentity(ctx, &client.IdentityInput{
		Name: &name, Type: client.Ptr("Default"), IsAdmin: client.Ptr(false), RoleAttributes: []string{name},
		Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	detail, err := n.admin.Management().DetailIdentity(ctx, made.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	file, err := sdk.Enroll(ctx, detail.Enrollment.Ott.JWT, sdk.EnrollOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	c, err := sdk.New(file, sdk.Options{})
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Close() })
	return c
}

// service makes a service that host may host and guest may dial; it returns
// the ids of the service and of the policy to dial.
func (n *testNetwork) service(name string, encrypted bool) (serviceID, dialPolicy string) {
	n.t.Helper()
	ctx := testContext(n.t)
	service, err := n.admin.Management().CreateService(ctx, &client.ServiceInput{Name: &name, EncryptionRequired: &encrypted})
	if err != nil {
		n.t.Fatal(err)
	}
	for _, p := range []struct{ kind, who string }{{"Bind", "#host"}, {"Dial", "#guest"}} {
		made, err := n.admin.Management().CreateServicePolicy(ctx, &client.ServicePolicyInput{
			Name: client.Ptr(name + "-" + p.kind), Type: &p.kind, Semantic: client.Ptr("AnyOf"),
			IdentityRoles: []string{p.who}, ServiceRoles: []string{"@" + service.ID},
		})
		if err != nil {
			n.t.Fatal(err)
		}
		dialPolicy = made.ID
	}
	return service.ID, dialPolicy
}

// echo hosts a service that sends back what it gets.
func (n *testNetwork) echo(host *sdk.Client, service string) {
	n.t.Helper()
	l, err := host.ListenWithOptions(testContext(n.t), service, sdk.ListenOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); serveEcho(l) }()
	n.t.Cleanup(func() { l.Close(); <-done })
}

func serveEcho(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { defer c.Close(); io.Copy(c, c) }()
	}
}

// talk sends a text and waits for it to come back.
func talk(c net.Conn, text string) error {
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil {
		return err
	}
	if string(got) != text {
		return errors.New("got another text back: " + string(got))
	}
	return nil
}

// dial dials until it works, as programs do that outlive a restart.
func (n *testNetwork) dial(guest *sdk.Client, service string) net.Conn {
	n.t.Helper()
	ctx := testContext(n.t)
	for {
		c, err := guest.Dial(ctx, service)
		if err == nil {
			n.t.Cleanup(func() { c.Close() })
			return c
		}
		if ctx.Err() != nil {
			n.t.Fatal(err)
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// pause waits between two attempts at what becomes possible at some time.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func TestControllerRestartKeepsCircuitsAndSessions(t *testing.T) {
	n := newTestNetwork(t)
	n.service("echo", true)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	c := n.dial(guest, "echo")
	if err := talk(c, "before"); err != nil {
		t.Fatal(err)
	}
	n.stopController()
	if err := talk(c, "while the controller is down"); err != nil {
		t.Error("a circuit notices that the controller is down:", err)
	}
	n.startController()
	if _, err := n.admin.Management().GetCurrentAPISession(testContext(t)); err != nil {
		t.Error("the restart kicked the administrator out:", err)
	}
	if err := n.router.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := talk(c, "after"); err != nil {
		t.Error("a circuit notices that the controller was restarted:", err)
	}
	if err := talk(n.dial(guest, "echo"), "a new circuit"); err != nil {
		t.Error(err)
	}
}

func TestRouterRestart(t *testing.T) {
	n := newTestNetwork(t)
	n.service("echo", true)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	if err := talk(n.dial(guest, "echo"), "before"); err != nil {
		t.Fatal(err)
	}
	n.stopRouter()
	n.wantOffline()
	n.startRouter()
	if err := talk(n.dial(guest, "echo"), "after"); err != nil {
		t.Error(err)
	}
}

// wantOffline waits until the controller shows the router as offline, with the
// address that it had.
func (n *testNetwork) wantOffline() {
	n.t.Helper()
	ctx := testContext(n.t)
	for {
		d, err := n.admin.Management().DetailEdgeRouter(ctx, n.router.id)
		switch {
		case err != nil:
			n.t.Fatal(err)
		case d.IsOnline:
			pause(ctx, 5*time.Millisecond)
			continue
		case d.SyncStatus != "SYNC_UNKNOWN" || d.SupportedProtocols["tls"] == "":
			n.t.Errorf("offline: %s, %v", d.SyncStatus, d.SupportedProtocols)
		}
		return
	}
}

func TestLostAccessEndsACircuitWithinASecond(t *testing.T) {
	n := newTestNetwork(t)
	_, dialPolicy := n.service("echo", false)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	c := n.dial(guest, "echo")
	if err := talk(c, "before"); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := n.admin.Management().DeleteServicePolicy(testContext(t), dialPolicy); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the circuit is still there: %v", err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("the circuit ended after %v", took)
	}
	if _, err := guest.Dial(testContext(t), "echo"); err == nil || sdk.Help(err) == "" {
		t.Errorf("a new dial: %v, remedy %q", err, sdk.Help(err))
	}
}

func TestEgressToAServerWithoutWeft(t *testing.T) {
	n := newTestNetwork(t)
	serviceID, _ := n.service("plain", false)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); serveEcho(l) }()
	t.Cleanup(func() { l.Close(); <-done })
	if _, err := n.admin.Management().CreateTerminator(testContext(t), &client.TerminatorInput{
		Service: &serviceID, Router: &n.router.id, Binding: client.Ptr("transport"), Address: client.Ptr("tcp:" + l.Addr().String()),
	}); err != nil {
		t.Fatal(err)
	}
	if err := talk(n.dial(n.identity("guest"), "plain"), "hello"); err != nil {
		t.Error(err)
	}
}

func TestIdleCircuitsEnd(t *testing.T) {
	t.Parallel() // it takes seconds of waiting
	n := newTestNetwork(t)
	serviceID, _ := n.service("echo", false)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	c := n.dial(guest, "echo")
	if err := talk(c, "before"); err != nil {
		t.Fatal(err)
	}
	if err := n.admin.Management().PatchService(testContext(t), serviceID, &client.ServiceInput{MaxIdleTimeMillis: client.Ptr(int64(200))}); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(idleLook + 5*time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the circuit is still there: %v", err)
	}
}

func TestDeletedServiceSessionEndsItsCircuits(t *testing.T) {
	n := newTestNetwork(t)
	n.service("echo", false)
	host, guest := n.identity("host"), n.identity("guest")
	n.echo(host, "echo")
	for _, kind := range []string{"Dial", "Bind"} {
		c := n.dial(guest, "echo")
		if err := talk(c, "before"); err != nil {
			t.Fatal(err)
		}
		page, err := n.admin.Management().ListSessions(testContext(t), &client.ListParams{Filter: `type = "` + kind + `"`})
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("%d %s sessions, %v", len(page.Items), kind, err)
		}
		begin := time.Now()
		if err := n.admin.Management().DeleteSession(testContext(t), page.Items[0].ID); err != nil {
			t.Fatal(err)
		}
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the circuit is still there: %v", kind, err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%s: the circuit ended after %v", kind, took)
		}
		if err := talk(n.dial(guest, "echo"), "with a new session"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
