package routers_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

func terminator(id string) *ctrl.Terminator {
	return &ctrl.Terminator{Id: id, ServiceId: "svc", Binding: "edge", Address: id, HostId: "host"}
}

func circuitRequest(id string) *ctrl.CreateCircuit {
	return &ctrl.CreateCircuit{CircuitId: id, IdentityId: "dialer", SessionId: "s1", ServiceId: "svc", Attempt: 1}
}

func ready(t testing.TB, u *uplink.Uplink) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must(t, u.Ready(ctx))
	eventually(t, "connected", func() bool { return u.Status().Connected })
}

func TestRouterLife(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	active := make(activity, 100)
	c := w.startController("", active)
	n := newNode()
	u, _ := w.startRouter(id, fingerprint, c.address, "", n)
	ready(t, u)
	if u.RouterID() != "r1" || !u.View().Check(policy.Dial, "dialer", "svc", "r1").Allowed() {
		t.Error("the slice does not arrive")
	}
	s := c.registry.Status("r1")
	if !s.Online || s.Hostname != "here" || s.Protocols["tls"] != "tls://here:3022" {
		t.Errorf("status %+v", s)
	}
	if got := receive(t, active); len(got) != 2 {
		t.Errorf("activity %v", got)
	}
	values, err := c.registry.Inspect(t.Context(), "r1", []string{"key"})
	if err != nil || values["key"] != "value" {
		t.Error(values, err)
	}

	t.Run("terminators", func(t *testing.T) {
		must(t, u.AddTerminator(t.Context(), terminator("t1")))
		got := state.Get[model.Terminator](w.store.View(), "t1")
		if got == nil || got.RouterID != "r1" || got.HostID != "host" || got.Precedence != "default" {
			t.Fatalf("stored %+v", got)
		}
		before := w.written()
		must(t, u.AddTerminator(t.Context(), terminator("t1")))
		if w.written() != before {
			t.Error("a terminator that is known is written again")
		}
		bad := terminator("t2")
		bad.HostId = "dialer"
		var refused *uplink.Refused
		if err := u.AddTerminator(t.Context(), bad); !errors.As(err, &refused) || refused.Code != string(policy.NoBindPolicy) || refused.Remedy == "" {
			t.Error("terminator without access:", err)
		}
		must(t, u.AddTerminator(t.Context(), terminator("t3")))
		u.RemoveTerminator("t3")
		eventually(t, "removal", func() bool { return state.Get[model.Terminator](w.store.View(), "t3") == nil })
	})

	t.Run("circuits", func(t *testing.T) {
		a, err := u.CreateCircuit(t.Context(), circuitRequest("c1"))
		if err != nil || a.Refusal != nil || a.Route.Egress.TerminatorId != "t1" || a.Route.Egress.HostId != "host" {
			t.Fatal(a, err)
		}
		if got := c.network.Circuit("c1"); got == nil || got.TerminatorID != "t1" || c.network.DynamicCost("t1") != 2 {
			t.Errorf("circuit %+v", got)
		}
		u.CircuitEnded("c1")
		eventually(t, "end", func() bool { return c.network.Circuit("c1") == nil && c.network.DynamicCost("t1") == 0 })
	})

	t.Run("access withdrawn", func(t *testing.T) {
		_, err := u.CreateCircuit(t.Context(), circuitRequest("c2"))
		must(t, err)
		n.add(&ctrl.Circuit{CircuitId: "c2"})
		for len(n.access) > 0 {
			<-n.access
		}
		w.apply(command().Delete(model.KindServicePolicy, "dial"))
		if e := receive(t, n.access); !e.Pair("dialer", "svc") || !e.Loss() {
			t.Error("effects do not name the pair")
		}
		if got := receive(t, n.ended); got != "c2" {
			t.Error(got)
		}
		if u.View().Check(policy.Dial, "dialer", "svc", "r1").Allowed() {
			t.Error("still allowed at the router")
		}
		a, err := u.CreateCircuit(t.Context(), circuitRequest("c3"))
		if err != nil || a.Refusal.GetCode() != string(policy.NoDialPolicy) || a.Refusal.Remedy == "" {
			t.Error(a, err)
		}
		w.apply(command().Delete(model.KindServicePolicy, "bind"))
		eventually(t, "terminator removed", func() bool { return w.store.View().Count(model.KindTerminator) == 0 })
	})

	t.Run("session ended", func(t *testing.T) {
		w.apply(command().Create(entity("s9", &model.Revocation{Type: model.RevokeAPISession, ExpiresAt: time.Now().Add(time.Hour)})))
		receive(t, n.sessions)
		if err := u.AliveSession("s9", "dialer", time.Now()); !errors.Is(err, uplink.ErrSessionEnded) {
			t.Error(err)
		}
		must(t, u.AliveSession("s8", "dialer", time.Now()))
	})

	t.Run("disabled for a while", func(t *testing.T) {
		until := time.Now().Add(300 * time.Millisecond)
		w.apply(command().Patch(model.KindIdentity, "dialer", map[string]any{"disabledAt": time.Now(), "disabledUntil": until}))
		eventually(t, "disabled", func() bool { return u.View().Identity("dialer").Disabled })
		eventually(t, "enabled", func() bool { return !u.View().Identity("dialer").Disabled })
	})

	t.Run("router disabled", func(t *testing.T) {
		w.apply(command().Patch(model.KindEdgeRouter, "r1", map[string]any{"disabled": true}))
		eventually(t, "offline", func() bool { return !c.registry.Online("r1") && !u.Status().Connected })
		if s := c.registry.Status("r1"); s.Protocols["tls"] != "tls://here:3022" || s.Hostname != "here" {
			t.Errorf("what was known of it is forgotten: %+v", s)
		}
		w.apply(command().Patch(model.KindEdgeRouter, "r1", map[string]any{"disabled": false}))
		eventually(t, "online", func() bool { return c.registry.Online("r1") && u.Status().Connected })
	})
}

func TestControllerRestarts(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	c := w.startController("", nil)
	n := newNode()
	u, _ := w.startRouter(id, fingerprint, c.address, "", n)
	ready(t, u)
	must(t, u.AddTerminator(t.Context(), terminator("t1")))
	for _, name := range []string{"stays", "ends", "forbidden"} {
		_, err := u.CreateCircuit(t.Context(), circuitRequest(name))
		must(t, err)
		report := &ctrl.Circuit{CircuitId: name, IdentityId: "dialer", ServiceId: "svc", SessionId: "s1", TerminatorId: "t1", HostId: "host"}
		if name == "forbidden" {
			report.IdentityId = "host"
		}
		n.add(report)
	}
	c.stop()
	eventually(t, "noticed", func() bool { return !u.Status().Connected })
	if _, err := u.CreateCircuit(t.Context(), circuitRequest("x")); !errors.Is(err, uplink.ErrNoController) {
		t.Error(err)
	}
	n.EndCircuits(&ctrl.Unroute{CircuitIds: []string{"ends"}, Reason: ""})
	receive(t, n.ended)
	u.CircuitEnded("ends")
	added := make(chan error, 1)
	go func() { added <- u.AddTerminator(context.Background(), terminator("t2")) }()
	w.apply(command().Create(entity("new", &model.Service{Name: "new"})))
	w.apply(command().AsSystem().Create(entity("stale", &model.Terminator{ServiceID: "svc", RouterID: "r1", Binding: "edge", Address: "x", HostID: "host"})))
	w.apply(command().Create(entity("admins", &model.Terminator{ServiceID: "svc", RouterID: "r1", Binding: "transport", Address: "tcp:x:1"})))

	c = w.startController(c.address, nil)
	must(t, receive(t, added))
	if got := receive(t, n.ended); got != "forbidden" {
		t.Error("dropped", got)
	}
	if c.network.Circuit("stays") == nil || c.network.Circuit("ends") != nil || len(c.network.Circuits()) != 1 {
		t.Errorf("circuits %v", c.network.Circuits())
	}
	v := w.store.View()
	for name, want := range map[string]bool{"t1": true, "t2": true, "stale": false, "admins": true} {
		if got := state.Get[model.Terminator](v, name) != nil; got != want {
			t.Errorf("terminator %s: %v", name, got)
		}
	}
	eventually(t, "slice", func() bool { return u.View().Service("new") != nil })
	w.apply(command().Create(entity("newer", &model.Service{Name: "newer"})))
	eventually(t, "slice follows", func() bool { return u.View().Service("newer") != nil })
}

func TestRouterRestartsWithoutController(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	file := filepath.Join(t.TempDir(), "edge.db")
	c := w.startController("", nil)
	u, stop := w.startRouter(id, fingerprint, c.address, file, newNode())
	ready(t, u)
	stop()
	c.stop()
	u, stop = w.startRouter(id, fingerprint, c.address, file, newNode())
	if u.RouterID() != "r1" || !u.View().Check(policy.Dial, "dialer", "svc", "r1").Allowed() {
		t.Error("nothing is known without a controller")
	}
	w.apply(command().Delete(model.KindServicePolicy, "dial"))
	w.startController(c.address, nil)
	eventually(t, "news", func() bool { return !u.View().Check(policy.Dial, "dialer", "svc", "r1").Allowed() })
	stop()
}

func TestHelloOfStrangers(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	other, _ := w.routerIdentity("nobody")
	w.populate("r1", fingerprint)
	c := w.startController("", nil)
	stranger := newWorld(t)
	foreign, _ := stranger.routerIdentity("r1")
	u, _ := w.startRouter(id, fingerprint, c.address, "", newNode())
	ready(t, u)
	dial := func(cfg *tls.Config, alpn string) error {
		ch, _, err := channel.Dial(t.Context(), channel.DialConfig{Address: c.address, TLS: cfg, ALPN: alpn})
		if err == nil {
			ch.Close()
			ch.Wait()
		}
		return err
	}
	foreignTLS := foreign.ClientTLS()
	foreignTLS.VerifyConnection = nil
	tests := []struct {
		name, alpn, want string
		cfg              *tls.Config
	}{
		{"not enrolled", ctrl.ALPN, "no router has this certificate", other.ClientTLS()},
		{"another CA", ctrl.ALPN, "bad certificate", foreignTLS},
		{"connected already", ctrl.ALPN, "connected already", id.ClientTLS()},
		{"openziti", ctrl.ForeignALPN, "this is a Weft controller", id.ClientTLS()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := dial(tt.cfg, tt.alpn); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if !u.Status().Connected {
		t.Error("the router was disturbed")
	}
}

func TestWritesWaitForALeader(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	c := w.startController("", nil)
	u, _ := w.startRouter(id, fingerprint, c.address, "", newNode())
	ready(t, u)
	w.mu.Lock()
	w.noWrite = errors.New("no leader")
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := u.AddTerminator(ctx, terminator("t1")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	w.mu.Lock()
	w.noWrite = nil
	w.mu.Unlock()
	eventually(t, "written", func() bool { return state.Get[model.Terminator](w.store.View(), "t1") != nil })
}

func TestLargeSlice(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	cmd := command()
	for i := range 10_000 {
		cmd.Create(entity(fmt.Sprintf("i%05d", i), &model.Identity{Name: fmt.Sprintf("i%05d", i), Type: model.IdentityDefault, RoleAttributes: []string{"a", "b"}}))
	}
	w.apply(cmd)
	c := w.startController("", nil)
	u, _ := w.startRouter(id, fingerprint, c.address, "", newNode())
	ready(t, u)
	if u.View().Identity("i09999") == nil || u.View().Identity("i00000") == nil {
		t.Error("identities are missing")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must(t, c.feed.Wait(ctx, w.apply(command().Delete(model.KindIdentity, "i09999"))))
	eventually(t, "removed", func() bool { return u.View().Identity("i09999") == nil })
}
