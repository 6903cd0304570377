package interop

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/openziti/edge-api/rest_management_api_client/service"
	"github.com/openziti/edge-api/rest_management_api_client/terminator"
	"github.com/openziti/edge-api/rest_model"
	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"

	"github.com/weftnet/weft/sdk"
)

func (n *network) terminatorList(t *testing.T, serviceID string) []*rest_model.TerminatorDetail {
	t.Helper()
	res, err := n.admin.API.Terminator.ListTerminators(terminator.NewListTerminatorsParams().WithFilter(ptr(fmt.Sprintf("service=%q", serviceID))), nil)
	if err != nil {
		t.Fatalf("list terminators: %v", err)
	}
	return res.Payload.Data
}

// hostNamed hosts a service with the third-party SDK; every connection gets the
// name of its host and then an echo.
func (n *network) hostNamed(t *testing.T, service, name string, change func(*ziti.ListenOptions)) edge.Listener {
	t.Helper()
	ctx := n.client(t, service+"-"+name, service+"-host")
	opts := ziti.DefaultListenOptions()
	opts.WaitForNEstablishedListeners, opts.ConnectTimeout = 1, patience
	if change != nil {
		change(opts)
	}
	l, err := ctx.ListenWithOptions(service, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go accept(l, func(c net.Conn) {
		_, _ = io.WriteString(c, name)
		_, _ = io.Copy(c, c)
	})
	return l
}

// whoAnswers dials and returns the name of the host.
func whoAnswers(t *testing.T, dial func() (net.Conn, error)) string {
	t.Helper()
	c, err := dial()
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	got := make([]byte, 1)
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// TestListenerUpdates: cost, precedence and health of a listener reach the
// terminator at the controller, and dials follow them.
func TestListenerUpdates(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "updates", true)
	a := n.hostNamed(t, "updates", "a", nil)
	n.hostNamed(t, "updates", "b", nil)
	n.waitTerminators(t, id, 2)
	ctx := n.client(t, "updates-dialer", "updates-dial")
	dial := func() (net.Conn, error) { return ctx.Dial("updates") }
	has := func(what string, cond func(*rest_model.TerminatorDetail) bool) {
		t.Helper()
		if !eventually(func() bool { return slices.ContainsFunc(n.terminatorList(t, id), cond) }) {
			t.Fatalf("no terminator %s", what)
		}
	}
	only := func(want string) {
		t.Helper()
		for range 10 {
			if got := whoAnswers(t, dial); got != want {
				t.Fatalf("host %s answered instead of %s", got, want)
			}
		}
	}
	if err := a.UpdateCost(4321); err != nil {
		t.Fatal(err)
	}
	has("of cost 4321", func(d *rest_model.TerminatorDetail) bool { return *d.Cost == 4321 })
	if err := a.UpdatePrecedence(edge.PrecedenceRequired); err != nil {
		t.Fatal(err)
	}
	has("required", func(d *rest_model.TerminatorDetail) bool {
		return *d.Precedence == rest_model.TerminatorPrecedenceRequired
	})
	only("a")
	if err := a.UpdateCostAndPrecedence(7, edge.PrecedenceFailed); err != nil {
		t.Fatal(err)
	}
	has("failed at cost 7", func(d *rest_model.TerminatorDetail) bool {
		return *d.Cost == 7 && *d.Precedence == rest_model.TerminatorPrecedenceFailed
	})
	only("b")
	if err := a.UpdatePrecedence(edge.PrecedenceDefault); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool {
		return !slices.ContainsFunc(n.terminatorList(t, id), func(d *rest_model.TerminatorDetail) bool {
			return *d.Precedence == rest_model.TerminatorPrecedenceFailed
		})
	}) {
		t.Fatal("the precedence stays")
	}
	if err := a.SendHealthEvent(false); err != nil {
		t.Fatal(err)
	}
	has("failed by ill health", func(d *rest_model.TerminatorDetail) bool {
		return *d.Precedence == rest_model.TerminatorPrecedenceFailed
	})
	only("b")
	if err := a.SendHealthEvent(true); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool {
		return !slices.ContainsFunc(n.terminatorList(t, id), func(d *rest_model.TerminatorDetail) bool {
			return *d.Precedence == rest_model.TerminatorPrecedenceFailed
		})
	}) {
		t.Fatal("the listener stays ill")
	}
}

// TestStickiness: with the strategy "sticky" a token leads back to the same host.
func TestStickiness(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "sticky", true)
	if _, err := n.admin.API.Service.PatchService(service.NewPatchServiceParams().WithID(id).
		WithService(&rest_model.ServicePatch{TerminatorStrategy: "sticky"}), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		n.hostNamed(t, "sticky", name, nil)
	}
	n.waitTerminators(t, id, 3)
	t.Run("sdk", func(t *testing.T) {
		ctx := n.client(t, "sticky-dialer", "sticky-dial")
		for range 3 {
			var token []byte
			first := whoAnswers(t, func() (net.Conn, error) {
				c, err := ctx.DialWithOptions("sticky", &ziti.DialOptions{ConnectTimeout: patience})
				if err == nil {
					token = c.GetStickinessToken()
				}
				return c, err
			})
			if len(token) == 0 {
				t.Fatal("no stickiness token")
			}
			for range 6 {
				if got := whoAnswers(t, func() (net.Conn, error) {
					return ctx.DialWithOptions("sticky", &ziti.DialOptions{ConnectTimeout: patience, StickinessToken: token})
				}); got != first {
					t.Fatalf("the token of host %s led to %s", first, got)
				}
			}
		}
	})
	t.Run("weft", func(t *testing.T) {
		c := n.weftClient(t, "sticky-weft", "sticky-dial")
		first := ""
		for range 8 {
			got := whoAnswers(t, func() (net.Conn, error) {
				return c.DialWithOptions(t.Context(), "sticky", sdk.DialOptions{Sticky: true})
			})
			if first == "" {
				first = got
			}
			if got != first {
				t.Fatalf("host %s after %s", got, first)
			}
		}
	})
}

// TestInstances: hosts under a name are reached by that name alone.
func TestInstances(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "instances", true)
	for _, name := range []string{"a", "b"} {
		n.hostNamed(t, "instances", name, func(o *ziti.ListenOptions) { o.Identity = "instance " + name })
	}
	n.hostNamed(t, "instances", "c", func(o *ziti.ListenOptions) { o.BindUsingEdgeIdentity = true })
	w, err := n.weftClient(t, "instances-w", "instances-host").ListenWithOptions(t.Context(), "instances", sdk.ListenOptions{Instance: "instance w"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	go accept(w, func(c net.Conn) { _, _ = io.WriteString(c, "w"); _, _ = io.Copy(c, c) })
	x := n.weftClient(t, "instances-x", "instances-host")
	for range 2 { // of one identity, so that they may share its name
		l, err := x.ListenWithOptions(t.Context(), "instances", sdk.ListenOptions{InstanceIsIdentity: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go accept(l, func(c net.Conn) { _, _ = io.WriteString(c, "x"); _, _ = io.Copy(c, c) })
	}
	n.waitTerminators(t, id, 6)
	ctx := n.client(t, "instances-dialer", "instances-dial")
	ours := n.weftClient(t, "instances-weft-dialer", "instances-dial")
	for instance, want := range map[string]string{"instance a": "a", "instance b": "b", "instances-c": "c", "instance w": "w", "instances-x": "x"} {
		if got := whoAnswers(t, func() (net.Conn, error) {
			return ctx.DialWithOptions("instances", &ziti.DialOptions{ConnectTimeout: patience, Identity: instance})
		}); got != want {
			t.Errorf("instance %q: host %s answered", instance, got)
		}
		if got := whoAnswers(t, func() (net.Conn, error) {
			return ours.DialWithOptions(t.Context(), "instances", sdk.DialOptions{Instance: instance})
		}); got != want {
			t.Errorf("instance %q from weft: host %s answered", instance, got)
		}
	}
	if c, err := ctx.DialWithOptions("instances", &ziti.DialOptions{ConnectTimeout: patience, Identity: "nobody"}); err == nil {
		_ = c.Close()
		t.Error("an instance that nobody is")
	}
}

// TestWhoDials: the host learns of the dialer and of what it sends along.
func TestWhoDials(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "who", true)
	_, jwt := n.identity(t, "who-dialer", "who-dial")
	dialerCtx := contextOf(t, enrol(t, jwt))
	me, err := dialerCtx.GetCurrentIdentity()
	if err != nil {
		t.Fatal(err)
	}
	weft := n.weftClient(t, "who-weft-dialer", "who-dial")
	dials := map[string]func() (net.Conn, error){
		"who-dialer": func() (net.Conn, error) {
			return dialerCtx.DialWithOptions("who", &ziti.DialOptions{ConnectTimeout: patience, AppData: []byte("hello from who-dialer")})
		},
		"who-weft-dialer": func() (net.Conn, error) {
			return weft.DialWithOptions(context.Background(), "who", sdk.DialOptions{AppData: []byte("hello from who-weft-dialer")})
		},
	}
	check := func(t *testing.T, name, id, dialer, caller, data string) {
		t.Helper()
		if dialer != name || caller != name || data != "hello from "+name || id == "" || name == "who-dialer" && id != *me.ID {
			t.Errorf("identity %q %q, caller %q, data %q", id, dialer, caller, data)
		}
	}
	t.Run("sdk", func(t *testing.T) {
		opts := ziti.DefaultListenOptions()
		opts.WaitForNEstablishedListeners, opts.ConnectTimeout = 1, patience
		l, err := n.client(t, "who-host", "who-host").ListenWithOptions("who", opts)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for name, dial := range dials {
			d, err := dial()
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.AcceptEdge()
			if err != nil {
				t.Fatal(err)
			}
			check(t, name, c.GetDialerIdentityId(), c.GetDialerIdentityName(), c.SourceIdentifier(), string(c.GetAppData()))
			_, _ = c.Close(), d.Close()
		}
	})
	n.waitTerminators(t, id, 0)
	t.Run("weft", func(t *testing.T) {
		l, err := n.weftClient(t, "who-weft-host", "who-host").Listen("who")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for name, dial := range dials {
			d, err := dial()
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.AcceptConn()
			if err != nil {
				t.Fatal(err)
			}
			p := c.Peer()
			check(t, name, p.IdentityID, p.IdentityName, p.CallerID, string(p.AppData))
			_, _ = c.Close(), d.Close()
		}
	})
}
