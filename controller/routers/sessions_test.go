package routers_test

import (
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// startAuth runs the authentication of the controller with a user of each name.
func (w *world) startAuth(c clock.Clock, users ...string) *auth.Auth {
	w.t.Helper()
	a, err := auth.New(auth.Config{
		Journal: filepath.Join(w.t.TempDir(), "sessions.journal"), TrustDomain: "test.example", Issuer: "https://localhost:1280",
		Passwords: auth.PasswordCost{Time: 1, Memory: 64, Threads: 1}, SessionTimeout: 30 * time.Minute,
	}, auth.Deps{
		Store: w.store, Writer: w, Clock: c, Log: slog.New(slog.DiscardHandler),
		Bundle: w.bundle, Signer: func() *pki.Authority { return w.pki.Edge },
	})
	must(w.t, err)
	w.t.Cleanup(func() { must(w.t, a.Close()) })
	must(w.t, a.Start(w.t.Context()))
	for _, name := range users {
		hash, err := a.Passwords().Hash(w.t.Context(), "secret")
		must(w.t, err)
		w.apply(command().Create(entity("updb-"+name, &model.Authenticator{
			Method: model.MethodUpdb, IdentityID: name, Username: name, PasswordHash: hash})))
	}
	return a
}

func login(t *testing.T, a *auth.Auth, name string) *auth.Session {
	t.Helper()
	s, err := a.Login(t.Context(), auth.LoginRequest{Method: auth.LoginPassword, Username: name, Password: "secret", RemoteIP: "127.0.0.1"})
	must(t, err)
	return s
}

// touching counts the reports of routers as activity.
type touching struct{ *auth.Auth }

func (a touching) SessionsActive(ids []string) { a.Touch(ids...) }

// connected is a Node with live sessions of the test's choice.
type connected struct {
	*node
	live atomic.Pointer[[]string]
}

func (n *connected) LiveSessions() []string { return *n.live.Load() }

func serving(ids ...string) *connected {
	n := &connected{node: newNode()}
	n.live.Store(&ids)
	return n
}

func TestRouterConnectionKeepsASession(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	now := clock.NewFake(time.Now())
	a := w.startAuth(now, "dialer", "host")
	kept, idle := login(t, a, "dialer"), login(t, a, "host")
	c := w.startController("", touching{a})
	n := serving(kept.ID)
	u, _ := w.startRouter(id, fingerprint, c.address, "", n)
	ready(t, u)
	for range 3 {
		now.Advance(20 * time.Minute)
		eventually(t, "the report of the router", func() bool {
			s, err := a.Session(kept.ID)
			must(t, err)
			return !s.CachedLastActivityAt.Before(now.Now().Truncate(time.Millisecond))
		})
	}
	eventually(t, "the end of the other session", func() bool {
		_, err := a.Session(idle.ID)
		return errors.Is(err, fault.NotFound)
	})
	n.live.Store(&[]string{kept.ID, idle.ID}) // a client comes with the token all the same
	eventually(t, "its end at the router", func() bool {
		now.Advance(time.Second)
		return errors.Is(u.AliveSession(idle.ID, "host", idle.CreatedAt), uplink.ErrSessionEnded)
	})
	must(t, u.AliveSession(kept.ID, "dialer", kept.CreatedAt))
}

func TestServiceSessionEndsAtTheRouter(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	a := w.startAuth(clock.Real(), "dialer")
	c := w.startController("", nil)
	n := newNode()
	u, _ := w.startRouter(id, fingerprint, c.address, "", n)
	ready(t, u)
	s := login(t, a, "dialer")
	made, err := a.CreateServiceSession(t.Context(), s, "svc", auth.SessionDial)
	must(t, err)
	if got, err := u.Service(made.Token); err != nil || got.ID != made.ID {
		t.Fatal(got, err)
	}
	begin := time.Now()
	must(t, a.DeleteServiceSession(t.Context(), s.ID, made.ID))
	receive(t, n.sessions)
	if _, err := u.Service(made.Token); !errors.Is(err, uplink.ErrServiceEnded) {
		t.Error(err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v", took)
	}
	again, err := a.CreateServiceSession(t.Context(), s, "svc", auth.SessionDial)
	must(t, err)
	if _, err := u.Service(again.Token); err != nil || again.ID == made.ID {
		t.Error("the next one:", err)
	}
}

// TestRouterWithAWrongSlice has a router come back with a slice of the right
// index and another content, as after a defect: it must end up with the truth,
// and follow it from there on.
func TestRouterWithAWrongSlice(t *testing.T) {
	for _, changed := range []bool{false, true} {
		w := newWorld(t)
		id, fingerprint := w.routerIdentity("r1")
		w.populate("r1", fingerprint)
		file := filepath.Join(t.TempDir(), "edge.db")
		c := w.startController("", nil)
		u, stop := w.startRouter(id, fingerprint, c.address, file, newNode())
		ready(t, u)
		stop()
		falsify(t, file)
		if changed {
			w.apply(command().Create(entity("new", &model.Service{Name: "new"})))
		}
		n := newNode()
		u, _ = w.startRouter(id, fingerprint, c.address, file, n)
		eventually(t, "the truth", func() bool {
			v := u.View()
			return v.Identity("ghost") == nil && v.Check(policy.Dial, "dialer", "svc", "r1").Allowed() && (v.Service("new") != nil) == changed
		})
		w.apply(command().Create(entity("newer", &model.Service{Name: "newer"})))
		eventually(t, "the next change", func() bool { return u.View().Service("newer") != nil })
	}
}

// falsify takes an identity out of a stored slice and puts a stranger in.
func falsify(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	z, err := gzip.NewReader(f)
	must(t, err)
	b, err := io.ReadAll(z)
	must(t, errors.Join(err, f.Close()))
	s := &ctrl.Snapshot{}
	must(t, proto.Unmarshal(b, s))
	slice := control.NewSlice()
	slice.Apply(s.Items)
	if !slice.Remove(control.ItemKey{Kind: uint32(policy.KindIdentity), ID: "dialer"}) {
		t.Fatal("no identity to take out")
	}
	ghost, err := (&policy.Identity{ID: "ghost", Name: "ghost"}).AppendBinary(nil)
	must(t, err)
	slice.Put(control.ItemKey{Kind: uint32(policy.KindIdentity), ID: "ghost"}, ghost)
	s.Items, s.Digest = slice.Items(), slice.Digest()
	b, err = proto.Marshal(s)
	must(t, err)
	f, err = os.Create(file)
	must(t, err)
	out := gzip.NewWriter(f)
	_, err = out.Write(b)
	must(t, errors.Join(err, out.Close(), f.Close()))
}
